/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim time`: the driver at work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/event.h>

#include "src/event.h"
#include "src/tool/commands.h"
#include "src/tool/device.h"
#include "src/tool/driver.h"
#include "src/tool/json.h"
#include "src/tool/measurement.h"
#include "src/tool/mock.h"
#include "src/tool/output.h"

/* The mock driver sets its bytes on the processor, and in time that nobody sees. */
static size_t bytes_of(const struct arguments *arguments, const struct driver *driver)
{
    const size_t chosen = (size_t)(driver->is_mock ? 16 : 256) << 20;

    return arguments->bytes ? (size_t)arguments->bytes : chosen;
}

/* A wait of the measurement is for the clock of the mock driver. */
static bool check_mode(const struct arguments *arguments, const struct driver *driver,
                       struct failure *failure)
{
    char *settings = driver->is_own ? mock_settings(arguments, NULL) : NULL;
    const bool is_right = !driver->is_own || mock_check_mode(arguments->config, settings, failure);

    free(settings);
    return is_right;
}

/* An interruption is a failure only if it leaves nothing to tell. */
static void check_rounds(const struct measurement *measurement, struct failure *failure)
{
    if (measurement->rounds == 0)
        failure_set(failure, STATUS_INTERRUPTED, "",
                    "Interrupted before the end of the first timed round.");
}

/* A figure of the result; one that is simulated says so. */
static void print_time(const char *label, double milliseconds, const struct driver *driver)
{
    output_line(label, "%12.6f ms%s", milliseconds, driver->is_mock ? ", simulated" : "");
}

static void print_text(const struct driver *driver, const struct device *device,
                       const struct measurement *measurement)
{
    const struct cushim_report *report = &driver->report;
    const double bandwidth = measurement_bandwidth(measurement);
    const char *elapsed = cushim__event_elapsed_function();
    const bool is_newest = strcmp(elapsed, "cuEventElapsedTime_v2") == 0;

    driver_print_mock(driver);
    output_line("device", "%d: %s", device->ordinal, device->name);
    output_line("driver", "%d.%d", report->driver_version / 1000,
                report->driver_version % 1000 / 10);
    if (!driver->is_own)
        output_line("library", "%s", report->library);
    output_line("elapsed by", "%s%s", elapsed,
                is_newest ? "" : ", as the driver lacks cuEventElapsedTime_v2");
    output_bytes("work", measurement->bytes, " set by cuMemsetD8Async");
    output_line("rounds", "%u timed after %d untimed%s", measurement->rounds,
                MEASUREMENT_WARMUP_ROUNDS, measurement->is_interrupted ? "; interrupted" : "");
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
    json_integer(&json, "warmup_rounds", MEASUREMENT_WARMUP_ROUNDS);
    json_integer(&json, "rounds", measurement->rounds);
    json_bool(&json, "interrupted", measurement->is_interrupted);
    json_decimal(&json, "minimum_ms", measurement->minimum_ms, 6);
    json_decimal(&json, "median_ms", measurement->median_ms, 6);
    json_decimal(&json, "maximum_ms", measurement->maximum_ms, 6);
    json_decimal(&json, "bandwidth_bytes_per_second", measurement_bandwidth(measurement), 0);
    json_close(&json, '}');
}

static void print_failure(const struct driver *driver, const struct failure *failure, bool as_json)
{
    struct json json = {0};

    if (!as_json) {
        failure_print(failure);
        return;
    }
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
        measurement.bytes = bytes_of(arguments, &driver);
        if (measurement_run(&measurement, &failure))
            check_rounds(&measurement, &failure);
    }
    if (failure.status != STATUS_DONE)
        print_failure(&driver, &failure, arguments->json);
    else if (arguments->json)
        print_json(&driver, &device, &measurement);
    else
        print_text(&driver, &device, &measurement);
    driver_close(&driver, &failure);
    if (failure.status != STATUS_DONE)
        return failure.status;
    return measurement.is_interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}
