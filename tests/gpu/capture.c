/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include <cushim/driver.h>

#include "check.h"

const CUstreamCaptureMode capture_modes[CAPTURE_MODES] = {
    CU_STREAM_CAPTURE_MODE_GLOBAL,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    CU_STREAM_CAPTURE_MODE_RELAXED,
};

CUstreamCaptureStatus capture_status(struct cushim_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    OK(cushim_stream_capture_status(stream, &status, NULL));
    return status;
}

CUstreamCaptureStatus capture_id(struct cushim_stream *stream, cuuint64_t *id)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    OK(cushim_stream_capture_status(stream, &status, id));
    return status;
}

void capture_end(struct cushim_stream *stream)
{
    CUgraph graph = NULL;

    OK(cushim_stream_end_capture(stream, &graph));
    CHECK(graph != NULL);
    OK(cushim_driver()->GraphDestroy(graph));
}

void capture_end_invalidated(struct cushim_stream *stream)
{
    CUgraph graph = NULL;

    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cushim_stream_end_capture(stream, &graph));
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}
