/* SPDX-License-Identifier: Apache-2.0 */
/* What the function that stands for a kernel is told of a launch. */
#include <string.h>

#include "tests/mock/world.h"

static const char image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry mixed(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20]) { ret; }\n"
    ".visible .entry unknown(.param .u32 a) { ret; }\n";

static int begin(void **state)
{
    (void)state;
    return kernel_begin("mode = manual", image);
}

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

static void launch_is_told_in_full(void **state)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "mixed", .run = look};
    const unsigned char a = 1, c[20] = "twenty bytes of it.";
    const uint64_t b = 2;
    void *parameters[] = {(void *)&a, (void *)&b, (void *)c};

    (void)state;
    OK(cushim_mock_kernel_register(world, &kernel));
    OK(driver->LaunchKernel(kernel_find("mixed"), 2, 3, 4, 5, 6, 7, 100, kernel_stream, parameters,
                            NULL));
    OK(cushim_mock_drain(world));
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

static void buffer_of_parameters_has_the_declared_offsets(void **state)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "mixed", .run = look};
    unsigned char buffer[48] = {[0] = 1, [8] = 2, [16] = 3, [35] = 4};
    size_t size = 36, none = 0;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    void *bogus[] = {(void *)77, buffer, CU_LAUNCH_PARAM_END};
    void *parameters[] = {buffer, buffer, buffer};
    CUfunction mixed = kernel_find("mixed");

    (void)state;
    OK(cushim_mock_kernel_register(world, &kernel));
    OK(kernel_launch(mixed, NULL, extra));
    OK(cushim_mock_drain(world));
    assert_int_equal(seen_bytes[0][0], 1);
    assert_int_equal(seen_bytes[1][0], 2);
    assert_int_equal(seen_bytes[2][0], 3);
    assert_int_equal(seen_bytes[2][19], 4);

    size = 8;
    OK(kernel_launch(mixed, NULL, extra));
    OK(cushim_mock_drain(world));
    assert_int_equal(seen_bytes[1][0], 0);
    size = 40;
    CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, kernel_launch(mixed, NULL, extra));
    extra[3] = &none;
    CODE(CUDA_ERROR_INVALID_VALUE, kernel_launch(mixed, NULL, extra));
    CODE(CUDA_ERROR_INVALID_VALUE, kernel_launch(mixed, NULL, bogus));
    CODE(CUDA_ERROR_INVALID_VALUE, kernel_launch(mixed, parameters, extra));
    CODE(CUDA_ERROR_INVALID_VALUE, kernel_launch(mixed, NULL, NULL));
}

static void registered_sizes_hold_where_the_image_tells_none(void **state)
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

    (void)state;
    OK(cushim_mock_kernel_register(world, &kernel));
    OK(kernel_launch(kernel_find("unknown"), parameters, NULL));
    OK(cushim_mock_drain(world));
    assert_int_equal(seen.parameter_count, 2);
    assert_int_equal(seen_bytes[0][0], 11);
    assert_int_equal(seen_bytes[1][0], 22);
}

#define KERNEL_TEST(name) cmocka_unit_test_setup_teardown(name, begin, kernel_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(launch_is_told_in_full),
        KERNEL_TEST(buffer_of_parameters_has_the_declared_offsets),
        KERNEL_TEST(registered_sizes_hold_where_the_image_tells_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
