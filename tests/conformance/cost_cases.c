/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is true of costs and readings everywhere: order and grain, not times. Statements 46, 80, 84.
 */
#include <math.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

enum { ROUNDS = 100, GRAIN_NS = 32 };

/* How far a reading in ns is from a multiple of the grain, beyond what a float leaves. */
static int is_off_grain(double ns)
{
    return fabs(ns - GRAIN_NS * floor(ns / GRAIN_NS + 0.5)) > 0.5 + fabs(ns) * 1e-7;
}

static double reading_ns(CUevent start, CUevent end)
{
    float ms = -7;

    MUST(cu->EventSynchronize(start));
    MUST(cu->EventSynchronize(end));
    OK(cu->EventElapsedTime_v2(&ms, start, end));
    return (double)ms * 1e6;
}

static void empty_pair_takes_no_negative_time(void)
{
    double least = 1e12, most = -1e12;
    CUevent start, end;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    start = begin_event();
    end = begin_event();
    for (int round = 0; round < ROUNDS; round++) {
        double ns;

        OK(cu->EventRecord(start, stream));
        OK(cu->EventRecord(end, stream));
        ns = reading_ns(start, end);
        CHECK(ns >= 0);
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    detail("empty pair %.0f to %.0f ns", least, most);
}

static void longer_work_takes_longer(void)
{
    CUevent start, middle, end;
    CUstream stream;
    CUfunction spin;
    double one, two, both;

    begin_context();
    stream = begin_stream();
    start = begin_event();
    middle = begin_event();
    end = begin_event();
    spin = begin_kernel("cushim_spin");
    OK(cu->EventRecord(start, stream));
    queue_spin(spin, stream, 1000000);
    OK(cu->EventRecord(middle, stream));
    queue_spin(spin, stream, 5000000);
    OK(cu->EventRecord(end, stream));
    one = reading_ns(start, middle);
    two = reading_ns(middle, end);
    both = reading_ns(start, end);
    CHECK(one >= 1000000 * 0.99);
    CHECK(two >= 5000000 * 0.99);
    CHECK(fabs(both - one - two) <= both * 1e-6 + 2);
}

static void same_event_twice_is_overwritten(void)
{
    CUevent event;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    event = begin_event();
    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecord(event, stream));
    CHECK(reading_ns(event, event) == 0); /* one handle measures no interval */
}

static void readings_are_multiples_of_32_ns(void)
{
    CUevent start, end;
    CUstream stream;
    CUfunction spin;

    begin_context();
    stream = begin_stream();
    start = begin_event();
    end = begin_event();
    spin = begin_kernel("cushim_spin");
    for (int round = 0; round < ROUNDS; round++) {
        double ns;

        OK(cu->EventRecord(start, stream));
        queue_spin(spin, stream, 1000 + 77 * (uint64_t)round);
        OK(cu->EventRecord(end, stream));
        ns = reading_ns(start, end);
        CHECK(ns > 0);
        if (!CHECK(!is_off_grain(ns)))
            detail("this was %.3f ns", ns);
        CHECK(!is_off_grain(reading_ns(end, start)));
    }
}

/* The time of many calls is that of the wall clock: positive, and of no consequence. */
static void calls_of_the_page_succeed_many_times(void)
{
    enum { CALLS = 1000 };
    unsigned failures = 0;
    CUcontext current;
    CUstream stream;
    uint64_t began;
    CUevent event;

    current = begin_context();
    stream = begin_stream();
    event = begin_done();
    began = now_ns();
    for (int i = 0; i < CALLS; i++) {
        CUevent made = NULL, untimed = NULL;
        CUcontext found = NULL;

        failures += cu->EventQuery(event) != CUDA_SUCCESS;
        failures += cu->StreamWaitEvent(stream, event, 0) != CUDA_SUCCESS;
        failures += cu->EventCreate(&made, 0) != CUDA_SUCCESS;
        failures += cu->EventDestroy_v2(made) != CUDA_SUCCESS;
        failures += cu->EventCreate(&untimed, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
        failures += cu->EventDestroy_v2(untimed) != CUDA_SUCCESS;
        failures += cu->EventRecord(event, stream) != CUDA_SUCCESS;
        failures += cu->EventSynchronize(event) != CUDA_SUCCESS;
        failures += cu->StreamQuery(stream) != CUDA_SUCCESS;
        failures += cu->CtxGetCurrent(&found) != CUDA_SUCCESS || found != current;
    }
    detail("%d rounds of 10 calls: %.1f us each", CALLS, (double)(now_ns() - began) / 1e3 / CALLS);
    EQUAL(0, failures);
    OK(cu->StreamSynchronize(stream));
}

static void streams_come_and_go(void)
{
    begin_context();
    for (int i = 0; i < 100; i++) {
        CUstream stream = NULL;

        OK(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        OK(cu->StreamDestroy_v2(stream));
    }
}

const struct conformance_case cost_cases[] = {
    DOCUMENTED_CASE("046_empty_pair_takes_no_negative_time", empty_pair_takes_no_negative_time),
    DOCUMENTED_CASE("046_longer_work_takes_longer", longer_work_takes_longer),
    DOCUMENTED_CASE("046_same_event_twice_is_overwritten", same_event_twice_is_overwritten),
    DOCUMENTED_CASE("080_calls_of_the_page_succeed_many_times",
                    calls_of_the_page_succeed_many_times),
    DOCUMENTED_CASE("080_streams_come_and_go", streams_come_and_go),
    MEASURED_CASE("084_readings_are_multiples_of_32_ns", readings_are_multiples_of_32_ns),
    {.name = NULL},
};
