/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time the work of a GPU with one event before it and one after it, on a stream.
 *
 *     cc event_timing.c $(pkg-config --cflags --libs cushim)
 *
 * Exit status 0, or 1 with the reason if a call fails. Without a driver, the first call fails.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s.\n%s\n", what, cushim_error_string(code), cushim_error_advice(code));
    exit(1);
}

int main(void)
{
    const size_t bytes = (size_t)256 << 20;
    struct cushim_context *context = NULL;
    struct cushim_stream *stream = NULL;
    struct cushim_event *start = NULL, *end = NULL;
    CUstream handle = NULL;
    CUdeviceptr memory = 0;
    float ms = 0;

    check(cushim_driver_init(NULL), "driver");
    check(cushim_context_retain_primary(0, &context), "context");
    check(cushim_context_make_current(context), "context");
    check(cushim_stream_create(context, NULL, &stream), "stream");
    check(cushim_stream_get_handle(stream, &handle), "stream");
    check(cushim_driver()->MemAlloc_v2(&memory, bytes), "memory");

    check(cushim_event_create_recorded(stream, NULL, &start), "start");
    check(cushim_driver()->MemsetD8Async(memory, 0, bytes, handle), "fill");
    check(cushim_event_create_recorded(stream, NULL, &end), "end");
    check(cushim_event_synchronize(end), "end");
    check(cushim_event_get_elapsed(start, end, &ms), "time");
    printf("256 MiB filled in %.3f ms: %.0f GB/s\n", (double)ms, (double)bytes / 1e6 / (double)ms);

    check(cushim_driver()->MemFree_v2(memory), "memory");
    cushim_event_release(start);
    cushim_event_release(end);
    cushim_stream_release(stream);
    cushim_context_release(context);
    return 0;
}
