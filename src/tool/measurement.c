/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/measurement.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include <cushim/context.h>
#include <cushim/driver.h>
#include <cushim/event.h>
#include <cushim/stream.h>

#include "src/tool/progress.h"

/* All-zero holds nothing. */
struct setup {
    struct cushim_context *context;
    struct cushim_context_scope scope; /* in which the memory is used */
    struct cushim_stream *stream;
    CUdeviceptr memory;
    struct cushim_event *start, *stop;
};

static volatile sig_atomic_t interrupted;

/* A second interruption ends the process. */
static void on_interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

static bool acquire(struct setup *setup, const struct measurement *measurement,
                    struct failure *failure)
{
    return CALLED(failure, cushim_context_retain_primary, measurement->device, &setup->context) &&
           CALLED(failure, cushim_context_push, setup->context, &setup->scope) &&
           CALLED(failure, cushim_stream_create, setup->context, NULL, &setup->stream) &&
           failure_check(failure, "cuMemAlloc_v2",
                         cushim_driver()->MemAlloc_v2(&setup->memory, measurement->bytes)) &&
           CALLED(failure, cushim_event_create, setup->context, NULL, &setup->start) &&
           CALLED(failure, cushim_event_create, setup->context, NULL, &setup->stop);
}

/* Whatever fails, the rest is given back too. */
static void release(struct setup *setup, struct failure *failure)
{
    CALLED(failure, cushim_event_release, setup->stop);
    CALLED(failure, cushim_event_release, setup->start);
    if (setup->memory)
        failure_check(failure, "cuMemFree_v2", cushim_driver()->MemFree_v2(setup->memory));
    CALLED(failure, cushim_stream_release, setup->stream);
    CALLED(failure, cushim_context_pop, &setup->scope);
    CALLED(failure, cushim_context_release, setup->context);
}

static bool read_elapsed(const struct setup *setup, float *elapsed_ms, struct failure *failure)
{
    const CUresult code = cushim_event_elapsed(setup->start, setup->stop, elapsed_ms);

    return failure_check_advised(failure, "cushim_event_elapsed", code,
                                 cushim_event_explain(setup->start, setup->stop, code));
}

/* One round: what it took, in milliseconds. */
static bool time_round(const struct setup *setup, size_t bytes, float *elapsed_ms,
                       struct failure *failure)
{
    CUstream stream;

    return CALLED(failure, cushim_stream_handle, setup->stream, &stream) &&
           CALLED(failure, cushim_event_record, setup->start, setup->stream) &&
           failure_check(failure, "cuMemsetD8Async",
                         cushim_driver()->MemsetD8Async(setup->memory, 0xa5, bytes, stream)) &&
           CALLED(failure, cushim_event_record, setup->stop, setup->stream) &&
           CALLED(failure, cushim_event_synchronize, setup->stop) &&
           read_elapsed(setup, elapsed_ms, failure);
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
    struct setup setup = {0};
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
    if (acquire(&setup, measurement, failure) &&
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
