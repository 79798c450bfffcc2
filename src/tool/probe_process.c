/* SPDX-License-Identifier: Apache-2.0 */
/* What came of the process of a probe, and what to say of it. */
#include "src/tool/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/error.h>

#include "loader/library.h"
#include "loader/system.h"
#include "src/base/text.h"
#include "src/tool/probe_answer.h"
#include "src/tool/subprocess.h"

static const uint64_t default_timeout_ns = UINT64_C(10000000000);

static const char command_advice[] =
    "Name the command cushim, of the same version as this library, by its absolute path, as "
    "command of the options.";
static const char driver_advice[] =
    "Do not use the driver in this process; run nvidia-smi to see whether other programs fare "
    "better, and restart the machine or reinstall the NVIDIA driver if they do not.";

static const char *const verdict_names[] = {
    [PROBE_UNKNOWN] = "unknown", [PROBE_USABLE] = "usable", [PROBE_ABSENT] = "absent",
    [PROBE_BROKEN] = "broken",   [PROBE_HUNG] = "hung",
};

static const struct {
    const char *name, *where;
} stages[] = {
    [PROBE_STAGE_START] = {"start", "before it came to the driver"},
    [PROBE_STAGE_LOAD] = {"load", "while its library was opened"},
    [PROBE_STAGE_INIT] = {"init", "in cuInit"},
    [PROBE_STAGE_COUNT] = {"count", "as it was asked for its devices"},
    [PROBE_STAGE_DONE] = {"done", "after it had answered"},
};

const char *probe_verdict_name(enum probe_verdict verdict)
{
    return (size_t)verdict < sizeof verdict_names / sizeof verdict_names[0] ? verdict_names[verdict]
                                                                            : "unknown";
}

const char *probe_stage_name(enum probe_stage stage)
{
    return (size_t)stage < sizeof stages / sizeof stages[0] ? stages[stage].name : "unknown";
}

/* Which input cannot be right, and why; NULL: none. */
static const char *refuse_path(const char *path)
{
    if (!path)
        return NULL;
    if (!cushim__path_is_absolute(path))
        return path[0] ? "the path is not absolute" : "the path is empty";
    return strlen(path) < PROBE_PATH_BYTES ? NULL : "the path is too long";
}

