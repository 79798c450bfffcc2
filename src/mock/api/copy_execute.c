/* SPDX-License-Identifier: Apache-2.0 */
/* When a call that copies returns (statements 110 to 113). */
#include <stdlib.h>

#include "src/mock/api/copy.h"
#include "src/mock/api/copy_side.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream.h"

/* Up to this size an asynchronous call reads pageable memory when it is called, and returns. */
enum { STAGED_BYTES = 2 << 20 };

enum manner { QUEUE, STAGE, WAIT };

static size_t bytes_of(const struct mock_copy *copy)
{
    return copy->width * copy->height * copy->depth;
}

static enum manner manner_of(const struct mock_copy *copy, bool asynchronous)
{
    const bool to_device = copy->to.on_device, from_device = copy->from.on_device;

    if (!asynchronous)
        return to_device && from_device && !copy->to.synchronous && !copy->from.synchronous ? QUEUE
                                                                                            : WAIT;
    if (copy->to.pageable || (!to_device && !from_device))
        return WAIT;
    if (copy->from.pageable)
        return bytes_of(copy) <= STAGED_BYTES ? STAGE : WAIT;
    return QUEUE;
}

/* Read the source at the call. What is not found then is an illegal address when it executes. */
static bool stage(struct mock_copy *copy)
{
    struct mock_copy_box from, to;

    if (!cushim__mock_copy_find(copy, &copy->from, &from))
        return true;
    copy->staged = malloc(bytes_of(copy));
    if (!copy->staged)
        return false;
    to = cushim__mock_copy_staged(copy);
    cushim__mock_copy_move(copy, &to, &from);
    return true;
}

static CUresult execute(const CUDA_MEMCPY3D *shape, CUstream handle, bool asynchronous, bool read)
{
    struct mock_operation *operation;
    struct mock_stream *stream;
    enum manner manner = QUEUE;
    CUresult code = cushim__mock_memory_stream(handle, asynchronous, &stream);

    if (code)
        return code;
    if (shape->WidthInBytes == 0 || shape->Height == 0 || shape->Depth == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_copy_operation(shape, stream->object.context, &operation);
    if (code)
        return code;
    if (!stream->capture)
        manner = manner_of((struct mock_copy *)operation, asynchronous);
    if (manner == QUEUE && read)
        manner = STAGE;
    if (manner == WAIT)
        return cushim__mock_memory_finish(stream, operation);
    if (manner == STAGE && !stage((struct mock_copy *)operation)) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return cushim__mock_stream_submit(stream, operation);
}

CUresult cushim__mock_copy_execute(const CUDA_MEMCPY3D *shape, CUstream stream, bool asynchronous)
{
    return execute(shape, stream, asynchronous, false);
}

CUresult cushim__mock_copy_execute_read(const CUDA_MEMCPY3D *shape, CUstream stream)
{
    return execute(shape, stream, true, true);
}
