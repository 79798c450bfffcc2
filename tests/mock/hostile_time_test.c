/* SPDX-License-Identifier: Apache-2.0 */
/* Hostility: when operations start and end, and that the seed tells all of it. */
#include <stdio.h>
#include <string.h>

#include "tests/mock/world.h"

enum { MS = 1000000, SEEDS = 20, TRACED = 400 };

/* A hostile mock of a seed. */
static void begin(const char *settings, unsigned seed)
{
    char text[200];

    snprintf(text, sizeof text, "hostile = yes\nseed = %u\n%s", seed, settings);
    world_begin(text);
}

/* The time between two events behind work of this duration. */
static float elapsed(CUstream stream, uint64_t ns)
{
    CUevent start = world_event(), end = world_event();
    float ms = 0;

    OK(driver->EventRecord(start, stream));
    world_spin(stream, ns);
    OK(driver->EventRecord(end, stream));
    OK(driver->EventSynchronize(end));
    OK(driver->EventElapsedTime(&ms, start, end));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
    return ms;
}

static void work_takes_longer_and_never_less(void **state)
{
    unsigned longer = 0;

    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        CUstream stream;
        float ms;

        begin("mode = auto", seed);
        stream = world_stream();
        ms = elapsed(stream, 10 * MS);
        assert_true(ms >= 10.0f && ms < 32.0f);
        longer += ms > 11.0f;
        OK(driver->StreamDestroy_v2(stream));
        world_end();
    }
    assert_true(longer > SEEDS / 2);
}

static char order[16];
static size_t order_length;

static void note_end(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    if (strcmp(entry->what, "end") == 0 && order_length < sizeof order - 1)
        order[order_length++] = (char)('a' + entry->operation);
}

static void streams_overtake_each_other_in_fifo_too(void **state)
{
    unsigned overtaken = 0;

    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        CUstream one, other;

        begin("schedule = fifo\nmode = manual", seed);
        one = world_stream();
        other = world_stream();
        memset(order, 0, sizeof order);
        order_length = 0;
        cushim_mock_trace_set(world, note_end, NULL);
        world_spin(one, 0); /* so that nothing but their starts is at random */
        world_spin(other, 0);
        OK(cushim_mock_drain(world));
        cushim_mock_trace_set(world, NULL, NULL);
        overtaken += strcmp(order, "cb") == 0;
        OK(driver->StreamDestroy_v2(one));
        OK(driver->StreamDestroy_v2(other));
        world_end();
    }
    assert_true(overtaken > 0 && overtaken < SEEDS);
}

/* What happened, one character each and a time. */
struct history {
    struct {
        uint64_t now_ns, operation;
        char what;
        CUresult code;
    } entries[TRACED];
    size_t count;
};

static void note(void *data, const struct cushim_mock_trace *entry)
{
    struct history *history = data;

    if (history->count >= TRACED)
        return;
    history->entries[history->count].now_ns = entry->now_ns;
    history->entries[history->count].operation = entry->operation;
    history->entries[history->count].what = entry->what[0];
    history->entries[history->count].code = entry->code;
    history->count++;
}

static void record_history(struct history *history, const char *settings, unsigned seed)
{
    CUstream streams[2];
    CUevent event;

    memset(history, 0, sizeof *history);
    begin(settings, seed);
    streams[0] = world_stream();
    streams[1] = world_stream();
    event = world_event();
    cushim_mock_trace_set(world, note, history);
    for (unsigned i = 0; i < 20; i++) {
        world_spin(streams[i % 2], 5000);
        OK(driver->EventRecord(event, streams[i % 2]));
        OK(cushim_mock_advance(world, 20000));
        for (unsigned polls = 0; polls < 3; polls++)
            driver->EventQuery(event);
    }
    cushim_mock_trace_set(world, NULL, NULL);
    OK(cushim_mock_drain(world));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(streams[0]));
    OK(driver->StreamDestroy_v2(streams[1]));
    world_end();
}

static void seed_tells_what_happens(void **state)
{
    static struct history first, again, other;
    static const char *const modes[] = {"mode = manual", "mode = auto"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        record_history(&first, modes[i], 5);
        record_history(&again, modes[i], 5);
        record_history(&other, modes[i], 6);
        assert_memory_equal(&first, &again, sizeof first);
        assert_memory_not_equal(&first, &other, sizeof first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_takes_longer_and_never_less),
        cmocka_unit_test(streams_overtake_each_other_in_fifo_too),
        cmocka_unit_test(seed_tells_what_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
