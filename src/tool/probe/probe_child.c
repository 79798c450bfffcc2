/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a probe: it opens and initialises the driver, and sends a message at each stage.
 */
#include <string.h>

#include <cushim/driver.h>
#include <cushim/error.h>

#include "loader/report.h"
#include "src/base/text.h"
#include "src/tool/base/driver.h"
#include "src/tool/base/system.h"
#include "src/tool/probe/probe.h"

/* More than a machine has, so that a garbled count does not take long. */
enum { MOST_DEVICES = 128 };

static struct probe_message message;

static void send_stage(enum probe_stage stage)
{
    memcpy(message.mark, PROBE_MARK, sizeof message.mark);
    message.stage = (int32_t)stage;
    if (!probe_channel_write(&message, sizeof message))
        system_end(PROBE_LOST);
}

static void send_findings(const struct cushim_report *report)
{
    message.state = (int32_t)report->state;
    message.code = (int32_t)report->code;
    cushim__text_copy(message.reason, sizeof message.reason, report->reason);
    cushim__text_copy(message.advice, sizeof message.advice, report->advice);
    send_stage(PROBE_STAGE_DONE);
}

/*
 * Ask the devices what `cushim info` asks, so that a driver that crashes or hangs there does so in
 * this process. What the calls return does not matter here.
 */
static void ask_devices(void)
{
    for (int i = 0; i < message.device_count && i < MOST_DEVICES; i++) {
        struct failure failure = {0};
        struct device device;

        if (device_open(&device, i, &failure))
            device_describe(&device, &failure);
    }
}

/* Describe the devices, because the report does not cover what comes after cuInit. */
static void describe_devices(struct cushim_report *report)
{
    struct cushim__text text;

    cushim__text_begin(&text, report->reason, sizeof report->reason);
    cushim__text_format(&text, "The driver for CUDA %d.%d is initialised",
                        report->driver_version / 1000, report->driver_version % 1000 / 10);
    if (report->code != CUDA_SUCCESS) {
        cushim__text_format(&text, ", but cuDeviceGetCount returned %d %s: %s.", (int)report->code,
                            cushim_error_name(report->code), cushim_error_string(report->code));
        cushim__text_copy(report->advice, sizeof report->advice, cushim_error_advice(report->code));
    } else if (message.device_count > 0) {
        cushim__text_format(&text, " and has %d %s%s.", (int)message.device_count,
                            message.is_mock ? "simulated " : "",
                            message.device_count == 1 ? "device" : "devices");
        if (message.is_mock)
            cushim__text_copy(
                report->advice, sizeof report->advice,
                "To use a GPU, unset CUSHIM_LIBRARY and take the mock driver's folder "
                "out of the library search path; where the mock is wanted, probe with "
                "--allow-mock.");
    } else {
        cushim__text_add(&text, ", but it has no device.");
        cushim__text_copy(report->advice, sizeof report->advice,
                          cushim_error_advice(CUDA_ERROR_NO_DEVICE));
    }
}

enum status probe_child(int count, char **words)
{
    static struct cushim_report report;
    struct cushim_load_options options = {.size = sizeof options};
    int devices = 0;
    CUresult code;

    if (count != 1)
        return STATUS_USAGE;
    options.library = words[0][0] ? words[0] : NULL;
    if (!probe_channel_open())
        return STATUS_FAILED;
    send_stage(PROBE_STAGE_LOAD);
    code = cushim_driver_load(&options);
    cushim__report_get(&report);
    if (code == CUDA_SUCCESS) {
        message.driver_version = report.driver_version;
        message.is_mock = driver_is_mock(&report);
        cushim__text_copy(message.library, sizeof message.library, report.library);
        send_stage(PROBE_STAGE_INIT);
        code = cushim_driver_init(&options);
        cushim__report_get(&report);
    }
    if (code == CUDA_SUCCESS) {
        send_stage(PROBE_STAGE_COUNT);
        report.code = cushim_driver()->DeviceGetCount(&devices);
        message.device_count = report.code == CUDA_SUCCESS && devices > 0 ? devices : 0;
        ask_devices();
        describe_devices(&report);
    }
    send_findings(&report);
    system_end(0);
    return STATUS_DONE;
}
