/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elapsed time: its sign and resolution, errors, and the costs of calls. No case expects certain
 * times. Statements 35-48, 80, 84.
 */
#include <math.h>

#include "cases.h"

enum { UNTOUCHED = -7 };

/* Both functions return `want` for these events, and write the time only on success. */
static void check_elapsed(CUresult want, CUevent start, CUevent end)
{
    float v1 = UNTOUCHED, v2 = UNTOUCHED;

    CODE(want, cu->EventElapsedTime(&v1, start, end));
    CODE(want, cu->EventElapsedTime_v2(&v2, start, end));
    CHECK(v1 == v2);
    CHECK((v1 == UNTOUCHED) == (want != CUDA_SUCCESS));
}

static void check_both_ways(CUresult want, CUevent one, CUevent other)
{
    check_elapsed(want, one, other);
    check_elapsed(want, other, one);
}

/* An event that is recorded behind a latch, which stays shut until the end of the case. */
static CUevent begin_pending(void)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    latch_shut(stream);
    MUST(cu->EventRecord(event, stream));
    return event;
}

DOCUMENTED_CASE(035, unrecorded_is_400)
{
    CUevent done = begin_done(), unrecorded = begin_event();

    check_both_ways(CUDA_ERROR_INVALID_HANDLE, unrecorded, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, begin_event());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, unrecorded);
}

DOCUMENTED_CASE(036, untimed_is_400)
{
    CUevent done = begin_done(), untimed = begin_event_with(CU_EVENT_DISABLE_TIMING);

    OK(cu->EventRecord(untimed, begin_stream()));
    OK(cu->EventSynchronize(untimed));
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, untimed, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, untimed, untimed);
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, untimed, begin_pending());
}

DOCUMENTED_CASE(037, pending_is_600)
{
    CUevent done = begin_done(), pending = begin_event(), other = begin_event();
    CUstream stream = begin_stream();
    struct latch latch = latch_shut(stream);

    OK(cu->EventRecord(pending, stream));
    OK(cu->EventRecord(other, stream));
    check_both_ways(CUDA_ERROR_NOT_READY, done, pending);
    check_both_ways(CUDA_ERROR_NOT_READY, pending, other);
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
    check_both_ways(CUDA_SUCCESS, done, pending);
    check_both_ways(CUDA_SUCCESS, pending, other);
}

MEASURED_CASE(038, pending_and_unrecorded_is_400)
{
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, begin_pending(), begin_event());
}

MEASURED_CASE(039, same_event_is_zero)
{
    float ms = UNTOUCHED;
    CUevent done = begin_done();

    OK(cu->EventElapsedTime(&ms, done, done));
    CHECK(ms == 0);
    ms = UNTOUCHED;
    OK(cu->EventElapsedTime_v2(&ms, done, done));
    CHECK(ms == 0);
}

MEASURED_CASE(040, reversed_order_is_negative)
{
    enum { SPIN_NS = 2000000 };
    float forward[2], backward[2];
    CUevent start = begin_event(), end = begin_event();
    CUstream stream = begin_stream();
    CUfunction spin = begin_kernel("cushim_spin");
    struct latch latch;

    latch = latch_shut(stream); /* shut until all is queued, so the time contains no host delay */
    OK(cu->EventRecord(start, stream));
    queue_spin(spin, stream, SPIN_NS);
    OK(cu->EventRecord(end, stream));
    latch_open(&latch);
    OK(cu->EventSynchronize(end));
    OK(cu->EventElapsedTime(&forward[0], start, end));
    OK(cu->EventElapsedTime(&backward[0], end, start));
    OK(cu->EventElapsedTime_v2(&forward[1], start, end));
    OK(cu->EventElapsedTime_v2(&backward[1], end, start));
    for (int i = 0; i < 2; i++) {
        CHECK(forward[i] >= (float)SPIN_NS / 1e6F * 0.99F);
        CHECK(forward[i] < 1000);
        CHECK(backward[i] == -forward[i]);
    }
    detail("a kernel of 2 ms: %.4f ms and %.4f ms", (double)forward[0], (double)backward[0]);
}

DOCUMENTED_CASE(041, null_event_is_400)
{
    CUevent done = begin_done();

    check_both_ways(CUDA_ERROR_INVALID_HANDLE, NULL, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, NULL, NULL);
}

MEASURED_CASE(042, null_result_is_400)
{
    CUevent done = begin_done();

    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(NULL, done, done));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime_v2(NULL, done, done));
}

