/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of the driver, and the same done right: a case or more for each id of check. They run with
 * a context current, over any driver: over the mock in tests, over another by judge.c.
 */
#ifndef CUSHIM_TESTS_CHECK_CASES_H
#define CUSHIM_TESTS_CHECK_CASES_H

#include <stdbool.h>

#include <cushim/table.h>

/* What a case needs, or does. */
enum {
    CASE_LEAKS = 1,    /* what has leaked at the end is looked at */
    CASE_OBJECTS = 2,  /* it uses what order_objects.h makes */
    CASE_LOST = 4,     /* the misuse loses the context by a sticky error, which is found as well */
    CASE_GPU = 8,      /* the mock refuses what it makes, with 801 */
    CASE_PROMISE = 16, /* the program promises to work with CUDA 12.2 */
};

struct check_case {
    const char *id, *name;
    void (*bug)(void);   /* is found once, under this id, and nothing else is */
    void (*right)(void); /* nothing is found, nor anything left */
    unsigned needs;
};

/* Each ends with a NULL id. */
extern const struct check_case check_handle_cases[], check_destroyed_cases[], check_memory_cases[],
    check_pending_cases[], check_error_cases[], check_context_cases[], check_capture_cases[],
    check_promise_cases[], check_leak_cases[];

/* All of them, up to NULL. */
extern const struct check_case *const check_lists[];

/* The settings of check for a case. Valid until the next call. */
const char *check_case_settings(const struct check_case *one);

/* Whether check, which ends its search, has found the misuse once and nothing else but advice. */
bool check_case_is_found(const struct check_case *one);

/* Run one of the two. */
void check_case_run(const struct check_case *one, bool is_misuse);

/* Print all that check has found. */
void check_print_findings(void);

#endif
