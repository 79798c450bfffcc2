/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that runs on the mock driver, or is checked, was found to do. */
#ifndef CUSHIM_TOOL_RUN_REPORT_H
#define CUSHIM_TOOL_RUN_REPORT_H

#include "src/tool/commands.h"

enum { FINDING_SIZE = 4096 };

/* One line of the file that a process has written. */
struct finding {
    struct finding *next;
    bool is_failure;
    char process[24];        /* its number; empty: it is of all */
    char level[8];           /* of a check's finding; empty: it has none */
    unsigned long count;     /* so often it was found */
    char line[FINDING_SIZE]; /* the kind, NUL and the text */
};

struct findings {
    struct finding *first, **last;
    unsigned processes;
};

/* Add one; NULL for the process: it is of all. */
struct finding *findings_add(struct findings *findings, const char *process, const char *kind,
                             const char *text);
const char *finding_text(const struct finding *finding);

/* Which findings are looked for. */
struct run_report {
    const char *command;  /* `cushim run` */
    const char *variable; /* of the environment: by which a process knows where to write them */
    const char *nothing;  /* what is said if no process has written any */
    /* Look at what was found when the program has ended; NULL: all are failures. */
    void (*judge)(const struct arguments *arguments, struct findings *findings);
};

/*
 * Start the program, and when it ends take over its exit status; or the one of --error-exitcode, if
 * that was 0 and a finding is a failure. Writes the file of --report.
 */
int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure);

#endif
