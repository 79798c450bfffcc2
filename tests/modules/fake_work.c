/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake driver's streams have to do. Work is done when somebody looks: an item that waits
 * for something holds up all that comes after it.
 */
#include "fake.h"

#include <string.h>

static uint64_t read_value(const struct fake_work *work)
{
    uint32_t narrow;
    uint64_t wide;

    if (work->bytes == 4) {
        memcpy(&narrow, work->address, 4);
        return narrow;
    }
    memcpy(&wide, work->address, 8);
    return wide;
}

static void write_value(const struct fake_work *work)
{
    const uint32_t narrow = (uint32_t)work->value;

    if (work->bytes == 4)
        memcpy(work->address, &narrow, 4);
    else
        memcpy(work->address, &work->value, 8);
}

static bool has_value(const struct fake_work *work)
{
    const uint64_t is = read_value(work);

    switch (work->flags & 3) {
    case CU_STREAM_WAIT_VALUE_EQ:
        return is == work->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (is & work->value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
        return ~(is | work->value) << (64 - 8 * work->bytes) != 0;
    default:
        return (int64_t)((is - work->value) << (64 - 8 * work->bytes)) >= 0;
    }
}

/* Do one item, if that can be done now. */
static bool do_one(struct fake_stream *stream, const struct fake_work *work)
{
    const CUresult broken = stream->object.context->broken;

    switch (work->what) {
    case FAKE_WAIT_STREAM:
        return !fake_stream_pending(work->stream);
    case FAKE_WAIT_VALUE:
        return has_value(work);
    case FAKE_WRITE_VALUE:
        write_value(work);
        break;
    case FAKE_FUNCTION_CALL:
        if (!broken)
            work->function(work->data);
        break;
    case FAKE_CALLBACK:
        work->callback(stream->handle, broken, work->data);
        break;
    }
    return true;
}

bool fake_stream_pending(struct fake_stream *stream)
{
    if (stream->held && stream->looks != FAKE_FOREVER && stream->looks-- == 0)
        stream->held = false;
    while (!stream->held && stream->work_count) {
        const struct fake_work first = stream->work[0];

        if (!do_one(stream, &first))
            return true;
        stream->work_count--;
        memmove(stream->work, stream->work + 1, stream->work_count * sizeof stream->work[0]);
    }
    return stream->held;
}

void fake_stream_finish(struct fake_stream *stream)
{
    stream->held = false;
    for (unsigned i = 0; i < stream->work_count; i++) {
        if (stream->work[i].what == FAKE_WAIT_STREAM)
            fake_stream_finish(stream->work[i].stream);
    }
    if (fake_stream_pending(stream))
        fake_violation("a call would wait for ever");
}

/* Give a stream something to do, unless that goes into a graph. */
static CUresult add(struct fake_stream *stream, const struct fake_work *work)
{
    bool captured;
    const CUresult code = fake_capture_work(stream, &captured);

    if (code || captured)
        return code;
    if (stream->work_count == sizeof stream->work / sizeof stream->work[0])
        fake_violation("a stream has more to do than the fake can remember");
    stream->work[stream->work_count++] = *work;
    fake_stream_pending(stream);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI wait_event(CUstream handle, CUevent event_handle, unsigned flags)
{
    struct fake_work work = {.what = FAKE_WAIT_STREAM};
    struct fake_stream *stream;
    struct fake_event *event;
    bool captured;
    CUresult code = fake_begin_stream("cuStreamWaitEvent", handle, &stream);

    if (code)
        return code;
    if (flags > CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event_handle)
        return CUDA_ERROR_INVALID_HANDLE;
    event = fake_find(FAKE_EVENT, event_handle, "cuStreamWaitEvent");
    code = fake_use(&event->object);
    if (!code)
        code = fake_capture_wait(stream, event, flags, &captured);
    if (code || captured || !event->recorded || event->stream == stream ||
        !fake_stream_pending(event->stream))
        return code;
    work.stream = event->stream;
    return add(stream, &work);
}

static CUresult CUDAAPI launch_host_function(CUstream handle, CUhostFn function, void *data)
{
    const struct fake_work work = {.what = FAKE_FUNCTION_CALL, .function = function, .data = data};
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuLaunchHostFunc", handle, &stream);

    if (code)
        return code;
    return function ? add(stream, &work) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult CUDAAPI add_callback(CUstream handle, CUstreamCallback callback, void *data,
                                     unsigned flags)
{
    const struct fake_work work = {.what = FAKE_CALLBACK, .callback = callback, .data = data};
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream("cuStreamAddCallback", handle, &stream);

    if (code)
        return code;
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return add(stream, &work);
}

/* --- memory operations; addresses are those of the test's own memory --- */

static CUresult value(const char *function, CUstream handle, CUdeviceptr address,
                      struct fake_work *work)
{
    struct fake_stream *stream;
    const CUresult code = fake_begin_stream(function, handle, &stream);
    const unsigned known = work->what == FAKE_WAIT_VALUE ? 3 | CU_STREAM_WAIT_VALUE_FLUSH : 1;

    if (code)
        return code;
    if (!address || address % work->bytes || work->flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    work->address = (void *)(uintptr_t)address;
    return add(stream, work);
}

static CUresult CUDAAPI wait_value32(CUstream stream, CUdeviceptr address, cuuint32_t wanted,
                                     unsigned flags)
{
    struct fake_work work = {.what = FAKE_WAIT_VALUE, .value = wanted, .bytes = 4, .flags = flags};

    return value("cuStreamWaitValue32_v2", stream, address, &work);
}

static CUresult CUDAAPI wait_value64(CUstream stream, CUdeviceptr address, cuuint64_t wanted,
                                     unsigned flags)
{
    struct fake_work work = {.what = FAKE_WAIT_VALUE, .value = wanted, .bytes = 8, .flags = flags};

    return value("cuStreamWaitValue64_v2", stream, address, &work);
}

static CUresult CUDAAPI write_value32(CUstream stream, CUdeviceptr address, cuuint32_t written,
                                      unsigned flags)
{
    struct fake_work work = {
        .what = FAKE_WRITE_VALUE, .value = written, .bytes = 4, .flags = flags};

    return value("cuStreamWriteValue32_v2", stream, address, &work);
}

static CUresult CUDAAPI write_value64(CUstream stream, CUdeviceptr address, cuuint64_t written,
                                      unsigned flags)
{
    struct fake_work work = {
        .what = FAKE_WRITE_VALUE, .value = written, .bytes = 8, .flags = flags};

    return value("cuStreamWriteValue64_v2", stream, address, &work);
}

const struct fake_function fake_work_functions[] = {
    FAKE_FUNCTION(StreamWaitEvent, wait_event),
    FAKE_FUNCTION(LaunchHostFunc, launch_host_function),
    FAKE_FUNCTION(StreamAddCallback, add_callback),
    FAKE_FUNCTION(StreamWaitValue32_v2, wait_value32),
    FAKE_FUNCTION(StreamWaitValue64_v2, wait_value64),
    FAKE_FUNCTION(StreamWriteValue32_v2, write_value32),
    FAKE_FUNCTION(StreamWriteValue64_v2, write_value64),
    FAKE_END,
};
