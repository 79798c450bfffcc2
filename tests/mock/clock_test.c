/* SPDX-License-Identifier: Apache-2.0 */
/* What advances the clock in each mode, that nothing else does, and the trace of operations. */

#include "tests/mock/fixture.h"

#define TEST(name) TEST_BETWEEN(name, fixture_manual, fixture_done)

TEST(manual_calls_take_no_time)
{
    CUevent event = fixture_event();

    for (int i = 0; i < 1000; i++)
        OK(driver->EventQuery(event));
    assert_int_equal(fixture_state().now_ns, 0);
}

TEST(manual_work_ends_when_its_time_has_passed)
{
    CUstream stream = fixture_stream();
    CUevent event = fixture_event();

    fixture_spin(stream, 1000000);
    OK(driver->EventRecord(event, stream));
    OK(cushim_mock_advance(fixture_mock, 999999));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_advance(fixture_mock, 100000));
    OK(driver->EventQuery(event));
    OK(driver->StreamQuery(stream));
    assert_int_equal(fixture_state().now_ns, 1099999);
}

TEST(manual_step_executes_one_operation)
{
    CUstream stream = fixture_stream();

    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(fixture_mock));
    fixture_spin(stream, 10);
    fixture_spin(stream, 10);
    assert_int_equal(fixture_state().pending, 2);
    OK(cushim_mock_step(fixture_mock));
    assert_int_equal(fixture_state().pending, 1);
    OK(cushim_mock_step(fixture_mock));
    assert_int_equal(fixture_state().executed, 2);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(fixture_mock));
}

