/* SPDX-License-Identifier: Apache-2.0 */
/* How calls on memory meet streams. */
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"
#include "src/race/race.h"

CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous, struct mock_stream **stream)
{
    struct mock_context *context;
    CUresult code;

    if (asynchronous && !cushim__mock_stream_is_default(handle))
        return cushim__mock_stream_find(handle, stream);
    code = cushim__mock_memory_context(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_stream_default(asynchronous ? handle : NULL, context, stream);
    /* A capture in the way is seen before the arguments are (statement 129). */
    if (code == CUDA_SUCCESS && !asynchronous && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_legacy(*stream);
    return code;
}

/*
 * In manual mode nobody but the caller can let time pass, and the caller waits: so an operation
 * that has nothing to wait for but itself is executed in the call.
 */
static bool is_immediate(const struct mock_stream *stream)
{
    const struct mock_context *context = stream->object.context;

    return cushim__mock->settings.mode == MOCK_MANUAL && cushim__mock_capture_count == 0 &&
           !cushim__mock_sim_busy(stream) &&
           !(cushim__mock_stream_blocks(stream) && context->group.legacy &&
             context->group.legacy->head);
}

CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation)
{
    CUresult code;

    if (!is_immediate(stream)) {
        /* Left in the stream it would use the caller's memory after the call. */
        if (cushim__mock->settings.mode == MOCK_MANUAL && cushim__mock_capture_count == 0) {
            cushim__mock_operation_destroy(operation);
            return cushim__mock_sim_wait_refused();
        }
        code = cushim__mock_stream_submit(stream, operation);
        return code ? code : cushim__mock_sim_wait_last(stream);
    }
    cushim__mock_sim_number(stream, operation);
    code = operation->class->execute(operation);
    cushim__race_saw(cushim__race_last(&stream->race), true);
    cushim__mock_sim_reported();
    cushim__mock_operation_destroy(operation);
    if (code)
        cushim__mock_sim_fault(code);
    return code;
}
