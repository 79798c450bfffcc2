/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of races, how often they are made, and other effects of a race. */
#include <pthread.h>

#include <cushim/testing/layer.h>
#include <cushim/testing/recording.h>

#include "tests/mock/race_fixture.h"

#if UNWINDS
#define PLACE "race_test"
#else
#define PLACE "an unknown place"
#endif

static unsigned log_lines;
static char last_line[1024];

static void note_line(void *data, const char *line)
{
    (void)data;
    log_lines++;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static int begin(void **state)
{
    race_begin("mode = auto");
    log_lines = 0;
    last_line[0] = '\0';
    cushim_mock_set_log(fixture_mock, note_line, NULL);
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, fixture_done)
#define TEST_IN(name, begin, end) TEST_BETWEEN(name, begin, end)

TEST(text_names_both_operations_the_cure_and_the_calls)
{
    static const char want[] =
        "CUSHIM-race: error: copy (stream#2, cuMemcpyHtoDAsync_v2) writes and kernel \"reads\" "
        "(stream#1, cuLaunchKernel) reads bytes 16 to 116 of memory#1: nothing orders them; "
        "record an event on stream#1 after the kernel and let stream#2 wait for it; "
        "in cuMemcpyHtoDAsync_v2, call ";
    const char *text;

    race_read(race_streams[0]);
    OK(driver->MemcpyHtoDAsync_v2(race_memory + 16, race_host, 100, race_streams[1]));
    text = cushim_mock_race(fixture_mock, 0);
    assert_memory_equal(text, want, sizeof want - 1);
    text = strstr(text + sizeof want - 1, " of thread 1, at " PLACE);
    assert_non_null(text);
    text = strstr(text, "; the earlier call was cuLaunchKernel, call ");
    assert_non_null(text);
    CONTAINS(text, " of thread 1, at " PLACE);
    assert_null(cushim_mock_race(fixture_mock, 1));
    assert_string_equal(last_line, cushim_mock_race(fixture_mock, 0));
    assert_int_equal(log_lines, 1);
}

/* The layer of a test counts the calls and names the objects. */
TEST(text_has_the_names_and_numbers_of_the_layer)
{
    const struct cushim_layer_options options = {.size = sizeof options, .table = driver};
    struct cushim_layer *layer;
    const struct cushim_table *table;
    char place[60];
    int priority;
    struct cushim_recorded_call call = {.size = sizeof call};

    OK(cushim_layer_create(&options, &layer));
    OK(cushim_recording_start(layer, 0));
    table = cushim_layer_table(layer);
    OK(table->StreamGetPriority(race_streams[1], &priority)); /* the layer's first call */
    OK(table->MemsetD8Async(race_memory, 1, 16, race_streams[1]));
    OK(table->StreamGetPriority(race_streams[0], &priority));
    OK(cushim_recording_set_tag(layer, race_streams[0], "upload"));
    OK(table->MemsetD8Async(race_memory, 2, 16, race_streams[0]));
    CONTAINS(cushim_mock_race(fixture_mock, 0), "set (upload, ");
    CONTAINS(cushim_mock_race(fixture_mock, 0), "and set (stream#1, ");
    OK(cushim_recording_get_call(layer, cushim_recording_count(layer) - 1, &call));
    snprintf(place, sizeof place, "; in cuMemsetD8Async, call %u of thread 1, ",
             (unsigned)call.number);
    CONTAINS(cushim_mock_race(fixture_mock, 0), place);
    cushim_layer_destroy(layer);
}

TEST(text_names_the_default_stream)
{
    OK(driver->MemsetD8_v2(race_memory, 0, 16));
    race_download(race_streams[1]);
    CONTAINS(cushim_mock_race(fixture_mock, 0),
             "set (default stream, cuMemsetD8_v2) writes bytes 0 to 16");
    CONTAINS(cushim_mock_race(fixture_mock, 0),
             "record an event on the default stream after the set");
}

/* The wait that a report recommends must remove the race. */
TEST(cure_that_the_text_names_helps)
{
    CUevent event = fixture_event();

    race_read(race_streams[0]);
    OK(driver->EventRecord(event, race_streams[0]));
    OK(driver->StreamWaitEvent(race_streams[1], event, 0));
    race_upload(race_streams[1]);
    assert_int_equal(race_count(), 0);
}

TEST(race_is_no_misuse)
{
    race_read(race_streams[0]);
    race_write(race_streams[1]);
    assert_int_equal(race_count(), 1);
    assert_int_equal(fixture_state().misuses, 0);
}

/* Cause one race on each of `count` new allocations. */
static void race_on_each(unsigned count)
{
    static CUdeviceptr memory[1100];

    for (unsigned i = 0; i < count; i++) {
        OK(driver->MemAlloc_v2(&memory[i], 16));
        race_launch(race_writes, memory[i], race_streams[0]);
        race_launch(race_reads, memory[i], race_streams[1]);
    }
    assert_int_equal(race_count(), count);
    for (unsigned i = 0; i < count; i++)
        OK(driver->MemFree_v2(memory[i]));
}

TEST(races_that_cannot_be_kept_apart_are_counted_and_not_reported)
{
    race_on_each(1100);
    assert_int_equal(log_lines, 1024);
}

TEST(pair_of_places_is_reported_once)
{
    for (int i = 0; i < 100; i++) {
        race_read(race_streams[0]);
        race_write(race_streams[1]);
    }
    /* The kernel that writes comes after the one that reads, and then before it. */
    assert_int_equal(race_count(), 2);
}

TEST(other_places_are_reported_too)
{
    CUstream third = fixture_stream();
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, 64));
    race_write(race_streams[0]);
    race_read(race_streams[1]);
    assert_int_equal(race_count(), 1);
    race_read(third);
    assert_int_equal(race_count(), 2);
    race_download(race_streams[1]);
    assert_int_equal(race_count(), 3);
    race_launch(race_writes, other, race_streams[0]);
    race_launch(race_reads, other, race_streams[1]);
    assert_int_equal(race_count(), 4);
}