TEST_ALONE(manual_call_that_would_block_is_a_misuse)
{
    CUstream stream;

    fixture_begin("mode = manual");
    stream = fixture_stream();
    fixture_spin(stream, 1000);
    CODE(CUDA_ERROR_TIMEOUT, driver->StreamSynchronize(stream));
    assert_int_equal(fixture_state().misuses, 1);
    CONTAINS(cushim_mock_misuse(fixture_mock, 0), "cuStreamSynchronize");
    assert_null(cushim_mock_misuse(fixture_mock, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
}

TEST_BETWEEN(auto_polling_ends, fixture_auto, fixture_done)
{
    CUstream stream = fixture_stream();
    unsigned queries = 0;

    fixture_spin(stream, 1000000);
    while (driver->StreamQuery(stream) == CUDA_ERROR_NOT_READY)
        queries++;
    /* A query costs 165 ns: statement 80. */
    assert_in_range(queries, 1000000 / 165 - 10, 1000000 / 165 + 40);
}

TEST_BETWEEN(auto_blocking_call_drives_the_clock, fixture_auto, fixture_done)
{
    CUstream stream = fixture_stream();
    uint64_t before;

    fixture_spin(stream, 5000000000);
    before = fixture_state().now_ns;
    OK(driver->StreamSynchronize(stream));
    assert_in_range(fixture_state().now_ns - before, 4999000000, 5001000000);
}

FIXTURE_TEST(threaded_work_ends_though_nobody_calls, "mode = threaded")
{
    CUstream stream = fixture_stream();
    struct cushim_mock_state now;

    fixture_spin(stream, 1000000000);
    do {
        now = fixture_state();
    } while (now.pending > 0);
    assert_true(now.now_ns >= 1000000000);
}

static void CUDA_CB move_clock(void *data)
{
    CUresult *codes = data;

    codes[0] = cushim_mock_advance(fixture_mock, 1);
    codes[1] = cushim_mock_step(fixture_mock);
    codes[2] = cushim_mock_drain(fixture_mock);
}

/* A host function that advanced the clock would wait for itself. */
TEST(host_function_cannot_move_the_clock)
{
    CUresult codes[3] = {CUDA_SUCCESS};
    CUstream stream = fixture_stream();

    OK(driver->LaunchHostFunc(stream, move_clock, codes));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(stream));
    for (unsigned i = 0; i < 3; i++)
        CODE(CUDA_ERROR_NOT_PERMITTED, codes[i]);
}

/*
 * The same program produces exactly the same trace each time, under every schedule, and
 * in adversarial mode as well.
 */

enum { STREAMS = 4, RUNS = 1000 };

/* The trace as text, with the codes of calls. */
struct text {
    char *bytes;
    size_t length, room;
};

static void append(void *data, const struct cushim_mock_trace *entry)
{
    struct text *text = data;

    if (text->room - text->length < 200) {
        text->room = 2 * text->room + 4096;
        text->bytes = realloc(text->bytes, text->room);
        assert_non_null(text->bytes);
    }
    text->length += (size_t)snprintf(text->bytes + text->length, 200, "%llu %s %s %llu %llu %d\n",
                                     (unsigned long long)entry->now_ns, entry->what, entry->name,
                                     (unsigned long long)entry->stream,
                                     (unsigned long long)entry->operation, (int)entry->code);
}

static void count(void *data)
{
    ++*(unsigned *)data;
}

/*
 * Streams that wait for one another, with the legacy default stream, and host functions if they are
 * to be: how long these take in auto mode depends on the machine.
 */
static void program(bool has_host_functions)
{
    CUstream streams[STREAMS];
    CUevent events[STREAMS];
    unsigned counter = 0;

    for (int i = 0; i < STREAMS; i++) {
        OK(driver->StreamCreate(&streams[i], i % 2));
        events[i] = fixture_event();
    }
    for (int i = 0; i < STREAMS; i++) {
        fixture_spin(streams[i], (uint64_t)(STREAMS - i) * 10000);
        if (has_host_functions)
            OK(driver->LaunchHostFunc(streams[i], count, &counter));
        OK(driver->EventRecord(events[i], streams[i]));
        OK(driver->StreamWaitEvent(streams[(i + 1) % STREAMS], events[i], 0));
        fixture_spin(NULL, 777);
        driver->EventQuery(events[(i + 2) % STREAMS]);
        OK(cushim_mock_advance(fixture_mock, 1234));
        driver->EventQuery(events[i]);
    }
    cushim_mock_step(fixture_mock); /* the eager schedule may leave no operations */
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(counter, has_host_functions ? STREAMS : 0);
    for (int i = 0; i < STREAMS; i++) {
        OK(driver->EventDestroy_v2(events[i]));
        OK(driver->StreamDestroy_v2(streams[i]));
    }
}

/* Queries after the work has ended, which adversarial mode may answer late unless it is traced. */
static void query_untraced(struct text *text)
{
    const CUstream stream = fixture_stream();
    const CUevent event = fixture_event();

    cushim_mock_set_trace(fixture_mock, NULL, NULL);
    for (unsigned i = 0; i < 16; i++) {
        fixture_spin(stream, 5000);
        OK(driver->EventRecord(event, stream));
        OK(cushim_mock_advance(fixture_mock, 100000));
        append(text, &(struct cushim_mock_trace){.what = "answer",
                                                 .name = "cuEventQuery",
                                                 .code = driver->EventQuery(event)});
    }
}

static char *trace_of(const char *settings)
{
    struct text text = {0};

    fixture_begin(settings);
    cushim_mock_set_trace(fixture_mock, append, &text);
    program(strstr(settings, "manual"));
    query_untraced(&text);
    fixture_end();
    return text.bytes;
}

TEST_ALONE(same_program_gives_the_same_trace)
{
    static const char *const settings[] = {"mode = manual",
                                           "mode = manual\nschedule = eager",
                                           "mode = manual\nschedule = lazy",
                                           "mode = manual\nschedule = random\nseed = 7",
                                           "mode = manual\nadversarial = yes\nseed = 7",
                                           "mode = auto\nadversarial = yes\nseed = 7"};

    for (size_t i = 0; i < COUNT(settings); i++) {
        char *first = trace_of(settings[i]);

        CONTAINS(first, strstr(settings[i], "manual") ? "end host" : "end kernel");
        for (int run = 1; run < RUNS; run++) {
            char *other = trace_of(settings[i]);

            assert_string_equal(first, other);
            free(other);
        }
        free(first);
    }
}

TEST_ALONE(another_seed_gives_another_trace)
{
    static const char *const settings[] = {"mode = manual\nschedule = random",
                                           "mode = manual\nadversarial = yes",
                                           "mode = auto\nadversarial = yes"};
    char text[80];

    for (size_t i = 0; i < COUNT(settings); i++) {
        char *one, *other;

        snprintf(text, sizeof text, "%s\nseed = 7", settings[i]);
        one = trace_of(text);
        snprintf(text, sizeof text, "%s\nseed = 8", settings[i]);
        other = trace_of(text);
        assert_string_not_equal(one, other);
        free(one);
        free(other);
    }
}
