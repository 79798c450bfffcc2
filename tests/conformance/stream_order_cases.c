/* SPDX-License-Identifier: Apache-2.0 */
/* The order between streams. Statements 54-56. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "latch.h"

static void query_is_0_or_600(void)
{
    struct gate gate = GATE;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    OK(cu->StreamQuery(stream));
    gate_shut(&gate, stream);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
    OK(cu->StreamQuery(stream));
}

static void legacy_stream_is_held_up_by_blocking_ones(void)
{
    struct gate gate = GATE;
    CUstream blocking;

    begin_context();
    blocking = begin_blocking_stream();
    gate_shut(&gate, blocking);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(CU_STREAM_LEGACY));
    OK(cu->StreamQuery(CU_STREAM_PER_THREAD));
    gate_open(&gate);
    OK(cu->StreamSynchronize(NULL));
    OK(cu->StreamQuery(blocking));
}

static void legacy_stream_takes_no_notice_of_non_blocking_ones(void)
{
    struct latch latch;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    latch = latch_shut(stream);
    OK(cu->StreamQuery(NULL));
    OK(cu->StreamSynchronize(NULL));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
}

static void legacy_stream_holds_up_blocking_ones(void)
{
    CUstream blocking, free;
    CUevent held, passed;
    struct gate gate = GATE;

    begin_context();
    blocking = begin_blocking_stream();
    free = begin_stream();
    held = begin_event();
    passed = begin_event();
    gate_shut(&gate, NULL);
    OK(cu->EventRecord(held, blocking));
    OK(cu->EventRecord(passed, free));
    OK(cu->EventSynchronize(passed));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(held));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(blocking));
    gate_open(&gate);
    OK(cu->EventSynchronize(held));
}

static void wait_works_across_contexts(void)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUstream busy = begin_stream(), waiter = begin_stream_in(other);
    CUevent event = begin_event(), after = begin_event_in(other);
    struct latch latch = latch_shut(busy);

    CHECK(own != other);
    OK(cu->EventRecord(event, busy));
    OK(cu->StreamWaitEvent(waiter, event, 0));
    OK(cu->EventRecord(after, waiter));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(after));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(waiter));
    latch_open(&latch);
    OK(cu->EventSynchronize(after));
    OK(cu->EventQuery(event));
}

static void flags_of_a_wait_are_checked(void)
{
    CUstream stream;
    CUevent done;

    begin_context();
    stream = begin_stream();
    done = begin_done();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, done, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, done, 0x80));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamWaitEvent(stream, done, 1));
    OK(cu->StreamWaitEvent(stream, done, 0));
    OK(cu->StreamSynchronize(stream));
}

static void flags_of_a_record_are_checked(void)
{
    CUstream stream;
    CUevent event;

    begin_context();
    stream = begin_stream();
    event = begin_event();
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->EventRecordWithFlags(event, stream, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventRecordWithFlags(event, stream, 2));
    OK(cu->EventRecordWithFlags(event, stream, 0));
    OK(cu->EventSynchronize(event));
}

const struct conformance_case stream_order_cases[] = {
    DOCUMENTED_CASE("054_query_is_0_or_600", query_is_0_or_600),
    DOCUMENTED_CASE("054_legacy_stream_is_held_up_by_blocking_ones",
                    legacy_stream_is_held_up_by_blocking_ones),
    DOCUMENTED_CASE("054_legacy_stream_takes_no_notice_of_non_blocking_ones",
                    legacy_stream_takes_no_notice_of_non_blocking_ones),
    DOCUMENTED_CASE("054_legacy_stream_holds_up_blocking_ones",
                    legacy_stream_holds_up_blocking_ones),
    DOCUMENTED_CASE("055_wait_works_across_contexts", wait_works_across_contexts),
    MEASURED_CASE("055_flags_of_a_wait_are_checked", flags_of_a_wait_are_checked),
    MEASURED_CASE("056_flags_of_a_record_are_checked", flags_of_a_record_are_checked),
    {.name = NULL},
};
