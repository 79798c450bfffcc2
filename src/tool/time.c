/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim time`: the driver at work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cushim/event_time.h>

#include "src/tool/commands.h"
#include "src/tool/device.h"
#include "src/tool/driver.h"
#include "src/tool/json.h"
#include "src/tool/measurement.h"
#include "src/tool/output.h"

static bool choose_device(struct device *device, const struct arguments *arguments,
                          struct failure *failure)
{
    int count = 0;

    if (!device_count(&count, failure))
        return false;
    if (arguments->device >= (uint64_t)count) {
        failure_set(failure, STATUS_USAGE, "List the devices with `cushim info`.",
                    "--device is out of range with '%d': expected %s%d, for the driver has %d "
                    "device%s",
                    (int)arguments->device, count > 1 ? "0 to " : "", count - 1, count,
                    count > 1 ? "s" : "");
        return false;
    }
    return device_open(device, (int)arguments->device, failure);
}

/* An interruption is a failure only if it leaves nothing to tell. */
static void check_rounds(const struct measurement *measurement, struct failure *failure)
{
    if (measurement->rounds == 0)
        failure_set(failure, STATUS_INTERRUPTED, "",
                    "Interrupted before the end of the first timed round.");
}

static void print_text(const struct cushim_report *report, const struct device *device,
                       const struct measurement *measurement)
{
    const double bandwidth = measurement_bandwidth(measurement);
    const char *elapsed = cushim_event_elapsed_function();
    const bool is_newest = strcmp(elapsed, "cuEventElapsedTime_v2") == 0;

    output_line("device", "%d: %s", device->ordinal, device->name);
    output_line("driver", "%d.%d", report->driver_version / 1000,
                report->driver_version % 1000 / 10);
    output_line("library", "%s", report->library);
    output_line("elapsed by", "%s%s", elapsed,
                is_newest ? "" : ", as the driver lacks cuEventElapsedTime_v2");
    output_bytes("work", measurement->bytes, " set by cuMemsetD8Async");
    output_line("rounds", "%u timed after %d untimed%s", measurement->rounds,
                MEASUREMENT_WARMUP_ROUNDS, measurement->is_interrupted ? "; interrupted" : "");
    output_line("minimum", "%12.6f ms", measurement->minimum_ms);
    output_line("median", "%12.6f ms", measurement->median_ms);
    output_line("maximum", "%12.6f ms", measurement->maximum_ms);
    if (isfinite(bandwidth))
        output_line("bandwidth", "%12.3f GB/s at the median", bandwidth / 1e9);
    else
        output_line("bandwidth", "unknown, for the median is not above zero");
}

static void print_json(const struct cushim_report *report, const struct device *device,
                       const struct measurement *measurement)
{
    struct json json = {0};

    json_open(&json, NULL, '{');
    json_report(&json, "report", report);
    json_open(&json, "device", '{');
    json_integer(&json, "ordinal", device->ordinal);
    json_string(&json, "name", device->name);
    json_close(&json, '}');
    json_string(&json, "elapsed_function", cushim_event_elapsed_function());
    json_size(&json, "bytes", measurement->bytes);
    json_integer(&json, "repeat", measurement->repeat);
    json_integer(&json, "warmup_rounds", MEASUREMENT_WARMUP_ROUNDS);
    json_integer(&json, "rounds", measurement->rounds);
    json_bool(&json, "interrupted", measurement->is_interrupted);
    json_decimal(&json, "minimum_ms", measurement->minimum_ms, 6);
    json_decimal(&json, "median_ms", measurement->median_ms, 6);
    json_decimal(&json, "maximum_ms", measurement->maximum_ms, 6);
    json_decimal(&json, "bandwidth_bytes_per_second", measurement_bandwidth(measurement), 0);
    json_close(&json, '}');
}

static void print_failure(const struct cushim_report *report, const struct failure *failure,
                          bool as_json)
{
    struct json json = {0};

    if (!as_json) {
        failure_print(failure);
        return;
    }
    json_open(&json, NULL, '{');
    failure_json(failure, &json);
    json_report(&json, "report", report);
    json_close(&json, '}');
}

enum status command_time(const struct arguments *arguments)
{
    struct cushim_report report;
    struct failure failure = {0};
    struct device device;
    struct measurement measurement = {
        .bytes = (size_t)arguments->bytes,
        .repeat = (unsigned)arguments->repeat,
    };

    if (driver_open(arguments->library, &report, &failure) &&
        choose_device(&device, arguments, &failure)) {
        measurement.device = device.handle;
        if (measurement_run(&measurement, &failure))
            check_rounds(&measurement, &failure);
    }
    if (failure.status != STATUS_DONE) {
        print_failure(&report, &failure, arguments->json);
        return failure.status;
    }
    if (arguments->json)
        print_json(&report, &device, &measurement);
    else
        print_text(&report, &device, &measurement);
    return measurement.is_interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}
