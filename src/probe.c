/* SPDX-License-Identifier: Apache-2.0 */
/* What came of the process of a probe, and what to say of it. */
#include <cushim/probe.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cushim/error.h>

#include "loader/library.h"
#include "loader/options.h"
#include "loader/system.h"
#include "src/base/text.h"
#include "src/errand.h"
#include "src/probe_answer.h"

/*
 * Where the command is installed, as seen from the folder of this library. What is linked into
 * programs has no folder of its own, and a subproject or a copy has no command.
 */
#ifndef CUSHIM__COMMAND
#define CUSHIM__COMMAND ""
#endif

static const uint64_t default_timeout_ns = UINT64_C(10000000000);

static const char command_advice[] =
    "Name the command cushim, of the same version as this library, by its absolute path, as "
    "command of the options.";
static const char driver_advice[] =
    "Do not use the driver in this process; run nvidia-smi to see whether other programs fare "
    "better, and restart the machine or reinstall the NVIDIA driver if they do not.";

static const char *const verdict_names[] = {
    [CUSHIM_PROBE_UNKNOWN] = "unknown", [CUSHIM_PROBE_USABLE] = "usable",
    [CUSHIM_PROBE_ABSENT] = "absent",   [CUSHIM_PROBE_BROKEN] = "broken",
    [CUSHIM_PROBE_HUNG] = "hung",
};

static const struct {
    const char *name, *where;
} stages[] = {
    [CUSHIM_PROBE_STAGE_START] = {"start", "before it came to the driver"},
    [CUSHIM_PROBE_STAGE_LOAD] = {"load", "while its library was opened"},
    [CUSHIM_PROBE_STAGE_INIT] = {"init", "in cuInit"},
    [CUSHIM_PROBE_STAGE_COUNT] = {"count", "as it was asked for its devices"},
    [CUSHIM_PROBE_STAGE_DONE] = {"done", "after it had answered"},
};

/* Too large for a small thread's stack. */
struct probing {
    struct cushim_probe_result found;
    char text[CUSHIM__PROBE_ANSWER_BYTES];
    char command[CUSHIM_REPORT_PATH_BYTES];
};

const char *cushim_probe_verdict_name(enum cushim_probe_verdict verdict)
{
    return (size_t)verdict < sizeof verdict_names / sizeof verdict_names[0] ? verdict_names[verdict]
                                                                            : "unknown";
}

const char *cushim_probe_stage_name(enum cushim_probe_stage stage)
{
    return (size_t)stage < sizeof stages / sizeof stages[0] ? stages[stage].name : "unknown";
}

/* The end of a path's folder: behind its last separator. NULL: the path does not tell. */
static char *folder_end(char *path)
{
    char *last = strrchr(path, cushim__system_is_windows ? '\\' : '/');

    return last && cushim__path_is_absolute(path) ? last + 1 : NULL;
}

/*
 * The command that was installed together with this library, wherever both are; NULL: none is
 * known. Its `..` stay in it: the system resolves them behind the links of the folder.
 */
static const char *command_beside(char *path, size_t size)
{
    static const char command[] = CUSHIM__COMMAND;
    char *end;

    if (!command[0] || cushim__path_is_absolute(command))
        return command[0] ? command : NULL;
    cushim__function_path((cushim_function)command_beside, path, size);
    end = folder_end(path);
    if (!end || sizeof command > size - (size_t)(end - path))
        return NULL;
    memcpy(end, command, sizeof command);
    return path;
}

/* Which input cannot be right, and why; NULL: none. */
static const char *refuse_path(const char *path)
{
    if (!path)
        return NULL;
    if (!cushim__path_is_absolute(path))
        return path[0] ? "the path is not absolute" : "the path is empty";
    return strlen(path) < CUSHIM_REPORT_PATH_BYTES ? NULL : "the path is too long";
}

