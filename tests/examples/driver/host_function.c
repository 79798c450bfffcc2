/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and callbacks: they run on the stream's thread, between its other work. */
#include "driver.h"

#include <stdlib.h>

struct call {
    CUhostFn function;
    CUstreamCallback callback;
    CUstream stream; /* as the callback is told */
    void *data;
};

static void run(void *data)
{
    const struct call *call = data;

    driver_in_host_function = true;
    if (call->function)
        call->function(call->data);
    else
        call->callback(call->stream, CUDA_SUCCESS, call->data);
    driver_in_host_function = false;
}

static CUresult submit(CUstream handle, const struct call *call)
{
    struct driver_work work = {.run = run};
    CUstream stream;
    CUresult code;

    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, &stream);
    if (code == CUDA_SUCCESS) {
        work.data = malloc(sizeof *call);
        if (work.data)
            *(struct call *)work.data = *call;
        code = work.data ? driver_submit(stream, &work) : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code != CUDA_SUCCESS)
        free(work.data);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    const struct call call = {.function = function, .data = data};

    return function ? submit(stream, &call) : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                                     unsigned flags)
{
    const struct call call = {.callback = callback, .stream = stream, .data = data};

    return callback && flags == 0 ? submit(stream, &call) : CUDA_ERROR_INVALID_VALUE;
}
