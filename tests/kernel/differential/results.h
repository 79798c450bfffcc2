/* SPDX-License-Identifier: Apache-2.0 */
/* What became of each kernel: its results, or why there are none. */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RESULTS_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RESULTS_H

#include <stdio.h>

#include "program.h"

enum outcome { MISSING, COMPUTED, REFUSED, FAULTED };

struct result {
    uint32_t outcome;
    uint32_t bytes;
    const unsigned char *data; /* results, or a text */
};

struct results {
    struct result *of; /* one for each kernel */
    char *file;
};

/* Writing: the file is begun once, and continued by several processes that may die. */
void results_begin(const char *path, const struct programs *programs);
int results_continue(const char *path);
void results_write(int file, size_t kernel, enum outcome outcome, const void *data, size_t bytes);
void results_write_text(int file, size_t kernel, enum outcome outcome, const char *text);

struct results *results_read(const char *path, const struct programs *programs);
void results_free(struct results *results);

/* How far two numbers of a type are from each other, in units of the last place. */
struct distance {
    double units, absolute;
    bool other_kind; /* one is a NaN or infinite, and the other is not */
};
struct distance distance_between(enum accuracy accuracy, uint64_t a, uint64_t b);

#endif
