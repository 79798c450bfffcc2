/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: another process opens the driver, initialises it and asks for its devices, for a limited
 * time. A driver that hangs or crashes, in cuInit or in the constructors that run as it is opened,
 * takes only that process with it. The process is the command `cushim`: probe_child.c.
 */
#ifndef CUSHIM_TOOL_PROBE_H
#define CUSHIM_TOOL_PROBE_H

#include <stdint.h>

#include <cushim/report.h>

/* Sizes of the strings of a result, the closing NUL included. Longer text ends in `...`. */
enum { PROBE_PATH_BYTES = 1024, PROBE_REASON_BYTES = 1792, PROBE_ADVICE_BYTES = 512 };

enum probe_verdict {
    PROBE_UNKNOWN, /* the probe could not be made */
    PROBE_USABLE,  /* the driver is initialised and has a device */
    PROBE_ABSENT,  /* no driver, or no device: there is nothing to mend */
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

struct probe_options {
    const char *command; /* absolute path of the command cushim; not NULL */
    const char *library; /* absolute path of the one driver to try; NULL: the usual search */
    int minimum_version; /* oldest CUDA version that will do: 12020 is 12.2; 0: any */
    uint64_t timeout_ns; /* longest wait, monotonic clock; 0: ten seconds */
};

struct probe_result {
    enum probe_verdict verdict;
    enum probe_stage stage;  /* where the driver stopped, or DONE */
    enum cushim_state state; /* from the process's report; UNTRIED unless the stage is DONE */
    CUresult code;           /* 0 if usable, else what loading, cuInit or another call returned */
    int driver_version;      /* 12080 is 12.8; 0: not known */
    int device_count;        /* 0: none, or not known */
    int exit_status;         /* -1: the process did not end by itself, or it is not known */
    unsigned signal;         /* that ended the process, on Windows the exception; 0: none */
    long unreaped_pid;       /* process that could not be ended; 0: none */
    /* What was loaded, or, if it crashed or hung at the stage LOAD, what was named; else empty. */
    char library[PROBE_PATH_BYTES];
    char reason[PROBE_REASON_BYTES]; /* one sentence: the finding and its cause */
    char advice[PROBE_ADVICE_BYTES]; /* one sentence: what to do; empty if nothing */
};

/*
 * Run the command in a process group of its own (a job on Windows), wait for its answer until the
 * time is over, and end the whole group. The process inherits the environment and the current folder
 * but no descriptor; every signal has its default action there. A process that a hung kernel keeps
 * although it was killed is given up after one second and named in `unreaped_pid`. Where SIGCHLD is
 * ignored, `exit_status` and `signal` may be unknown.
 *
 * Any code but success says that there was no probe; `reason` and `advice` say why:
 *     INVALID_VALUE     a path is not absolute or too long, or the version is negative
 *     FILE_NOT_FOUND    there is no such command
 *     NOT_PERMITTED     this process has more rights than its user (set-user-ID and the like), whose
 *                       environment must not reach a process that may not know so
 *     OPERATING_SYSTEM  the command cannot be started
 *     OUT_OF_MEMORY     there is no memory to read the answer into
 *
 * Any thread may call it, any number at once. A cancellation waits for the end of the call.
 */
CUresult probe_run(const struct probe_options *options, struct probe_result *result);

/* `usable`, `absent`, `broken`, `hung`; anything else is `unknown`. */
const char *probe_verdict_name(enum probe_verdict verdict);

/* `start`, `load`, `init`, `count`, `done`; anything else is `unknown`. */
const char *probe_stage_name(enum probe_stage stage);

#endif
