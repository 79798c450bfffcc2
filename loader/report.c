/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: the results of the attempt that loaded the driver, or else of the last failed one,
 * and what has happened since.
 *
 * The failed report is written once per attempt and read by cushim__report_get(). A spin lock that
 * stores its owner's thread protects it; a signal handler on that thread does not wait.
 */
#include <cushim/error.h>

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/report.h"
#include "src/base/system.h"
#include "src/base/text.h"

static struct cushim_report failed_report;
static _Atomic uintptr_t holder; /* the thread that is copying to or from it, or 0 */

/* Copy only the candidates that were tried, since the rest of the array is unused. */
static void copy_attempt(struct cushim_report *to, const struct cushim_report *from)
{
    memcpy(to, from,
           offsetof(struct cushim_report, candidates) +
               from->candidate_count * sizeof from->candidates[0]);
    memcpy(to->library, from->library, sizeof to->library);
}

/*
 * Copy to or from `failed_report`. If this thread holds the lock already, a signal handler has
 * interrupted a copy. The handler may go on, since the last byte of each string is always NUL.
 */
static void copy_failed(struct cushim_report *to, const struct cushim_report *from)
{
    const uintptr_t thread = cushim__system_thread_token();
    uintptr_t seen = 0;

    for (unsigned times = 0; !atomic_compare_exchange_strong(&holder, &seen, thread); times++) {
        if (seen == thread) {
            copy_attempt(to, from);
            return;
        }
        cushim__system_yield(times);
        seen = 0;
    }
    copy_attempt(to, from);
    atomic_store(&holder, 0);
}

void cushim__keep_failed_report(const struct cushim_report *attempt)
{
    copy_failed(&failed_report, attempt);
}

void cushim__report_after_fork(void)
{
    atomic_store(&holder, 0);
}

/* Add what has happened since the attempt: an installed table, a fork, cuInit. */
static void complete(struct cushim_report *report)
{
    CUresult init;
    const bool is_tried = cushim__init_outcome(&init, &report->init_process);

    report->installed = cushim__is_installed();
    report->table_writable = cushim__own_table_is_writable();
    report->library_ignored = cushim__system_ignores_environment("CUSHIM_LIBRARY");
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

/* Return the name of a candidate for use in a sentence. */
static const char *candidate_name(const struct cushim__candidate *candidate)
{
    return candidate->origin == CUSHIM_ORIGIN_RESOLVER ? "what the program's resolver finds"
                                                       : candidate->path;
}

static void write_reason(const struct cushim_report *report, struct cushim__text *text)
{
    const struct cushim__candidate *candidate = cushim__deciding_candidate(report);
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
                            cushim__is_init_of_fork(report)
                                ? "this process was forked, and CUDA does not work in one "
                                  "whose parent had initialised the driver"
                                : cushim_error_string(report->code));
        break;
    case CUSHIM_STATE_NOT_FOUND:
        cushim__text_format(text, "No NVIDIA driver library was found: there is no %s",
                            candidate_name(candidate));
        break;
    case CUSHIM_STATE_NOT_LOADABLE:
        cushim__text_format(text, "The driver library cannot be opened: %s%s%s",
                            candidate_name(candidate), candidate->path[0] ? ": " : "",
                            candidate->message);
        break;
    case CUSHIM_STATE_NOT_A_DRIVER:
        cushim__text_format(text, "This is not a CUDA driver: %s: %s", candidate_name(candidate),
                            candidate->message);
        break;
    case CUSHIM_STATE_STUB:
        cushim__text_format(text, "This is the CUDA toolkit's link-time stub, not a driver: %s: %s",
                            candidate_name(candidate), candidate->message);
        break;
    case CUSHIM_STATE_DRIVER_ERROR:
        cushim__text_format(text, "The driver did not report its version: %s: %s (%s)",
                            candidate_name(candidate), candidate->message,
                            cushim_error_name(report->code));
        break;
    case CUSHIM_STATE_TOO_OLD:
        cushim__text_format(text, "The driver is too old: %s: %s", candidate_name(candidate),
                            candidate->message);
        break;
    case CUSHIM_STATE_DISABLED:
        cushim__text_add(text, "The driver is disabled by CUSHIM_LIBRARY=none");
        break;
    case CUSHIM_STATE_FORKED:
        cushim__text_add(text,
                         "This is the child of a process that had initialised the driver (or "
                         "was loading it) when it forked, and CUDA does not work across fork");
        break;
    }
    cushim__text_add(text, ".");
}

void cushim__report_get(struct cushim_report *report)
{
    struct cushim__text text;

    /* Otherwise a child that is forked during a copy would wait for a thread of its parent. */
    cushim__handle_forks();
    memset(report, 0, sizeof *report);
    if (cushim__loaded_driver())
        copy_attempt(report, &cushim__loaded_driver()->report);
    else
        copy_failed(report, &failed_report);
    /* If a signal handler has interrupted the first copy, report that nothing was tried. */
    if (report->candidate_count == 0)
        memset(report, 0, sizeof *report);
    complete(report);
    cushim__text_begin(&text, report->reason, sizeof report->reason);
    write_reason(report, &text);
    cushim__text_begin(&text, report->advice, sizeof report->advice);
    cushim__advise(report, &text);
}
