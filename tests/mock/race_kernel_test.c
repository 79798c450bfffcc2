/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with memory, as far as it is said. */
#include <string.h>

#include "tests/mock/race_world.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

static int begin(void **state)
{
    (void)state;
    race_begin("mode = auto\nunregistered_kernels = skip");
    return 0;
}

static CUresult say(const char *name, const enum cushim_mock_access *accesses,
                    const size_t *access_bytes, size_t count)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = name,
                                              .accesses = accesses,
                                              .access_bytes = access_bytes,
                                              .parameter_count = count};

    return cushim_mock_kernel_register(world, &kernel);
}

/* Whether a kernel with the one access races with one with the other. */
static bool race_of(enum cushim_mock_access one, enum cushim_mock_access other)
{
    const size_t before = race_count();
    CUstream streams[2] = {world_stream(), world_stream()};

    OK(say("reads", &one, NULL, 1));
    OK(say("writes", &other, NULL, 1));
    race_launch(race_reads, race_memory, streams[0]);
    race_launch(race_writes, race_memory, streams[1]);
    OK(driver->CtxSynchronize());
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    return race_count() > before;
}

static void accesses_are_compared(void **state)
{
    enum { UNKNOWN, NONE, READ, WRITE, READ_WRITE, ALL };
    static const bool races[ALL][ALL] = {
        [UNKNOWN] = {[READ] = true, [WRITE] = true, [READ_WRITE] = true},
        [READ] = {[UNKNOWN] = true, [WRITE] = true, [READ_WRITE] = true},
        [WRITE] = {[UNKNOWN] = true, [READ] = true, [WRITE] = true, [READ_WRITE] = true},
        [READ_WRITE] = {[UNKNOWN] = true, [READ] = true, [WRITE] = true, [READ_WRITE] = true},
    };

    (void)state;
    for (unsigned one = 0; one < ALL; one++) {
        for (unsigned other = 0; other < ALL; other++)
            assert_int_equal(race_of(one, other), races[one][other]);
    }
}

static void unknown_kernel_races_with_a_copy(void **state)
{
    (void)state;
    race_launch(race_unknown, race_memory, ONE);
    race_launch(race_unknown, race_memory, OTHER);
    assert_int_equal(race_count(), 0);
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, 16, OTHER));
    assert_int_equal(race_count(), 1);
    assert_non_null(strstr(cushim_mock_race(world, 0), "may write"));
}

/* Of a kernel that is not registered the image tells the parameters. */
static void kernel_that_is_skipped_is_unknown(void **state)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry skipped(.param .u64 p) { ret; }\n";
    CUfunction function;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "skipped"));
    race_launch(function, race_memory, ONE);
    race_upload(OTHER);
    assert_int_equal(race_count(), 1);
    assert_non_null(strstr(cushim_mock_race(world, 0), "kernel \"skipped\" (operation"));
    OK(driver->ModuleUnload(module));
}

/* From where its parameter points up to the end of the allocation. */
static void access_begins_at_the_pointer(void **state)
{
    (void)state;
    race_launch(race_writes, race_memory + 1024, ONE);
    OK(driver->MemsetD8Async(race_memory, 0, 1024, OTHER));
    assert_int_equal(race_count(), 0);
    OK(driver->MemsetD8Async(race_memory + RACE_BYTES - 1, 0, 1, OTHER));
    assert_int_equal(race_count(), 1);
}

static void access_has_a_size_if_it_is_said(void **state)
{
    static const enum cushim_mock_access writes = CUSHIM_MOCK_ACCESS_WRITE;
    static const size_t bytes = 256;

    (void)state;
    OK(say("writes", &writes, &bytes, 1));
    race_launch(race_writes, race_memory, ONE);
    race_launch(race_writes, race_memory + 256, OTHER);
    assert_int_equal(race_count(), 0);
    race_launch(race_writes, race_memory + 511, ONE);
    assert_int_equal(race_count(), 1);
    assert_non_null(strstr(cushim_mock_race(world, 0), "bytes 511 to 512 "));
}

/* What the function that stands for a kernel does has no influence. */
static void look(const struct cushim_mock_launch *launch, void *data)
{
    CUdeviceptr address;

    memcpy(&address, launch->parameters[0], sizeof address);
    *(void **)data = cushim_mock_memory(world, address, 1);
}

static void function_of_a_kernel_has_no_influence(void **state)
{
    static const enum cushim_mock_access none = CUSHIM_MOCK_ACCESS_NONE;
    void *seen = NULL;
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = "reads",
                                              .run = look,
                                              .data = &seen,
                                              .accesses = &none,
                                              .parameter_count = 1};

    (void)state;
    OK(cushim_mock_kernel_register(world, &kernel));
    race_read(ONE);
    race_write(OTHER);
    OK(driver->CtxSynchronize());
    assert_non_null(seen);
    assert_int_equal(race_count(), 0);
}

/* A launch that has ended is all that held what was registered first. */
static void name_outlives_what_is_registered(void **state)
{
    static const enum cushim_mock_access writes = CUSHIM_MOCK_ACCESS_WRITE;

    (void)state;
    race_write(ONE);
    OK(say("writes", &writes, NULL, 1));
    while (world_state().pending > 0)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
    assert_non_null(strstr(cushim_mock_race(world, 0), "kernel \"writes\" (operation"));
}

static void accesses_are_checked(void **state)
{
    const enum cushim_mock_access wrong = CUSHIM_MOCK_ACCESS_READ_WRITE + 1;
    const enum cushim_mock_access reads = CUSHIM_MOCK_ACCESS_READ;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, say("reads", &wrong, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, say("reads", NULL, NULL, 1));
    OK(say("reads", &reads, NULL, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(accesses_are_compared, begin, race_done),
        cmocka_unit_test_setup_teardown(unknown_kernel_races_with_a_copy, begin, race_done),
        cmocka_unit_test_setup_teardown(kernel_that_is_skipped_is_unknown, begin, race_done),
        cmocka_unit_test_setup_teardown(access_begins_at_the_pointer, begin, race_done),
        cmocka_unit_test_setup_teardown(access_has_a_size_if_it_is_said, begin, race_done),
        cmocka_unit_test_setup_teardown(function_of_a_kernel_has_no_influence, begin, race_done),
        cmocka_unit_test_setup_teardown(name_outlives_what_is_registered, begin, race_done),
        cmocka_unit_test_setup_teardown(accesses_are_checked, begin, race_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
