/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of the driver, and the correct use: at least one case for each id of check. The cases run
 * with a current context on any driver: on the mock in tests, and on another driver in judge.c.
 */
#ifndef CUSHIM_TESTS_CHECK_CASES_H
#define CUSHIM_TESTS_CHECK_CASES_H

#include <stdbool.h>

#include <cushim/table.h>

/* What a case needs or causes. */
enum {
    CASE_LEAKS = 1,    /* leaks are examined at the end */
    CASE_OBJECTS = 2,  /* it uses the objects of order_objects.h */
    CASE_LOST = 4,     /* the misuse causes a sticky error, which check reports as well */
    CASE_GPU = 8,      /* the mock refuses to create its objects (801) */
    CASE_PROMISE = 16, /* the program promises to work with CUDA 12.2 */
    CASE_MOCK = 32,    /* only the mock knows it */
    CASE_MANUAL = 64,  /* the same, in manual mode */
};

struct check_case {
    const char *id, *name;
    void (*bug)(void);   /* is found once, under this id, and nothing else */
    void (*right)(void); /* nothing is found, and nothing is left */
    unsigned needs;
};

/* Each array ends with a NULL id. */
extern const struct check_case check_handle_cases[], check_destroyed_cases[], check_memory_cases[],
    check_pending_cases[], check_error_cases[], check_context_cases[], check_capture_cases[],
    check_promise_cases[], check_leak_cases[], check_mock_cases[];

/* All arrays of cases, up to NULL. */
extern const struct check_case *const check_lists[];

/* The settings of check for a case. Valid until the next call. */
const char *check_case_settings(const struct check_case *one);

/* Whether check has found the misuse once, and otherwise only advice. This stops check. */
bool check_case_is_found(const struct check_case *one);

/* Run the misuse or the correct use of a case. */
void check_case_run(const struct check_case *one, bool is_misuse);

/* Print all findings of check. */
void check_print_findings(void);

#endif
