/* SPDX-License-Identifier: Apache-2.0 */
/* The report: the record of the last attempt, completed by what has happened since. */
#include <cushim/report.h>

#include <cushim/error.h>

#include <stddef.h>
#include <string.h>

#include "loader/advice.h"
#include "loader/candidate.h"
#include "loader/loader.h"
#include "loader/report.h"
#include "loader/system.h"
#include "loader/text.h"

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
    [CUSHIM_ORIGIN_ENVIRONMENT] = "environment", [CUSHIM_ORIGIN_MAPPED] = "mapped",
    [CUSHIM_ORIGIN_SEARCH] = "search",           [CUSHIM_ORIGIN_WELL_KNOWN] = "well-known",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *cushim_state_name(enum cushim_state state)
{
    return (size_t)state < COUNT(state_names) ? state_names[state] : "unknown";
}

const char *cushim_outcome_name(enum cushim_outcome outcome)
{
    return (size_t)outcome < COUNT(outcome_names) ? outcome_names[outcome] : "unknown";
}

const char *cushim_origin_name(enum cushim_origin origin)
{
    return (size_t)origin < COUNT(origin_names) ? origin_names[origin] : "unknown";
}

/* What has happened since the attempt: a table installed, a fork, cuInit. */
static void complete(struct cushim_report *report)
{
    CUresult init;
    const bool is_tried = cushim__init_outcome(&init, &report->init_process);

    report->installed = cushim__is_installed();
    report->table_writable = cushim__own_table_is_writable();
    if (cushim__is_forked()) {
        report->state = CUSHIM_STATE_FORKED;
        report->code = CUDA_ERROR_NOT_INITIALIZED;
    } else if (report->state == CUSHIM_STATE_LOADED && is_tried) {
        report->code = init;
        report->state = init == CUDA_SUCCESS                        ? CUSHIM_STATE_READY
                        : init == CUDA_ERROR_NO_DEVICE              ? CUSHIM_STATE_NO_DEVICE
                        : init == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ? CUSHIM_STATE_KERNEL_MISMATCH
                                                                    : CUSHIM_STATE_INIT_FAILED;
    }
}

/* What a candidate is called in a sentence. */
static const char *called(const struct cushim_candidate *candidate)
{
    return candidate->origin == CUSHIM_ORIGIN_RESOLVER ? "what the program's resolver finds"
                                                       : candidate->path;
}

static void say_reason(const struct cushim_report *report, struct cushim__text *text)
{
    const struct cushim_candidate *candidate = cushim__deciding_candidate(report);
    const int major = report->driver_version / 1000;
    const int minor = report->driver_version % 1000 / 10;

    switch (report->state) {
    case CUSHIM_STATE_UNTRIED:
        cushim__text_add(text, report->installed
                                   ? "The program has installed a table of its own, and no driver "
                                     "has been looked for"
                                   : "No driver has been looked for yet");
        break;
    case CUSHIM_STATE_LOADED:
    case CUSHIM_STATE_READY:
        cushim__text_format(text, "The driver for CUDA %d.%d is loaded%s", major, minor,
                            report->state == CUSHIM_STATE_READY ? " and initialised" : "");
        break;
    case CUSHIM_STATE_NO_DEVICE:
    case CUSHIM_STATE_KERNEL_MISMATCH:
    case CUSHIM_STATE_INIT_FAILED:
        cushim__text_format(text,
                            "The driver for CUDA %d.%d is loaded, but cuInit returned %d %s: %s",
                            major, minor, (int)report->code, cushim_error_name(report->code),
                            cushim_error_string(report->code));
        break;
    case CUSHIM_STATE_NOT_FOUND:
        cushim__text_format(text, "No NVIDIA driver library was found: there is no %s",
                            called(candidate));
        break;
    case CUSHIM_STATE_NOT_LOADABLE:
        cushim__text_format(text, "The driver library cannot be opened: %s%s%s", called(candidate),
                            candidate->path[0] ? ": " : "", candidate->message);
        break;
    case CUSHIM_STATE_NOT_A_DRIVER:
        cushim__text_format(text, "This is no CUDA driver: %s: %s", called(candidate),
                            candidate->message);
        break;
    case CUSHIM_STATE_STUB:
        cushim__text_format(text, "This is the CUDA toolkit's link-time stub and no driver: %s: %s",
                            called(candidate), candidate->message);
        break;
    case CUSHIM_STATE_DRIVER_ERROR:
        cushim__text_format(text, "The driver cannot tell its version: %s: %s (%s)",
                            called(candidate), candidate->message, cushim_error_name(report->code));
        break;
    case CUSHIM_STATE_TOO_OLD:
        cushim__text_format(text, "The driver is too old: %s: %s", called(candidate),
                            candidate->message);
        break;
    case CUSHIM_STATE_DISABLED:
        cushim__text_add(text, "The driver is switched off by CUSHIM_LIBRARY=none");
        break;
    case CUSHIM_STATE_FORKED:
        cushim__text_add(text,
                         "This is the child of a process that had initialised the driver (or "
                         "was loading it) when it forked, and CUDA does not work across fork");
        break;
    }
    cushim__text_add(text, ".");
}

