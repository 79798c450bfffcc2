/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten mistakes. Without an argument, the program uses the driver that it finds; with one, it is a
 * test that prints its verdict. Both make the same calls from the same places.
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/test.h>

enum { BYTES = 4096 };

static const struct cushim_table *driver;
static CUcontext context;
static CUstream streams[2], gone;
static CUevent ended, untimed, recorded;
static CUdeviceptr memory, freed;

static void prepare(void)
{
    for (int i = 0; i < 2; i++)
        driver->StreamCreate(&streams[i], CU_STREAM_NON_BLOCKING);
    driver->StreamCreate(&gone, 0);
    driver->StreamDestroy_v2(gone);
    driver->EventCreate(&ended, 0);
    driver->EventDestroy_v2(ended);
    driver->EventCreate(&recorded, 0);
    driver->EventRecord(recorded, streams[0]);
    driver->EventCreate(&untimed, CU_EVENT_DISABLE_TIMING);
    driver->EventRecord(untimed, streams[0]);
    driver->StreamSynchronize(streams[0]);
    driver->MemAlloc_v2(&memory, BYTES);
    driver->MemAlloc_v2(&freed, BYTES);
    driver->MemFree_v2(freed);
}

static void make_mistakes(void)
{
    CUevent leaked;
    float ms;

    driver->EventQuery(ended);                        /* a destroyed event */
    driver->EventDestroy_v2(ended);                   /* a second time */
    driver->EventQuery((CUevent)(void *)streams[0]);  /* a stream as an event */
    driver->StreamQuery(gone);                        /* a destroyed stream */
    driver->EventElapsedTime(&ms, recorded, untimed); /* an event without a time */
    driver->MemsetD8_v2(freed, 0, BYTES);             /* freed memory */
    driver->MemFree_v2(freed);                        /* a second time */
    driver->MemsetD8_v2(memory, 0, 2 * BYTES);        /* beyond its end */
    driver->MemsetD8Async(memory, 1, BYTES, streams[0]);
    driver->MemsetD8Async(memory, 2, BYTES, streams[1]); /* without a wait */
    driver->EventCreate(&leaked, 0);                     /* never destroyed */
}

static void clean_up(void)
{
    driver->CtxSynchronize();
    driver->MemFree_v2(memory);
    driver->EventDestroy_v2(untimed);
    driver->EventDestroy_v2(recorded);
    for (int i = 0; i < 2; i++)
        driver->StreamDestroy_v2(streams[i]);
}

/* The leaked event would end with the context, so the program keeps that, too. */
static int begin(struct cushim_test **test, int is_test)
{
    const struct cushim_test_options options = {
        .size = sizeof options, .settings = "races = report", .context = true};

    if (is_test)
        return cushim_test_begin(&options, test);
    return cushim_driver_init(NULL);
}

int main(int count, char **words)
{
    const int is_test = count > 1;
    struct cushim_test *test = NULL;
    static char text[1 << 14];
    int version;

    (void)words;
    if (begin(&test, is_test) != 0)
        return 1;
    driver = cushim_driver();
    if (is_test) {
        driver->DriverGetVersion(&version); /* which the loader has asked for, too */
    } else {
        driver->DevicePrimaryCtxRetain(&context, 0);
        driver->CtxSetCurrent(context);
    }
    prepare();
    make_mistakes();
    clean_up();
    if (is_test && cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS)
        printf("%s", text);
    return 0;
}
