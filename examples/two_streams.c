/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Make a GPU do two things at once: copies on one stream, and fills on another, between a common
 * begin and end.
 *
 *     cc two_streams.c $(pkg-config --cflags --libs cushim)
 *
 *     copying   begin ── copy copy copy ... ── copied ── wait for filling ── end
 *     filling      └──── fill fill fill ... ── filled ────┘
 *
 * Events order the streams, which wait on the GPU; the program waits once, for the end. Exit status
 * 0, or 1 with the reason if a call fails.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

enum { TIMES = 16 };
static const size_t copy_bytes = (size_t)8 << 20, fill_bytes = (size_t)256 << 20;

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s.\n%s\n", what, cushim_error_string(code), cushim_error_advice(code));
    exit(1);
}

static CUstream handle_of(struct cushim_stream *stream)
{
    CUstream handle = NULL;

    check(cushim_stream_get_handle(stream, &handle), "stream");
    return handle;
}

static double elapsed(struct cushim_event *start, struct cushim_event *end)
{
    float ms = 0;
    CUresult code = cushim_event_get_elapsed(start, end, &ms);

    check(code, cushim_event_explanation(start, end, code));
    return (double)ms;
}

/* Queue all work once, and release its four events. */
static void frame(struct cushim_stream *copying, struct cushim_stream *filling, CUdeviceptr target,
                  const void *source, CUdeviceptr canvas, bool print)
{
    const struct cushim_table *driver = cushim_driver();
    struct cushim_event *begin = NULL, *copied = NULL, *filled = NULL, *end = NULL;

    check(cushim_event_create_recorded(copying, NULL, &begin), "begin");
    check(cushim_stream_wait_event(filling, begin), "begin");
    for (unsigned i = 0; i < TIMES; i++) {
        check(driver->MemcpyHtoDAsync_v2(target, source, copy_bytes, handle_of(copying)), "copy");
        check(driver->MemsetD8Async(canvas, 1, fill_bytes, handle_of(filling)), "fill");
    }
    check(cushim_event_create_recorded(copying, NULL, &copied), "copied");
    check(cushim_event_create_recorded(filling, NULL, &filled), "filled");
    check(cushim_stream_wait_stream(copying, filling), "wait for filling");
    check(cushim_event_create_recorded(copying, NULL, &end), "end");
    check(cushim_event_synchronize(end), "end");
    if (print) {
        double copy = elapsed(begin, copied), fill = elapsed(begin, filled);

        printf("copies  %8.3f ms\nfills   %8.3f ms\n", copy, fill);
        printf("both    %8.3f ms, %.3f ms one after the other\n", elapsed(begin, end), copy + fill);
    }
    cushim_event_release(begin);
    cushim_event_release(copied);
    cushim_event_release(filled);
    cushim_event_release(end);
}

int main(void)
{
    const struct cushim_table *driver;
    struct cushim_context *context = NULL;
    struct cushim_stream *copying = NULL, *filling = NULL;
    CUdeviceptr target = 0, canvas = 0;
    void *source = NULL;

    check(cushim_driver_init(NULL), "driver");
    driver = cushim_driver();
    check(cushim_context_retain_primary(0, &context), "context");
    check(cushim_context_make_current(context), "context");
    check(cushim_stream_create(context, NULL, &copying), "stream");
    check(cushim_stream_create(context, NULL, &filling), "stream");
    check(driver->MemAllocHost_v2(&source, copy_bytes), "memory"); /* pinned: copied by the GPU */
    check(driver->MemAlloc_v2(&target, copy_bytes), "memory");
    check(driver->MemAlloc_v2(&canvas, fill_bytes), "memory");

    /* The first run takes longer than the others, so it is not timed. */
    frame(copying, filling, target, source, canvas, false);
    frame(copying, filling, target, source, canvas, true);

    check(driver->MemFree_v2(canvas), "memory");
    check(driver->MemFree_v2(target), "memory");
    check(driver->MemFreeHost(source), "memory");
    cushim_stream_release(copying);
    cushim_stream_release(filling);
    cushim_context_release(context);
    return 0;
}
