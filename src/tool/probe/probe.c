/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the driver in a separate process, for a limited time, and judges what came of it. */
#include "src/tool/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include <cushim/error.h>

#include "src/base/system.h"
#include "src/base/text.h"
#include "src/tool/base/arguments.h"
#include "src/tool/base/driver.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"

static const uint64_t default_timeout_ns = UINT64_C(10000000000);

static const char command_advice[] = "Install cushim again, and call the command by its path.";
static const char driver_advice[] =
    "Do not use the driver in this process; run nvidia-smi to see whether other programs fare "
    "better, and restart the machine or reinstall the NVIDIA driver if they do not.";

static const struct {
    const char *name, *where;
} stages[] = {
    [PROBE_STAGE_START] = {"start", "before it came to the driver"},
    [PROBE_STAGE_LOAD] = {"load", "while its library was opened"},
    [PROBE_STAGE_INIT] = {"init", "in cuInit"},
    [PROBE_STAGE_COUNT] = {"count", "as it was asked for its devices"},
    [PROBE_STAGE_DONE] = {"done", "after it had answered"},
};

const char *probe_stage_name(enum probe_stage stage)
{
    return stages[stage].name;
}

/* Whether this is a message that the command writes after it has reached a stage. */
static bool is_valid(const struct probe_message *message, enum probe_stage reached)
{
    const bool is_ready = message->state == CUSHIM_STATE_READY;

    if (memcmp(message->mark, PROBE_MARK, sizeof message->mark) != 0 ||
        !memchr(message->library, '\0', sizeof message->library) ||
        !memchr(message->reason, '\0', sizeof message->reason) ||
        !memchr(message->advice, '\0', sizeof message->advice) || message->driver_version < 0)
        return false;
    if (message->stage != PROBE_STAGE_DONE)
        return message->stage == (int32_t)reached + 1;
    return reached != PROBE_STAGE_START && message->state >= CUSHIM_STATE_UNTRIED &&
           message->state <= CUSHIM_STATE_FORKED && is_ready == (reached == PROBE_STAGE_COUNT) &&
           (is_ready || message->code != 0) && message->device_count >= 0 &&
           (message->code == 0 || message->device_count == 0);
}

enum probe_answer probe_answer_read(const char *bytes, size_t length, struct probe_result *result)
{
    struct probe_message message;

    *result = (struct probe_result){.exit_status = -1};
    for (; length >= sizeof message; bytes += sizeof message, length -= sizeof message) {
        memcpy(&message, bytes, sizeof message);
        if (!is_valid(&message, result->stage) ||
            (message.stage == PROBE_STAGE_DONE && length != sizeof message))
            return PROBE_ANSWER_GARBAGE;
        result->stage = (enum probe_stage)message.stage;
        result->driver_version = message.driver_version;
        memcpy(result->library, message.library, sizeof result->library);
    }
    if (result->stage != PROBE_STAGE_DONE) {
        const size_t begun = length < sizeof message.mark ? length : sizeof message.mark;
        return memcmp(bytes, PROBE_MARK, begun) == 0 ? PROBE_ANSWER_CUT : PROBE_ANSWER_GARBAGE;
    }
    result->state = (enum cushim_state)message.state;
    result->code = (CUresult)message.code;
    result->device_count = message.device_count;
    result->is_mock = message.is_mock != 0;
    memcpy(result->reason, message.reason, sizeof result->reason);
    memcpy(result->advice, message.advice, sizeof result->advice);
    return PROBE_ANSWER_WHOLE;
}

/* Judge a process that has answered: the reason and the advice are its own. */
static enum probe_verdict judge_answer(const struct probe_result *result)
{
    switch (result->state) {
    case CUSHIM_STATE_NOT_FOUND:
    case CUSHIM_STATE_DISABLED:
    case CUSHIM_STATE_STUB:
    case CUSHIM_STATE_NO_DEVICE:
        return PROBE_ABSENT;
    case CUSHIM_STATE_READY:
        return result->code != CUDA_SUCCESS ? PROBE_BROKEN
               : result->device_count == 0  ? PROBE_ABSENT
               : result->is_mock            ? PROBE_SIMULATED
                                            : PROBE_USABLE;
    default:
        return PROBE_BROKEN;
    }
}

static void add_end(struct cushim__text *text, const struct probe_process *process)
{
    const char *name = probe_signal_name(process->signal);

    if (process->signal)
        cushim__text_format(text, process->signal < 1000 ? "by signal %u%s%s%s" : "by 0x%x%s%s%s",
                            process->signal, name ? " (" : "", name ? name : "", name ? ")" : "");
    else
        cushim__text_format(text, "with exit status %d", process->exit_status);
}

/* Judge a process that has not answered, or not in full. */
static void judge_silence(const struct probe_process *process, enum probe_answer answer,
                          struct probe_result *result)
{
    const bool is_driver = result->stage != PROBE_STAGE_START;
    const char *where = stages[result->stage].where;
    struct cushim__text text;

