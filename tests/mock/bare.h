/* SPDX-License-Identifier: Apache-2.0 */
/* A mock for a test of what comes before contexts: created, and not more. */
#ifndef CUSHIM_TESTS_MOCK_BARE_H
#define CUSHIM_TESTS_MOCK_BARE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/mock.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A call that must answer this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

/* The mock of the test, and its table. */
extern struct cushim_mock *bare;
extern const struct cushim_table *driver;

/* Create the mock with settings; bare_begin() also calls cuInit, with success. */
void bare_create(const char *settings);
void bare_begin(const char *settings);

/* Destroy it: it has seen no violation. */
void bare_end(void);

/* A test whose mock is gone afterwards in any case, and that has no CUDA_VISIBLE_DEVICES. */
int bare_setup(void **state);
int bare_teardown(void **state);
#define BARE_TEST(name) cmocka_unit_test_setup_teardown(name, bare_setup, bare_teardown)

CUuuid bare_uuid(CUdevice device);
bool bare_same_uuid(CUuuid one, CUuuid other);

#endif
