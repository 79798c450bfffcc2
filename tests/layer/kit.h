/* SPDX-License-Identifier: Apache-2.0 */
/* A test kit for the tests of the kit: mock and layer begun, one primary context current. */
#ifndef CUSHIM_TESTS_LAYER_KIT_H
#define CUSHIM_TESTS_LAYER_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/base/lock.h"

extern struct cushim_test *kit;
extern struct cushim_mock *mock;
extern struct cushim_layer *layer;
extern const struct cushim_table *driver; /* the layer's */

/* PTX with one kernel, cushim_spin. */
extern const char kit_image[];

/* What the end of the last test said. */
extern char kit_text[1 << 14];

/* A call that must answer this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

/* Begin in manual mode; end, and nothing was wrong. */
int kit_setup(void **state);
int kit_teardown(void **state);

/* End it and begin again with other settings. */
void kit_again(const char *settings);

/* Begin, and end without a claim: what was said is in kit_text. */
void kit_begin(const struct cushim_test_options *options);
CUresult kit_end(void);

/* The teardown of tests that end it themselves: neither the mock nor the layer is there. */
int kit_gone(void **state);

/* On a driver that the test makes itself; end, and nothing was wrong. */
void kit_begin_on(const struct cushim_table *table);
int kit_end_on(void **state);

/* The tag of a handle, or "none"; valid until the next call. */
const char *kit_tag(const void *handle);

/* The primary context of device 0, current from here on; released and current no more. */
void kit_enter(void);
void kit_leave(void);

/* What the layer's table of handles has that the program has not released. */
struct kit_counts {
    size_t handles, allocations;
};
struct kit_counts kit_count(void);

/* A call of the recording, which has it. */
struct cushim_recorded_call kit_call(size_t index);

#endif