TEST(first_64_texts_are_kept_and_all_are_counted)
{
    race_on_each(70);
    assert_non_null(cushim_mock_race(fixture_mock, 63));
    assert_null(cushim_mock_race(fixture_mock, 64));
}

TEST(uses_that_are_forgotten_are_reported)
{
    for (unsigned i = 0; i < 1024; i++)
        OK(driver->MemsetD8Async(race_memory + i, 0, 1, race_streams[0]));
    assert_int_equal(log_lines, 0);
    for (unsigned i = 1024; i < 1100; i++)
        OK(driver->MemsetD8Async(race_memory + i, 0, 1, race_streams[0]));
    assert_int_equal(log_lines, 1);
    CONTAINS(last_line, "the oldest ones are forgotten");
}

/*
 * The detector takes all earlier work to precede a wait for a value, but only until the wait has
 * ended.
 */
TEST(streams_race_again_behind_a_value)
{
    OK(driver->MemsetD32Async(race_memory, 1, 1, race_streams[1]));
    OK(driver->StreamWaitValue32_v2(race_streams[1], race_memory, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(driver->StreamSynchronize(race_streams[1]));
    race_write(race_streams[1]);
    race_read(race_streams[0]);
    assert_int_equal(race_count(), 1);
}

/* Dropped work of a destroyed context races with nothing. */
TEST_ALONE(work_of_a_context_that_is_gone_is_no_race)
{
    CUcontext context;
    CUstream stream;

    race_begin("mode = manual");
    OK(driver->CtxCreate_v2(&context, 0, 0));
    stream = fixture_stream();
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, 16, stream));
    OK(driver->CtxDestroy_v2(context));
    race_write(race_streams[0]);
    assert_int_equal(race_count(), 0);
    fixture_end();
}

/* --- threads --- */

enum { THREADS = 4, ROUNDS = 200 };

static CUcontext shared_context;

