/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim time`: times rounds of setting device memory between two events. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/context.h>
#include <cushim/driver.h>
#include <cushim/event.h>
#include <cushim/stream.h>

#include "src/base/system.h"
#include "src/objects/objects.h"
#include "src/tool/base/driver.h"
#include "src/tool/base/mock.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/commands.h"

enum { WARMUP_ROUNDS = 3 };

struct measurement {
    /* Set by the caller. */
    CUdevice device;
    size_t bytes;
    unsigned repeat;

    /* Rounds that were timed: `repeat`, or fewer after an interruption. */
    unsigned rounds;
    bool is_interrupted;
    double minimum_ms, median_ms, maximum_ms;
};

/*
 * Show on standard error how far a long run is: not in the first second, and then ten times a
 * second. `next_ns` is the time of the next output, on the monotonic clock.
 */
static void show_progress(uint64_t *next_ns, unsigned done, unsigned total)
{
    const uint64_t now = cushim__system_clock_ns();

    if (now < *next_ns)
        return;
    *next_ns = now + 100000000;
    fprintf(stderr, "\rround %u of %u (%u %%)", done, total, (unsigned)(100.0 * done / total));
    fflush(stderr);
}

/* An all-zero setup has nothing to release. */
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

/* Release everything, even if some of it fails. */
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
    const CUresult code = cushim_event_get_elapsed(setup->start, setup->stop, elapsed_ms);

    return failure_check_advised(failure, "cushim_event_get_elapsed", code,
                                 cushim_event_explanation(setup->start, setup->stop, code));
}

/* Time one round, in milliseconds. */
static bool time_round(const struct setup *setup, size_t bytes, float *elapsed_ms,
                       struct failure *failure)
{
    CUstream stream;

    return CALLED(failure, cushim_stream_get_handle, setup->stream, &stream) &&
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
    const uint64_t first_ns =
        system_is_terminal(stderr) ? cushim__system_clock_ns() + 1000000000 : UINT64_MAX;
    uint64_t next_ns = first_ns;
    float ignored;
    bool done = true;

    for (int i = 0; i < WARMUP_ROUNDS && done && !interrupted; i++)
        done = time_round(setup, measurement->bytes, &ignored, failure);

    while (done && !interrupted && measurement->rounds < measurement->repeat) {
        done = time_round(setup, measurement->bytes, &elapsed_ms[measurement->rounds], failure);
        if (done)
            show_progress(&next_ns, ++measurement->rounds, measurement->repeat);
    }
    /* Erase the progress, which takes 32 columns at most. */
    if (next_ns != first_ns) {
        fprintf(stderr, "\r%32s\r", "");
        fflush(stderr);
    }
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

/*
 * Measure in the primary context of the device. Whether it succeeds or fails, all objects are
 * released afterwards, and the thread has the same current context as before.
 */
static bool measure(struct measurement *measurement, struct failure *failure)
{
    struct setup setup = {0};
    float *elapsed_ms = malloc(measurement->repeat * sizeof *elapsed_ms);
    void (*former)(int);

    if (!elapsed_ms) {
        failure_set(failure, STATUS_FAILED, "Choose a smaller --repeat.",
                    "There is no memory for the times of %u rounds.", measurement->repeat);
        return false;
    }
    /* If interruptions are ignored, as under nohup, they stay ignored. */
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

/* Bytes per second at the median; NaN if that is not positive. */
static double bandwidth_of(const struct measurement *measurement)
{
    return measurement->median_ms > 0 ? (double)measurement->bytes / (measurement->median_ms / 1000)
                                      : (double)NAN;
}

/* The measurement waits, so something must move the clock of the mock driver. */
static bool check_mode(const struct arguments *arguments, const struct driver *driver,
                       struct failure *failure)
{
    char *settings = driver->is_own ? mock_settings(arguments, NULL) : NULL;
    const bool is_right = !driver->is_own || mock_check(arguments, arguments->config, settings,
                                                        "the settings", failure);

    free(settings);
    return is_right;
}

static void print_time(const char *label, double milliseconds, const struct driver *driver)
{
    output_line(label, "%12.6f ms%s", milliseconds, driver->is_mock ? ", simulated" : "");
}

static void print_text(const struct driver *driver, const struct device *device,
                       const struct measurement *measurement)
{
    const struct cushim_report *report = &driver->report;
    const double bandwidth = bandwidth_of(measurement);
    const char *elapsed = cushim__event_elapsed_function();
    const bool is_newest = strcmp(elapsed, "cuEventElapsedTime_v2") == 0;

    driver_print_mock(driver);
    output_line("device", "%d: %s", device->ordinal, device->name);
    output_line("driver", "CUDA %d.%d", report->driver_version / 1000,
                report->driver_version % 1000 / 10);
    if (!driver->is_own)
        output_line("library", "%s", report->library);
    output_line("elapsed by", "%s%s", elapsed,
                is_newest ? "" : ", as the driver lacks cuEventElapsedTime_v2");
    output_bytes("work", measurement->bytes, " set by cuMemsetD8Async");
    output_line("rounds", "%u timed after %d untimed%s", measurement->rounds, WARMUP_ROUNDS,
                measurement->is_interrupted ? "; interrupted" : "");
    print_time("minimum", measurement->minimum_ms, driver);
    print_time("median", measurement->median_ms, driver);
    print_time("maximum", measurement->maximum_ms, driver);
    if (isfinite(bandwidth))
        output_line("bandwidth", "%12.3f GB/s at the median%s", bandwidth / 1e9,
                    driver->is_mock ? ", simulated" : "");
    else
        output_line("bandwidth", "unknown, for the median is not above zero");
}

static void print_json(const struct driver *driver, const struct device *device,
                       const struct measurement *measurement)
{
    struct json json = {0};

    json_open(&json, NULL, '{');
    driver_json_mock(driver, &json);
    json_report(&json, "report", &driver->report);
    json_open(&json, "device", '{');
    json_integer(&json, "ordinal", device->ordinal);
    json_string(&json, "name", device->name);
    json_close(&json, '}');
    json_string(&json, "elapsed_function", cushim__event_elapsed_function());
    json_size(&json, "bytes", measurement->bytes);
    json_integer(&json, "repeat", measurement->repeat);
    json_integer(&json, "warmup_rounds", WARMUP_ROUNDS);
    json_integer(&json, "rounds", measurement->rounds);
    json_bool(&json, "interrupted", measurement->is_interrupted);
    json_decimal(&json, "minimum_ms", measurement->minimum_ms, 6);
    json_decimal(&json, "median_ms", measurement->median_ms, 6);
    json_decimal(&json, "maximum_ms", measurement->maximum_ms, 6);
    json_decimal(&json, "bandwidth_bytes_per_second", bandwidth_of(measurement), 0);
    json_close(&json, '}');
}

static void print_json_failure(const struct driver *driver, const struct failure *failure)
{
    struct json json = {0};

    json_open(&json, NULL, '{');
    failure_json(failure, &json);
    driver_json_mock(driver, &json);
    json_report(&json, "report", &driver->report);
    json_close(&json, '}');
}

enum status command_time(const struct arguments *arguments)
{
    struct driver driver;
    struct failure failure = {0};
    struct device device;
    struct measurement measurement = {.repeat = (unsigned)arguments->repeat};

    if (driver_choose(&driver, arguments, true, &failure) &&
        check_mode(arguments, &driver, &failure) &&
        device_choose(&device, arguments->device, &failure)) {
        measurement.device = device.handle;
        /* The mock driver sets the bytes on the processor, in virtual time, so few suffice. */
        measurement.bytes =
            arguments->bytes ? (size_t)arguments->bytes : (size_t)(driver.is_mock ? 16 : 256) << 20;
        /* An interruption is a failure only if it leaves no result. */
        if (measure(&measurement, &failure) && measurement.rounds == 0)
            failure_set(&failure, STATUS_INTERRUPTED, "",
                        "Interrupted before the end of the first timed round.");
    }
    if (failure.status != STATUS_DONE && arguments->json)
        print_json_failure(&driver, &failure);
    else if (failure.status != STATUS_DONE)
        failure_print(&failure);
    else if (arguments->json)
        print_json(&driver, &device, &measurement);
    else
        print_text(&driver, &device, &measurement);
    driver_close(&driver, &failure);
    if (failure.status != STATUS_DONE)
        return failure.status;
    return measurement.is_interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}
