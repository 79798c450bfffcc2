/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table over the mock's that repeats each call: with its first request to the system failing,
 * with the second, and so on, each alone and with all later ones, until no request fails. Only the
 * last result goes to the caller, so tests of the mock pass only if failed calls have no effect.
 * Each failed call must return a code for the denied resource, write no output, and leak nothing.
 */
#ifndef CUSHIM_TESTS_OOM_RETRY_H
#define CUSHIM_TESTS_OOM_RETRY_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/table.h>

enum { RETRY_OUTPUTS = 12, RETRY_OUTPUT_BYTES = 512 };

struct retry {
    unsigned slot, place;
    bool on;                      /* all later requests fail, too */
    bool is_idle;                 /* inside another call */
    unsigned seen[8], seen_count; /* other codes that attempts have returned */
    size_t handles, allocations, misuses;
    size_t output_count;
    struct {
        const void *at;
        size_t size;
        unsigned char before[RETRY_OUTPUT_BYTES];
    } outputs[RETRY_OUTPUTS];
};

/* The table, and the table below it. */
extern const struct cushim_table retry_table;
extern const struct cushim_table *retry_next;

void retry_begin(struct retry *retry, unsigned slot);
void retry_output(struct retry *retry, const void *at, size_t size);
void retry_attempt(struct retry *retry);

/* Returns false if the result goes to the caller. */
bool retry_again(struct retry *retry, CUresult code);

/* Write a line about a failed check to the file that OOM_WRONG names. */
void retry_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
