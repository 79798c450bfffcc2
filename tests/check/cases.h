/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of the driver, and the same done right: a case or more for each id of check. They run on
 * the mock, with a context of the test's current.
 */
#ifndef CUSHIM_TESTS_CHECK_CASES_H
#define CUSHIM_TESTS_CHECK_CASES_H

#include <cushim/testing/check.h>

#include "tests/layer/testkit.h"

struct check_case {
    const char *id, *name;
    void (*bug)(void);   /* is found once, under this id, and nothing else is */
    void (*right)(void); /* nothing is found, nor anything left */
    const char *settings;
};

/* Each ends with a NULL id. */
extern const struct check_case check_handle_cases[], check_memory_cases[], check_leak_cases[];

#endif
