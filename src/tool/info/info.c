/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim info`: the report and the devices. */
#include <stdio.h>
#include <stdlib.h>

#include "loader/library.h"
#include "loader/loader.h"
#include "src/base/system.h"
#include "src/base/text.h"
#include "src/tool/base/arguments.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/info/info.h"

/* The first cuInit of a machine with many GPUs takes longer than a probe's 10 seconds. */
static const uint64_t default_timeout_ns = UINT64_C(60000000000);

/* Read every device. After a failure, the list has the devices before it. */
static bool read_devices(struct info *info)
{
    int count = 0;

    if (!device_count(&count, &info->failure))
        return false;
    info->devices = output_memory((size_t)count * sizeof *info->devices);
    for (; info->device_count < count; info->device_count++) {
        struct device *device = &info->devices[info->device_count];
        if (!device_open(device, info->device_count, &info->failure) ||
            !device_describe(device, &info->failure))
            return false;
    }
    return true;
}

/* Add the library that has ended or hung another process. */
static void add_candidate(const struct system_info *info, const struct arguments *arguments,
                          const struct probe_result *probe, struct cushim_report *report)
{
    struct cushim__candidate *candidate = &report->candidates[report->candidate_count++];
    char room[CUSHIM_REPORT_PATH_BYTES + 1];
    const bool is_loading = probe->stage == PROBE_STAGE_LOAD;

    candidate->origin = arguments->library ? CUSHIM_ORIGIN_OPTION
                        : cushim__system_variable("CUSHIM_LIBRARY", room, sizeof room)
                            ? CUSHIM_ORIGIN_ENVIRONMENT
                            : CUSHIM_ORIGIN_SEARCH;
    candidate->outcome = is_loading ? CUSHIM_OUTCOME_NOT_LOADABLE : CUSHIM_OUTCOME_LOADED;
    candidate->version = probe->driver_version;
    cushim__text_copy(candidate->path, sizeof candidate->path, probe->library);
    if (is_loading)
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          probe->verdict == PROBE_HUNG
                              ? "the process that loaded it did not come back"
                              : "the process that loaded it did not survive");
    if (is_loading && !probe->library[0])
        detect_searched_library(info, candidate->path, sizeof candidate->path);
}

/*
 * Report a driver that has ended or hung another process. The state is that of a driver that fails
 * at the same stage; no call has returned the code.
 */
static void report_crash(const struct system_info *info, const struct arguments *arguments,
                         const struct probe_result *probe, struct cushim_report *report,
                         struct failure *failure)
{
    const bool is_loading = probe->stage == PROBE_STAGE_LOAD;
    struct cushim__text text;

    *report = (struct cushim_report){.code = CUDA_SUCCESS};
    cushim__text_begin(&text, report->reason, sizeof report->reason);
    cushim__text_add(&text, probe->reason);
    if (probe->stage == PROBE_STAGE_START) {
        cushim__text_copy(report->advice, sizeof report->advice,
                          "Give it more time, by --timeout.");
    } else {
        report->state = is_loading ? CUSHIM_STATE_NOT_LOADABLE : CUSHIM_STATE_INIT_FAILED;
        report->code = is_loading ? CUDA_ERROR_SHARED_OBJECT_INIT_FAILED : CUDA_ERROR_UNKNOWN;
        cushim__text_copy(report->library, sizeof report->library,
                          is_loading ? "" : probe->library);
        add_candidate(info, arguments, probe, report);
        if (!probe->library[0] && report->candidates[0].path[0])
            cushim__text_format(&text, " The search leads to %s.", report->candidates[0].path);
        cushim__text_copy(
            report->advice, sizeof report->advice,
            is_loading
                ? "Remove this file from the library search path, or name another one: it does the "
                  "same to every program that loads it. Reinstall the NVIDIA driver if it is the "
                  "driver's own library."
                : "Run nvidia-smi to see whether other programs fare better, and restart the machine "
                  "or reinstall the NVIDIA driver if they do not.");
    }
    if (probe->stage == PROBE_STAGE_INIT)
        failure->call = "cuInit";
    failure_set(failure, probe_status(probe), report->advice, "%s", report->reason);
}

/*
 * Let another process try the driver first: a damaged library kills the process that loads it, and
 * a broken driver may hang. Returns false if that happened; the report then says so. If no process
 * got as far as the driver, the command loads it all the same.
 */
static bool is_safe_to_load(const struct system_info *info, const struct arguments *arguments,
                            struct cushim_report *report, struct failure *failure)
{
    struct probe_result probe;
    const CUresult code = probe_driver(arguments, info->timeout_ns, &probe);
    char reason[sizeof probe.reason];
    struct cushim__text text;

    if (code == CUDA_SUCCESS && probe.stage == PROBE_STAGE_DONE)
        return true;
    if (code == CUDA_SUCCESS && (probe.stage != PROBE_STAGE_START || probe.verdict == PROBE_HUNG)) {
        report_crash(info, arguments, &probe, report, failure);
        return false;
    }
    /* A path that the probe refuses is refused in this process too. */
    if (code != CUDA_ERROR_INVALID_VALUE) {
        cushim__text_begin(&text, reason, sizeof reason);
        cushim__text_plain(&text, probe.reason);
        fprintf(stderr, "cushim: no other process has tried the driver first: %s\n", reason);
    }
    return true;
}

/* What is wrong with the machine explains more than what the library knows. */
static void diagnose(struct info *info)
{
    struct cushim_report *report = &info->driver.report;
    const char *advice;

    diagnostics_find(info->system, &info->diagnoses);
    advice = diagnostics_advice(&info->diagnoses);
    if (!advice || report->state == CUSHIM_STATE_READY)
        return;
    cushim__text_copy(report->advice, sizeof report->advice, advice);
    cushim__text_copy(info->failure.advice, sizeof info->failure.advice, advice);
}

static void print_device(const struct device *device)
{
    output_line("device", "%d: %s", device->ordinal, device->name);
    output_line("uuid", "%s", device->uuid[0] ? device->uuid : "not known to this driver");
    output_line("capability", "%d.%d", device->capability_major, device->capability_minor);
    output_bytes("memory", device->memory_bytes, "");
    output_line("pci", "%s", device->pci_address);
}

static void add_device(const struct device *device, struct json *json)
{
    char capability[32];

    snprintf(capability, sizeof capability, "%d.%d", device->capability_major,
             device->capability_minor);
    json_open(json, NULL, '{');
    json_integer(json, "ordinal", device->ordinal);
    json_string(json, "name", device->name);
    json_string(json, "uuid", device->uuid[0] ? device->uuid : NULL);
    json_string(json, "compute_capability", capability);
    json_size(json, "memory_bytes", device->memory_bytes);
    json_string(json, "pci_address", device->pci_address);
    json_close(json, '}');
}

void info_print(const struct info *info)
{
    char machine[CUSHIM_REPORT_MESSAGE_BYTES];

    driver_print_mock(&info->driver);
    if (!info->driver.is_mock && diagnostics_machine(info->system, machine, sizeof machine))
        output_line("machine", "%s", machine);
    output_report(&info->driver.report);
    diagnostics_print(&info->diagnoses);
    for (int i = 0; i < info->device_count; i++) {
        putc('\n', output_stream());
        print_device(&info->devices[i]);
    }
}

void info_json(const struct info *info, struct json *json)
{
    char machine[CUSHIM_REPORT_MESSAGE_BYTES];

    if (info->failure.status != STATUS_DONE)
        failure_json(&info->failure, json);
    driver_json_mock(&info->driver, json);
    json_string(json, "machine",
                !info->driver.is_mock && diagnostics_machine(info->system, machine, sizeof machine)
                    ? machine
                    : NULL);
    json_report(json, "report", &info->driver.report);
    diagnostics_json(&info->diagnoses, json);
    json_open(json, "devices", '[');
    for (int i = 0; i < info->device_count; i++)
        add_device(&info->devices[i], json);
    json_close(json, ']');
}

static void show(const struct info *info, bool is_json)
{
    struct json json = {0};

    if (is_json) {
        json_open(&json, NULL, '{');
        info_json(info, &json);
        json_close(&json, '}');
    } else if (info->failure.status == STATUS_USAGE) {
        failure_print(&info->failure);
    } else {
        info_print(info);
        /* If the driver is not ready, the report already has the failure. */
        if (info->failure.status != STATUS_DONE && info->driver.report.state == CUSHIM_STATE_READY)
            failure_print(&info->failure);
    }
}

enum status command_info(const struct arguments *arguments)
{
    static struct info info;
    char *own = system_own_path();
    struct failure unwritten = {0};
    char init[CUSHIM_REPORT_PATH_BYTES] = "";
    const struct system_info system = {
        .report = &info.driver.report,
        .init = init,
        .root = "",
        .folders = arguments->folders,
        .command = own,
        .timeout_ns = arguments->timeout_ns ? arguments->timeout_ns : default_timeout_ns,
    };

    info.system = &system;
    if ((arguments->mock ||
         is_safe_to_load(&system, arguments, &info.driver.report, &info.failure)) &&
        driver_choose(&info.driver, arguments, false, &info.failure))
        read_devices(&info);
    if (!info.driver.is_mock && cushim__loaded_driver())
        cushim__function_path(cushim__loaded_driver()->init, init, sizeof init);
    /* The machine is not the cause of a mock driver's failures. */
    if (!info.driver.is_mock)
        diagnose(&info);
    show(&info, arguments->json);
    if (arguments->report)
        info_write_report(&info, arguments->report, arguments->has_uuids, &unwritten);
    if (unwritten.status != STATUS_DONE)
        failure_print(&unwritten);
    free(info.devices);
    free(own);
    driver_close(&info.driver, &info.failure);
    if (unwritten.status != STATUS_DONE)
        info.failure.status = unwritten.status;
    /* A damaged driver that has answered may still crash in its destructors. */
    if (!arguments->mock && info.driver.report.library[0])
        system_end(output_finish() ? (int)info.failure.status : (int)STATUS_FAILED);
    return info.failure.status;
}