    result->verdict = PROBE_BROKEN;
    cushim__text_begin(&text, result->reason, sizeof result->reason);
    cushim__text_format(&text, "The %s%s", is_driver ? "driver" : "command",
                        is_driver && !result->library[0] ? "" : " ");
    cushim__text_plain(&text, is_driver ? result->library : process->command);
    if (answer == PROBE_ANSWER_GARBAGE) {
        cushim__text_format(&text, "%s, %s",
                            is_driver ? " has garbled the answer of its process"
                                      : " has not answered as cushim's does",
                            where);
    } else if (process->is_late) {
        result->verdict = PROBE_HUNG;
        cushim__text_format(&text, " has not come back within %g s: it hangs %s",
                            (double)process->timeout_ns / 1e9, where);
    } else if (is_driver && process->exit_status == PROBE_LOST) {
        cushim__text_format(&text, " has closed descriptors that are not its own, %s", where);
    } else {
        cushim__text_add(&text, is_driver ? " has ended its process " : " has ended ");
        add_end(&text, process);
        cushim__text_format(&text, ", %s", where);
    }
    if (process->unreaped_pid)
        cushim__text_format(&text, ", and the system cannot end the process %ld",
                            process->unreaped_pid);
    cushim__text_add(&text, ".");
    cushim__text_copy(result->advice, sizeof result->advice,
                      is_driver ? driver_advice : command_advice);
}

/* Name the library that was being opened. It is certain only if the user has named it. */
static void name_library(const char *library, struct probe_result *result)
{
    char room[PROBE_PATH_BYTES];

    if (!library)
        library = cushim__system_variable("CUSHIM_LIBRARY", room, sizeof room);
    if (library && cushim__system_path_is_absolute(library))
        cushim__text_copy(result->library, sizeof result->library, library);
}

static CUresult refuse(CUresult code, const char *why, const char *what, const char *advice,
                       struct probe_result *result)
{
    struct cushim__text text;

    cushim__text_begin(&text, result->reason, sizeof result->reason);
    cushim__text_format(&text, "The probe was not made: %s", why);
    cushim__text_plain(&text, what);
    cushim__text_add(&text, ".");
    cushim__text_copy(result->advice, sizeof result->advice, advice);
    return code;
}

CUresult probe_run(const char *command, const char *library, uint64_t timeout_ns,
                   struct probe_result *result)
{
    struct probe_process process = {
        .command = command,
        .library = library ? library : "",
        .timeout_ns = timeout_ns ? timeout_ns : default_timeout_ns,
        .exit_status = -1,
    };
    enum probe_answer answer;

    *result = (struct probe_result){.exit_status = -1};
    if (library &&
        (!cushim__system_path_is_absolute(library) || strlen(library) >= PROBE_PATH_BYTES))
        return refuse(CUDA_ERROR_INVALID_VALUE,
                      !library[0]                           ? "the path is empty"
                      : strlen(library) >= PROBE_PATH_BYTES ? "the path is too long: "
                                                            : "the path is not absolute: ",
                      library, "Give a path that begins at the root.", result);
    if (!command)
        return refuse(CUDA_ERROR_OPERATING_SYSTEM, "the path of the command is unknown", "",
                      command_advice, result);
    if (!probe_process_run(&process))
        return refuse(CUDA_ERROR_OPERATING_SYSTEM, "", process.problem, command_advice, result);
    answer = probe_answer_read(process.answer, process.length, result);
    result->exit_status = process.exit_status;
    result->signal = process.signal;
    result->unreaped_pid = process.unreaped_pid;
    if (answer == PROBE_ANSWER_WHOLE) {
        result->verdict = judge_answer(result);
    } else {
        if (result->stage == PROBE_STAGE_LOAD)
            name_library(library, result);
        judge_silence(&process, answer, result);
    }
    return CUDA_SUCCESS;
}

enum status probe_status(const struct probe_result *result)
{
    if (result->verdict == PROBE_USABLE)
        return STATUS_DONE;
    if (result->verdict == PROBE_SIMULATED)
        return STATUS_SIMULATED;
    if (result->verdict == PROBE_HUNG)
        return STATUS_HUNG;
    if (result->stage != PROBE_STAGE_DONE)
        return STATUS_CRASHED;
    switch (result->state) {
    case CUSHIM_STATE_READY:
        return result->code == CUDA_SUCCESS ? STATUS_NO_DEVICE : STATUS_FAILED;
    case CUSHIM_STATE_NO_DEVICE:
    case CUSHIM_STATE_KERNEL_MISMATCH:
    case CUSHIM_STATE_INIT_FAILED:
        return STATUS_NO_DEVICE;
    default:
        return STATUS_NO_DRIVER;
    }
}

CUresult probe_driver(const struct arguments *arguments, uint64_t timeout_ns,
                      struct probe_result *result)
{
    char *command = system_own_path(), *absolute;
    const char *library = driver_library(arguments->library, &absolute);
    const CUresult code = probe_run(command, library, timeout_ns, result);

    free(command);
    free(absolute);
    return code;
}
