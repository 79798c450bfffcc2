/* SPDX-License-Identifier: Apache-2.0 */
/* How calls on memory meet streams. */
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/race_search.h"

CUresult cushim__memory_stream(CUstream handle, bool asynchronous, struct cushim__stream **stream)
{
    struct cushim__context *context;
    CUresult code;

    if (asynchronous && !cushim__stream_is_default(handle))
        return cushim__stream_find(handle, stream);
    code = cushim__memory_context(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__stream_default(asynchronous ? handle : NULL, context, stream);
    /* A capture in the way is seen before the arguments are (statement 129). */
    if (code == CUDA_SUCCESS && !asynchronous && cushim__capture_count > 0)
        code = cushim__capture_legacy(*stream);
    return code;
}

/*
 * In manual mode nobody but the caller can let time pass, and the caller waits: so an operation
 * that has nothing to wait for but itself is executed in the call.
 */
static bool is_immediate(const struct cushim__stream *stream)
{
    const struct cushim__context *context = stream->object.context;

    return cushim__world->settings.mode == CUSHIM__MANUAL && cushim__capture_count == 0 &&
           !cushim__engine_busy(stream) &&
           !(cushim__stream_blocks(stream) && context->legacy && context->legacy->head);
}

CUresult cushim__memory_finish(struct cushim__stream *stream, struct cushim__operation *operation)
{
    CUresult code;

    if (!is_immediate(stream)) {
        /* Left in the stream it would use the caller's memory after the call. */
        if (cushim__world->settings.mode == CUSHIM__MANUAL && cushim__capture_count == 0) {
            cushim__operation_destroy(operation);
            return cushim__engine_wait_refused();
        }
        code = cushim__engine_submit(stream, operation);
        return code ? code : cushim__engine_wait_last(stream);
    }
    cushim__engine_number(stream, operation);
    code = operation->class->execute(operation);
    cushim__races_saw(cushim__races_last(stream), true);
    cushim__engine_told();
    cushim__operation_destroy(operation);
    if (code)
        cushim__engine_fault(code);
    return code;
}
