/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/measurement.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include <cushim/driver.h>

#include "src/tool/driver.h"
#include "src/tool/progress.h"

/* What is held, in the order in which it is acquired. */
enum held {
    HELD_NOTHING,
    HELD_CONTEXT,
    HELD_CURRENT, /* the context is the current one */
    HELD_STREAM,
    HELD_MEMORY,
    HELD_START,
    HELD_STOP,
};

struct setup {
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;
    CUevent start, stop;
    const char *elapsed_call; /* the symbol in the slot of cuEventElapsedTime_v2 */
    enum held held;
};

static volatile sig_atomic_t interrupted;

/* A second interruption ends the process. */
static void on_interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

static bool acquire(struct setup *setup, size_t bytes, struct failure *failure)
{
    if (!failure_check(failure, "cuDevicePrimaryCtxRetain",
                       cushim_driver()->DevicePrimaryCtxRetain(&setup->context, setup->device)))
        return false;
    setup->held = HELD_CONTEXT;
    if (!failure_check(failure, "cuCtxPushCurrent_v2",
                       cushim_driver()->CtxPushCurrent_v2(setup->context)))
        return false;
    setup->held = HELD_CURRENT;
    if (!failure_check(failure, "cuStreamCreate",
                       cushim_driver()->StreamCreate(&setup->stream, CU_STREAM_NON_BLOCKING)))
        return false;
    setup->held = HELD_STREAM;
    if (!failure_check(failure, "cuMemAlloc_v2",
                       cushim_driver()->MemAlloc_v2(&setup->memory, bytes)))
        return false;
    setup->held = HELD_MEMORY;
    if (!failure_check(failure, "cuEventCreate",
                       cushim_driver()->EventCreate(&setup->start, CU_EVENT_DEFAULT)))
        return false;
    setup->held = HELD_START;
    if (!failure_check(failure, "cuEventCreate",
                       cushim_driver()->EventCreate(&setup->stop, CU_EVENT_DEFAULT)))
        return false;
    setup->held = HELD_STOP;
    return true;
}

/* Drivers before CUDA 11.0 have the older function only; for one's own reference both mean the same. */
static void release_context(CUdevice device, struct failure *failure)
{
    if (driver_has("cuDevicePrimaryCtxRelease_v2"))
        failure_check(failure, "cuDevicePrimaryCtxRelease_v2",
                      cushim_driver()->DevicePrimaryCtxRelease_v2(device));
    else
        failure_check(failure, "cuDevicePrimaryCtxRelease",
                      cushim_driver()->DevicePrimaryCtxRelease(device));
}

static void release(struct setup *setup, struct failure *failure)
{
    CUcontext popped;

    switch (setup->held) {
    case HELD_STOP:
        failure_check(failure, "cuEventDestroy_v2", cushim_driver()->EventDestroy_v2(setup->stop));
        /* fall through */
    case HELD_START:
        failure_check(failure, "cuEventDestroy_v2", cushim_driver()->EventDestroy_v2(setup->start));
        /* fall through */
    case HELD_MEMORY:
        failure_check(failure, "cuMemFree_v2", cushim_driver()->MemFree_v2(setup->memory));
        /* fall through */
    case HELD_STREAM:
        failure_check(failure, "cuStreamDestroy_v2",
                      cushim_driver()->StreamDestroy_v2(setup->stream));
        /* fall through */
    case HELD_CURRENT:
        failure_check(failure, "cuCtxPopCurrent_v2", cushim_driver()->CtxPopCurrent_v2(&popped));
        /* fall through */
    case HELD_CONTEXT:
        release_context(setup->device, failure);
        /* fall through */
    case HELD_NOTHING:
        break;
    }
    setup->held = HELD_NOTHING;
}

/* One round: what it took, in milliseconds. */
static bool time_round(const struct setup *setup, size_t bytes, float *elapsed_ms,
                       struct failure *failure)
{
    return failure_check(failure, "cuEventRecord",
                         cushim_driver()->EventRecord(setup->start, setup->stream)) &&
           failure_check(
               failure, "cuMemsetD8Async",
               cushim_driver()->MemsetD8Async(setup->memory, 0xa5, bytes, setup->stream)) &&
           failure_check(failure, "cuEventRecord",
                         cushim_driver()->EventRecord(setup->stop, setup->stream)) &&
           failure_check(failure, "cuEventSynchronize",
                         cushim_driver()->EventSynchronize(setup->stop)) &&
           failure_check(
               failure, setup->elapsed_call,
               cushim_driver()->EventElapsedTime_v2(elapsed_ms, setup->start, setup->stop));
}

static bool time_rounds(struct measurement *measurement, const struct setup *setup,
                        float *elapsed_ms, struct failure *failure)
{
    struct progress progress;
    float unwanted;
    bool done = true;

    for (int i = 0; i < MEASUREMENT_WARMUP_ROUNDS && done && !interrupted; i++)
        done = time_round(setup, measurement->bytes, &unwanted, failure);

    progress_begin(&progress);
    while (done && !interrupted && measurement->rounds < measurement->repeat) {
        done = time_round(setup, measurement->bytes, &elapsed_ms[measurement->rounds], failure);
        if (done)
            progress_show(&progress, ++measurement->rounds, measurement->repeat);
    }
    progress_end(&progress);
    measurement->is_interrupted = measurement->rounds < measurement->repeat && interrupted;
    return done;
}

static int compare(const void *one, const void *other)
{
    const float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

static void summarize(struct measurement *measurement, float *elapsed_ms)
{
    const unsigned count = measurement->rounds;

    if (!count)
        return;
    qsort(elapsed_ms, count, sizeof *elapsed_ms, compare);
    measurement->minimum_ms = elapsed_ms[0];
    measurement->maximum_ms = elapsed_ms[count - 1];
    measurement->median_ms =
        ((double)elapsed_ms[(count - 1) / 2] + (double)elapsed_ms[count / 2]) / 2;
}

bool measurement_run(struct measurement *measurement, struct failure *failure)
{
    struct setup setup = {
        .device = measurement->device,
        .elapsed_call = driver_symbol_called("cuEventElapsedTime_v2"),
    };
    float *elapsed_ms = malloc(measurement->repeat * sizeof *elapsed_ms);
    void (*former)(int);

    if (!elapsed_ms) {
        failure_set(failure, STATUS_FAILED, "Choose a smaller --repeat.",
                    "There is no memory for the times of %u rounds.", measurement->repeat);
        return false;
    }
    /* Where interruptions are ignored, as under nohup, they stay so. */
    former = signal(SIGINT, on_interrupt);
    if (former == SIG_IGN)
        signal(SIGINT, SIG_IGN);
    if (acquire(&setup, measurement->bytes, failure) &&
        time_rounds(measurement, &setup, elapsed_ms, failure))
        summarize(measurement, elapsed_ms);
    release(&setup, failure);
    if (former != SIG_ERR)
        signal(SIGINT, former);
    free(elapsed_ms);
    return failure->status == STATUS_DONE;
}

double measurement_bandwidth(const struct measurement *measurement)
{
    return measurement->median_ms > 0 ? (double)measurement->bytes / (measurement->median_ms / 1000)
                                      : (double)NAN;
}
