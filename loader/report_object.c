/* SPDX-License-Identifier: Apache-2.0 */
/* A report as an object, and the names of what it contains. */
#include <stdlib.h>

#include "loader/report.h"
#include "src/base/options.h"

static const char *const state_names[] = {
    [CUSHIM_STATE_UNTRIED] = "untried",
    [CUSHIM_STATE_LOADED] = "loaded",
    [CUSHIM_STATE_READY] = "ready",
    [CUSHIM_STATE_NO_DEVICE] = "no-device",
    [CUSHIM_STATE_KERNEL_MISMATCH] = "kernel-mismatch",
    [CUSHIM_STATE_INIT_FAILED] = "init-failed",
    [CUSHIM_STATE_NOT_FOUND] = "not-found",
    [CUSHIM_STATE_NOT_LOADABLE] = "not-loadable",
    [CUSHIM_STATE_NOT_A_DRIVER] = "not-a-driver",
    [CUSHIM_STATE_STUB] = "stub",
    [CUSHIM_STATE_DRIVER_ERROR] = "driver-error",
    [CUSHIM_STATE_TOO_OLD] = "too-old",
    [CUSHIM_STATE_DISABLED] = "disabled",
    [CUSHIM_STATE_FORKED] = "forked",
};

static const char *const outcome_names[] = {
    [CUSHIM_OUTCOME_LOADED] = "loaded",
    [CUSHIM_OUTCOME_DISABLED] = "disabled",
    [CUSHIM_OUTCOME_REFUSED] = "refused",
    [CUSHIM_OUTCOME_NOT_FOUND] = "not-found",
    [CUSHIM_OUTCOME_NO_PERMISSION] = "no-permission",
    [CUSHIM_OUTCOME_NOT_A_LIBRARY] = "not-a-library",
    [CUSHIM_OUTCOME_WRONG_ARCHITECTURE] = "wrong-architecture",
    [CUSHIM_OUTCOME_TRUNCATED] = "truncated",
    [CUSHIM_OUTCOME_LACKS_LIBRARY] = "lacks-library",
    [CUSHIM_OUTCOME_NOT_LOADABLE] = "not-loadable",
    [CUSHIM_OUTCOME_NOT_A_DRIVER] = "not-a-driver",
    [CUSHIM_OUTCOME_STUB] = "stub",
    [CUSHIM_OUTCOME_DRIVER_ERROR] = "driver-error",
    [CUSHIM_OUTCOME_TOO_OLD] = "too-old",
    [CUSHIM_OUTCOME_OTHER_C_LIBRARY] = "other-c-library",
    [CUSHIM_OUTCOME_STATIC_PROGRAM] = "static-program",
    [CUSHIM_OUTCOME_DAMAGED] = "damaged",
    [CUSHIM_OUTCOME_NO_DESCRIPTOR] = "no-descriptor",
    [CUSHIM_OUTCOME_NO_MEMORY] = "no-memory",
};

static const char *const origin_names[] = {
    [CUSHIM_ORIGIN_OPTION] = "option",           [CUSHIM_ORIGIN_RESOLVER] = "resolver",
    [CUSHIM_ORIGIN_ENVIRONMENT] = "environment", [CUSHIM_ORIGIN_SEARCH] = "search",
    [CUSHIM_ORIGIN_WELL_KNOWN] = "well-known",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *cushim_state_name(enum cushim_state state)
{
    return (size_t)state < COUNT(state_names) ? state_names[state] : "unknown";
}

const char *cushim__outcome_name(enum cushim_outcome outcome)
{
    return (size_t)outcome < COUNT(outcome_names) ? outcome_names[outcome] : "unknown";
}

const char *cushim__origin_name(enum cushim_origin origin)
{
    return (size_t)origin < COUNT(origin_names) ? origin_names[origin] : "unknown";
}

CUresult cushim_report_create(struct cushim_report **report)
{
    struct cushim_report *made;

    if (!report)
        return CUDA_ERROR_INVALID_VALUE;
    made = malloc(sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__report_get(made);
    *report = made;
    return CUDA_SUCCESS;
}

void cushim_report_destroy(struct cushim_report *report)
{
    free(report);
}

enum cushim_state cushim_report_state(const struct cushim_report *report)
{
    return report ? report->state : CUSHIM_STATE_UNTRIED;
}

CUresult cushim_report_code(const struct cushim_report *report)
{
    return report ? report->code : CUDA_SUCCESS;
}

int cushim_report_driver_version(const struct cushim_report *report)
{
    return report ? report->driver_version : 0;
}

const char *cushim_report_library(const struct cushim_report *report)
{
    return report ? report->library : "";
}

const char *cushim_report_reason(const struct cushim_report *report)
{
    return report ? report->reason : "";
}

const char *cushim_report_advice(const struct cushim_report *report)
{
    return report ? report->advice : "";
}

CUresult cushim_report_get_symbol_counts(const struct cushim_report *report,
                                         struct cushim_symbol_counts *counts)
{
    if (!report)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!counts)
        return CUDA_ERROR_INVALID_VALUE;
    *counts = report->symbols;
    return CUDA_SUCCESS;
}

unsigned cushim_report_candidate_count(const struct cushim_report *report)
{
    return report ? report->candidate_count : 0;
}

CUresult cushim_report_get_candidate(const struct cushim_report *report, unsigned index,
                                     struct cushim_report_candidate *candidate)
{
    const struct cushim__candidate *found;
    struct cushim_report_candidate known = {.size = sizeof known};

    if (!report)
        return CUDA_ERROR_INVALID_HANDLE;
    if (index >= report->candidate_count)
        return CUDA_ERROR_INVALID_VALUE;
    found = &report->candidates[index];
    known.origin = found->origin;
    known.outcome = found->outcome;
    known.origin_name = cushim__origin_name(found->origin);
    known.outcome_name = cushim__outcome_name(found->outcome);
    known.path = found->path;
    known.message = found->message;
    known.code = found->code;
    known.version = found->version;
    return cushim__options_write(candidate, &known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
