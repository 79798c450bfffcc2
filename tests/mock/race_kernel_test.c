/* SPDX-License-Identifier: Apache-2.0 */
/* The accesses of kernels, as far as programs declare them. */

#include "tests/mock/race_fixture.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

static int begin(void **state)
{
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

    return cushim_mock_register_kernel(fixture_mock, &kernel);
}

/* Whether two kernels race, one with each access. */
static bool race_of(enum cushim_mock_access one, enum cushim_mock_access other)
{
    const size_t before = race_count();
    CUstream streams[2] = {fixture_stream(), fixture_stream()};

    OK(say("reads", &one, NULL, 1));
    OK(say("writes", &other, NULL, 1));
    race_launch(race_reads, race_memory, streams[0]);
    race_launch(race_writes, race_memory, streams[1]);
    OK(driver->CtxSynchronize());
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    return race_count() > before;
}

#define TEST(name) TEST_BETWEEN(name, begin, fixture_done)

TEST(accesses_are_compared)
{
    enum { UNKNOWN, NONE, READ, WRITE, READ_WRITE, ALL };
    static const bool races[ALL][ALL] = {
        [UNKNOWN] = {[READ] = true, [WRITE] = true, [READ_WRITE] = true},
        [READ] = {[UNKNOWN] = true, [WRITE] = true, [READ_WRITE] = true},
        [WRITE] = {[UNKNOWN] = true, [READ] = true, [WRITE] = true, [READ_WRITE] = true},
        [READ_WRITE] = {[UNKNOWN] = true, [READ] = true, [WRITE] = true, [READ_WRITE] = true},
    };

    for (unsigned one = 0; one < ALL; one++) {
        for (unsigned other = 0; other < ALL; other++)
            assert_int_equal(race_of(one, other), races[one][other]);
    }
}

TEST(unknown_kernel_races_with_a_copy)
{
    race_launch(race_unknown, race_memory, ONE);
    race_launch(race_unknown, race_memory, OTHER);
    assert_int_equal(race_count(), 0);
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, 16, OTHER));
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "may write");
}

/* For an unregistered kernel, the image describes the parameters. */
TEST(kernel_that_is_skipped_is_unknown)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry skipped(.param .u64 p) { ret; }\n";
    CUfunction function;
    CUmodule module;

    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "skipped"));
    race_launch(function, race_memory, ONE);
    race_upload(OTHER);
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "kernel \"skipped\" (");
}

/* The access extends from the argument's address to the end of the allocation. */
TEST(access_begins_at_the_pointer)
{
    race_launch(race_writes, race_memory + 1024, ONE);
    OK(driver->MemsetD8Async(race_memory, 0, 1024, OTHER));
    assert_int_equal(race_count(), 0);
    OK(driver->MemsetD8Async(race_memory + RACE_BYTES - 1, 0, 1, OTHER));
    assert_int_equal(race_count(), 1);
}

TEST(access_has_a_size_if_it_is_said)
{
    static const enum cushim_mock_access writes = CUSHIM_MOCK_ACCESS_WRITE;
    static const size_t bytes = 256;

    OK(say("writes", &writes, &bytes, 1));
    race_launch(race_writes, race_memory, ONE);
    race_launch(race_writes, race_memory + 256, OTHER);
    assert_int_equal(race_count(), 0);
    race_launch(race_writes, race_memory + 511, ONE);
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 511 to 512 ");
}

/* Accesses by the function that replaces a kernel have no influence. */
static void look(const struct cushim_mock_launch *launch, void *data)
{
    CUdeviceptr address;

    memcpy(&address, launch->parameters[0], sizeof address);
    *(void **)data = cushim_mock_memory(fixture_mock, address, 1);
}

TEST(function_of_a_kernel_has_no_influence)
{
    static const enum cushim_mock_access none = CUSHIM_MOCK_ACCESS_NONE;
    void *seen = NULL;
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = "reads",
                                              .run = look,
                                              .data = &seen,
                                              .accesses = &none,
                                              .parameter_count = 1};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    race_read(ONE);
    race_write(OTHER);
    OK(driver->CtxSynchronize());
    assert_non_null(seen);
    assert_int_equal(race_count(), 0);
}

