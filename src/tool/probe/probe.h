/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: another process opens the driver, initialises it and asks for its devices, for a
 * limited time. A driver that hangs or crashes, in cuInit or in the constructors that run while it
 * is opened, takes only that process with it. The process is this command again: probe_child.c.
 */
#ifndef CUSHIM_TOOL_PROBE_PROBE_H
#define CUSHIM_TOOL_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/report.h>

#include "src/tool/base/arguments.h"
#include "src/tool/base/failure.h"

/* Sizes of the strings of a result, including the NUL. Longer text ends in `...`. */
enum { PROBE_PATH_BYTES = 1024, PROBE_REASON_BYTES = 1792, PROBE_ADVICE_BYTES = 512 };

enum probe_verdict {
    PROBE_UNKNOWN,   /* the probe could not be made */
    PROBE_USABLE,    /* the driver is initialised and has a device */
    PROBE_SIMULATED, /* the same, but it is a mock driver */
    PROBE_ABSENT,    /* no driver, or no device: there is nothing to repair */
    PROBE_BROKEN,    /* there is a driver that fails or crashes, or is too old */
    PROBE_HUNG,      /* the process had not answered when time ran out */
};

/* How far the process got. */
enum probe_stage {
    PROBE_STAGE_START, /* it did not reach the driver: the command failed */
    PROBE_STAGE_LOAD,  /* the library is being opened: its constructors run */
    PROBE_STAGE_INIT,  /* in cuInit */
    PROBE_STAGE_COUNT, /* the driver is asked for its devices and their properties */
    PROBE_STAGE_DONE,  /* it has answered */
};

struct probe_result {
    enum probe_verdict verdict;
    enum probe_stage stage;  /* where the driver stopped, or DONE */
    enum cushim_state state; /* from the process's report; UNTRIED unless the stage is DONE */
    CUresult code;           /* 0 if usable, else what loading, cuInit or another call returned */
    int driver_version;      /* 12080 is 12.8; 0 if unknown */
    int device_count;        /* 0 if there is none, or unknown */
    int exit_status;         /* -1 if the process did not end by itself */
    unsigned signal;         /* signal that ended the process (on Windows the exception), or 0 */
    bool is_mock;            /* the library is a mock driver */
    long unreaped_pid;       /* process that could not be ended, or 0 */
    /* The library that was loaded; or named, if it crashed or hung at the stage LOAD; or empty. */
    char library[PROBE_PATH_BYTES];
    char reason[PROBE_REASON_BYTES]; /* one sentence: the finding and its cause */
    char advice[PROBE_ADVICE_BYTES]; /* one sentence: what to do; empty if nothing */
};

/*
 * Run `command`, which is cushim, in a process group of its own (a job on Windows), wait for its
 * answer until the time is over, and end the whole group. `library` is the absolute path of the one
 * driver to try, or NULL for the usual search. The process inherits the environment and the current
 * folder but no descriptor; every signal has its default action there. If a hung kernel keeps the
 * killed process, it is given up after one second and named in `unreaped_pid`.
 *
 * Any code but success means that there was no probe; `reason` and `advice` say why:
 *     INVALID_VALUE     the path of the library is not absolute or too long
 *     OPERATING_SYSTEM  the command cannot be started
 */
CUresult probe_run(const char *command, const char *library, uint64_t timeout_ns,
                   struct probe_result *result);

/*
 * Try the driver that the command line asks for in a separate process, for at most `timeout_ns`, or
 * for 10 s if that is 0. Returns the codes of probe_run().
 */
CUresult probe_driver(const struct arguments *arguments, uint64_t timeout_ns,
                      struct probe_result *result);

/* `start` for PROBE_STAGE_START, and so on. */
const char *probe_stage_name(enum probe_stage stage);

/* The exit status for the result of a probe. */
enum status probe_status(const struct probe_result *result);

/* --- The answer: probe.c reads it, probe_child.c writes it --- */

/* The word that the command is started with, before the library's path or an empty word. */
#define PROBE_WORD "probe-child"

/* These bytes begin each message. The digit changes with the layout of the message. */
#define PROBE_MARK "cushim 4"

/* The status of a process that cannot answer, because its descriptor is gone. */
enum { PROBE_LOST = 79 };

/*
 * The process sends a message at each stage that it reaches. If the driver ends or hangs the
 * process, the last message says at which stage, and from INIT on with which driver. The members
 * from `state` on are written at the stage DONE.
 */
struct probe_message {
    char mark[sizeof PROBE_MARK - 1];
    int32_t stage;
    int32_t driver_version;
    char library[PROBE_PATH_BYTES];
    int32_t state, code, device_count, is_mock;
    char reason[PROBE_REASON_BYTES];
    char advice[PROBE_ADVICE_BYTES];
};

enum probe_answer {
    PROBE_ANSWER_CUT,     /* the process stopped before the last message */
    PROBE_ANSWER_WHOLE,   /* all messages, and nothing after them */
    PROBE_ANSWER_GARBAGE, /* bytes that the command does not write */
};

/*
 * Read the bytes of an answer. The stage is always written, the findings only for a whole answer.
 */
enum probe_answer probe_answer_read(const char *bytes, size_t length, struct probe_result *result);

/*
 * Do what probe_run() has started this process for, which the manual leaves out. Returns
 * STATUS_USAGE if the words are not those that probe_run() passes.
 */
enum status probe_child(int count, char **words);

/* --- The process: probe_posix.c, probe_windows.c --- */

/* How long to wait for the end of a process that was killed. */
#define PROBE_GRACE_NS UINT64_C(1000000000)

struct probe_process {
    const char *command, *library; /* the latter is empty for the usual search */
    uint64_t timeout_ns;

    /* Room for one message more than there are. */
    char answer[(PROBE_STAGE_DONE + 1) * sizeof(struct probe_message)];
    size_t length;     /* of the answer */
    bool is_late;      /* it had not ended when time ran out */
    int exit_status;   /* -1 if it did not end by itself */
    unsigned signal;   /* signal that ended it; 0 if none, or if probe_run() sent it */
    long unreaped_pid; /* its number if it could not be ended, or 0 */
    char problem[192]; /* why it could not be started */
};

/* Whether the process has written more than it should, and is therefore ended. */
static inline bool probe_answer_is_full(const struct probe_process *process)
{
    return process->length == sizeof process->answer;
}

/*
 * Run the process, and return when it has ended and all of its group has been ended. Returns false
 * if it could not be started; `problem` then says why.
 */
bool probe_process_run(struct probe_process *process);

/* `SIGSEGV`, or the name of an exception; NULL if it has no name here. */
const char *probe_signal_name(unsigned number);

/*
 * In the child: keep standard output for the answer alone. The driver gets streams that lead
 * nowhere, and none of the caller's descriptors. The process ends when the caller does, and leaves
 * no core file.
 */
bool probe_channel_open(void);

/* Returns false if the driver has closed the channel, or put something else in its place. */
bool probe_channel_write(const void *bytes, size_t length);

#endif
