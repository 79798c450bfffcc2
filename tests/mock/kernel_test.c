/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the program registers: when they execute, and what their functions receive. */

#include "tests/mock/fixture.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

enum { MS = 1000000 };

static const char image[] = HEAD
    ".visible .entry cushim_nothing() { ret; }\n"
    ".visible .entry cushim_spin(.param .u64 ns) { ret; }\n"
    ".visible .entry store(.param .u64 p, .param .u32 v) { ret; }\n"
    ".visible .entry unknown(.param .u32 a) { ret; }\n"
    ".visible .entry mixed(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20]) { ret; }\n";

static int begin(void **settings)
{
    return kernel_begin(*settings, image);
}

/* Replaces the kernel `store`: writes its value through its pointer. */
static void store(const struct cushim_mock_launch *launch, void *data)
{
    CUdeviceptr address;
    void *host;

    memcpy(&address, launch->parameters[0], sizeof address);
    host = cushim_mock_memory(fixture_mock, address, sizeof(uint32_t));
    assert_non_null(host);
    memcpy(host, launch->parameters[1], sizeof(uint32_t));
    ++*(unsigned *)data;
}

static void register_store(unsigned *runs)
{
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "store", .duration_ns = 2 * MS, .run = store, .data = runs};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
}

static uint32_t read_word(CUdeviceptr address)
{
    uint32_t value;

    memcpy(&value, cushim_mock_memory(fixture_mock, address, sizeof value), sizeof value);
    return value;
}

#define TEST(name) TEST_IN(name, "mode = manual")
#define TEST_IN(name, settings) TEST_FROM(name, begin, fixture_done, (void *)(uintptr_t)(settings))

TEST(kernel_acts_when_it_ends_with_the_parameters_of_the_call)
{
    CUdeviceptr address;
    uint32_t value = 77;
    unsigned runs = 0;
    void *parameters[] = {&address, &value};

    register_store(&runs);
    OK(driver->MemAlloc_v2(&address, 4));
    OK(driver->MemsetD8_v2(address, 0, 4));
    OK(kernel_launch(kernel_find("store"), parameters, NULL));
    value = 99;
    OK(cushim_mock_advance(fixture_mock, MS));
    assert_int_equal(runs, 0);
    assert_int_equal(read_word(address), 0);
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    assert_int_equal(runs, 1);
    assert_int_equal(read_word(address), 77);
}

/* The results of calls inside a function that replaces a kernel. */
struct asked {
    CUresult state, registering, advance, step, drain;
    unsigned runs;
};

static void ask(const struct cushim_mock_launch *launch, void *data)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "unknown"};
    struct cushim_mock_state state = {.size = sizeof state};
    struct asked *asked = data;

    (void)launch;
    asked->runs++;
    asked->state = cushim_mock_get_state(fixture_mock, &state);
    asked->registering = cushim_mock_register_kernel(fixture_mock, &kernel);
    asked->advance = cushim_mock_advance(fixture_mock, 1);
    asked->step = cushim_mock_step(fixture_mock);
    asked->drain = cushim_mock_drain(fixture_mock);
    assert_null(cushim_mock_misuse(fixture_mock, 0));
}

TEST(kernel_may_ask_the_mock_and_not_move_its_clock)
{
    struct asked asked = {.state = CUDA_ERROR_UNKNOWN};
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "cushim_nothing", .run = ask, .data = &asked};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(kernel_find("cushim_nothing"), NULL, NULL));
    OK(cushim_mock_advance(fixture_mock, MS));
    assert_int_equal(asked.runs, 1);
    OK(asked.state);
    OK(asked.registering);
    CODE(CUDA_ERROR_NOT_PERMITTED, asked.advance);
    CODE(CUDA_ERROR_NOT_PERMITTED, asked.step);
    CODE(CUDA_ERROR_NOT_PERMITTED, asked.drain);
}