/*
 * When the kernel is registered again, only a launch that has ended still refers to the old
 * registration.
 */
TEST(name_outlives_what_is_registered)
{
    static const enum cushim_mock_access writes = CUSHIM_MOCK_ACCESS_WRITE;

    race_write(ONE);
    OK(say("writes", &writes, NULL, 1));
    while (fixture_state().pending > 0)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    race_read(OTHER);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "kernel \"writes\" (");
}

TEST(accesses_are_checked)
{
    const enum cushim_mock_access wrong = CUSHIM_MOCK_ACCESS_READ_WRITE + 1;
    const enum cushim_mock_access reads = CUSHIM_MOCK_ACCESS_READ;

    CODE(CUDA_ERROR_INVALID_VALUE, say("reads", &wrong, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, say("reads", NULL, NULL, 1));
    OK(say("reads", &reads, NULL, 1));
}

/*
 * A pipeline with two buffers: while a kernel works on one chunk, the next one is copied. A wait
 * keeps the copy from overwriting a chunk that the kernel still reads. Without it, the program is
 * right only on a fast device, and so under the schedule fifo.
 */

enum { CHUNKS = 8, CHUNK = 256, SEEDS = 10 };

static CUdeviceptr buffers[2], sum;
static CUevent copied[2], used[2];

/* Replaces a kernel that adds the first byte of a chunk to a sum. */
static void add(const struct cushim_mock_launch *launch, void *data)
{
    CUdeviceptr addresses[2];
    unsigned char *chunk, *into;

    (void)data;
    for (unsigned i = 0; i < 2; i++)
        memcpy(&addresses[i], launch->parameters[i], sizeof addresses[i]);
    chunk = cushim_mock_memory(fixture_mock, addresses[0], CHUNK);
    into = cushim_mock_memory(fixture_mock, addresses[1], 1);
    *into = (unsigned char)(*into + *chunk);
}

static const char pipeline_image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry add(.param .u64 chunk, .param .u64 sum) { ret; }\n";

static void register_add(void)
{
    static const enum cushim_mock_access accesses[] = {CUSHIM_MOCK_ACCESS_READ,
                                                       CUSHIM_MOCK_ACCESS_READ_WRITE};
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel,
                                              .name = "add",
                                              .duration_ns = 100,
                                              .run = add,
                                              .accesses = accesses,
                                              .parameter_count = 2};

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
}

/* Copies use one stream and kernels the other; returns the sum of all chunks. */
static unsigned run_pipeline(CUfunction function, bool with_wait)
{
    const CUstream copies = race_streams[0], kernels = race_streams[1];
    unsigned char result = 0;

    for (unsigned i = 0; i < CHUNKS; i++) {
        void *parameters[] = {&buffers[i % 2], &sum};

        if (with_wait)
            OK(driver->StreamWaitEvent(copies, used[i % 2], 0));
        race_host[i * CHUNK] = (char)(1 << i);
        OK(driver->MemcpyHtoDAsync_v2(buffers[i % 2], race_host + i * CHUNK, CHUNK, copies));
        OK(driver->EventRecord(copied[i % 2], copies));
        OK(driver->StreamWaitEvent(kernels, copied[i % 2], 0));
        OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, kernels, parameters, NULL));
        OK(driver->EventRecord(used[i % 2], kernels));
    }
    OK(driver->StreamSynchronize(kernels));
    OK(driver->MemcpyDtoH_v2(&result, sum, 1));
    return result;
}

struct outcome {
    unsigned sum;
    size_t races;
    char text[500];
};

static struct outcome outcome_of(const char *settings, bool with_wait)
{
    struct outcome outcome = {0};
    CUfunction function;
    CUmodule module;

