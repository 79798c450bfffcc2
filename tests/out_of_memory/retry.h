/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table over the mock's that makes each call again and again: with its first request to the
 * system failing, with the second, and so on, each alone and with all later ones, until one call
 * goes through without. Only that one's answer is the caller's, so what tests claim of the mock
 * holds only if a call that failed has done nothing. Of each call that failed is looked at: that
 * it answers a code for what it lacks, writes nothing, and keeps nothing.
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
    bool is_idle;                 /* within another call */
    unsigned seen[8], seen_count; /* what attempts have answered besides */
    size_t handles, allocations, misuses;
    size_t output_count;
    struct {
        const void *at;
        size_t size;
        unsigned char before[RETRY_OUTPUT_BYTES];
    } outputs[RETRY_OUTPUTS];
};

/* The table, and the one under it. */
extern const struct cushim_table retry_table;
extern const struct cushim_table *retry_next;

void retry_begin(struct retry *retry, unsigned slot);
void retry_output(struct retry *retry, const void *at, size_t size);
void retry_attempt(struct retry *retry);

/* False: the answer is the caller's. */
bool retry_again(struct retry *retry, CUresult code);

/* What a claim is broken by: a line, to the file that OOM_WRONG names. */
void retry_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
