/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: how they begin and end. */
#include "src/mock/api/context.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/memory.h"
#include "src/mock/api/module.h"
#include "src/mock/call.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/helper.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/race_search.h"

enum {
    DEAD_KEPT = 256,  /* contexts that are known after their end, with what was in them */
    FIRST_ABI = 3010, /* what cuCtxGetApiVersion says of a context of cuCtxCreate itself */
    LATER_ABI = 3020,
};

bool cushim__context_flags_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return flags < 0x100 && (schedule & (schedule - 1)) == 0;
}

static void drop(void *object)
{
    cushim__streams_forget(object);
    free(object);
}

struct cushim__context *cushim__context_create(struct cushim__device *device, unsigned flags)
{
    struct cushim__context *context = calloc(1, sizeof *context);

    if (!context)
        return NULL;
    context->device = device;
    context->flags = flags;
    context->api_version = LATER_ABI;
    context->uses = 1;
    if (cushim__object_add(context, CUSHIM__CONTEXT, context) != CUDA_SUCCESS) {
        free(context);
        return NULL;
    }
    context->object.drop = drop;
    cushim__context_begin(context);
    return context;
}

void cushim__context_begin(struct cushim__context *context)
{
    const struct cushim__profile *profile = &cushim__world->settings.profile;

    context->alive = true;
    context->object.gone = false;
    context->id = ++cushim__world->contexts_made;
    context->cache = CU_FUNC_CACHE_PREFER_NONE;
    memcpy(context->limits, profile->limits, sizeof context->limits);
    memset(context->peers, 0, sizeof context->peers);
}

/*
 * Its work ends first; in manual mode, where nothing can be waited for, it is dropped. The handle
 * stays known: calls with it and with its children answer CONTEXT_IS_DESTROYED.
 */
void cushim__context_end(struct cushim__context *context)
{
    if (context->ending) {
        cushim__context_settle(context);
        return;
    }
    context->ending = true;
    if (cushim__world->settings.mode != CUSHIM__MANUAL && !cushim__world->fault)
        cushim__engine_wait_context(context);
    /* From here on nobody gives it work, though the lock is given up once more. */
    context->alive = false;
    context->object.gone = true;
    cushim__object_orphan(context);
    cushim__engine_forget_context(context);
    cushim__races_saw(cushim__races_context(context), true);
    cushim__helper_stop(context);
    cushim__streams_forget(context);
    cushim__memory_forget(context);
    cushim__modules_forget(context);
    context->ending = false;
    cushim__engine_tell();
}

static bool has_settled(const void *what)
{
    const struct cushim__context *context = what;

    return !context->ending;
}

void cushim__context_settle(struct cushim__context *context)
{
    context->held++;
    cushim__engine_wait_for_thread(has_settled, context);
    context->held--;
}

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev, unsigned api_version)
{
    struct cushim__context *context;
    struct cushim__device *device;
    CUresult code;

    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__device_find(dev, &device);
    if (code)
        return code;
    if (!cushim__context_flags_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_reserve();
    if (code)
        return code;
    context = cushim__context_create(device, flags);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->api_version = api_version;
    *pctx = context->object.handle;
    return cushim__context_push(context);
}

CUSHIM__EXACT(CtxCreate)(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev, FIRST_ABI);
}

CUSHIM__EXACT(CtxCreate_v2)(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev, LATER_ABI);
}

CUSHIM__APPROXIMATE(CtxCreate_v3, "execution affinity is refused: 224, as without MPS")
(CUcontext *pctx, cushim_CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
 CUdevice dev)
{
    if (numParams > 0)
        return paramsArray ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_ERROR_INVALID_VALUE;
    return create(pctx, flags, dev, LATER_ABI);
}

CUSHIM__APPROXIMATE(CtxCreate_v4, "no parameters but zero are taken: 801 for others")
(CUcontext *pctx, cushim_CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
    static const CUctxCreateParams nothing;

    if (ctxCreateParams && memcmp(ctxCreateParams, &nothing, sizeof nothing) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    return create(pctx, flags, dev, LATER_ABI);
}

/*
 * Keep a context that has ended, and forget the one that ended first if there are too many: a
 * program may make and destroy them for ever. One that is on a stack, or that a call waits for, is
 * spared for another round.
 */
static void keep_dead(struct cushim__context *context)
{
    struct cushim_mock *world = cushim__world;
    struct cushim__context *first;

    *(world->dead++ > 0 ? &world->last_dead->next_dead : &world->first_dead) = context;
    world->last_dead = context;
    if (world->dead <= DEAD_KEPT)
        return;
    first = world->first_dead;
    world->first_dead = first->next_dead;
    first->next_dead = NULL;
    world->dead--;
    if (first->held == 0 && !cushim__context_is_on_a_stack(first)) {
        cushim__object_bury(first);
        return;
    }
    world->last_dead->next_dead = first;
    world->last_dead = first;
    world->dead++;
}

static CUresult destroy(struct cushim__context *context)
{
    if (context == cushim__context_top())
        cushim__context_pop();
    if (context->ending) {
        cushim__context_settle(context);
        return CUDA_SUCCESS;
    }
    cushim__context_end(context);
    keep_dead(context);
    return CUDA_SUCCESS;
}

CUSHIM__EXACT(CtxDestroy_v2)(CUcontext ctx)
{
    struct cushim__context *context;
    CUresult code;

    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_find(ctx, &context);
    if (code)
        return code;
    return context->primary ? CUDA_ERROR_INVALID_CONTEXT : destroy(context);
}

/* The first ABI destroys the current context only. */
CUSHIM__EXACT(CtxDestroy)(CUcontext ctx)
{
    struct cushim__context *context;
    CUresult code;

    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_find(ctx, &context);
    if (code)
        return code;
    if (context->primary || context != cushim__context_top())
        return CUDA_ERROR_INVALID_CONTEXT;
    return destroy(context);
}

CUSHIM__EXACT(CtxAttach)(CUcontext *pctx, unsigned int flags)
{
    struct cushim__context *context;
    CUresult code;

    code = cushim__context_current(&context);
    if (code)
        return code;
    if (!pctx || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    context->uses += !context->primary;
    *pctx = context->object.handle;
    return CUDA_SUCCESS;
}

CUSHIM__EXACT(CtxDetach)(CUcontext ctx)
{
    struct cushim__context *context;
    CUresult code = cushim__context_find(ctx, &context);

    if (code)
        return code;
    if (context != cushim__context_top())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->primary || --context->uses > 0)
        return CUDA_SUCCESS;
    return destroy(context);
}
