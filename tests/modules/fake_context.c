/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the fake driver: driver semantics, section 2. */
#include "fake.h"

#include <string.h>

enum { DEPTH = 16 };

struct stack {
    struct fake_context *of[DEPTH];
    unsigned depth;
};

static _Thread_local struct stack stack, entered;
static unsigned long long last_id;

struct fake_context *fake_context_new(CUdevice device, unsigned flags)
{
    struct fake_context *context = fake_new(sizeof *context, FAKE_CONTEXT, NULL);

    context->device = device;
    context->flags = flags;
    context->id = ++last_id;
    context->limits[CU_LIMIT_STACK_SIZE] = 1024;
    return context;
}

static void push(struct fake_context *context, const char *function)
{
    if (stack.depth == DEPTH)
        fake_violation("%s: the stack of contexts is full", function);
    stack.of[stack.depth++] = context;
}

struct fake_context *fake_find_context(CUcontext handle, const char *function)
{
    struct fake_context *context = fake_find(FAKE_CONTEXT, handle, function);

    if (fake_is_primary(context) && !fake_primary_references(context->device))
        fake_violation("%s uses a primary context without a reference", function);
    return context;
}

static void end_child(struct fake_object *object, void *data)
{
    if (object->context == data && object->life == FAKE_ALIVE)
        object->life = FAKE_GONE;
}

void fake_end_children(struct fake_context *context)
{
    for (enum fake_kind kind = 0; kind < FAKE_KINDS; kind++)
        fake_each(kind, end_child, context);
    memset(context->defaults, 0, sizeof context->defaults);
}

/* --- for tests and the other files --- */

void fake_context_reset(void)
{
    memset(&stack, 0, sizeof stack);
    memset(&entered, 0, sizeof entered);
}

CUcontext fake_foreign_context(CUdevice device)
{
    struct fake_context *context = fake_context_new(device, 0);

    context->object.foreign = true;
    return (CUcontext)context;
}

void fake_enter(CUcontext handle)
{
    if (handle) {
        push((struct fake_context *)handle, "fake_enter");
    } else {
        stack.depth = 0;
    }
    entered = stack;
}

CUcontext fake_current(void)
{
    return stack.depth ? (CUcontext)stack.of[stack.depth - 1] : NULL;
}

unsigned fake_depth(void)
{
    return stack.depth;
}

CUcontext fake_pop(void)
{
    const CUcontext handle = fake_current();

    stack.depth -= stack.depth > 0;
    return handle;
}

void fake_break_context(CUcontext handle, CUresult code)
{
    ((struct fake_context *)handle)->broken = code;
}

bool fake_stack_is_as_entered(void)
{
    return stack.depth == entered.depth &&
           memcmp(stack.of, entered.of, stack.depth * sizeof stack.of[0]) == 0;
}

void fake_stack_put_back(void)
{
    if (stack.depth == entered.depth + 1)
        stack.depth--;
}

CUresult fake_use(const struct fake_object *object)
{
    const struct fake_context *context = object->context;

    if (object->life != FAKE_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context ? context->broken : CUDA_SUCCESS;
}

CUresult fake_use_current(struct fake_context **context)
{
    *context = NULL;
    if (!stack.depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    *context = stack.of[stack.depth - 1];
    if ((*context)->object.life != FAKE_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return (*context)->broken;
}

bool fake_is_device(CUdevice device)
{
    return device >= 0 && device < FAKE_DEVICES;
}

bool fake_are_flags(unsigned flags)
{
    const unsigned scheduling = flags & CU_CTX_SCHED_MASK;

    return flags < 0x100 && (scheduling & (scheduling - 1)) == 0;
}

/* --- created contexts and the current one --- */

static CUresult CUDAAPI ctx_create(CUcontext *handle, unsigned flags, CUdevice device)
{
    const CUresult code = fake_call("cuCtxCreate_v2");

    if (code)
        return code;
    if (!handle || !fake_are_flags(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (!fake_is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    push(fake_context_new(device, flags), "cuCtxCreate_v2");
    *handle = fake_current();
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_destroy(CUcontext handle)
{
    const CUresult code = fake_call("cuCtxDestroy_v2");
    struct fake_context *context;

    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    context = fake_find(FAKE_CONTEXT, handle, "cuCtxDestroy_v2");
    if (fake_is_primary(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    fake_end(&context->object, "cuCtxDestroy_v2");
    fake_end_children(context);
    if (fake_current() == handle)
        stack.depth--;
    return code;
}

static CUresult CUDAAPI ctx_push(CUcontext handle)
{
    const CUresult code = fake_call("cuCtxPushCurrent_v2");

    if (code)
        return code;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    push(fake_find_context(handle, "cuCtxPushCurrent_v2"), "cuCtxPushCurrent_v2");
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_pop(CUcontext *handle)
{
    const CUresult code = fake_call("cuCtxPopCurrent_v2");

    if (code)
        return code;
    if (!stack.depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (handle)
        *handle = fake_current();
    stack.depth--;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_set_current(CUcontext handle)
{
    const CUresult code = fake_call("cuCtxSetCurrent");

    if (code)
        return code;
    stack.depth -= stack.depth > 0;
    if (handle)
        push(fake_find_context(handle, "cuCtxSetCurrent"), "cuCtxSetCurrent");
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI ctx_get_current(CUcontext *handle)
{
    const CUresult code = fake_call("cuCtxGetCurrent");

    if (code)
        return code;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = fake_current();
    return CUDA_SUCCESS;
}

const struct fake_function fake_context_functions[] = {
    FAKE_FUNCTION(CtxCreate_v2, ctx_create),
    FAKE_FUNCTION(CtxDestroy_v2, ctx_destroy),
    FAKE_FUNCTION(CtxPushCurrent_v2, ctx_push),
    FAKE_FUNCTION(CtxPopCurrent_v2, ctx_pop),
    FAKE_FUNCTION(CtxSetCurrent, ctx_set_current),
    FAKE_FUNCTION(CtxGetCurrent, ctx_get_current),
    FAKE_END,
};
