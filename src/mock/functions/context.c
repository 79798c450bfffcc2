/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: how they begin and end, which one is current, and calls that wait for its work. */
#include "src/mock/context/context.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/context/resource.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/event/event.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/module/module.h"
#include "src/mock/sim/internal.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

enum {
    DEAD_KEPT = 256,  /* ended contexts that are remembered, with what was in them */
    FIRST_ABI = 3010, /* what cuCtxGetApiVersion returns for a context of cuCtxCreate, not _v2 */
};

static void drop(void *object)
{
    struct mock_context *context = object;

    cushim__mock_streams_forget(context);
    cushim__mock_group_end(&context->group);
    free(context);
}

/* Reset a context to its initial state, as a primary context is each time it is retained anew. */
static void begin(struct mock_context *context)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;

    context->alive = true;
    context->object.gone = false;
    context->id = ++cushim__mock->contexts_made;
    context->cache = CU_FUNC_CACHE_PREFER_NONE;
    memcpy(context->limits, profile->limits, sizeof context->limits);
    memset(context->peers, 0, sizeof context->peers);
    context->heap_bytes = 0;
    context->printed = false;
    context->heap_used = false;
}

/* Create a context that is current nowhere. Returns NULL if memory runs out. */
static struct mock_context *create_context(struct mock_device *device, unsigned flags)
{
    struct mock_context *context =
        cushim__mock_object_create(sizeof *context, MOCK_CONTEXT, NULL, drop);

    if (!context)
        return NULL;
    context->object.context = context;
    context->device = device;
    context->flags = flags;
    context->api_version = MOCK_WIDE_ABI;
    context->uses = 1;
    cushim__mock_group_begin(&context->group, (unsigned)device->ordinal);
    begin(context);
    return context;
}

/* Wait for the call that is destroying the context, if there is one. */
static void await_end(struct mock_context *context)
{
    context->group.waiting_calls++;
    while (context->ending)
        cushim__mock_wait_for_change();
    context->group.waiting_calls--;
}

/*
 * The context's work ends first; in manual mode, where nothing can be waited for, it is dropped.
 * The handle stays known: calls with it and with its children return CONTEXT_IS_DESTROYED.
 */
static void end_context(struct mock_context *context)
{
    if (context->ending) {
        await_end(context);
        return;
    }
    context->ending = true;
    if (cushim__mock->settings.mode != MOCK_MODE_MANUAL && !cushim__mock->sticky_error)
        cushim__mock_sim_wait_group(&context->group);
    /* From here on no call queues work in the context, though the lock is released once more. */
    context->alive = false;
    context->object.gone = true;
    cushim__mock_object_orphan(context);
    cushim__mock_sim_forget_group(&context->group);
    cushim__race_saw(cushim__race_group(&context->group.race), true);
    cushim__mock_helper_stop(&context->group);
    cushim__mock_streams_forget(context);
    cushim__mock_memory_forget(context, context->device);
    cushim__mock_modules_forget(context);
    context->ending = false;
    cushim__mock_sim_changed();
}

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice handle, unsigned api_version)
{
    struct mock_context *context;
    struct mock_device *device;
    CUresult code;

    if (!pctx || !cushim__mock_context_flags_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_device_find(handle, &device);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_needs(MOCK_NEEDS_COMPUTE_MODE);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_context_reserve();
    if (code)
        return code;
    context = create_context(device, flags);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->api_version = api_version;
    *pctx = context->object.handle;
    return cushim__mock_context_push(context);
}

/* Also cuCtxCreate. */
CUresult cushim__mock_CtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev, unsigned slot)
{
    return create(pctx, flags, dev, slot == CUSHIM__SLOT(CtxCreate_v2) ? MOCK_WIDE_ABI : FIRST_ABI);
}

CUresult cushim__mock_CtxCreate_v3(CUcontext *pctx, cushim_CUexecAffinityParam *paramsArray,
                                   int numParams, unsigned int flags, CUdevice dev)
{
    if (numParams > 0)
        return paramsArray ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_ERROR_INVALID_VALUE;
    return create(pctx, flags, dev, MOCK_WIDE_ABI);
}

