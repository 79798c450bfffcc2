/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim probe`: the driver in a process of its own, for a limited time. */

#include <stdbool.h>
#include <stdlib.h>

#include <cushim/error.h>

#include "loader/system.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/output.h"
#include "src/tool/probe.h"
#include "src/tool/system.h"

enum status probe_status(const struct probe_result *probe)
{
    if (probe->verdict == PROBE_USABLE)
        return STATUS_DONE;
    if (probe->verdict == PROBE_HUNG)
        return STATUS_HUNG;
    if (probe->stage != PROBE_STAGE_DONE)
        return STATUS_CRASHED;
    switch (probe->state) {
    case CUSHIM_STATE_READY:
        return probe->code == CUDA_SUCCESS ? STATUS_NO_DEVICE : STATUS_FAILED;
    case CUSHIM_STATE_NO_DEVICE:
    case CUSHIM_STATE_KERNEL_MISMATCH:
    case CUSHIM_STATE_INIT_FAILED:
        return STATUS_NO_DEVICE;
    default:
        return STATUS_NO_DRIVER;
    }
}

static void print_text(const struct probe_result *probe)
{
    output_line("verdict", "%s", probe_verdict_name(probe->verdict));
    output_line("reason", "%s", probe->reason);
    if (probe->advice[0])
        output_line("advice", "%s", probe->advice);
    output_line("stage", "%s", probe_stage_name(probe->stage));
    if (probe->stage == PROBE_STAGE_DONE)
        output_line("state", "%s", cushim_state_name(probe->state));
    if (probe->code != CUDA_SUCCESS)
        output_line("code", "%d %s", (int)probe->code, cushim_error_name(probe->code));
    if (probe->driver_version)
        output_line("version", "%d.%d", probe->driver_version / 1000,
                    probe->driver_version % 1000 / 10);
    if (probe->library[0])
        output_line("library", "%s", probe->library);
    if (probe->state == CUSHIM_STATE_READY)
        output_line("devices", "%d", probe->device_count);
}

static void json_number(struct json *json, const char *key, long long number, bool is_known)
{
    if (is_known)
        json_integer(json, key, number);
    else
        json_null(json, key);
}

static void print_json(const struct probe_result *probe)
{
    /* The code of a process that has not answered would read as success. */
    const bool is_answered = probe->stage == PROBE_STAGE_DONE;
    struct json json = {0};

    json_open(&json, NULL, '{');
    json_string(&json, "verdict", probe_verdict_name(probe->verdict));
    json_string(&json, "reason", probe->reason);
    json_string(&json, "advice", probe->advice);
    json_string(&json, "stage", probe_stage_name(probe->stage));
    json_string(&json, "state", cushim_state_name(probe->state));
    json_number(&json, "code", (int)probe->code, is_answered);
    if (is_answered)
        json_string(&json, "code_name", cushim_error_name(probe->code));
    else
        json_null(&json, "code_name");
    json_integer(&json, "driver_version", probe->driver_version);
    json_integer(&json, "device_count", probe->device_count);
    json_string(&json, "library", probe->library);
    json_number(&json, "exit_status", probe->exit_status, probe->exit_status != -1);
    json_number(&json, "signal", probe->signal, probe->signal != 0);
    json_number(&json, "unreaped_pid", probe->unreaped_pid, probe->unreaped_pid != 0);
    json_close(&json, '}');
}

/* The probe could not be made. */
static enum status fail(const struct arguments *arguments, CUresult code,
                        const struct probe_result *probe)
{
    struct failure failure = {0};
    struct json json = {0};

    failure.call = "probe";
    failure.code = code;
    failure_set(&failure, STATUS_FAILED, probe->advice, "%s",
                probe->reason[0] ? probe->reason : cushim_error_string(code));
    if (!arguments->json) {
        failure_print(&failure);
        return failure.status;
    }
    json_open(&json, NULL, '{');
    failure_json(&failure, &json);
    json_close(&json, '}');
    return failure.status;
}

CUresult probe_driver(const struct arguments *arguments, uint64_t seconds,
                      struct probe_result *probe)
{
    struct probe_options options = {.library = arguments->library};
    char *own = system_own_path(), *absolute = NULL;
    CUresult code;

    /* As for a driver that is opened here: the loader refuses relative paths. */
    if (options.library && options.library[0] && !cushim__path_is_absolute(options.library)) {
        absolute = system_absolute_path(options.library);
        if (absolute)
            options.library = absolute;
    }
    options.command = own;
    options.timeout_ns = seconds * 1000000000;
    code = probe_run(&options, probe);
    free(own);
    free(absolute);
    return code;
}

enum status command_probe(const struct arguments *arguments)
{
    struct probe_result probe;
    const CUresult code = probe_driver(arguments, arguments->timeout, &probe);

    if (code != CUDA_SUCCESS)
        return fail(arguments, code, &probe);
    if (arguments->json)
        print_json(&probe);
    else
        print_text(&probe);
    return probe_status(&probe);
}