static CUresult refuse(const struct cushim_probe_options *options,
                       struct cushim_probe_result *found)
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
static void judge_answer(struct cushim_probe_result *found)
{
    switch (found->state) {
    case CUSHIM_STATE_NOT_FOUND:
    case CUSHIM_STATE_DISABLED:
    case CUSHIM_STATE_STUB:
    case CUSHIM_STATE_NO_DEVICE:
        found->verdict = CUSHIM_PROBE_ABSENT;
        break;
    case CUSHIM_STATE_READY:
        found->verdict = found->code != CUDA_SUCCESS ? CUSHIM_PROBE_BROKEN
                         : found->device_count > 0   ? CUSHIM_PROBE_USABLE
                                                     : CUSHIM_PROBE_ABSENT;
        break;
    default:
        found->verdict = CUSHIM_PROBE_BROKEN;
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
    const struct cushim__errand_signal *signal = cushim__errand_signals;

    while (signal->name && signal->number != number)
        signal++;
    return signal->name;
}

static void add_end(struct cushim__text *text, const struct cushim__errand *errand)
{
    const char *name = signal_name(errand->signal);

    if (errand->signal)
        cushim__text_format(text, errand->signal < 1000 ? "by signal %u%s%s%s" : "by 0x%x%s%s%s",
                            errand->signal, name ? " (" : "", name ? name : "", name ? ")" : "");
    else if (errand->exit_status >= 0)
        cushim__text_format(text, "with exit status %d", errand->exit_status);
    else
        cushim__text_add(text, "in a way that something else in this process has taken note of");
}

/* The process has not answered, or not in full. */
static void judge_silence(const struct cushim__errand *errand, enum cushim__answer answer,
                          struct cushim_probe_result *found)
{
    const bool is_driver = found->stage != CUSHIM_PROBE_STAGE_START;
    struct cushim__text text;

    found->verdict = CUSHIM_PROBE_BROKEN;
    cushim__text_begin(&text, found->reason, sizeof found->reason);
    cushim__text_format(&text, "The %s%s", is_driver ? "driver" : "command",
                        is_driver && !found->library[0] ? "" : " ");
    cushim__text_plain(&text, is_driver ? found->library : errand->command);
    if (answer == CUSHIM__ANSWER_GARBAGE || errand->is_full) {
        cushim__text_format(&text, "%s, %s",
                            is_driver ? " has garbled the answer of its process"
                                      : " has not answered as cushim's does",
                            stages[found->stage].where);
    } else if (errand->is_late) {
        found->verdict = CUSHIM_PROBE_HUNG;
        cushim__text_add(&text, " has not come back within ");
        add_time(&text, errand->timeout_ns);
        cushim__text_format(&text, ": it hangs %s", stages[found->stage].where);
    } else if (is_driver && errand->exit_status == CUSHIM__PROBE_LOST) {
        cushim__text_format(&text, " has closed descriptors that are not its own, %s",
                            stages[found->stage].where);
    } else {
        cushim__text_add(&text, is_driver ? " has ended its process " : " has ended ");
        add_end(&text, errand);
        cushim__text_format(&text, ", %s", stages[found->stage].where);
    }
    if (errand->left_process)
        cushim__text_format(&text, ", and the system cannot end the process %ld",
                            errand->left_process);
    cushim__text_add(&text, ".");
    cushim__text_copy(found->advice, sizeof found->advice,
                      is_driver ? driver_advice : command_advice);
}

/* The library that was being opened: it is known if somebody has named it. */
static void name_library(const struct cushim_probe_options *options,
                         struct cushim_probe_result *found)
{
    char room[CUSHIM_REPORT_PATH_BYTES];
    const char *named = options->library;

    if (found->stage != CUSHIM_PROBE_STAGE_LOAD)
        return;
    if (!named)
        named = cushim__environment("CUSHIM_LIBRARY", room, sizeof room);
    if (named && cushim__path_is_absolute(named))
        cushim__text_copy(found->library, sizeof found->library, named);
}

static CUresult probe_with(const struct cushim_probe_options *options, struct probing *probing)
{
    const char *command = options->command
                              ? options->command
                              : command_beside(probing->command, sizeof probing->command);
    struct cushim_probe_result *found = &probing->found;
    char minimum[16];
    const char *const words[] = {CUSHIM__PROBE_WORD, CUSHIM__PROBE_PROTOCOL, minimum,
                                 options->library ? options->library : "", NULL};
    struct cushim__errand errand = {
        .command = command,
        .words = words,
        .timeout_ns = options->timeout_ns ? options->timeout_ns : default_timeout_ns,
        .text = probing->text,
        .size = sizeof probing->text,
        .exit_status = -1,
    };
    enum cushim__answer answer;
    struct cushim__text text;
    CUresult code = refuse(options, found);

    if (code != CUDA_SUCCESS)
        return code;
    snprintf(minimum, sizeof minimum, "%d", options->minimum_version);
    snprintf(errand.problem, sizeof errand.problem, "no command is named, and none is known here");
    code = command ? cushim__errand_run(&errand) : CUDA_ERROR_FILE_NOT_FOUND;
    if (code != CUDA_SUCCESS) {
        cushim__text_begin(&text, found->reason, sizeof found->reason);
        cushim__text_add(&text, "The probe was not made: ");
        cushim__text_plain(&text, errand.problem);
        cushim__text_add(&text, ".");
        cushim__text_copy(found->advice, sizeof found->advice,
                          code == CUDA_ERROR_NOT_PERMITTED
                              ? "Probe from a process without these rights."
                              : command_advice);
        return code;
    }
    answer = cushim__probe_answer_read(errand.text, errand.length, found);
    found->exit_status = errand.exit_status;
    found->signal = errand.signal;
    found->left_process = errand.left_process;
    if (answer == CUSHIM__ANSWER_WHOLE) {
        judge_answer(found);
    } else {
        name_library(options, found);
        judge_silence(&errand, answer, found);
    }
    return CUDA_SUCCESS;
}

CUresult cushim_probe(const struct cushim_probe_options *options, struct cushim_probe_result *probe)
{
    struct cushim_probe_options known = {.size = sizeof known};
    struct probing *probing;
    CUresult code;

    if (!probe || probe->size < sizeof probe->size ||
        !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    probing = cushim__map_pages(sizeof *probing);
    if (!probing)
        return CUDA_ERROR_OUT_OF_MEMORY;
    probing->found.exit_status = -1;
    code = probe_with(&known, probing);
    probing->found.size = probe->size < sizeof *probe ? probe->size : sizeof *probe;
    memcpy(probe, &probing->found, probing->found.size);
    cushim__unmap_pages(probing, sizeof *probing);
    return code;
}