CUresult cushim__mock_CtxCreate_v4(CUcontext *pctx, cushim_CUctxCreateParams *ctxCreateParams,
                                   unsigned int flags, CUdevice dev)
{
    static const CUctxCreateParams nothing;

    if (ctxCreateParams && ctxCreateParams->numExecAffinityParams > 0 &&
        ctxCreateParams->execAffinityParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (ctxCreateParams && memcmp(ctxCreateParams, &nothing, sizeof nothing) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    return create(pctx, flags, dev, MOCK_WIDE_ABI);
}

/*
 * Keep a context that has ended. If there are too many, forget the one that ended first, because a
 * program may create and destroy contexts for as long as it runs. If that one is on a stack, or a
 * call waits for it, it becomes the last instead.
 */
static void keep_dead(struct mock_context *context)
{
    struct cushim_mock *mock = cushim__mock;
    struct mock_context *first;

    *(mock->dead++ > 0 ? &mock->last_dead->next_dead : &mock->first_dead) = context;
    mock->last_dead = context;
    if (mock->dead <= DEAD_KEPT)
        return;
    first = mock->first_dead;
    mock->first_dead = first->next_dead;
    first->next_dead = NULL;
    mock->dead--;
    if (first->group.waiting_calls == 0 && !cushim__mock_context_is_on_a_stack(first)) {
        cushim__mock_object_drop_all(first);
        return;
    }
    mock->last_dead->next_dead = first;
    mock->last_dead = first;
    mock->dead++;
}

static CUresult destroy(struct mock_context *context)
{
    if (context == cushim__mock_context_top())
        cushim__mock_context_pop();
    if (context->ending) {
        await_end(context);
        return CUDA_SUCCESS;
    }
    end_context(context);
    keep_dead(context);
    return CUDA_SUCCESS;
}

/* Also cuCtxDestroy. The first ABI destroys only the current context. */
CUresult cushim__mock_CtxDestroy_v2(struct mock_context *context)
{
    return context->primary || context->base ? CUDA_ERROR_INVALID_CONTEXT : destroy(context);
}

CUresult cushim__mock_CtxAttach(struct mock_context *current, CUcontext *pctx, unsigned int flags)
{
    if (!pctx || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    current->uses += !current->primary;
    *pctx = current->object.handle;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxDetach(struct mock_context *context)
{
    if (context != cushim__mock_context_top() || context->base)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->primary || --context->uses > 0)
        return CUDA_SUCCESS;
    return destroy(context);
}

/* The primary context of each device, which counts retains (driver-semantics.md #10 to #12). */

static bool is_active(const struct mock_device *device)
{
    return device->primary && device->primary->alive;
}

/* Make the primary context active. The caller counts the use. */
static CUresult begin_primary(struct mock_device *device)
{
    if (device->primary)
        await_end(device->primary);
    /* After a fault, a live context can still be retained, but no new one begins. */
    if (cushim__mock->sticky_error && !is_active(device))
        return cushim__mock->sticky_error;
    if (!device->primary) {
        device->primary = create_context(device, device->primary_flags);
        if (!device->primary)
            return CUDA_ERROR_OUT_OF_MEMORY;
        device->primary->primary = true;
        device->primary->uses = 0;
    } else if (!device->primary->alive) {
        begin(device->primary);
        device->primary->flags = device->primary_flags;
    }
    return CUDA_SUCCESS;
}

static void end_unused(struct mock_device *device)
{
    if (device->primary->uses + device->primary->greens > 0)
        return;
    device->primary_flags = 0;
    if (device->primary->alive)
        end_context(device->primary);
}

CUresult cushim__mock_DevicePrimaryCtxRetain(CUcontext *pctx, struct mock_device *device)
{
    CUresult code = begin_primary(device);

    if (code)
        return code;
    device->primary->uses++;
    *pctx = device->primary->object.handle;
    return CUDA_SUCCESS;
}

/*
 * Also cuDevicePrimaryCtxRelease. In the first ABI, releasing a context that is not retained
 * succeeds.
 */
CUresult cushim__mock_DevicePrimaryCtxRelease_v2(struct mock_device *device, unsigned slot)
{
    if (device->primary)
        await_end(device->primary);
    if (device->primary && device->primary->uses == 0 && device->primary->greens > 0)
        return CUDA_ERROR_NOT_PERMITTED;
    if (!device->primary || device->primary->uses == 0)
        return slot == CUSHIM__SLOT(DevicePrimaryCtxRelease_v2) ? CUDA_ERROR_INVALID_CONTEXT
                                                                : CUDA_SUCCESS;
    device->primary->uses--;
    end_unused(device);
    return CUDA_SUCCESS;
}

/*
 * Also cuDevicePrimaryCtxReset. A reset ends the context but keeps its count, to which a later
 * retain adds.
 */
CUresult cushim__mock_DevicePrimaryCtxReset_v2(struct mock_device *device)
{
    if (device->primary && device->primary->greens > 0)
        return CUDA_ERROR_NOT_PERMITTED;
    device->primary_flags = 0;
    if (is_active(device))
        end_context(device->primary);
    return CUDA_SUCCESS;
}

/* Also cuDevicePrimaryCtxSetFlags. */
CUresult cushim__mock_DevicePrimaryCtxSetFlags_v2(struct mock_device *device, unsigned int flags,
                                                  unsigned slot)
{
    if (slot != CUSHIM__SLOT(DevicePrimaryCtxSetFlags_v2) && is_active(device))
        return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    if (!cushim__mock_context_flags_valid(flags) || (flags & CU_CTX_MAP_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    device->primary_flags = flags;
    if (is_active(device))
        device->primary->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_DevicePrimaryCtxGetState(struct mock_device *device, unsigned int *flags,
                                               int *active)
{
    *flags = device->primary_flags;
    *active = is_active(device);
    return CUDA_SUCCESS;
}

/* Green contexts (driver-semantics.md #229): parts of a device, over its primary context. */

/* Without a description, the green context has all multiprocessors. */
CUresult cushim__mock_GreenCtxCreate(struct mock_context **context, cushim_CUdevResourceDesc desc,
                                     struct mock_device *device, unsigned int flags)
{
    const struct mock_description *description = NULL;
    struct mock_context *made;
    CUresult code = CUDA_SUCCESS;

    if (flags != CU_GREEN_CTX_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    if (desc)
        code = cushim__mock_object_find(desc, MOCK_DESCRIPTION, &description);
    if (code == CUDA_SUCCESS)
        code = begin_primary(device);
    if (code)
        return code;
    made = create_context(device, device->primary->flags);
    if (!made) {
        end_unused(device);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->base = device->primary;
    made->base->greens++;
    made->multiprocessors =
        description ? description->multiprocessors : cushim__mock_multiprocessors();
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GreenCtxDestroy(struct mock_context *context)
{
    struct mock_device *device = context->device;

    if (context->ending) {
        await_end(context);
        return CUDA_SUCCESS;
    }
    end_context(context);
    keep_dead(context);
    device->primary->greens--;
    end_unused(device);
    return CUDA_SUCCESS;
}

/* A green context has the handle of its context, which serves as one from now on. */
CUresult cushim__mock_CtxFromGreenCtx(CUcontext *pContext, struct mock_context *context)
{
    context->is_known = true;
    *pContext = context->object.handle;
    return CUDA_SUCCESS;
}

/* Which context is current (driver-semantics.md #13 to #16). */

/* Find a context to put on a stack, which may have been destroyed (driver-semantics.md #16). */
static CUresult find_any(CUcontext handle, struct mock_context **context)
{
    CUresult code = cushim__mock_context_find(handle, context);

    if (code == CUDA_SUCCESS && (*context)->base && !(*context)->is_known)
        return CUDA_ERROR_INVALID_CONTEXT;
    return code == CUDA_ERROR_CONTEXT_IS_DESTROYED ? CUDA_SUCCESS : code;
}

CUresult cushim__mock_CtxPushCurrent_v2(CUcontext ctx)
{
    struct mock_context *context;
    CUresult code = find_any(ctx, &context);

    return code ? code : cushim__mock_context_push(context);
}

/* The first ABI takes only a context that is on no thread's stack. */
CUresult cushim__mock_CtxPushCurrent(struct mock_context *context)
{
    if (cushim__mock_context_is_on_a_stack(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return cushim__mock_context_push(context);
}

/* Also cuCtxPopCurrent. */
CUresult cushim__mock_CtxPopCurrent_v2(CUcontext *pctx)
{
    const struct mock_context *context = cushim__mock_context_pop();

    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx)
        *pctx = context->object.handle;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxSetCurrent(CUcontext ctx)
{
    struct mock_context *context;
    CUresult code;

    if (!ctx) {
        cushim__mock_context_pop();
        return CUDA_SUCCESS;
    }
    code = find_any(ctx, &context);
    if (code)
        return code;
    cushim__mock_context_pop();
    return cushim__mock_context_push(context);
}

CUresult cushim__mock_CtxGetCurrent(CUcontext *pctx)
{
    const struct mock_context *context = cushim__mock_context_top();

    *pctx = context ? context->object.handle : NULL;
    return CUDA_SUCCESS;
}

/* Calls that wait for all work of a context or order work after it. */

/* Also cuCtxSynchronize. */
CUresult cushim__mock_CtxSynchronize_v2(struct mock_context *context)
{
    CUresult code = cushim__mock_capture_context(context);

    return code ? code : cushim__mock_sim_wait_group(&context->group);
}

/* Order a stream after everything that is queued in a context, even if that is already done. */
static void follow(struct mock_stream *stream, const struct mock_context *context)
{
    struct race_clock *clock = cushim__race_group(&context->group.race);

    cushim__race_wait(&stream->race, clock);
    cushim__race_clock_release(clock);
}

/* Make a stream wait for a record of everything that is queued in another. */
static CUresult gather(struct mock_plan *plan, struct mock_stream *from, struct mock_stream *into)
{
    struct mock_event_record *record = NULL;
    CUresult code = cushim__mock_plan_fence(plan, &record, from);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_wait(plan, record, into);
    cushim__mock_event_record_release(record);
    return code;
}

CUresult cushim__mock_CtxRecordEvent(struct mock_context *context, struct mock_event *event)
{
    struct mock_plan plan = {0};
    struct mock_stream *all;
    CUresult code = cushim__mock_capture_context(context);

    if (code)
        return code;
    if (!cushim__mock_context_shares(event->object.context, context))
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
        code = cushim__mock_plan_submit(&plan);
    cushim__mock_plan_clear(&plan);
    return code;
}

CUresult cushim__mock_CtxWaitEvent(struct mock_context *context, struct mock_event *event)
{
    CUresult code = cushim__mock_capture_context(context);

    if (code)
        return code;
    for (struct mock_stream *one = context->group.streams, *next; one && !code; one = next) {
        cushim__mock_stream_retain(one);
        code = cushim__mock_stream_wait_event(one, event);
        next = one->next;
        cushim__mock_stream_release(one);
    }
    return code;
}
