/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/diagnostics.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The states of the driver in which a diagnostic matters, as bits; see diagnostics.tsv. */
enum { ABSENT = 1, UNFIT = 2, FAILED = 4, READY = 8, NAMED = 16 };

#ifdef _WIN32
/* Detectors that read files of Linux are left out on Windows. */
#define LINUX(detect) NULL

bool detect_searched_library(const struct system_info *info, char *path, size_t size)
{
    (void)info, (void)path, (void)size;
    return false;
}

int diagnostics_numbered_gpus(const struct system_info *info)
{
    (void)info;
    return 0;
}
#else
#define LINUX(detect) detect
#endif

bool evidence_set(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->text, sizeof evidence->text, format, arguments);
    va_end(arguments);
    return true;
}

/* Whether the search has met a library for another processor or word size. */
static bool detect_architecture(const struct system_info *info, struct evidence *evidence)
{
    const struct cushim_report *report = info->report;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return evidence_set(evidence, "%.200s: %.250s", candidate->path, candidate->message);
    }
    return false;
}

static bool detect_hidden_gpus(const struct system_info *info, struct evidence *evidence)
{
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    const char *first = value ? value + strspn(value, " ") : NULL;
    const int gpus = diagnostics_numbered_gpus(info);

    if (!value || info->report->state != CUSHIM_STATE_NO_DEVICE)
        return false;
    if (!*first)
        return evidence_set(evidence, "CUDA_VISIBLE_DEVICES is set and empty");
    if (isdigit((unsigned char)*first))
        return gpus > 0 && strtol(first, NULL, 10) >= gpus &&
               evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s, and the driver has %d GPU%s",
                            value, gpus, gpus == 1 ? "" : "s");
    /* A UUID may be valid. Any other word names no GPU, and what follows is not read. */
    return strncmp(first, "GPU-", 4) != 0 && strncmp(first, "MIG-", 4) != 0 &&
           evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s", value);
}

const struct diagnostic diagnostics[] = {
#include "src/tool/diagnostics_rows.h"
    {0},
};

/* Whether an option or the environment has named the library. */
static bool is_named(const struct cushim_report *report)
{
    return report->candidate_count > 0 && report->candidates[0].origin <= CUSHIM_ORIGIN_ENVIRONMENT;
}

/* The bit of the driver's state; 0 if nothing was tried, or the user's request explains it. */
static unsigned outcome(const struct cushim_report *report)
{
    switch (report->state) {
    case CUSHIM_STATE_NOT_FOUND:
        /* If a file that the user named is missing, the machine is not the cause. */
        return is_named(report) ? 0 : ABSENT;
    case CUSHIM_STATE_NOT_LOADABLE:
    case CUSHIM_STATE_NOT_A_DRIVER:
    case CUSHIM_STATE_STUB:
    case CUSHIM_STATE_DRIVER_ERROR:
    case CUSHIM_STATE_TOO_OLD:
        return UNFIT;
    case CUSHIM_STATE_NO_DEVICE:
    case CUSHIM_STATE_KERNEL_MISMATCH:
    case CUSHIM_STATE_INIT_FAILED:
        return FAILED;
    case CUSHIM_STATE_LOADED:
    case CUSHIM_STATE_READY:
        return READY;
    case CUSHIM_STATE_UNTRIED:
    case CUSHIM_STATE_DISABLED:
    case CUSHIM_STATE_FORKED:
        break;
    }
    return 0;
}

static bool is_found(const struct diagnostic *row, const struct system_info *info,
                     struct evidence *evidence)
{
    *evidence = (struct evidence){.text = ""};
    return (row->when & outcome(info->report)) != 0 &&
           (row->when & NAMED || !is_named(info->report)) && row->detect &&
           row->detect(info, evidence);
}

static const char *advice_of(const struct diagnostic *row, const struct evidence *evidence)
{
    return row->advice ? row->advice : evidence->advice;
}

void diagnostics_print(const struct system_info *info)
{
    for (const struct diagnostic *row = diagnostics; row->name; row++) {
        struct evidence evidence;
        if (!is_found(row, info, &evidence))
            continue;
        printf("\n");
        output_line("diagnostic", "%s: %s", row->name, row->message);
        output_line("evidence", "%s", evidence.text);
        output_line("advice", "%s", advice_of(row, &evidence));
    }
}

void diagnostics_json(const struct system_info *info, struct json *json)
{
    json_open(json, "diagnostics", '[');
    for (const struct diagnostic *row = diagnostics; row->name; row++) {
        struct evidence evidence;
        if (!is_found(row, info, &evidence))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "name", row->name);
        json_string(json, "message", row->message);
        json_string(json, "evidence", evidence.text);
        json_string(json, "advice", advice_of(row, &evidence));
        json_close(json, '}');
    }
    json_close(json, ']');
}
