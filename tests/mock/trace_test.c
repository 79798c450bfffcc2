/* SPDX-License-Identifier: Apache-2.0 */
/* In manual mode the same program gives the same trace, bit for bit, under every schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mock/world.h"

enum { STREAMS = 4, RUNS = 1000 };

/* The trace as text. */
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
 * Streams that wait for one another, with host functions and the legacy default stream among them.
 */
static void program(void)
{
    CUstream streams[STREAMS];
    CUevent events[STREAMS];
    unsigned counter = 0;

    for (int i = 0; i < STREAMS; i++) {
        OK(driver->StreamCreate(&streams[i], i % 2));
        events[i] = world_event();
    }
    for (int i = 0; i < STREAMS; i++) {
        world_spin(streams[i], (uint64_t)(STREAMS - i) * 10000);
        OK(driver->LaunchHostFunc(streams[i], count, &counter));
        OK(driver->EventRecord(events[i], streams[i]));
        OK(driver->StreamWaitEvent(streams[(i + 1) % STREAMS], events[i], 0));
        world_spin(NULL, 777);
        driver->EventQuery(events[(i + 2) % STREAMS]);
        OK(cushim_mock_advance(world, 1234));
    }
    cushim_mock_step(world); /* under the eager schedule nothing may be left */
    OK(cushim_mock_drain(world));
    assert_int_equal(counter, STREAMS);
    for (int i = 0; i < STREAMS; i++) {
        OK(driver->EventDestroy_v2(events[i]));
        OK(driver->StreamDestroy_v2(streams[i]));
    }
}

static char *trace_of(const char *settings)
{
    struct text text = {0};

    world_begin(settings);
    cushim_mock_trace_set(world, append, &text);
    program();
    cushim_mock_trace_set(world, NULL, NULL);
    world_end();
    return text.bytes;
}

static void same_program_gives_the_same_trace(const char *settings)
{
    char *first = trace_of(settings);

    assert_non_null(strstr(first, "end host"));
    for (int i = 1; i < RUNS; i++) {
        char *other = trace_of(settings);

        assert_string_equal(first, other);
        free(other);
    }
    free(first);
}

static void fifo_is_deterministic(void **state)
{
    (void)state;
    same_program_gives_the_same_trace("mode = manual");
}

static void eager_is_deterministic(void **state)
{
    (void)state;
    same_program_gives_the_same_trace("mode = manual\nschedule = eager");
}

static void lazy_is_deterministic(void **state)
{
    (void)state;
    same_program_gives_the_same_trace("mode = manual\nschedule = lazy");
}

static void random_is_deterministic(void **state)
{
    (void)state;
    same_program_gives_the_same_trace("mode = manual\nschedule = random\nseed = 7");
}

static void another_seed_gives_another_trace(void **state)
{
    char *one = trace_of("mode = manual\nschedule = random\nseed = 7");
    char *other = trace_of("mode = manual\nschedule = random\nseed = 8");

    (void)state;
    assert_string_not_equal(one, other);
    free(one);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_is_deterministic),
        cmocka_unit_test(eager_is_deterministic),
        cmocka_unit_test(lazy_is_deterministic),
        cmocka_unit_test(random_is_deterministic),
        cmocka_unit_test(another_seed_gives_another_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
