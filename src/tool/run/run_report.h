/* SPDX-License-Identifier: Apache-2.0 */
/* The findings about a program that runs on the mock driver or is checked. */
#ifndef CUSHIM_TOOL_RUN_RUN_REPORT_H
#define CUSHIM_TOOL_RUN_RUN_REPORT_H

#include "src/tool/base/arguments.h"

enum { FINDING_SIZE = 4096 };

/* One line of the file that a process has written. */
struct finding {
    struct finding *next;
    bool is_failure;
    char process[24];        /* its number; empty for all processes */
    char program[64];        /* its name; empty for all processes, or if it is unknown */
    char level[8];           /* of a check's finding; otherwise empty */
    unsigned long count;     /* how often it was found */
    char line[FINDING_SIZE]; /* the kind, a NUL, and the text */
};

struct findings {
    struct finding *first, **last;
    unsigned processes;
};

/* Add a finding; `process` is NULL for all processes. */
struct finding *findings_add(struct findings *findings, const char *process, const char *kind,
                             const char *text);
const char *finding_text(const struct finding *finding);

/* Where findings come from, and how they are judged. */
struct run_report {
    const char *command;  /* `cushim run` */
    const char *variable; /* the environment variable that says where a process writes them */
    const char *nothing;  /* the message if no process has written any */
    /* Judges the findings when the program has ended; NULL if all are failures. */
    void (*judge)(const struct arguments *arguments, struct findings *findings);
};

/*
 * Start the program, and return its exit status when it ends, or the one of --error-exitcode, if
 * that was 0 and a finding is a failure. Writes the file of --report.
 */
int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure);

#endif
