/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code for tests of sweeps: options, results, and the program to sweep. */
#ifndef CUSHIM_TESTS_LAYER_SWEEP_FIXTURE_H
#define CUSHIM_TESTS_LAYER_SWEEP_FIXTURE_H

#include <cushim/driver.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/sweep.h>

#include "sweep_bodies.h"
#include "tests/support/cmocka.h"

/* The number of calls of sweep_body() with two polls. */
enum { SWEEP_CALLS = 13 };

extern char sweep_why[8000];
extern struct cushim_sweep_options sweep_options; /* the defaults, with sweep_why for the text */
extern struct cushim_sweep_result sweep_result;

/* For cmocka: reset the options; assert that a sweep has left nothing. */
int sweep_setup(void **state);
int sweep_teardown(void **state);
#define SWEEP_TEST(name) TEST_BETWEEN(name, sweep_setup, sweep_teardown)

/* For setup and teardown of a sweep: make the primary context of device 0 current; release it. */
int sweep_make_current(void *data);
void sweep_end_current(void *data);

/* Sweep a body with the options and the result above; sweep the program with a bug. */
CUresult sweep_run(int (*body)(void *data), void *data);
CUresult sweep_once(enum bug bug);

/* Assert that a sweep found nothing. */
void sweep_assert_passed(CUresult code);

/* Assert that one run failed, with this line in the text. */
void sweep_assert_found(enum bug bug, const char *line);

#endif