/* Each thread has its own memory and stream. */
static void *work(void *data)
{
    CUdeviceptr memory;
    CUstream stream;

    (void)data;
    if (driver->CtxSetCurrent(shared_context) != CUDA_SUCCESS ||
        driver->MemAlloc_v2(&memory, 64) != CUDA_SUCCESS ||
        driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return NULL;
    for (int i = 0; i < ROUNDS; i++) {
        driver->MemsetD8Async(memory, 1, 64, stream);
        if (i % 10 == 0)
            driver->StreamSynchronize(stream);
    }
    driver->StreamDestroy_v2(stream);
    driver->MemFree_v2(memory);
    return NULL;
}

TEST(threads_with_memory_of_their_own_do_not_race)
{
    pthread_t threads[THREADS];

    OK(driver->CtxGetCurrent(&shared_context));
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(race_count(), 0);
    assert_true(fixture_state().executed >= THREADS * ROUNDS);
}

/* The detector need not remember work that the host has waited for, or that a later use covers. */
TEST(long_programs_forget_nothing)
{
    for (unsigned i = 0; i < 3000; i++) {
        OK(driver->MemsetD8Async(race_memory + i, 0, 1, race_streams[0]));
        if (i % 500 == 0)
            OK(driver->StreamSynchronize(race_streams[0]));
    }
    for (unsigned i = 0; i < 3000; i++) {
        race_write(race_streams[0]);
        race_read(race_streams[0]);
    }
    assert_int_equal(log_lines, 0);
}

TEST_ALONE(nothing_is_looked_for_by_default)
{
    CUstream streams[2];
    CUdeviceptr memory;

    fixture_begin("mode = auto");
    OK(driver->MemAlloc_v2(&memory, 16));
    for (unsigned i = 0; i < 2; i++) {
        streams[i] = fixture_stream();
        OK(driver->MemsetD8Async(memory, 1, 16, streams[i]));
    }
    assert_int_equal(fixture_state().races, 0);
    assert_null(cushim_mock_race(fixture_mock, 0));
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    fixture_end();
}

TEST_ALONE(race_is_a_misuse_if_so_set)
{
    CUstream streams[2];
    CUdeviceptr memory;

    fixture_begin("races = misuse");
    OK(driver->MemAlloc_v2(&memory, 16));
    for (unsigned i = 0; i < 2; i++) {
        streams[i] = fixture_stream();
        OK(driver->MemsetD8Async(memory, 1, 16, streams[i]));
    }
    assert_int_equal(fixture_state().races, 1);
    assert_int_equal(fixture_state().misuses, 1);
    CONTAINS(cushim_mock_misuse(fixture_mock, 0), "CUSHIM-race: error: set (stream#2, ");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
}

/* Whether two operations, given by number, are ordered. */

TEST_IN(order_of_two_operations_is_known, race_auto, fixture_done)
{
    race_read(race_streams[0]);
    race_read(race_streams[0]);
    race_read(race_streams[1]);
    assert_int_equal(race_order(1, 2), RACE_ORDER_BEFORE);
    assert_int_equal(race_order(2, 1), RACE_ORDER_AFTER);
    assert_int_equal(race_order(3, 1), RACE_ORDER_NONE);
    assert_int_equal(race_order(2, 3), RACE_ORDER_NONE);
    assert_int_equal(race_order(1, 4), RACE_ORDER_LOST);
    assert_int_equal(race_order(0, 2), RACE_ORDER_LOST);
}

TEST_IN(order_behind_a_value_is_not_known, race_auto, fixture_done)
{
    OK(driver->StreamWaitValue32_v2(race_streams[0], race_memory, 0, CU_STREAM_WAIT_VALUE_GEQ));
    race_read(race_streams[0]);
    race_read(race_streams[1]);
    assert_int_equal(race_order(2, 3), RACE_ORDER_UNKNOWN);
    assert_int_equal(race_order(1, 2), RACE_ORDER_BEFORE);
}

TEST_IN(order_of_the_last_4096_operations_is_known, race_auto, fixture_done)
{
    for (int i = 0; i < 4097; i++)
        race_read(race_streams[0]);
    assert_int_equal(race_order(1, 4097), RACE_ORDER_LOST);
    assert_int_equal(race_order(2, 4097), RACE_ORDER_BEFORE);
}
