/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the primary one of the device, created ones, and each thread's stack of them. */
#include "driver.h"

#include <stdlib.h>

enum { STACK_DEPTH = 32, LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static _Thread_local CUcontext stack[STACK_DEPTH];
static _Thread_local unsigned depth;

static CUcontext primary;
static unsigned primary_retained, primary_flags;

CUresult driver_current(CUcontext *context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (driver_in_host_function)
        return CUDA_ERROR_NOT_PERMITTED;
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (stack[depth - 1]->object.life != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *context = stack[depth - 1];
    return CUDA_SUCCESS;
}

static CUresult push(CUcontext context)
{
    if (depth == STACK_DEPTH)
        driver_violation("a thread's context stack never shrinks");
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

static CUcontext new_context(unsigned flags, bool is_primary)
{
    CUcontext context = calloc(1, sizeof *context);

    if (!context)
        return NULL;
    context->flags = flags;
    context->primary = is_primary;
    driver_add(&context->object, DRIVER_CONTEXT, NULL);
    return context;
}

/* The lock is held; waits for the context's work, as the driver does. */
static void end_context(CUcontext context)
{
    driver_leave_context(context);
    context->object.life = DRIVER_DESTROYED;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&driver_lock);
    if (!primary)
        primary = new_context(primary_flags, true);
    if (primary) {
        primary_retained++;
        *context = primary;
    }
    code = primary ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&driver_lock);
    if (primary_retained == 0) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    } else if (--primary_retained == 0 && primary) {
        end_context(primary);
        primary = NULL;
    }
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&driver_lock);
    if (primary)
        end_context(primary);
    primary = NULL; /* what was retained has to be released all the same */
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & CU_CTX_SCHED_MASK) == 3 || flags > CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    primary_flags = flags;
    if (primary)
        primary->flags = flags;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = primary_flags;
    *active = primary != NULL;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (!context || (flags & CU_CTX_SCHED_MASK) == 3 || flags > CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&driver_lock);
    *context = new_context(flags, false);
    pthread_mutex_unlock(&driver_lock);
    return *context ? push(*context) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->object.life != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    pthread_mutex_lock(&driver_lock);
    end_context(context);
    pthread_mutex_unlock(&driver_lock);
    if (depth > 0 && stack[depth - 1] == context)
        depth--;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    return context ? push(context) : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (depth > 0)
        depth--;
    return context ? push(context) : CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (driver_in_host_function)
        return CUDA_ERROR_NOT_PERMITTED;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = depth > 0 ? stack[depth - 1] : NULL;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code == CUDA_SUCCESS && device)
        *device = 0;
    return code == CUDA_SUCCESS && !device ? CUDA_ERROR_INVALID_VALUE : code;
}

CUresult CUDAAPI cuCtxGetFlags(unsigned *flags)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code == CUDA_SUCCESS && flags)
        *flags = context->flags;
    return code == CUDA_SUCCESS && !flags ? CUDA_ERROR_INVALID_VALUE : code;
}

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    CUresult code = context ? driver_check(&context->object, DRIVER_CONTEXT) : driver_enter();

    if (code == CUDA_SUCCESS && version)
        *version = 3020;
    return code == CUDA_SUCCESS && !version ? CUDA_ERROR_INVALID_VALUE : code;
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code == CUDA_SUCCESS && least)
        *least = LEAST_PRIORITY;
    if (code == CUDA_SUCCESS && greatest)
        *greatest = GREATEST_PRIORITY;
    return code;
}

CUresult CUDAAPI cuCtxSynchronize(void)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code != CUDA_SUCCESS)
        return code;
    pthread_mutex_lock(&driver_lock);
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        if (object->kind == DRIVER_STREAM && object->context == context)
            driver_drain((CUstream)object);
    }
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}
