/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep tells of the runs in which something was wrong. */
#ifndef CUSHIM_LAYER_SWEEP_TEXT_H
#define CUSHIM_LAYER_SWEEP_TEXT_H

#include "src/layer/sweep/run.h"

/* Where the lines go: as many as there is room for, and how many there were not. */
struct cushim__sweep_text {
    char *buffer;
    size_t size, used;
    uint64_t left_out;
};

void cushim__sweep_text_begin(struct cushim__sweep_text *text, char *buffer, size_t size);

/* One line, cut if it is the first and too long. */
void cushim__sweep_text_add(struct cushim__sweep_text *text, const char *line);

/* The line of a run. */
void cushim__sweep_text_add_run(struct cushim__sweep_text *text,
                                const struct cushim__sweep_run *run);

#endif