static CUresult refuse(const struct probe_options *options, struct probe_result *found)
{
    const char *const names[] = {"library", "command"};
    const char *const paths[] = {options->library, options->command};
    struct cushim__text text;

    cushim__text_begin(&text, found->reason, sizeof found->reason);
    for (int i = 0; i < 2; i++) {
        const char *why = refuse_path(paths[i]);
        if (!why)
            continue;
        cushim__text_format(&text, "The probe was not made: %s of the options: %s: ", names[i],
                            why);
        cushim__text_plain(&text, paths[i]);
        cushim__text_add(&text, ".");
        cushim__text_copy(found->advice, sizeof found->advice,
                          "Give a path that begins at the root.");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (options->minimum_version >= 0)
        return CUDA_SUCCESS;
    cushim__text_format(&text, "The probe was not made: minimum_version of the options is %d.",
                        options->minimum_version);
    cushim__text_copy(found->advice, sizeof found->advice,
                      "Give a version as cuDriverGetVersion counts, such as 12020 for 12.2.");
    return CUDA_ERROR_INVALID_VALUE;
}

/* The process has answered: the reason and advice are its own. */
static void judge_answer(struct probe_result *found)
{
    switch (found->state) {
    case CUSHIM_STATE_NOT_FOUND:
    case CUSHIM_STATE_DISABLED:
    case CUSHIM_STATE_STUB:
    case CUSHIM_STATE_NO_DEVICE:
        found->verdict = PROBE_ABSENT;
        break;
    case CUSHIM_STATE_READY:
        found->verdict = found->code != CUDA_SUCCESS ? PROBE_BROKEN
                         : found->device_count > 0   ? PROBE_USABLE
                                                     : PROBE_ABSENT;
        break;
    default:
        found->verdict = PROBE_BROKEN;
    }
}

/* `12 s`, or `1500 ms`: in the unit in which it is a whole number. */
static void add_time(struct cushim__text *text, uint64_t ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    size_t i = 0;

    while (ns % units[i].ns != 0)
        i++;
    cushim__text_format(text, "%" PRIu64 " %s", ns / units[i].ns, units[i].name);
}

/* NULL: it has no name here. */
static const char *signal_name(unsigned number)
{
    const struct subprocess_signal *signal = subprocess_signals;

    while (signal->name && signal->number != number)
        signal++;
    return signal->name;
}

static void add_end(struct cushim__text *text, const struct subprocess *process)
{
    const char *name = signal_name(process->signal);

    if (process->signal)
        cushim__text_format(text, process->signal < 1000 ? "by signal %u%s%s%s" : "by 0x%x%s%s%s",
                            process->signal, name ? " (" : "", name ? name : "", name ? ")" : "");
    else if (process->exit_status >= 0)
        cushim__text_format(text, "with exit status %d", process->exit_status);
    else
        cushim__text_add(text, "in a way that something else in this process has taken note of");
}

/* The process has not answered, or not in full. */
static void judge_silence(const struct subprocess *process, enum probe_answer answer,
                          struct probe_result *found)
{
    const bool is_driver = found->stage != PROBE_STAGE_START;
    struct cushim__text text;

    found->verdict = PROBE_BROKEN;
    cushim__text_begin(&text, found->reason, sizeof found->reason);
    cushim__text_format(&text, "The %s%s", is_driver ? "driver" : "command",
                        is_driver && !found->library[0] ? "" : " ");
    cushim__text_plain(&text, is_driver ? found->library : process->command);
    if (answer == PROBE_ANSWER_GARBAGE || process->is_full) {
        cushim__text_format(&text, "%s, %s",
                            is_driver ? " has garbled the answer of its process"
                                      : " has not answered as cushim's does",
                            stages[found->stage].where);
    } else if (process->is_late) {
        found->verdict = PROBE_HUNG;
        cushim__text_add(&text, " has not come back within ");
        add_time(&text, process->timeout_ns);
        cushim__text_format(&text, ": it hangs %s", stages[found->stage].where);
    } else if (is_driver && process->exit_status == PROBE_LOST) {
        cushim__text_format(&text, " has closed descriptors that are not its own, %s",
                            stages[found->stage].where);
    } else {
        cushim__text_add(&text, is_driver ? " has ended its process " : " has ended ");
        add_end(&text, process);
        cushim__text_format(&text, ", %s", stages[found->stage].where);
    }
    if (process->unreaped_pid)
        cushim__text_format(&text, ", and the system cannot end the process %ld",
                            process->unreaped_pid);
    cushim__text_add(&text, ".");
    cushim__text_copy(found->advice, sizeof found->advice,
                      is_driver ? driver_advice : command_advice);
}

/* The library that was being opened: it is known if somebody has named it. */
static void name_library(const struct probe_options *options, struct probe_result *found)
{
    char room[PROBE_PATH_BYTES];
    const char *named = options->library;

    if (found->stage != PROBE_STAGE_LOAD)
        return;
    if (!named)
        named = cushim__environment("CUSHIM_LIBRARY", room, sizeof room);
    if (named && cushim__path_is_absolute(named))
        cushim__text_copy(found->library, sizeof found->library, named);
}

CUresult probe_run(const struct probe_options *options, struct probe_result *result)
{
    char minimum[16];
    const char *const words[] = {PROBE_WORD, PROBE_PROTOCOL, minimum,
                                 options->library ? options->library : "", NULL};
    struct subprocess process = {
        .command = options->command,
        .words = words,
        .timeout_ns = options->timeout_ns ? options->timeout_ns : default_timeout_ns,
        .size = PROBE_ANSWER_BYTES,
        .exit_status = -1,
    };
    enum probe_answer answer;
    struct cushim__text text;
    CUresult code;

    *result = (struct probe_result){.exit_status = -1};
    code = refuse(options, result);
    if (code != CUDA_SUCCESS)
        return code;
    process.text = malloc(process.size);
    if (!process.text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    snprintf(minimum, sizeof minimum, "%d", options->minimum_version);
    snprintf(process.problem, sizeof process.problem, "the path of the command is not known");
    code = options->command ? subprocess_run(&process) : CUDA_ERROR_FILE_NOT_FOUND;
    if (code != CUDA_SUCCESS) {
        cushim__text_begin(&text, result->reason, sizeof result->reason);
        cushim__text_add(&text, "The probe was not made: ");
        cushim__text_plain(&text, process.problem);
        cushim__text_add(&text, ".");
        cushim__text_copy(result->advice, sizeof result->advice,
                          code == CUDA_ERROR_NOT_PERMITTED
                              ? "Probe from a process without these rights."
                              : command_advice);
    } else {
        answer = probe_answer_read(process.text, process.length, result);
        result->exit_status = process.exit_status;
        result->signal = process.signal;
        result->unreaped_pid = process.unreaped_pid;
        if (answer == PROBE_ANSWER_WHOLE) {
            judge_answer(result);
        } else {
            name_library(options, result);
            judge_silence(&process, answer, result);
        }
    }
    free(process.text);
    return code;
}
