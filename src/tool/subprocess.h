/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A subprocess: a program that is started for what it prints, in a process group of its own, and does
 * not outlive it. subprocess_posix.c, process_windows.c.
 */
#ifndef CUSHIM_TOOL_SUBPROCESS_H
#define CUSHIM_TOOL_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* How long one waits for the end of a process that was killed. */
#define SUBPROCESS_GRACE_NS UINT64_C(1000000000)

struct subprocess {
    const char *command;      /* absolute path */
    const char *const *words; /* behind its name; ends with NULL, none has a quote in it */
    uint64_t timeout_ns;
    char *text;  /* receives what it prints, and a NUL behind it */
    size_t size; /* of text */

    size_t length;     /* of what it has printed */
    bool is_late;      /* it had not ended when the time was over */
    bool is_full;      /* it printed more than there is room for, and was not let go on */
    int exit_status;   /* -1: it did not end by itself, or it is not known how */
    unsigned signal;   /* that ended it; 0: none, or it is not known, or it was ours */
    long unreaped_pid; /* it could not be ended; 0: it has ended */
    char problem[192]; /* why it could not be started */
};

/*
 * Run it, and come back when it has ended, and been ended with all of its group. A code other than
 * 0 says that it was not started: then `problem` tells why, and nothing else is written.
 */
CUresult subprocess_run(struct subprocess *process);

/* `SIGSEGV`, or an exception's name; the last one has none. */
struct subprocess_signal {
    unsigned number;
    const char *name;
};

extern const struct subprocess_signal subprocess_signals[];

#endif