MEASURED_CASE(043, two_contexts_are_400)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent done = begin_done(), foreign;

    make_current(other);
    foreign = begin_done();
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, foreign);
    make_current(own);
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, foreign);
}

MEASURED_CASE(044, interprocess_is_400)
{
    CUevent done = begin_done(), shared;

    shared = begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    OK(cu->EventRecord(shared, begin_stream()));
    OK(cu->EventSynchronize(shared));
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, shared);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, shared, shared);
}

MEASURED_CASE(045, result_is_untouched_on_every_error)
{
    CUevent done = begin_done(), untimed = begin_event_with(CU_EVENT_DISABLE_TIMING);

    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, begin_event());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, untimed);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, NULL);
    check_elapsed(CUDA_ERROR_NOT_READY, done, begin_pending());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, begin_event(), begin_pending());
    check_elapsed(CUDA_ERROR_NOT_READY, begin_pending(), begin_pending());
}

/* The two functions for elapsed time. Statements 47, 48. */

DOCUMENTED_CASE(048, second_function_exists_from_12_8_on)
{
    const int version = driver_version();

    CHECK(backend_symbol("cuEventElapsedTime") != NULL);
    EQUAL(version >= 12080, backend_symbol("cuEventElapsedTime_v2") != NULL);
}

CASE(048, older_driver_has_one_function, .class = DOCUMENTED, .may_skip = ON_GPU,
     .settings = "driver_version = 12.4\n")
{
    float ms = -7;
    CUevent done;

    if (driver_version() >= 12080)
        skip("the driver is not older than 12.8");
    CHECK(backend_symbol("cuEventElapsedTime") != NULL);
    CHECK(backend_symbol("cuEventElapsedTime_v2") == NULL);
    begin_context();
    done = begin_done();
    OK(cu->EventElapsedTime(&ms, done, done));
    CHECK(ms == 0);
}

DOCUMENTED_CASE(047, polling_belongs_to_the_query)
{
    struct gate gate = GATE;
    CUevent start = begin_event(), end = begin_event();
    CUstream stream = begin_stream();
    float ms = -7;

    OK(cu->EventRecord(start, stream));
    gate_shut(&gate, stream);
    OK(cu->EventRecord(end, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventElapsedTime_v2(&ms, start, end));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(end));
    gate_open(&gate);
    while (cu->EventQuery(end) == CUDA_ERROR_NOT_READY)
        continue;
    OK(cu->EventQuery(end));
    OK(cu->EventElapsedTime_v2(&ms, start, end));
    CHECK(ms > 0);
}

/*
 * Facts about costs and times that hold on every driver: sign and resolution. Statements 46, 80,
 * 84.
 */

enum { ROUNDS = 100, GRAIN_NS = 32 };

/*
 * Whether a time in ns differs from a multiple of the resolution by more than a float's rounding.
 */
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

DOCUMENTED_CASE(046, empty_pair_takes_no_negative_time)
{
    double least = 1e12, most = -1e12;
    CUevent start = begin_event(), end = begin_event();
    CUstream stream = begin_stream();

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

DOCUMENTED_CASE(046, longer_work_takes_longer)
{
    CUevent start = begin_event(), middle = begin_event(), end = begin_event();
    CUstream stream = begin_stream();
    CUfunction spin = begin_kernel("cushim_spin");
    double one, two, both;

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

DOCUMENTED_CASE(046, same_event_twice_is_overwritten)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecord(event, stream));
    CHECK(reading_ns(event, event) == 0); /* the interval from an event to itself is 0 */
}

MEASURED_CASE(084, readings_are_multiples_of_32_ns)
{
    CUevent start = begin_event(), end = begin_event();
    CUstream stream = begin_stream();
    CUfunction spin = begin_kernel("cushim_spin");

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

/* The wall-clock time of many calls is printed; it need only be positive. */
DOCUMENTED_CASE(080, calls_of_the_page_succeed_many_times)
{
    enum { CALLS = 1000 };
    unsigned failures = 0;
    CUcontext current = begin_context();
    CUstream stream = begin_stream();
    CUevent event = begin_done();
    uint64_t began = now_ns();

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

DOCUMENTED_CASE(080, streams_come_and_go)
{
    begin_context();
    for (int i = 0; i < 100; i++) {
        CUstream stream = NULL;

        OK(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        OK(cu->StreamDestroy_v2(stream));
    }
}
