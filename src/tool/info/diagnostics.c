/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/info/diagnostics.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"

/* The states of the driver in which a diagnostic matters, as bits; see diagnostics.tsv. */
enum { ABSENT = 1, UNFIT = 2, FAILED = 4, READY = 8, NAMED = 16, ASIDE = 32, ALONE = 64 };

/* A detector of one system is left out on the other. */
#ifdef _WIN32
#define LINUX(detect) NULL
#define WINDOWS(detect) detect
#else
#define LINUX(detect) detect
#define WINDOWS(detect) NULL
#endif

bool evidence_set(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->text, sizeof evidence->text, format, arguments);
    va_end(arguments);
    return true;
}

void evidence_advise(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->advice, sizeof evidence->advice, format, arguments);
    va_end(arguments);
}

/*
 * Whether the search has met a library for another processor or word size. A linker that passes
 * over such a file reports only that it has found none.
 */
static bool detect_architecture(const struct system_info *info, struct evidence *evidence)
{
    const struct cushim_report *report = info->report;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return evidence_set(evidence, "%.200s: %.250s", candidate->path, candidate->message);
    }
    return report->state == CUSHIM_STATE_NOT_FOUND && search_meets_architecture(info, evidence);
}

/* Whether cuInit is that of a library which stands between the program and the driver. */
bool detect_interposed(const struct system_info *info, struct evidence *evidence)
{
    const char *library = info->report->library;

    return info->init && info->init[0] && library[0] &&
           !cushim__system_path_is_same_file(info->init, library) &&
           evidence_set(evidence, "cuInit is that of %.220s, not of %.220s", info->init, library);
}

/* Whether a list names a GPU twice, which the driver refuses (driver-semantics.md #83). */
static bool names_twice(const char *value, struct evidence *evidence)
{
    for (const char *entry = value; *entry; entry += strcspn(entry, ",")) {
        const char *other = entry += strspn(entry, ", ");
        const size_t length = strcspn(entry, ", ");
        while (*(other += strcspn(other, ",")) && *(other += strspn(other, ", "))) {
            /* The beginning of a UUID names the same GPU as all of it. */
            const size_t other_length = strcspn(other, ", ");
            const bool is_number = isdigit((unsigned char)*entry) && isdigit((unsigned char)*other);
            if (is_number
                    ? strtol(entry, NULL, 10) == strtol(other, NULL, 10)
                    : strncmp(other, entry, length < other_length ? length : other_length) == 0)
                return evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s names %.*s twice", value,
                                    (int)(length < 64 ? length : 64), entry);
        }
    }
    return false;
}

bool detect_hidden_gpus(const struct system_info *info, struct evidence *evidence)
{
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    const char *first = value ? value + strspn(value, " ") : NULL;

    if (value && info->report->state == CUSHIM_STATE_INIT_FAILED &&
        info->report->code == CUDA_ERROR_INVALID_DEVICE)
        return names_twice(value, evidence);
    if (!value || info->report->state != CUSHIM_STATE_NO_DEVICE)
        return false;
    if (!*first)
        return evidence_set(evidence, "CUDA_VISIBLE_DEVICES is set and empty");
    if (isdigit((unsigned char)*first) || strncmp(first, "GPU-", 4) == 0 ||
        strncmp(first, "MIG-", 4) == 0)
        return diagnostics_names_no_gpu(info, value, first, evidence);
    /* Any other word names no GPU, and what follows is not read. */
    return evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s", value);
}

const struct diagnostic diagnostics[] = {
#include "src/tool/info/diagnostics_rows.h"
    {0},
};

/* Whether an option or the environment has named the library. */
static bool is_named(const struct cushim_report *report)
{
    return report->candidate_count > 0 && report->candidates[0].origin <= CUSHIM_ORIGIN_ENVIRONMENT;
}

/*
 * The bits of the driver's state; 0 if nothing was tried, or the user's request explains it. If the
 * search has found only the toolkit's stub or an empty file, there is no driver either.
 */
static unsigned outcome(const struct system_info *info)
{
    const struct cushim_report *report = info->report;
    char path[FILE_PATH_BYTES];

    switch (report->state) {
    case CUSHIM_STATE_NOT_FOUND:
        /* If a file that the user named is missing, the machine is not the cause. */
        return is_named(report) ? 0 : ABSENT;
    case CUSHIM_STATE_STUB:
        return is_named(report) ? UNFIT : UNFIT | ABSENT;
    case CUSHIM_STATE_NOT_LOADABLE:
        return is_named(report) || !search_meets_empty(info, path) ? UNFIT : UNFIT | ABSENT;
    case CUSHIM_STATE_NOT_A_DRIVER:
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

static const char *advice_of(const struct diagnosis *diagnosis)
{
    return diagnosis->row->advice ? diagnosis->row->advice : diagnosis->evidence.advice;
}

const char *diagnostics_advice(const struct diagnoses *diagnoses)
{
    for (int i = 0; i < diagnoses->count; i++) {
        if (!(diagnoses->list[i].row->when & ASIDE))
            return advice_of(&diagnoses->list[i]);
    }
    return NULL;
}

static bool has_code(const struct diagnostic *row, CUresult code)
{
    const CUresult *wanted = row->codes;

    while (wanted && *wanted != CUDA_SUCCESS && *wanted != code)
        wanted++;
    return !wanted || *wanted == code;
}

void diagnostics_find(const struct system_info *info, struct diagnoses *diagnoses)
{
    const unsigned states = outcome(info);
    const bool is_by_name = is_named(info->report);

    diagnoses->count = 0;
    for (const struct diagnostic *row = diagnostics; row->name; row++) {
        struct diagnosis *diagnosis = &diagnoses->list[diagnoses->count];
        *diagnosis = (struct diagnosis){.row = row};
        diagnoses->count += (row->when & states) != 0 && (row->when & NAMED || !is_by_name) &&
                            !(row->when & ALONE && diagnostics_advice(diagnoses)) &&
                            has_code(row, info->report->code) && row->detect &&
                            row->detect(info, &diagnosis->evidence);
    }
}

void diagnostics_print(const struct diagnoses *diagnoses)
{
    for (int i = 0; i < diagnoses->count; i++) {
        const struct diagnosis *diagnosis = &diagnoses->list[i];
        putc('\n', output_stream());
        output_line("diagnostic", "%s: %s", diagnosis->row->name, diagnosis->row->message);
        output_line("evidence", "%s", diagnosis->evidence.text);
        output_line("advice", "%s", advice_of(diagnosis));
    }
}

void diagnostics_json(const struct diagnoses *diagnoses, struct json *json)
{
    json_open(json, "diagnostics", '[');
    for (int i = 0; i < diagnoses->count; i++) {
        const struct diagnosis *diagnosis = &diagnoses->list[i];
        json_open(json, NULL, '{');
        json_string(json, "name", diagnosis->row->name);
        json_string(json, "message", diagnosis->row->message);
        json_string(json, "evidence", diagnosis->evidence.text);
        json_string(json, "advice", advice_of(diagnosis));
        json_close(json, '}');
    }
    json_close(json, ']');
}
