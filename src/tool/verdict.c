/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim probe`: prints what a probe has found. Its advice is that of `cushim info`. */
#include <stdlib.h>

#include <cushim/error.h>

#include "loader/report.h"
#include "src/base/text.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/commands.h"
#include "src/tool/info/diagnostics.h"
#include "src/tool/probe/probe.h"

static const char *const verdict_names[] = {
    [PROBE_UNKNOWN] = "unknown", [PROBE_USABLE] = "usable", [PROBE_ABSENT] = "absent",
    [PROBE_BROKEN] = "broken",   [PROBE_HUNG] = "hung",     [PROBE_SIMULATED] = "simulated",
};

/*
 * Prefer the advice for this machine to that for the driver's code. There is none for a process
 * that did not answer.
 */
static void advise(const struct arguments *arguments, struct probe_result *result)
{
    static struct cushim_report report;
    static struct diagnoses diagnoses;
    const char *named = system_get("CUSHIM_LIBRARY");
    char *own = system_own_path();
    const struct system_info system = {
        .report = &report,
        .root = "",
        .command = own,
        .timeout_ns = arguments->timeout_ns,
    };

    report.state = result->state;
    report.code = result->code;
    report.driver_version = result->driver_version;
    cushim__text_copy(report.library, sizeof report.library, result->library);
    if (arguments->library || (named && named[0]))
        report.candidates[report.candidate_count++] = (struct cushim__candidate){
            .origin = arguments->library ? CUSHIM_ORIGIN_OPTION : CUSHIM_ORIGIN_ENVIRONMENT};
    if (result->stage == PROBE_STAGE_DONE && result->state != CUSHIM_STATE_READY) {
        diagnostics_find(&system, &diagnoses);
        if (diagnostics_advice(&diagnoses))
            cushim__text_copy(result->advice, sizeof result->advice,
                              diagnostics_advice(&diagnoses));
    }
    free(own);
}

static void print_text(const struct probe_result *result)
{
    output_line("verdict", "%s", verdict_names[result->verdict]);
    if (result->is_mock)
        output_line("simulated", "This is cushim's mock driver, not a GPU.");
    output_line("reason", "%s", result->reason);
    if (result->advice[0])
        output_line("advice", "%s", result->advice);
    output_line("stage", "%s", probe_stage_name(result->stage));
    if (result->stage == PROBE_STAGE_DONE)
        output_line("state", "%s", cushim_state_name(result->state));
    if (result->code != CUDA_SUCCESS)
        output_line("code", "%d %s", (int)result->code, cushim_error_name(result->code));
    if (result->driver_version)
        output_line("version", "CUDA %d.%d", result->driver_version / 1000,
                    result->driver_version % 1000 / 10);
    if (result->library[0])
        output_line("library", "%s", result->library);
    if (result->state == CUSHIM_STATE_READY)
        output_line("devices", "%d", result->device_count);
}

static void json_number(struct json *json, const char *key, long long number, bool is_known)
{
    if (is_known)
        json_integer(json, key, number);
    else
        json_null(json, key);
}

static void print_json(const struct probe_result *result)
{
    /* The code of a process that has not answered would read as success. */
    const bool is_answered = result->stage == PROBE_STAGE_DONE;
    struct json json = {0};

    json_open(&json, NULL, '{');
    json_string(&json, "verdict", verdict_names[result->verdict]);
    json_bool(&json, "simulated", result->is_mock);
    json_string(&json, "reason", result->reason);
    json_string(&json, "advice", result->advice);
    json_string(&json, "stage", probe_stage_name(result->stage));
    json_string(&json, "state", cushim_state_name(result->state));
    json_number(&json, "code", (int)result->code, is_answered);
    json_string(&json, "code_name", is_answered ? cushim_error_name(result->code) : NULL);
    json_integer(&json, "driver_version", result->driver_version);
    json_integer(&json, "device_count", result->device_count);
    json_string(&json, "library", result->library);
    json_number(&json, "exit_status", result->exit_status, result->exit_status != -1);
    json_number(&json, "signal", result->signal, result->signal != 0);
    json_number(&json, "unreaped_pid", result->unreaped_pid, result->unreaped_pid != 0);
    json_close(&json, '}');
}

enum status command_probe(const struct arguments *arguments)
{
    struct failure failure = {.call = "probe"};
    struct probe_result result;

    failure.code = probe_driver(arguments, arguments->timeout_ns, &result);
    if (failure.code != CUDA_SUCCESS) {
        failure_set(&failure, STATUS_FAILED, result.advice, "%s", result.reason);
        failure_report(&failure, arguments->json);
        return failure.status;
    }
    advise(arguments, &result);
    if (arguments->json)
        print_json(&result);
    else
        print_text(&result);
    return result.verdict == PROBE_SIMULATED && arguments->is_mock_allowed ? STATUS_DONE
                                                                           : probe_status(&result);
}
