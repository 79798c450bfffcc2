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
#include "loader/system.h"
#include "src/base/text.h"

/* What the user can do about each state and outcome. */
#if defined(_WIN32)
#define DRIVER "nvcuda.dll"
#define CONTAINER_GPUS ""
#define CONTAINER_LIBRARY "; if that does not help, reinstall the NVIDIA driver."
#define FIND_DRIVER \
    "Install the NVIDIA driver: nvcuda.dll is looked for in the system folder only. If it is "
#define FORK_ADVICE NULL /* there is no fork */
#define MISSING_LIBRARY                                                                          \
    "Install the library that the message names, beside the driver or in the system folder; if " \
    "it names none, reinstall the NVIDIA driver."
#define DESCRIPTORS "Let the program close some of its open files; then load again."
#define MEMORY "Free memory, or enlarge the page file; then load again."
#define UNMAPPED ""
#else
#define DRIVER "libcuda.so.1"
#define CONTAINER_GPUS "; in a container, start it with its GPUs"
#define CONTAINER_LIBRARY \
    "; in a container, remove the driver library that the image brought along."
#define FIND_DRIVER                                                                               \
    "Install the NVIDIA driver (on Debian and Ubuntu the package that holds libcuda.so.1); in a " \
    "container, start it with its GPUs; if the driver is "
#define FORK_ADVICE                                                                               \
    "Use CUDA in the parent only, or start the child with exec (spawn instead of fork), or fork " \
    "before the first use of CUDA."
#define MISSING_LIBRARY                                                                             \
    "Install the library that the message names: it belongs to the same NVIDIA driver and must be " \
    "of the same release."
#define DESCRIPTORS                                                                            \
    "Raise the limit on open files (ulimit -n; of the whole system: fs.file-max), or let the " \
    "program close the files that /proc/PID/fd lists; then load again."
#define MEMORY                                                                                \
    "Raise the limit on the address space (ulimit -v) or free memory, or raise the limit on " \
    "mappings (vm.max_map_count) if the process has very many; then load again."
#define UNMAPPED                                                                                 \
    " A segment that cannot be mapped means a limit on the address space (ulimit -v) or a file " \
    "system that is mounted noexec."
#endif

/* NULL stands for the advice of the outcome, or of the code. */
static const char *const state_advice[] = {
    [CUSHIM_STATE_UNTRIED] = "",
    [CUSHIM_STATE_LOADED] = "",
    [CUSHIM_STATE_READY] = "",
    [CUSHIM_STATE_NO_DEVICE] = "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES is "
                               "unset or names one" CONTAINER_GPUS ".",
    [CUSHIM_STATE_KERNEL_MISMATCH] =
        "Reboot, so that the kernel module is of the same release as the library" CONTAINER_LIBRARY,
    [CUSHIM_STATE_NOT_FOUND] =
        FIND_DRIVER "elsewhere, set CUSHIM_LIBRARY to the absolute path of its " DRIVER ".",
    [CUSHIM_STATE_NOT_A_DRIVER] = "Name the driver's own library, usually " DRIVER
                                  "; another library has its path or its name.",
    [CUSHIM_STATE_STUB] =
        "Remove the file from the library search path, or name another one: the toolkit's stub is "
        "for linking only. The driver's own " DRIVER " comes with the NVIDIA driver.",
    [CUSHIM_STATE_TOO_OLD] = "Update the NVIDIA driver to one that supports the CUDA version that "
                             "this program needs.",
    [CUSHIM_STATE_DISABLED] = "Unset CUSHIM_LIBRARY to use the driver of this machine.",
    [CUSHIM_STATE_FORKED] = FORK_ADVICE,
};

/* Advice for the outcomes with which a library cannot be opened. */
static const char *const outcome_advice[] = {
    [CUSHIM_OUTCOME_REFUSED] = "Give the absolute path of the driver library, or the word none in "
                               "CUSHIM_LIBRARY, or leave it unset.",
    [CUSHIM_OUTCOME_NOT_FOUND] =
        "Check the path; the driver's library is usually called " DRIVER ".",
    [CUSHIM_OUTCOME_NO_PERMISSION] = "Make the file and its folders readable for this user.",
    [CUSHIM_OUTCOME_NOT_A_LIBRARY] =
        "Remove this file from the library search path, or name another one. Reinstall the NVIDIA "
        "driver if the file replaces the driver's library.",
    [CUSHIM_OUTCOME_WRONG_ARCHITECTURE] = "Install the driver library for the architecture of this "
                                          "program, or run a program built for the library's.",
    [CUSHIM_OUTCOME_TRUNCATED] =
        "Reinstall the NVIDIA driver: the file is truncated, as by a full disk.",
    [CUSHIM_OUTCOME_DAMAGED] = "Reinstall the NVIDIA driver: the file is damaged.",
    [CUSHIM_OUTCOME_LACKS_LIBRARY] = MISSING_LIBRARY,
    [CUSHIM_OUTCOME_NOT_LOADABLE] = "Reinstall the NVIDIA driver if the message of the system does "
                                    "not show the remedy." UNMAPPED,
    [CUSHIM_OUTCOME_OTHER_C_LIBRARY] = "Build this program for glibc: NVIDIA's driver libraries "
                                       "need it, and this process uses musl.",
    [CUSHIM_OUTCOME_STATIC_PROGRAM] = "Link this program dynamically, without -static or "
                                      "-static-pie: a static program cannot load the driver.",
    [CUSHIM_OUTCOME_NO_DESCRIPTOR] = DESCRIPTORS,
    [CUSHIM_OUTCOME_NO_MEMORY] = MEMORY,
};

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
    const uintptr_t thread = cushim__thread();
    uintptr_t seen = 0;

    for (unsigned times = 0; !atomic_compare_exchange_strong(&holder, &seen, thread); times++) {
        if (seen == thread) {
            copy_attempt(to, from);
            return;
        }
        cushim__pause(times);
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

/* cuInit fails like this if the parent had initialised the driver without cushim's knowledge. */
static bool is_forked_unseen(const struct cushim_report *report)
{
    return report->state == CUSHIM_STATE_INIT_FAILED &&
           report->code == CUDA_ERROR_NOT_INITIALIZED && state_advice[CUSHIM_STATE_FORKED];
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
        cushim__text_format(
            text, "The driver for CUDA %d.%d is loaded, but cuInit returned %d %s: %s", major,
            minor, (int)report->code, cushim_error_name(report->code),
            is_forked_unseen(report) ? "the parent of this process had initialised the driver "
                                       "before it forked, and CUDA does not work across fork"
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

static const char *advice(const struct cushim_report *report)
{
    const struct cushim__candidate *candidate = cushim__deciding_candidate(report);
    const char *found = state_advice[report->state];

    if (is_forked_unseen(report))
        return state_advice[CUSHIM_STATE_FORKED];

    /* If a file was given, the advice is about that file. */
    if (report->state == CUSHIM_STATE_NOT_LOADABLE ||
        (report->state == CUSHIM_STATE_NOT_FOUND && candidate->origin <= CUSHIM_ORIGIN_ENVIRONMENT))
        return outcome_advice[candidate->outcome];
    return found ? found : cushim_error_advice(report->code);
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
    cushim__text_copy(report->advice, sizeof report->advice, advice(report));
}
