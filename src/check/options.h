/* SPDX-License-Identifier: Apache-2.0 */
/* What is checked and reported: for check itself, and for the command that starts a program. */
#ifndef CUSHIM_CHECK_OPTIONS_H
#define CUSHIM_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/text.h"
#include "src/driver_api/check_rules.h"

enum { CUSHIM__CHECK_PATTERN = 64 };

/* Findings that are not reported: each pattern may have `*`. */
struct cushim__check_suppression {
    struct cushim__check_suppression *next;
    char id[CUSHIM__CHECK_PATTERN], function[CUSHIM__CHECK_PATTERN], frame[CUSHIM__CHECK_PATTERN];
};

struct cushim__check_options {
    const char *report; /* findings are written to the file of this name and `.PID`; NULL: none */
    struct cushim__check_suppression *suppressions;
    unsigned expected[CUSHIM__CHECK_IDS]; /* findings of an id that are wanted, and 1; 0: none is */
    enum cushim__check_level level;       /* what is below it is not reported */
    bool has_leaks;                       /* what has leaked at the end is reported */
    bool lets_through; /* calls on which the driver crashes are made all the same */
    int promise;       /* the version of CUDA that the program is to work with; 0: any */
    void (*print)(const char *text); /* each finding as it is found; NULL: it is not printed */
};

/*
 * Read lines of settings over what the options hold. CUDA_ERROR_INVALID_VALUE: the text is refused,
 * and `message` says where and why; `where` is what it is called there. Or OUT_OF_MEMORY.
 */
CUresult cushim__check_options_read(struct cushim__check_options *options, const char *text,
                                    const char *where, char *message, size_t size);

/* Add the suppressions of a text, or of a file: a line each, `ID FUNCTION FRAME`. */
CUresult cushim__check_suppressions_read(struct cushim__check_options *options, const char *text,
                                         const char *where, char *message, size_t size);
CUresult cushim__check_suppressions_load(struct cushim__check_options *options, const char *path,
                                         char *message, size_t size);
void cushim__check_suppressions_free(struct cushim__check_options *options);

/* Whether an id has as many findings as are wanted. False, too, if nobody wants any. */
bool cushim__check_is_expected(const struct cushim__check_options *options,
                               enum cushim__check_id id, unsigned found);

/* Write which numbers of findings are wanted but not found, a line each. */
void cushim__check_print_unexpected(const struct cushim__check_options *options,
                                    const unsigned found[CUSHIM__CHECK_IDS],
                                    struct cushim__text *text);

#endif
