/* SPDX-License-Identifier: Apache-2.0 */
/* The result of each kernel, or the reason why there is none. */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RESULTS_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_RESULTS_H

#include <stdio.h>

#include "program.h"

enum outcome { MISSING, COMPUTED, REFUSED, FAULTED };

struct result {
    uint32_t outcome;
    uint32_t bytes;
    const unsigned char *data; /* the results, or a text */
};

struct results {
    struct result *of; /* one for each kernel */
    char *file;
};

/* Writing: results_begin() creates the file; several processes, which may die, append to it. */
void results_begin(const char *path, const struct programs *programs);
int results_continue(const char *path);
void results_write(int file, size_t kernel, enum outcome outcome, const void *data, size_t bytes);
void results_write_text(int file, size_t kernel, enum outcome outcome, const char *text);

struct results *results_read(const char *path, const struct programs *programs);
void results_free(struct results *results);

/* The distance of two numbers of a type, in units of the last place. */
struct distance {
    double units, absolute;
    bool other_kind; /* only one of them is a NaN or infinite */
};
struct distance distance_between(enum accuracy accuracy, uint64_t a, uint64_t b);

#endif