TEST(later_registration_is_for_later_launches)
{
    struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "cushim_nothing"};

    kernel.duration_ns = 10 * MS;
    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(kernel_find("cushim_nothing"), NULL, NULL));
    kernel.duration_ns = 0;
    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(cushim_mock_advance(fixture_mock, 9 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    OK(driver->StreamQuery(kernel_stream));
}

TEST(spinning_kernel_takes_the_time_of_its_parameter)
{
    uint64_t ns = 5 * MS;
    void *parameters[] = {&ns};

    OK(kernel_launch(kernel_find("cushim_spin"), parameters, NULL));
    OK(cushim_mock_advance(fixture_mock, 5 * MS - 1));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(cushim_mock_advance(fixture_mock, MS));
    OK(driver->StreamQuery(kernel_stream));
}

static void keep_line(void *data, const char *line)
{
    strncpy(data, line, 199);
}

TEST_IN(kernel_of_which_nothing_is_known_is_refused_by_name,
        "mode = manual\nunregistered_kernels = refuse")
{
    static char logged[200];
    uint32_t value = 0;
    void *parameters[] = {&value};

    cushim_mock_set_log(fixture_mock, keep_line, logged);
    CODE(CUDA_ERROR_NOT_SUPPORTED, kernel_launch(kernel_find("unknown"), parameters, NULL));
    CONTAINS(logged, "'unknown'");
    cushim_mock_set_log(fixture_mock, NULL, NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, kernel_launch(kernel_find("unknown"), NULL, NULL));
    assert_int_equal(fixture_state().pending, 0);
}

TEST_IN(kernel_of_which_nothing_is_known_can_be_skipped,
        "mode = manual\nunregistered_kernels = skip")
{
    uint32_t value = 0;
    void *parameters[] = {&value};

    OK(kernel_launch(kernel_find("unknown"), parameters, NULL));
    assert_int_equal(fixture_state().pending, 1);
}

static CUresult met[3];

static void call_the_driver(const struct cushim_mock_launch *launch, void *data)
{
    CUdeviceptr address;

    (void)launch;
    (void)data;
    met[0] = driver->MemAlloc_v2(&address, 4);
    met[1] = driver->StreamSynchronize(NULL);
    met[2] = driver->GLInit(); /* not implemented */
}

TEST(driver_cannot_be_called_by_a_kernel)
{
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "cushim_nothing", .run = call_the_driver};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(kernel_find("cushim_nothing"), NULL, NULL));
    OK(cushim_mock_drain(fixture_mock));
    for (size_t i = 0; i < COUNT(met); i++)
        assert_int_equal(met[i], CUDA_ERROR_NOT_PERMITTED);
    OK(driver->CtxSynchronize());
}

TEST(registrations_that_make_no_sense_are_refused)
{
    struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "x"};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(NULL, &kernel));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(fixture_mock, NULL));
    kernel.name = "";
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(fixture_mock, &kernel));
    kernel.name = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(fixture_mock, &kernel));
    kernel.name = "x";
    kernel.parameter_count = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(fixture_mock, &kernel));
    kernel.parameter_count = 0;
    kernel.size = 3;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_register_kernel(fixture_mock, &kernel));
}

/* What the function that replaces a kernel receives about the launch. */

static struct cushim_mock_launch seen;
static unsigned char seen_bytes[3][32];
static size_t seen_sizes[3];

static void look(const struct cushim_mock_launch *launch, void *data)
{
    (void)data;
    seen = *launch;
    for (size_t i = 0; i < launch->parameter_count; i++) {
        seen_sizes[i] = launch->parameter_sizes[i];
        memcpy(seen_bytes[i], launch->parameters[i], launch->parameter_sizes[i]);
    }
}

TEST(launch_is_reported_in_full)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "mixed", .run = look};
    const unsigned char a = 1, c[20] = "twenty bytes of it.";
    const uint64_t b = 2;
    void *parameters[] = {(void *)&a, (void *)&b, (void *)c};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(driver->LaunchKernel(kernel_find("mixed"), 2, 3, 4, 5, 6, 7, 100, kernel_stream, parameters,
                            NULL));
    OK(cushim_mock_drain(fixture_mock));
    assert_string_equal(seen.name, "mixed");
    assert_int_equal(seen.grid[0] * 100 + seen.grid[1] * 10 + seen.grid[2], 234);
    assert_int_equal(seen.block[0] * 100 + seen.block[1] * 10 + seen.block[2], 567);
    assert_int_equal(seen.shared_bytes, 100);
    assert_int_equal(seen.parameter_count, 3);
    assert_int_equal(seen_sizes[0], 1);
    assert_int_equal(seen_sizes[1], 8);
    assert_int_equal(seen_sizes[2], 20);
    assert_int_equal(seen_bytes[0][0], 1);
    assert_int_equal(seen_bytes[1][0], 2);
    assert_memory_equal(seen_bytes[2], c, sizeof c);
}

TEST(buffer_of_parameters_has_the_declared_offsets)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "mixed", .run = look};
    unsigned char buffer[48] = {[0] = 1, [8] = 2, [16] = 3, [35] = 4};
    size_t size = 36;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUfunction mixed = kernel_find("mixed");

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(mixed, NULL, extra));
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(seen_bytes[0][0], 1);
    assert_int_equal(seen_bytes[1][0], 2);
    assert_int_equal(seen_bytes[2][0], 3);
    assert_int_equal(seen_bytes[2][19], 4);

    size = 8;
    OK(kernel_launch(mixed, NULL, extra));
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(seen_bytes[1][0], 0);
}

TEST(registered_sizes_hold_where_the_image_reports_none)
{
    static const size_t sizes[] = {4, 8};
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = "unknown",
                                              .run = look,
                                              .parameter_sizes = sizes,
                                              .parameter_count = COUNT(sizes)};
    const uint32_t one = 11;
    const uint64_t two = 22;
    void *parameters[] = {(void *)&one, (void *)&two};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(kernel_launch(kernel_find("unknown"), parameters, NULL));
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(seen.parameter_count, 2);
    assert_int_equal(seen_bytes[0][0], 11);
    assert_int_equal(seen_bytes[1][0], 22);
}
