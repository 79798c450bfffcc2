/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on all work of a context. */
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/stream_plan.h"
#include "src/mock/call.h"
#include "src/mock/sim/sim.h"
#include "src/race/clock.h"
#include "src/race/race_search.h"

static CUresult synchronize(struct cushim__context *context)
{
    CUresult code = CUDA_SUCCESS;

    if (cushim__capture_count > 0)
        code = cushim__capture_context(context);
    return code ? code : cushim__engine_wait_context(context);
}

CUSHIM__EXACT(CtxSynchronize)(void)
{
    struct cushim__context *context;
    CUresult code = cushim__context_current(&context);

    return code ? code : synchronize(context);
}

CUSHIM__EXACT(CtxSynchronize_v2)(CUcontext ctx)
{
    struct cushim__context *context;
    CUresult code = cushim__context_find_or_current(ctx, &context);

    return code ? code : synchronize(context);
}

static CUresult check_event(CUcontext ctx, CUevent hEvent, struct cushim__context **context,
                            struct cushim__event **event)
{
    CUresult code = cushim__context_find(ctx, context);

    if (code == CUDA_SUCCESS)
        code = cushim__event_find(hEvent, event);
    if (code == CUDA_SUCCESS && cushim__capture_count > 0)
        code = cushim__capture_context(*context);
    return code;
}

/* A stream comes after everything that is queued in a context, also if it is done already. */
static void follow(struct cushim__stream *stream, const struct cushim__context *context)
{
    struct cushim__clock *clock = cushim__races_context(context);

    cushim__races_wait(stream, clock);
    cushim__clock_release(clock);
}

/* Make one more stream wait for a record of everything that is queued in another. */
static CUresult gather(struct cushim__plan *plan, struct cushim__stream *from,
                       struct cushim__stream *into)
{
    struct cushim__record *record = NULL;
    CUresult code = cushim__plan_record(plan, &record, from);

    if (code == CUDA_SUCCESS)
        code = cushim__plan_wait(plan, record, into);
    cushim__record_release(record);
    return code;
}

CUSHIM__EXACT(CtxRecordEvent)(CUcontext hCtx, CUevent hEvent)
{
    struct cushim__context *context;
    struct cushim__plan plan = {0};
    struct cushim__event *event;
    struct cushim__stream *all;
    CUresult code = check_event(hCtx, hEvent, &context, &event);

    if (code)
        return code;
    if (event->object.context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    all = cushim__stream_create(context, CUSHIM__CREATED, CU_STREAM_NON_BLOCKING, 0);
    if (!all)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__plan_stream(&plan, all);
    follow(all, context);
    for (struct cushim__stream *one = context->streams; one && !code; one = one->next) {
        if (one != all && one->head)
            code = gather(&plan, one, all);
    }
    if (code == CUDA_SUCCESS)
        code = cushim__plan_event_record(&plan, event, all);
    if (code == CUDA_SUCCESS)
        code = cushim__plan_queue(&plan);
    cushim__plan_clear(&plan);
    return code;
}

CUSHIM__APPROXIMATE(CtxWaitEvent, "streams created later do not wait")
(CUcontext hCtx, CUevent hEvent)
{
    struct cushim__context *context;
    struct cushim__event *event;
    CUresult code = check_event(hCtx, hEvent, &context, &event);

    if (code)
        return code;
    for (struct cushim__stream *one = context->streams, *next; one && !code; one = next) {
        cushim__stream_hold(one);
        code = cushim__event_wait(event, one);
        next = one->next;
        cushim__stream_let_go(one);
    }
    return code;
}
