/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for all work of a context or order work after it. */
#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/stream.h"
#include "src/mock/api/stream_plan.h"
#include "src/race/race.h"

MOCK_ALSO(CtxSynchronize)
MOCK_EXACT(CtxSynchronize_v2)(struct mock_context *OR_CURRENT context)
{
    CUresult code = cushim__mock_capture_context(context);

    return code ? code : cushim__mock_sim_wait_group(&context->group);
}

/* A stream comes after everything that is queued in a context, also if it is done already. */
static void follow(struct mock_stream *stream, const struct mock_context *context)
{
    struct race_clock *clock = cushim__race_group(&context->group.race);

    cushim__race_wait(&stream->race, clock);
    cushim__race_clock_release(clock);
}

/* Make one more stream wait for a record of everything that is queued in another. */
static CUresult gather(struct mock_plan *plan, struct mock_stream *from, struct mock_stream *into)
{
    struct mock_event_record *record = NULL;
    CUresult code = cushim__mock_plan_record(plan, &record, from);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_wait(plan, record, into);
    cushim__mock_event_record_release(record);
    return code;
}

MOCK_EXACT(CtxRecordEvent)(struct mock_context *context, struct mock_event *event)
{
    struct mock_plan plan = {0};
    struct mock_stream *all;
    CUresult code = cushim__mock_capture_context(context);

    if (code)
        return code;
    if (event->object.context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    all = cushim__mock_stream_create(context, MOCK_CREATED, CU_STREAM_NON_BLOCKING, 0);
    if (!all)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_plan_stream(&plan, all);
    follow(all, context);
    for (struct mock_stream *one = context->group.streams; one && !code; one = one->next) {
        if (one != all && one->head)
            code = gather(&plan, one, all);
    }
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_event_record(&plan, event, all);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_queue(&plan);
    cushim__mock_plan_clear(&plan);
    return code;
}

MOCK_APPROXIMATE(CtxWaitEvent, "streams created later do not wait")
(struct mock_context *context, struct mock_event *event)
{
    CUresult code = cushim__mock_capture_context(context);

    if (code)
        return code;
    for (struct mock_stream *one = context->group.streams, *next; one && !code; one = next) {
        cushim__mock_stream_retain(one);
        code = cushim__mock_event_wait(event, one);
        next = one->next;
        cushim__mock_stream_release(one);
    }
    return code;
}
