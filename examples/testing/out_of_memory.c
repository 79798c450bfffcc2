/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function that allocates several resources, and its test: each of its calls fails, once alone
 * and once with all later calls, and the function must not leak.
 *
 *     cc out_of_memory.c $(pkg-config --cflags --libs cushim-mock) -lcmocka
 *
 * Built with -DWITH_BUG, one of its error paths leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/cushim.h>
#include <cushim/testing/cmocka.h>
#include <cushim/testing/sweep.h>

/* ---- The program: a frame buffer with its own stream. ---- */

enum { FRAME_BYTES = 1 << 20 };

struct frame {
    CUstream stream;
    CUdeviceptr pixels, depth;
    void *staging; /* page-locked */
};

static void frame_close(struct frame *frame)
{
    const struct cushim_table *driver = cushim_driver();

    if (frame->staging)
        driver->MemFreeHost(frame->staging);
    if (frame->depth)
        driver->MemFree_v2(frame->depth);
    if (frame->pixels)
        driver->MemFree_v2(frame->pixels);
    if (frame->stream)
        driver->StreamDestroy_v2(frame->stream);
    *frame = (struct frame){0};
}

static CUresult frame_open(struct frame *frame)
{
    const struct cushim_table *driver = cushim_driver();
    CUresult code;

    *frame = (struct frame){0};
    code = driver->StreamCreate(&frame->stream, CU_STREAM_NON_BLOCKING);
    if (code == CUDA_SUCCESS)
        code = driver->MemAlloc_v2(&frame->pixels, FRAME_BYTES);
    if (code == CUDA_SUCCESS)
        code = driver->MemAlloc_v2(&frame->depth, FRAME_BYTES);
#ifdef WITH_BUG
    if (code != CUDA_SUCCESS)
        return code;
#endif
    if (code == CUDA_SUCCESS)
        code = driver->MemAllocHost_v2(&frame->staging, FRAME_BYTES);
    if (code == CUDA_SUCCESS)
        code = driver->MemsetD8Async(frame->pixels, 0, FRAME_BYTES, frame->stream);
    if (code == CUDA_SUCCESS)
        code = driver->StreamSynchronize(frame->stream);
    if (code != CUDA_SUCCESS)
        frame_close(frame);
    return code;
}

/* ---- The test. ---- */

/* Each run has a context before the body, which is released afterwards. */
static int begin(void *data)
{
    CUcontext *context = data;
    CUresult code = cushim_driver()->Init(0);

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->DevicePrimaryCtxRetain(context, 0);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->CtxSetCurrent(*context);
    return code != CUDA_SUCCESS;
}

static void end(void *data)
{
    (void)data;
    cushim_driver()->CtxSetCurrent(NULL);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

/* The function is right if it returns the code of the failed call to its caller. */
static int open_and_close(void *data)
{
    struct frame frame;
    const CUresult code = frame_open(&frame);

    (void)data;
    if (code != cushim_sweep_injected(NULL))
        return cushim_sweep_fail("the caller gets the code that has failed");
    if (code == CUDA_SUCCESS)
        frame_close(&frame);
    return 0;
}

static void frame_leaves_nothing_whatever_fails(void **state)
{
    CUcontext context;
    const struct cushim_sweep_options options = {
        .size = sizeof options, .setup = begin, .teardown = end};

    (void)state;
    cushim_assert_swept(&options, open_and_close, &context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_leaves_nothing_whatever_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
