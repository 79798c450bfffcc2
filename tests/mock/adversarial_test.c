/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adversarial mode: delays that a driver may legally show, and facts that it must report
 * nevertheless.
 */

#include "tests/mock/fixture.h"

enum { MS = 1000000, SEEDS = 20 };

/* An adversarial mock with a seed. */
static void begin(const char *settings, unsigned seed)
{
    char text[200];

    snprintf(text, sizeof text, "adversarial = yes\nseed = %u\n%s", seed, settings);
    fixture_begin(text);
}

/* Let work and an event behind it finish before the host has asked about either. */
static void finish_unheard(CUstream stream, CUevent event)
{
    fixture_spin(stream, 1000);
    OK(driver->EventRecord(event, stream));
    OK(cushim_mock_advance(fixture_mock, 10 * MS));
    assert_int_equal(fixture_state().pending, 0);
}

/* How often an event is "not ready" before it is ready: at most three times for finished work. */
static unsigned delays_of_event(CUevent event)
{
    unsigned delays = 0;

    while (driver->EventQuery(event) == CUDA_ERROR_NOT_READY)
        assert_true(++delays <= 3);
    return delays;
}

static unsigned delays_of_stream(CUstream stream)
{
    unsigned delays = 0;

    while (driver->StreamQuery(stream) == CUDA_ERROR_NOT_READY)
        assert_true(++delays <= 3);
    return delays;
}

static unsigned delays_of_time(CUevent event)
{
    unsigned delays = 0;
    float ms = 77.0f;

    while (driver->EventElapsedTime(&ms, event, event) == CUDA_ERROR_NOT_READY) {
        assert_true(++delays <= 3);
        assert_true(ms == 77.0f);
    }
    return delays;
}

/* Call a function that uses a stream and an event, in manual mode with each seed. */
static void for_each_seed(void (*run)(CUstream stream, CUevent event))
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        CUstream stream;
        CUevent event;

        begin("mode = manual", seed);
        stream = fixture_stream();
        event = fixture_event();
        run(stream, event);
        OK(driver->EventDestroy_v2(event));
        OK(driver->StreamDestroy_v2(stream));
        fixture_end();
    }
}

static unsigned of_events, of_streams, of_times;

static void count_delays(CUstream stream, CUevent event)
{
    finish_unheard(stream, event);
    of_events += delays_of_event(event);
    finish_unheard(stream, event);
    of_streams += delays_of_stream(stream);
    finish_unheard(stream, event);
    of_times += delays_of_time(event);
}

TEST_ALONE(end_that_nobody_has_heard_of_may_be_reported_late)
{
    for_each_seed(count_delays);
    assert_true(of_events > 0);
    assert_true(of_streams > 0);
    assert_true(of_times > 0);
}

/*
 * Once a call has reported that work is finished, later calls say the same about that work and
 * about everything that precedes it.
 */
static void ask_again(CUstream stream, CUevent late)
{
    const CUstream other = fixture_stream();
    const CUevent early = fixture_event();
    float ms;

    OK(driver->EventRecord(early, other));
    finish_unheard(stream, late);
    delays_of_event(late);
    for (unsigned i = 0; i < 10; i++) {
        OK(driver->EventQuery(late));
        OK(driver->EventQuery(early));
        OK(driver->StreamQuery(stream));
        OK(driver->StreamQuery(other));
        OK(driver->StreamQuery(NULL));
        OK(driver->EventElapsedTime(&ms, early, late));
    }
}

TEST_ALONE(end_that_was_reported_stays_reported)
{
    for_each_seed(ask_again);
}

static void drain_later_work(CUstream stream, CUevent event)
{
    fixture_spin(stream, 1000);
    OK(driver->EventRecord(event, stream));
    fixture_spin(stream, 1000);
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->EventQuery(event));
}

/* Once the host can see that later work is finished, earlier work is reported as finished, too. */
TEST_ALONE(end_before_a_trace_is_reported)
{
    for_each_seed(drain_later_work);
}

/* An event that a host function queries, and the result. */
struct question {
    CUevent event;
    CUresult answer;
};

static void CUDA_CB ask(void *data)
{
    struct question *question = data;

    question->answer = driver->EventQuery(question->event);
}

static void ask_in_a_host_function(CUstream stream, CUevent event)
{
    struct question question = {.event = event, .answer = CUDA_ERROR_UNKNOWN};

    OK(driver->EventRecord(event, stream));
    OK(driver->LaunchHostFunc(stream, ask, &question));
    OK(cushim_mock_drain(fixture_mock));
    OK(question.answer);
    OK(driver->EventQuery(event));
}

TEST_ALONE(end_before_a_host_function_is_reported)
{
    for_each_seed(ask_in_a_host_function);
}

TEST_ALONE(identity_names_the_mode)
{
    begin("", 0);
    CONTAINS(cushim_mock_identity(), ", adversarial;");
    fixture_end();
    fixture_begin("");
    LACKS(cushim_mock_identity(), "adversarial");
    fixture_end();
}

/* When operations start and end. clock_test.c tests that the seed determines all of it. */

TEST_ALONE(work_takes_longer_and_never_less)
{
    unsigned longer = 0;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        CUstream stream;
        float ms;

        begin("mode = auto", seed);
        stream = fixture_stream();
        ms = fixture_spin_ms(stream, 10 * MS);
        assert_true(ms >= 10.0f && ms < 32.0f);
        longer += ms > 11.0f;
        OK(driver->StreamDestroy_v2(stream));
        fixture_end();
    }
    assert_true(longer > SEEDS / 2);
}

static char order[16];
static size_t order_length;

static void note_end(void *data, const struct cushim_mock_trace *entry)
{
    if (strcmp(entry->what, "end") == 0 && order_length < sizeof order - 1)
        order[order_length++] = (char)('a' + entry->operation);
}

TEST_ALONE(streams_overtake_each_other_in_fifo_too)
{
    unsigned overtaken = 0;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        CUstream one, other;

        begin("schedule = fifo\nmode = manual", seed);
        one = fixture_stream();
        other = fixture_stream();
        memset(order, 0, sizeof order);
        order_length = 0;
        cushim_mock_set_trace(fixture_mock, note_end, NULL);
        fixture_spin(one, 0); /* so that only the start times of the operations are random */
        fixture_spin(other, 0);
        OK(cushim_mock_drain(fixture_mock));
        cushim_mock_set_trace(fixture_mock, NULL, NULL);
        overtaken += strcmp(order, "cb") == 0;
        OK(driver->StreamDestroy_v2(one));
        OK(driver->StreamDestroy_v2(other));
        fixture_end();
    }
    assert_true(overtaken > 0 && overtaken < SEEDS);
}
