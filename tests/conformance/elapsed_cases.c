/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elapsed time: its sign and resolution, errors, and the costs of calls. No case expects certain
 * times. Statements 35-48, 80, 84.
 */
#include <math.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

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

static void unrecorded_is_400(void)
{
    CUevent done, unrecorded;

    begin_context();
    done = begin_done();
    unrecorded = begin_event();
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, unrecorded, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, begin_event());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, unrecorded, unrecorded);
}

static void untimed_is_400(void)
{
    CUevent done, untimed;

    begin_context();
    done = begin_done();
    untimed = begin_event_with(CU_EVENT_DISABLE_TIMING);
    OK(cu->EventRecord(untimed, begin_stream()));
    OK(cu->EventSynchronize(untimed));
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, untimed, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, untimed, untimed);
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, untimed, begin_pending());
}

static void pending_is_600(void)
{
    CUevent done, pending, other;
    struct latch latch;
    CUstream stream;

    begin_context();
    done = begin_done();
    pending = begin_event();
    other = begin_event();
    stream = begin_stream();
    latch = latch_shut(stream);
    OK(cu->EventRecord(pending, stream));
    OK(cu->EventRecord(other, stream));
    check_both_ways(CUDA_ERROR_NOT_READY, done, pending);
    check_both_ways(CUDA_ERROR_NOT_READY, pending, other);
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
    check_both_ways(CUDA_SUCCESS, done, pending);
    check_both_ways(CUDA_SUCCESS, pending, other);
}

static void pending_and_unrecorded_is_400(void)
{
    begin_context();
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, begin_pending(), begin_event());
}

static void same_event_is_zero(void)
{
    float ms = UNTOUCHED;
    CUevent done;

    begin_context();
    done = begin_done();
    OK(cu->EventElapsedTime(&ms, done, done));
    CHECK(ms == 0);
    ms = UNTOUCHED;
    OK(cu->EventElapsedTime_v2(&ms, done, done));
    CHECK(ms == 0);
}

static void reversed_order_is_negative(void)
{
    enum { SPIN_NS = 2000000 };
    float forward[2], backward[2];
    CUevent start, end;
    CUstream stream = begin_context_stream();
    CUfunction spin;
    struct latch latch;

    start = begin_event();
    end = begin_event();
    spin = begin_kernel("cushim_spin");
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

static void null_event_is_400(void)
{
    CUevent done;

    begin_context();
    done = begin_done();
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, NULL, done);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, NULL, NULL);
}

static void null_result_is_400(void)
{
    CUevent done;

    begin_context();
    done = begin_done();
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(NULL, done, done));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime_v2(NULL, done, done));
}

static void two_contexts_are_400(void)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent done = begin_done(), foreign;

    make_current(other);
    foreign = begin_done();
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, foreign);
    make_current(own);
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, foreign);
}

static void interprocess_is_400(void)
{
    CUevent done, shared;

    begin_context();
    done = begin_done();
    shared = begin_event_with(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    OK(cu->EventRecord(shared, begin_stream()));
    OK(cu->EventSynchronize(shared));
    check_both_ways(CUDA_ERROR_INVALID_HANDLE, done, shared);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, shared, shared);
}

static void result_is_untouched_on_every_error(void)
{
    CUevent done, untimed;

    begin_context();
    done = begin_done();
    untimed = begin_event_with(CU_EVENT_DISABLE_TIMING);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, begin_event());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, untimed);
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, done, NULL);
    check_elapsed(CUDA_ERROR_NOT_READY, done, begin_pending());
    check_elapsed(CUDA_ERROR_INVALID_HANDLE, begin_event(), begin_pending());
    check_elapsed(CUDA_ERROR_NOT_READY, begin_pending(), begin_pending());
}

/* The two functions for elapsed time. Statements 47, 48. */

static void second_function_exists_from_12_8_on(void)
{
    const int version = driver_version();

    CHECK(backend_symbol("cuEventElapsedTime") != NULL);
    EQUAL(version >= 12080, backend_symbol("cuEventElapsedTime_v2") != NULL);
}

static void older_driver_has_one_function(void)
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

static void polling_belongs_to_the_query(void)
{
    struct gate gate = GATE;
    CUevent start, end;
    CUstream stream = begin_context_stream();
    float ms = -7;

    start = begin_event();
    end = begin_event();
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

static void empty_pair_takes_no_negative_time(void)
{
    double least = 1e12, most = -1e12;
    CUevent start, end;
    CUstream stream = begin_context_stream();

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
    CUstream stream = begin_context_stream();
    CUfunction spin;
    double one, two, both;

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
    CUstream stream = begin_context_stream();

    event = begin_event();
    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecord(event, stream));
    CHECK(reading_ns(event, event) == 0); /* the interval from an event to itself is 0 */
}

static void readings_are_multiples_of_32_ns(void)
{
    CUevent start, end;
    CUstream stream = begin_context_stream();
    CUfunction spin;

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

/* The wall-clock time of many calls is printed; it need only be positive. */
static void calls_of_the_page_succeed_many_times(void)
{
    enum { CALLS = 1000 };
    unsigned failures = 0;
    CUcontext current = begin_context();
    CUstream stream = begin_stream();
    uint64_t began;
    CUevent event = begin_done();

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

const struct conformance_case elapsed_cases[] = {
    DOCUMENTED_CASE("035_unrecorded_is_400", unrecorded_is_400),
    DOCUMENTED_CASE("036_untimed_is_400", untimed_is_400),
    DOCUMENTED_CASE("037_pending_is_600", pending_is_600),
    MEASURED_CASE("038_pending_and_unrecorded_is_400", pending_and_unrecorded_is_400),
    MEASURED_CASE("039_same_event_is_zero", same_event_is_zero),
    MEASURED_CASE("040_reversed_order_is_negative", reversed_order_is_negative),
    DOCUMENTED_CASE("041_null_event_is_400", null_event_is_400),
    MEASURED_CASE("042_null_result_is_400", null_result_is_400),
    MEASURED_CASE("043_two_contexts_are_400", two_contexts_are_400),
    MEASURED_CASE("044_interprocess_is_400", interprocess_is_400),
    MEASURED_CASE("045_result_is_untouched_on_every_error", result_is_untouched_on_every_error),
    DOCUMENTED_CASE("047_polling_belongs_to_the_query", polling_belongs_to_the_query),
    DOCUMENTED_CASE("048_second_function_exists_from_12_8_on", second_function_exists_from_12_8_on),
    {
        .name = "048_older_driver_has_one_function",
        .run = older_driver_has_one_function,
        .class = DOCUMENTED,
        .may_skip = ON_GPU,
        .settings = "driver_version = 12.4\n",
    },
    DOCUMENTED_CASE("046_empty_pair_takes_no_negative_time", empty_pair_takes_no_negative_time),
    DOCUMENTED_CASE("046_longer_work_takes_longer", longer_work_takes_longer),
    DOCUMENTED_CASE("046_same_event_twice_is_overwritten", same_event_twice_is_overwritten),
    DOCUMENTED_CASE("080_calls_of_the_page_succeed_many_times",
                    calls_of_the_page_succeed_many_times),
    DOCUMENTED_CASE("080_streams_come_and_go", streams_come_and_go),
    MEASURED_CASE("084_readings_are_multiples_of_32_ns", readings_are_multiples_of_32_ns),
    {.name = NULL},
};
