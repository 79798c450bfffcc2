/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: created ones, the default ones of each context, and what can be asked of them. */
#include "driver.h"

#include <stdlib.h>

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static CUstream new_stream(CUcontext context, unsigned flags, int priority)
{
    CUstream stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->flags = flags;
    stream->priority = priority;
    stream->last = &stream->first;
    stream->time_ns = driver_host_time();
    driver_add(&stream->object, DRIVER_STREAM, context);
    return stream;
}

/* A default stream of the current context, made when it is first used. */
static CUresult default_stream(bool per_thread, CUstream *stream)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code != CUDA_SUCCESS)
        return code;
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        CUstream other = (CUstream)object;

        if (object->kind == DRIVER_STREAM && object->context == context && other->is_default &&
            other->is_per_thread == per_thread &&
            (!per_thread || pthread_equal(other->owner, pthread_self()))) {
            *stream = other;
            return CUDA_SUCCESS;
        }
    }
    *stream = new_stream(context, CU_STREAM_DEFAULT, 0);
    if (!*stream)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*stream)->is_default = true;
    (*stream)->is_per_thread = per_thread;
    (*stream)->owner = pthread_self();
    return CUDA_SUCCESS;
}

CUresult driver_stream(CUstream handle, CUstream *stream)
{
    CUresult code;

    if (!handle || handle == CU_STREAM_LEGACY)
        return default_stream(false, stream);
    if (handle == CU_STREAM_PER_THREAD)
        return default_stream(true, stream);
    code = driver_check(&handle->object, DRIVER_STREAM);
    if (code == CUDA_SUCCESS)
        *stream = handle;
    return code;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    CUcontext context;
    CUresult code = driver_current(&context);

    if (code != CUDA_SUCCESS)
        return code;
    if (!stream || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    if (priority > LEAST_PRIORITY)
        priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    pthread_mutex_lock(&driver_lock);
    *stream = new_stream(context, flags, priority);
    pthread_mutex_unlock(&driver_lock);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream)
{
    CUresult code;

    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&driver_lock);
    code = driver_check(&stream->object, DRIVER_STREAM);
    stream->object.life = DRIVER_DESTROYED;
    pthread_cond_broadcast(&driver_changed);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuStreamQuery(CUstream handle)
{
    CUstream stream = NULL;
    CUresult code;

    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, &stream);
    if (code == CUDA_SUCCESS && driver_busy(stream))
        code = CUDA_ERROR_NOT_READY;
    else if (code == CUDA_SUCCESS)
        driver_host_saw(stream->time_ns);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream handle)
{
    CUstream stream = NULL;
    CUresult code;

    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, &stream);
    while (code == CUDA_SUCCESS && driver_busy(stream))
        pthread_cond_wait(&driver_changed, &driver_lock);
    if (code == CUDA_SUCCESS)
        driver_host_saw(stream->time_ns);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

/* The stream behind a handle, for a question about it. */
static CUresult ask_stream(CUstream handle, const void *answer, CUstream *stream)
{
    CUresult code;

    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, stream);
    pthread_mutex_unlock(&driver_lock);
    return code == CUDA_SUCCESS && !answer ? CUDA_ERROR_INVALID_VALUE : code;
}

CUresult CUDAAPI cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    CUstream stream;
    CUresult code = ask_stream(handle, flags, &stream);

    if (code == CUDA_SUCCESS)
        *flags = stream->flags;
    return code;
}

CUresult CUDAAPI cuStreamGetPriority(CUstream handle, int *priority)
{
    CUstream stream;
    CUresult code = ask_stream(handle, priority, &stream);

    if (code == CUDA_SUCCESS)
        *priority = stream->priority;
    return code;
}

CUresult CUDAAPI cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    CUstream stream;
    CUresult code = ask_stream(handle, context, &stream);

    if (code == CUDA_SUCCESS)
        *context = stream->object.context;
    return code;
}
