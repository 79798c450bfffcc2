/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of expectations share: two events and a stream, and what verify says. */
#ifndef CUSHIM_TESTS_LAYER_EXPECTATION_WORLD_H
#define CUSHIM_TESTS_LAYER_EXPECTATION_WORLD_H

#include "tests/layer/kit.h"

extern CUevent first, second;
extern CUstream stream;
extern char said[4096]; /* by verify */

/* Calls of a test are numbered from 7: the kit has made three, and this makes three. */
int expectation_setup(void **state);
int expectation_teardown(void **state);

/* Expect something that must not be refused: EXPECT(.function = "cuEventQuery"). */
void expect(struct cushim_expectation what);
#define EXPECT(...) expect((struct cushim_expectation){__VA_ARGS__})

/* All is as expected; and it is not, and this is told. */
void assert_verified(void);
void assert_said(const char *text);

#endif
