/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include "backend.h"
#include "check.h"

const CUstreamCaptureMode capture_modes[CAPTURE_MODES] = {GLOBAL, THREAD_LOCAL, RELAXED};

void capture_begin(CUstream stream, CUstreamCaptureMode mode)
{
    MUST(cu->StreamBeginCapture_v2(stream, mode));
}

CUstreamCaptureStatus capture_status(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    MUST(cu->StreamIsCapturing(stream, &status));
    return status;
}

void capture_active(CUstream stream)
{
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, capture_status(stream));
}

void capture_end(CUstream stream)
{
    CUgraph graph = NULL;

    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
    if (CHECK(graph != NULL))
        MUST(cu->GraphDestroy(graph));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
}

void capture_spoilt(CUstream stream)
{
    CUgraph graph = (CUgraph)&graph;

    EQUAL(CU_STREAM_CAPTURE_STATUS_INVALIDATED, capture_status(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
}
