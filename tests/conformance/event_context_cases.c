/* SPDX-License-Identifier: Apache-2.0 */
/* Events, streams and which context is current. Statements 30-32. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static void record_across_contexts_is_400(void)
{
    CUcontext one = begin_context(), two = begin_other_context();
    CUstream of_one = begin_stream(), of_two = begin_stream_in(two);
    CUevent in_one = begin_event(), in_two = begin_event_in(two);

    for (int round = 0; round < 2; round++) {
        make_current(round == 0 ? one : two);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(in_one, of_two));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(in_two, of_one));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecordWithFlags(in_one, of_two, 0));
        OK(cu->EventRecord(in_one, of_one));
        OK(cu->EventRecord(in_two, of_two));
    }
}

static const CUstream default_streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

static void default_streams_are_of_the_current_context(void)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent event = begin_event();

    for (size_t i = 0; i < 3; i++) {
        make_current(other);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, default_streams[i]));
        make_current(own);
        OK(cu->EventRecord(event, default_streams[i]));
        OK(cu->EventSynchronize(event));
    }
}

static void default_streams_need_a_context(void)
{
    CUevent event;

    begin_context();
    event = begin_event();
    make_current(NULL);
    for (size_t i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventRecord(event, default_streams[i]));
}

/* Everything that can be done to an event on a created stream. */
static void check_calls(CUevent event, CUevent end, CUevent doomed, CUstream stream)
{
    float ms = -7;

    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(end, stream, 0));
    OK(cu->EventSynchronize(end));
    OK(cu->EventQuery(event));
    OK(cu->EventElapsedTime(&ms, event, end));
    CHECK(ms >= 0);
    OK(cu->EventElapsedTime_v2(&ms, event, end));
    OK(cu->StreamWaitEvent(stream, event, 0));
    OK(cu->StreamSynchronize(stream));
    OK(cu->StreamQuery(stream));
    OK(cu->EventDestroy_v2(doomed));
}

static void created_streams_need_no_current_context(void)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUevent event = begin_event(), end = begin_event();
    CUevent doomed[] = {begin_event(), begin_event()};
    CUstream stream = begin_stream();

    CHECK(own != other);
    make_current(other);
    check_calls(event, end, doomed[0], stream);
    CHECK(current_context() == other);
    make_current(NULL);
    check_calls(event, end, doomed[1], stream);
    CHECK(current_context() == NULL);
}

const struct conformance_case event_context_cases[] = {
    DOCUMENTED_CASE("030_record_across_contexts_is_400", record_across_contexts_is_400),
    MEASURED_CASE("031_default_streams_are_of_the_current_context",
                  default_streams_are_of_the_current_context),
    MEASURED_CASE("031_default_streams_need_a_context", default_streams_need_a_context),
    MEASURED_CASE("032_created_streams_need_no_current_context",
                  created_streams_need_no_current_context),
    {.name = NULL},
};
