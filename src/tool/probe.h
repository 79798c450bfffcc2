/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: another process opens the driver, initialises it and asks for its devices, for a
 * limited time. A driver that hangs or crashes, in cuInit or in the constructors that run as it is
 * opened, takes only that process with it. The process is this command again: probe_child.c.
 */
#ifndef CUSHIM_TOOL_PROBE_H
#define CUSHIM_TOOL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/report.h>

#include "src/tool/failure.h"

/* Sizes of the strings of a result, the closing NUL included. Longer text ends in `...`. */
enum { PROBE_PATH_BYTES = 1024, PROBE_REASON_BYTES = 1792, PROBE_ADVICE_BYTES = 512 };

enum probe_verdict {
    PROBE_UNKNOWN, /* the probe could not be made */
    PROBE_USABLE,  /* the driver is initialised and has a device */
    PROBE_ABSENT,  /* no driver, or no device: there is nothing to repair */
    PROBE_BROKEN,  /* there is a driver that fails or crashes, or is too old */
    PROBE_HUNG,    /* the process had not answered when the time was over */
};

/* How far the process came. */
enum probe_stage {
    PROBE_STAGE_START, /* not to the driver: the command failed */
    PROBE_STAGE_LOAD,  /* the library is being opened: its constructors run */
    PROBE_STAGE_INIT,  /* in cuInit */
    PROBE_STAGE_COUNT, /* the driver is asked for its devices and what they are */
    PROBE_STAGE_DONE,  /* it has answered */
};

struct probe_result {
    enum probe_verdict verdict;
    enum probe_stage stage;  /* where the driver stopped, or DONE */
    enum cushim_state state; /* from the process's report; UNTRIED unless the stage is DONE */
    CUresult code;           /* 0 if usable, else what loading, cuInit or another call returned */
    int driver_version;      /* 12080 is 12.8; 0: unknown */
    int device_count;        /* 0: none, or unknown */
    int exit_status;         /* -1: the process did not end by itself */
    unsigned signal;         /* that ended the process, on Windows the exception; 0: none */
    long unreaped_pid;       /* process that could not be ended; 0: none */
    /* What was loaded, or, if it crashed or hung at the stage LOAD, what was named; else empty. */
    char library[PROBE_PATH_BYTES];
    char reason[PROBE_REASON_BYTES]; /* one sentence: the finding and its cause */
    char advice[PROBE_ADVICE_BYTES]; /* one sentence: what to do; empty if nothing */
};

/*
 * Run `command`, which is cushim, in a process group of its own (a job on Windows), wait for its
 * answer until the time is over, and end the whole group. `library` is the absolute path of the one
 * driver to try; NULL: the usual search. The process inherits the environment and the current
 * folder but no descriptor; every signal has its default action there. A process that a hung kernel
 * keeps although it was killed is given up after one second and named in `unreaped_pid`.
 *
 * Any code but success says that there was no probe; `reason` and `advice` say why:
 *     INVALID_VALUE     the path of the library is not absolute or too long
 *     OPERATING_SYSTEM  the command cannot be started
 */
CUresult probe_run(const char *command, const char *library, uint64_t timeout_ns,
                   struct probe_result *result);

/* --- The answer: probe.c reads it, probe_child.c writes it --- */

/* What the command is started with, besides the path of the library or an empty word. */
#define PROBE_WORD "probe-child"

/* These bytes begin each message. The digit changes with the layout of the message. */
#define PROBE_MARK "cushim 3"

/* The status of a process that cannot answer, since its descriptor is gone. */
enum { PROBE_LOST = 79 };

/*
 * The process sends a message at each stage that it reaches. Where the driver ends or stops the
 * process, the last message says where that was, and from INIT on which driver it was. The
 * members from `state` on are written at the stage DONE.
 */
struct probe_message {
    char mark[sizeof PROBE_MARK - 1];
    int32_t stage;
    int32_t driver_version;
    char library[PROBE_PATH_BYTES];
    int32_t state, code, device_count;
    char reason[PROBE_REASON_BYTES];
    char advice[PROBE_ADVICE_BYTES];
};

enum probe_answer {
    PROBE_ANSWER_CUT,     /* the process has stopped before the last message */
    PROBE_ANSWER_WHOLE,   /* all messages, and nothing behind them */
    PROBE_ANSWER_GARBAGE, /* bytes that the command does not write */
};

/*
 * Read the bytes of an answer. The stage is written in each case, the findings only of a whole one.
 */
enum probe_answer probe_answer_read(const char *bytes, size_t length, struct probe_result *result);

/*
 * Do what probe_run() has started this process for: not in the manual. Comes back only if the words
 * are not those that probe_run() passes.
 */
enum status probe_child(int count, char **words);

/* --- The process: probe_posix.c, probe_windows.c --- */

/* How long the end of a process that was killed is waited for. */
#define PROBE_GRACE_NS UINT64_C(1000000000)

struct probe_process {
    const char *command, *library; /* the latter is empty for the usual search */
    uint64_t timeout_ns;

    /* Room for a message more than there are. */
    char answer[(PROBE_STAGE_DONE + 1) * sizeof(struct probe_message)];
    size_t length;     /* of the answer */
    bool is_late;      /* it had not ended when the time was over */
    int exit_status;   /* -1: it did not end by itself */
    unsigned signal;   /* that ended it; 0: none, or the one that probe_run() sent */
    long unreaped_pid; /* it could not be ended; 0: it has ended */
    char problem[192]; /* why it could not be started */
};

/* Whether it has written more than it should, so that it is not let go on. */
static inline bool probe_answer_is_full(const struct probe_process *process)
{
    return process->length == sizeof process->answer;
}

/*
 * Run it, and come back when it has ended, and been ended with all of its group. False: it could
 * not be started, and `problem` says why.
 */
bool probe_process_run(struct probe_process *process);

/* `SIGSEGV`, or the name of an exception; NULL: it has no name here. */
const char *probe_signal_name(unsigned number);

/*
 * In the child: keep standard output for the answer alone. The driver gets streams that lead
 * nowhere, and no descriptor of the caller's. The process ends when the caller does, and leaves no
 * core file.
 */
bool probe_channel_open(void);

/* False: the driver has closed the channel, or put something else in its place. */
bool probe_channel_write(const void *bytes, size_t length);

#endif
