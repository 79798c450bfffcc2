/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of sweeps share: options, what came of them, and the program that is swept. */
#ifndef CUSHIM_TESTS_LAYER_SWEEP_FIXTURE_H
#define CUSHIM_TESTS_LAYER_SWEEP_FIXTURE_H

#include <cushim/driver.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/sweep.h>

#include "sweep_bodies.h"
#include "tests/support/cmocka.h"

/* What sweep_body() calls, with two polls. */
enum { SWEEP_CALLS = 13 };

extern char sweep_why[8000];
extern struct cushim_sweep_options sweep_options; /* the defaults, and the text into sweep_why */
extern struct cushim_sweep_result sweep_result;

/* For cmocka: the options anew; and nothing is left of a sweep. */
int sweep_setup(void **state);
int sweep_teardown(void **state);
#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_setup, sweep_teardown)

/* For setup and teardown of a sweep: the primary context of device 0 current; and none any more. */
int sweep_make_current(void *data);
void sweep_end_current(void *data);

/*
 * Sweep a body, with the options and the result above; and the program with something wrong in it.
 */
CUresult sweep_run(int (*body)(void *data), void *data);
CUresult sweep_once(enum bug bug);

/* The answer of a sweep in which nothing was wrong. */
void sweep_assert_passed(CUresult code);

/* The same: one run is wrong, and this is the line that says so. */
void sweep_assert_found(enum bug bug, const char *line);

#endif
