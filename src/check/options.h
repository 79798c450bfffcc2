/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a check, which the command reads, too, before it passes them to the program. */
#ifndef CUSHIM_CHECK_OPTIONS_H
#define CUSHIM_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/text.h"
#include "src/check/rules/rules.h"

enum { CUSHIM__CHECK_PATTERN = 64 };

/* Findings that are not reported, by patterns in which `*` stands for any characters. */
struct cushim__check_suppression {
    struct cushim__check_suppression *next;
    char id[CUSHIM__CHECK_PATTERN], function[CUSHIM__CHECK_PATTERN], frame[CUSHIM__CHECK_PATTERN];
};

struct cushim__check_options {
    const char *report; /* prefix of the report's name, before `.PID`; NULL: no report */
    struct cushim__check_suppression *suppressions;
    unsigned expected[CUSHIM__CHECK_IDS]; /* 1 + the number that --expect names; 0: not named */
    enum cushim__check_level level;       /* the lowest that is reported */
    bool has_leaks;                       /* report leaks */
    bool lets_through;                    /* pass on calls on which the driver crashes */
    bool is_implied;                      /* a test's, or that of `cushim run`; not asked for */
    int promise; /* the version of CUDA that the program has to work with; 0: any */
    void (*print)(const char *text); /* prints findings as they are found; may be NULL */
};

/*
 * Read lines of settings into the options. Returns SUCCESS, OUT_OF_MEMORY, or INVALID_VALUE if the
 * text is refused: `message` then says where and why, and calls the text `where`.
 */
CUresult cushim__check_options_read(struct cushim__check_options *options, const char *text,
                                    const char *where, char *message, size_t size);

/* Add the suppressions of a text or a file, one on each line: `ID FUNCTION FRAME`. */
CUresult cushim__check_suppressions_read(struct cushim__check_options *options, const char *text,
                                         const char *where, char *message, size_t size);
CUresult cushim__check_suppressions_load(struct cushim__check_options *options, const char *path,
                                         char *message, size_t size);
void cushim__check_suppressions_free(struct cushim__check_options *options);

/* Whether --expect names this number of findings for the id. */
bool cushim__check_is_expected(const struct cushim__check_options *options,
                               enum cushim__check_id id, unsigned found);

/* Print the expectations that are not met, one on each line. */
void cushim__check_print_unexpected(const struct cushim__check_options *options,
                                    const unsigned found[CUSHIM__CHECK_IDS],
                                    struct cushim__text *text);

#endif
