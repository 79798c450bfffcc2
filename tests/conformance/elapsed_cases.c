/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed time, by both functions of the driver. Statements 35-45. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "latch.h"

enum { UNTOUCHED = -7 };

/* Both functions answer `want` for these two, and write on success only. */
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

/* An event that is recorded behind a latch, which nobody opens before the end. */
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
    CUstream stream;
    CUfunction spin;

    begin_context();
    stream = begin_stream();
    start = begin_event();
    end = begin_event();
    spin = begin_kernel("cushim_spin");
    OK(cu->EventRecord(start, stream));
    queue_spin(spin, stream, SPIN_NS);
    OK(cu->EventRecord(end, stream));
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
    {.name = NULL},
};
