/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches as before CUDA 4.0: shape and parameters are set one by one, and kept by the function.
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/kernel.h"
#include "src/mock/api/module.h"
#include "src/mock/api/stream.h"

enum { PARAMETER_BYTES = 32764 };

struct mock_old_launch {
    unsigned block[3], shared_bytes;
    size_t bytes;
    unsigned char parameters[PARAMETER_BYTES];
};

/* What is set of a function so far. These calls want a current context. */
static CUresult find(CUfunction handle, struct mock_function **function,
                     struct mock_old_launch **old)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_function_find(handle, context, function);
    if (code != CUDA_SUCCESS)
        return code;
    if (!(*function)->old) {
        (*function)->old = calloc(1, sizeof *(*function)->old);
        if (!(*function)->old)
            return CUDA_ERROR_OUT_OF_MEMORY;
        (*function)->old->block[0] = (*function)->old->block[1] = (*function)->old->block[2] = 1;
    }
    *old = (*function)->old;
    return CUDA_SUCCESS;
}

static bool fits(int x, int y, int z, unsigned threads)
{
    if (x <= 0 || y <= 0 || z <= 0)
        return false;
    return (unsigned)x <= threads && (unsigned)y <= threads / (unsigned)x &&
           (unsigned)z <= threads / ((unsigned)x * (unsigned)y);
}

MOCK_EXACT(FuncSetBlockShape)(CUfunction hfunc, int x, int y, int z)
{
    struct mock_old_launch *old;
    struct mock_function *function;
    CUresult code = find(hfunc, &function, &old);

    if (code == CUDA_SUCCESS && !fits(x, y, z, cushim__mock_function_threads(function->kernel)))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    old->block[0] = (unsigned)x;
    old->block[1] = (unsigned)y;
    old->block[2] = (unsigned)z;
    return CUDA_SUCCESS;
}

MOCK_EXACT(FuncSetSharedSize)(CUfunction hfunc, unsigned int bytes)
{
    struct mock_old_launch *old;
    struct mock_function *function;
    CUresult code = find(hfunc, &function, &old);

    if (code == CUDA_SUCCESS && bytes > (unsigned)function->settings.dynamic_shared_bytes)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        old->shared_bytes = bytes;
    return code;
}

MOCK_EXACT(ParamSetSize)(CUfunction hfunc, unsigned int numbytes)
{
    struct mock_old_launch *old;
    struct mock_function *function;
    CUresult code = find(hfunc, &function, &old);

    if (code == CUDA_SUCCESS && numbytes > PARAMETER_BYTES)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        old->bytes = numbytes;
    return code;
}

static CUresult set(CUfunction handle, int offset, const void *bytes, size_t count)
{
    struct mock_old_launch *old;
    struct mock_function *function;
    CUresult code = find(handle, &function, &old);

    if (code != CUDA_SUCCESS)
        return code;
    if (!bytes || offset < 0 || count > PARAMETER_BYTES || (size_t)offset > PARAMETER_BYTES - count)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(old->parameters + offset, bytes, count);
    return CUDA_SUCCESS;
}

MOCK_EXACT(ParamSeti)(CUfunction hfunc, int offset, unsigned int value)
{
    return set(hfunc, offset, &value, sizeof value);
}

MOCK_EXACT(ParamSetf)(CUfunction hfunc, int offset, float value)
{
    return set(hfunc, offset, &value, sizeof value);
}

MOCK_EXACT(ParamSetv)(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    return set(hfunc, offset, ptr, numbytes);
}

static CUresult launch(CUfunction handle, int width, int height, CUstream stream_handle)
{
    struct mock_operation *operation;
    struct mock_old_launch *old;
    struct mock_function *function;
    struct mock_stream *stream;
    struct mock_launch_shape shape;
    CUresult code = find(handle, &function, &old);

    if (code == CUDA_SUCCESS && (width <= 0 || height <= 0))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_stream_find(stream_handle, &stream);
    if (code == CUDA_SUCCESS && stream->object.context != function->object.context)
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code != CUDA_SUCCESS)
        return code;
    shape = (struct mock_launch_shape){.grid = {(unsigned)width, (unsigned)height, 1},
                                       .block = {old->block[0], old->block[1], old->block[2]},
                                       .shared_bytes = old->shared_bytes};
    code =
        cushim__mock_launch_create_raw(function, &shape, old->parameters, old->bytes, &operation);
    return code == CUDA_SUCCESS ? cushim__mock_stream_submit(stream, operation) : code;
}

MOCK_EXACT(Launch)(CUfunction f)
{
    return launch(f, 1, 1, NULL);
}

MOCK_EXACT(LaunchGrid)(CUfunction f, int grid_width, int grid_height)
{
    return launch(f, grid_width, grid_height, NULL);
}

MOCK_EXACT(LaunchGridAsync)(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    return launch(f, grid_width, grid_height, hStream);
}
