/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared code for tests of cushim/testing/test.h: a test on mock and layer, with a current primary
 * context.
 */
#ifndef CUSHIM_TESTS_LAYER_TESTKIT_H
#define CUSHIM_TESTS_LAYER_TESTKIT_H

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/base/lock.h"
#include "tests/support/cmocka.h"

extern struct cushim_test *testkit;
extern struct cushim_mock *mock;
extern struct cushim_layer *layer;
extern const struct cushim_table *driver; /* the layer's table */

/* PTX with one kernel, cushim_spin. */
extern const char testkit_image[];

/* The output of the last test's end. */
extern char testkit_text[1 << 14];

/* Begin a test in manual mode; end it, which must succeed. */
int testkit_setup(void **state);
int testkit_teardown(void **state);

/* End the test and begin another one with these settings. */
void testkit_again(const char *settings);

/* Begin a test; end it and return its verdict, with the output in testkit_text. */
void testkit_begin(const struct cushim_test_options *options);
CUresult testkit_end(void);

/* The teardown of tests that end themselves; asserts that mock and layer are gone. */
int testkit_gone(void **state);

/* Begin a test on a driver of the test's own; end it, which must succeed. */
void testkit_begin_on(const struct cushim_table *table);
int testkit_end_on(void **state);

/* The tag of a handle, or "none"; valid until the next call. */
const char *testkit_tag(const void *handle);

/* Retain the primary context of device 0 and make it current; release it and make none current. */
void testkit_enter(void);
void testkit_leave(void);

/* The unreleased objects in the layer's handle table. */
struct testkit_counts {
    size_t handles, allocations;
};
struct testkit_counts testkit_count(void);

/* A call of the recording, which must exist. */
struct cushim_recorded_call testkit_call(size_t index);

#endif
