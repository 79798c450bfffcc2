/* SPDX-License-Identifier: Apache-2.0 */
/* A load of a file in a process of its own, and what came of it. */
#ifndef CUSHIM_TESTS_HOSTILE_TRIAL_H
#define CUSHIM_TESTS_HOSTILE_TRIAL_H

#include <stdbool.h>

/* In the order of what counts: all up to TRIAL_LIBRARY are as they should be. */
enum trial_end {
    TRIAL_REFUSED,           /* by cushim, which has not asked the linker */
    TRIAL_REFUSED_BY_LINKER, /* and its words are in the report */
    TRIAL_OPENED,            /* and is no driver */
    TRIAL_LOADED,
    TRIAL_LIBRARY, /* crashed in the library's own code, or where that has led */
    TRIAL_LINKER,  /* crashed in the linker, or the linker ended the process */
    TRIAL_CUSHIM,  /* crashed in cushim */
    TRIAL_HUNG,
    TRIAL_ENDS,
};

extern const char *const trial_end_names[TRIAL_ENDS];

struct trial {
    enum trial_end end;
    int outcome;     /* of the candidate; -1 if there was no end */
    char words[160]; /* the message of the candidate, or how it crashed */
};

/* Load the library at `path`, or the one of the search if it is NULL. */
struct trial trial_run(const char *path);

#endif
