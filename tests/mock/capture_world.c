/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/capture_world.h"

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

void capture_begin(CUstream stream)
{
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

CUgraph capture_end(CUstream stream)
{
    CUgraph graph = NULL;

    OK(driver->StreamEndCapture(stream, &graph));
    assert_non_null(graph);
    return graph;
}

void capture_work(CUstream stream)
{
    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
}

void capture_tie(CUstream from, CUstream to)
{
    CUevent event = world_event();

    OK(driver->EventRecord(event, from));
    OK(driver->StreamWaitEvent(to, event, 0));
    OK(driver->EventDestroy_v2(event));
}

CUstreamCaptureStatus capture_status(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    OK(driver->StreamIsCapturing(stream, &status));
    return status;
}
