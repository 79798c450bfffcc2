/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of cushim/testing/test.h share: a test begun on mock and layer, one primary context current. */
#ifndef CUSHIM_TESTS_LAYER_TESTKIT_H
#define CUSHIM_TESTS_LAYER_TESTKIT_H

#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/base/lock.h"
#include "tests/support/cmocka.h"

extern struct cushim_test *testkit;
extern struct cushim_mock *mock;
extern struct cushim_layer *layer;
extern const struct cushim_table *driver; /* the layer's */

/* PTX with one kernel, cushim_spin. */
extern const char testkit_image[];

/* What the end of the last test said. */
extern char testkit_text[1 << 14];

/* Begin in manual mode; end, and nothing was wrong. */
int testkit_setup(void **state);
int testkit_teardown(void **state);

/* End it and begin again with other settings. */
void testkit_again(const char *settings);

/* Begin, and end without a claim: what was said is in testkit_text. */
void testkit_begin(const struct cushim_test_options *options);
CUresult testkit_end(void);

/* The teardown of tests that end it themselves: neither the mock nor the layer is there. */
int testkit_gone(void **state);

/* On a driver that the test makes itself; end, and nothing was wrong. */
void testkit_begin_on(const struct cushim_table *table);
int testkit_end_on(void **state);

/* The tag of a handle, or "none"; valid until the next call. */
const char *testkit_tag(const void *handle);

/* The primary context of device 0, current from here on; released and current no more. */
void testkit_enter(void);
void testkit_leave(void);

/* What the layer's table of handles has that the program has not released. */
struct testkit_counts {
    size_t handles, allocations;
};
struct testkit_counts testkit_count(void);

/* A call of the recording, which has it. */
struct cushim_recorded_call testkit_call(size_t index);

#endif