static const char *advice(const struct cushim_report *report)
{
    const struct cushim_candidate *candidate = cushim__deciding_candidate(report);

    /* Whoever named a file is helped by words on that file. */
    if (report->state == CUSHIM_STATE_NOT_LOADABLE ||
        (report->state == CUSHIM_STATE_NOT_FOUND && candidate->origin <= CUSHIM_ORIGIN_ENVIRONMENT))
        return cushim__outcome_advice[candidate->outcome];
    if (cushim__state_advice[report->state])
        return cushim__state_advice[report->state];
    return cushim_error_advice(report->code);
}

/* Let a report of `size` bytes count no more candidates than it has room for. */
static void cut_candidates(struct cushim_report *report, size_t size)
{
    const size_t start = offsetof(struct cushim_report, candidates);
    const size_t room = size < start ? 0 : (size - start) / sizeof report->candidates[0];

    if (report->candidate_count > room)
        report->candidate_count = (unsigned)room;
}

unsigned cushim__report_candidates(const struct cushim_report *report)
{
    return report->candidate_count < CUSHIM_REPORT_CANDIDATES ? report->candidate_count
                                                              : CUSHIM_REPORT_CANDIDATES;
}

/* Whether a text of a report fills its field: nothing closes it then, perhaps. */
static bool is_open(const struct cushim_report *report)
{
    bool open = report->library[sizeof report->library - 1] ||
                report->reason[sizeof report->reason - 1] ||
                report->advice[sizeof report->advice - 1];

    for (unsigned i = 0; !open && i < CUSHIM_REPORT_CANDIDATES; i++)
        open = report->candidates[i].path[sizeof report->candidates[i].path - 1] ||
               report->candidates[i].message[sizeof report->candidates[i].message - 1];
    return open;
}

static void close_texts(struct cushim_report *report)
{
    report->library[sizeof report->library - 1] = '\0';
    report->reason[sizeof report->reason - 1] = '\0';
    report->advice[sizeof report->advice - 1] = '\0';
    for (unsigned i = 0; i < CUSHIM_REPORT_CANDIDATES; i++) {
        report->candidates[i].path[sizeof report->candidates[i].path - 1] = '\0';
        report->candidates[i].message[sizeof report->candidates[i].message - 1] = '\0';
    }
}

size_t cushim__report_write(void (*writer)(struct cushim__text *text,
                                           const struct cushim_report *report),
                            const struct cushim_report *given, char *buffer, size_t size)
{
    struct cushim_report *whole = NULL;
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!given)
        return 0;
    if (given->size < sizeof *given || is_open(given)) {
        const size_t length = given->size < sizeof *given ? given->size : sizeof *given;

        /* Too large for a small thread's stack. */
        whole = cushim__memory_take(sizeof *whole);
        if (!whole)
            return 0;
        memcpy(whole, given, length);
        cut_candidates(whole, length);
        close_texts(whole);
    }
    writer(&text, whole ? whole : given);
    if (whole)
        cushim__memory_give_back(whole, sizeof *whole);
    return text.length;
}

static void fill_report(struct cushim_report *report)
{
    struct cushim__text text;

    cushim__record_get(report);
    report->size = sizeof *report;
    complete(report);
    cushim__text_begin(&text, report->reason, sizeof report->reason);
    say_reason(report, &text);
    cushim__text_copy(report->advice, sizeof report->advice, advice(report));
}

CUresult cushim_report_get(struct cushim_report *given)
{
    struct cushim_report *whole;
    size_t size;

    if (!given || given->size < sizeof given->size)
        return CUDA_ERROR_INVALID_VALUE;
    if (given->size >= sizeof *given) {
        fill_report(given);
        return CUDA_SUCCESS;
    }
    size = given->size;
    whole = cushim__memory_take(sizeof *whole);
    if (!whole)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fill_report(whole);
    whole->size = size;
    cut_candidates(whole, size);
    memcpy(given, whole, size);
    cushim__memory_give_back(whole, sizeof *whole);
    return CUDA_SUCCESS;
}
