/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line on standard error that tells how far a long run is, and is gone when it ends.
 *
 * Nothing is shown if standard error is no terminal, or in the first second.
 */
#ifndef CUSHIM_TOOL_PROGRESS_H
#define CUSHIM_TOOL_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool is_wanted;
    double next;    /* time of the next showing */
    int line_width; /* what is on the terminal now; 0 is nothing */
};

void progress_begin(struct progress *progress);

/* Round `done` of `total` is over. */
void progress_show(struct progress *progress, unsigned done, unsigned total);

/* Erase the line. */
void progress_end(struct progress *progress);

#endif