    race_begin(settings);
    register_add();
    OK(driver->ModuleLoadData(&module, pipeline_image));
    OK(driver->ModuleGetFunction(&function, module, "add"));
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->MemAlloc_v2(&buffers[i], CHUNK));
        copied[i] = fixture_event();
        used[i] = fixture_event();
    }
    OK(driver->MemAlloc_v2(&sum, 1));
    OK(driver->MemsetD8_v2(sum, 0, 1));
    OK(driver->CtxSynchronize());
    outcome.sum = run_pipeline(function, with_wait);
    outcome.races = race_count();
    if (cushim_mock_race(fixture_mock, 0))
        strncpy(outcome.text, cushim_mock_race(fixture_mock, 0), sizeof outcome.text - 1);
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->MemFree_v2(buffers[i]));
        OK(driver->EventDestroy_v2(copied[i]));
        OK(driver->EventDestroy_v2(used[i]));
    }
    OK(driver->MemFree_v2(sum));
    OK(driver->ModuleUnload(module));
    fixture_end();
    return outcome;
}

static const char *const random_settings[SEEDS] = {
    "schedule = random\nseed = 0", "schedule = random\nseed = 1", "schedule = random\nseed = 2",
    "schedule = random\nseed = 3", "schedule = random\nseed = 4", "schedule = random\nseed = 5",
    "schedule = random\nseed = 6", "schedule = random\nseed = 7", "schedule = random\nseed = 8",
    "schedule = random\nseed = 9",
};

static void assert_names_both(const struct outcome *outcome)
{
    assert_true(outcome->races > 0);
    CONTAINS(outcome->text, "cuMemcpyHtoDAsync_v2) writes");
    CONTAINS(outcome->text, "kernel \"add\" (");
    CONTAINS(outcome->text, "after the kernel and let stream");
}

TEST_ALONE(with_the_wait_it_is_right_and_no_race)
{
    for (unsigned i = 0; i < SEEDS; i++) {
        const struct outcome outcome = outcome_of(random_settings[i], true);

        assert_int_equal(outcome.sum, 255);
        assert_int_equal(outcome.races, 0);
    }
    assert_int_equal(outcome_of("schedule = fifo", true).sum, 255);
    assert_int_equal(outcome_of("schedule = lazy", true).sum, 255);
    assert_int_equal(outcome_of("schedule = lazy", true).races, 0);
}

TEST_ALONE(without_it_fifo_does_not_show_it_but_the_race_is_reported)
{
    const struct outcome outcome = outcome_of("schedule = fifo", false);
    const struct outcome eager = outcome_of("schedule = eager", false);

    assert_int_equal(outcome.sum, 255);
    assert_names_both(&outcome);
    assert_int_equal(eager.sum, 255);
    assert_names_both(&eager);
}

TEST_ALONE(without_it_another_schedule_gives_a_wrong_sum)
{
    const struct outcome lazy = outcome_of("schedule = lazy", false);
    unsigned wrong = 0;

    assert_names_both(&lazy);
    for (unsigned i = 0; i < SEEDS; i++) {
        const struct outcome outcome = outcome_of(random_settings[i], false);

        assert_names_both(&outcome);
        wrong += outcome.sum != 255;
    }
    assert_true(wrong > 0);
}

/* Set memory on one stream and read it back on another; returns what was read. */
static unsigned char read_back(const char *settings, bool with_wait)
{
    CUevent set;
    unsigned char result;

    race_begin(settings);
    set = fixture_event();
    OK(driver->MemsetD8Async(race_memory, 7, RACE_BYTES, race_streams[0]));
    OK(driver->EventRecord(set, race_streams[0]));
    if (with_wait)
        OK(driver->StreamWaitEvent(race_streams[1], set, 0));
    race_download(race_streams[1]);
    OK(driver->StreamSynchronize(race_streams[1]));
    result = (unsigned char)race_host[0];
    assert_int_equal(race_count(), with_wait ? 0 : 1);
    OK(driver->CtxSynchronize());
    OK(driver->EventDestroy_v2(set));
    fixture_end();
    return result;
}

TEST_ALONE(lazy_shows_that_nobody_waits_for_what_is_read)
{
    assert_int_equal(read_back("schedule = fifo", false), 7);
    assert_int_not_equal(read_back("schedule = lazy", false), 7);
    assert_int_equal(read_back("schedule = lazy", true), 7);
}
