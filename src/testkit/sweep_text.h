/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep tells of the runs in which something was wrong. */
#ifndef CUSHIM_LAYER_SWEEP_TEXT_H
#define CUSHIM_LAYER_SWEEP_TEXT_H

#include "src/testkit/sweep_run.h"

enum { CUSHIM__SWEEP_LINES = 128 }; /* of runs, at most */

/*
 * Where the lines go: as many as there is room for, and how many there were not. Runs in which the
 * same was wrong in the same place have one line.
 */
struct cushim__sweep_text {
    char *buffer;
    size_t size, used;
    size_t reserved; /* for what closes the lines of runs */
    uint64_t left_out;
    struct {
        uint64_t what; /* was wrong */
        size_t end;    /* of its line */
        uint64_t more; /* runs like it */
    } lines[CUSHIM__SWEEP_LINES];
    unsigned line_count;
};

void cushim__sweep_text_begin(struct cushim__sweep_text *text, char *buffer, size_t size);

/* One line, cut if it is the first and too long. */
void cushim__sweep_text_add(struct cushim__sweep_text *text, const char *line);

/* Say of each line how many runs were like it. Nothing is added behind this. */
void cushim__sweep_text_end(struct cushim__sweep_text *text);

/* The line of a run. */
void cushim__sweep_text_add_run(struct cushim__sweep_text *text,
                                const struct cushim__sweep_run *run);

#endif
