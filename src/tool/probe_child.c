/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/probe_child.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "loader/report.h"
#include <cushim/driver.h>
#include <cushim/error.h>

#include "src/base/text.h"
#include "src/tool/device.h"
#include "src/tool/probe_answer.h"
#include "src/tool/system.h"

/* More than a machine has: a garbled count ends no later. */
enum { MOST_DEVICES = 128 };

static void say(const char *piece)
{
    if (!probe_channel_write(piece, strlen(piece)))
        system_end(PROBE_LOST);
}

static bool read_words(int count, char **words, struct cushim_load_options *options)
{
    char *end;
    long version;

    if (count != 3 || strcmp(words[0], PROBE_PROTOCOL) != 0)
        return false;
    version = strtol(words[1], &end, 10);
    if (end == words[1] || *end || version < 0 || version > INT_MAX)
        return false;
    options->minimum_version = (int)version;
    options->library = words[2][0] ? words[2] : NULL;
    return true;
}

/* The report has no words on what comes after cuInit. */
static void tell_of_devices(struct cushim_report *report, CUresult code, int count)
{
    struct cushim__text text;

    report->code = code;
    cushim__text_begin(&text, report->reason, sizeof report->reason);
    cushim__text_format(&text, "The driver for CUDA %d.%d is initialised",
                        report->driver_version / 1000, report->driver_version % 1000 / 10);
    if (code != CUDA_SUCCESS) {
        cushim__text_format(&text, ", but cuDeviceGetCount returned %d %s: %s.", (int)code,
                            cushim_error_name(code), cushim_error_string(code));
        cushim__text_copy(report->advice, sizeof report->advice, cushim_error_advice(code));
    } else if (count > 0) {
        cushim__text_format(&text, " and has %d %s.", count, count == 1 ? "device" : "devices");
    } else {
        cushim__text_add(&text, ", but it has no device.");
        cushim__text_copy(report->advice, sizeof report->advice,
                          cushim_error_advice(CUDA_ERROR_NO_DEVICE));
    }
}

/*
 * Ask of the devices what `cushim info` asks: a driver that crashes or hangs there does so in this
 * process. What the calls return is no matter here.
 */
static void ask_devices(int count)
{
    for (int i = 0; i < count && i < MOST_DEVICES; i++) {
        struct failure failure = {0};
        struct device device;

        if (device_open(&device, i, &failure))
            device_describe(&device, &failure);
    }
}

static char line[PROBE_ANSWER_BYTES];

/* Which driver it is that may hang. */
static void tell_of_library(const struct cushim_report *report)
{
    struct cushim__text text;

    cushim__text_begin(&text, line, sizeof line);
    cushim__text_format(&text, PROBE_VERSION "%d", report->driver_version);
    cushim__text_add(&text, PROBE_LIBRARY);
    cushim__text_json(&text, report->library);
    cushim__text_add(&text, PROBE_INITIALISING);
    say(line);
}

static void answer(const struct cushim_report *report, int count)
{
    struct cushim__text text;

    cushim__text_begin(&text, line, sizeof line);
    cushim__text_add(&text, PROBE_STATE);
    cushim__text_json(&text, cushim_state_name(report->state));
    cushim__text_format(&text, PROBE_CODE "%d", (int)report->code);
    cushim__text_format(&text, PROBE_DEVICES "%d", count);
    cushim__text_add(&text, PROBE_REASON);
    cushim__text_json(&text, report->reason);
    cushim__text_add(&text, PROBE_ADVICE);
    cushim__text_json(&text, report->advice);
    cushim__text_add(&text, PROBE_END);
    say(line);
}

enum status probe_child(int count, char **words)
{
    static struct cushim_report report;
    struct cushim_load_options options = {.size = sizeof options};
    int devices = 0;
    CUresult code;

    if (!read_words(count, words, &options))
        return STATUS_USAGE;
    if (!probe_channel_open())
        return STATUS_FAILED;
    say(PROBE_LOADING);
    code = cushim_driver_load(&options);
    if (code == CUDA_SUCCESS) {
        cushim__report_get(&report);
        tell_of_library(&report);
        code = cushim_driver_init(&options);
    }
    cushim__report_get(&report);
    if (code == CUDA_SUCCESS) {
        say(PROBE_COUNTING);
        code = cushim_driver()->DeviceGetCount(&devices);
        devices = code == CUDA_SUCCESS && devices > 0 ? devices : 0;
        ask_devices(devices);
        tell_of_devices(&report, code, devices);
    }
    answer(&report, devices);
    system_end(0);
    return STATUS_DONE;
}
