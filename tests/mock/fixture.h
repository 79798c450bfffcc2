/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock for a test: one device, one context current, nothing left at the end. What tests of
 * devices, kernels and captures do again and again stands behind it.
 */
#ifndef CUSHIM_TESTS_MOCK_FIXTURE_H
#define CUSHIM_TESTS_MOCK_FIXTURE_H

#include <stdbool.h>

#include <cushim/testing/mock.h>

#include "tests/support/cmocka.h"

/* The mock of the test, and its table. */
extern struct cushim_mock *fixture_mock;
extern const struct cushim_table *driver;

/* Create the mock with settings, initialise, and make the primary context current. */
void fixture_begin(const char *settings);

/*
 * Release the context and destroy the mock: it has seen no misuse and the program left nothing.
 */
void fixture_end(void);

/* Setups of tests that want the mode of the clock and no more, and their teardown. */
int fixture_auto(void **state);
int fixture_manual(void **state);
int fixture_done(void **state);

/* What is pending, and where the clock stands. */
struct cushim_mock_state fixture_state(void);

/* The text of a misuse without the call, which is asserted to stand behind it; NULL: there is none. */
const char *fixture_misuse(size_t index);

CUstream fixture_stream(void); /* non-blocking */
CUevent fixture_event(void);

/* Queue work that takes so long on the device, in virtual nanoseconds. */
void fixture_spin(CUstream stream, uint64_t ns);

/* How long that takes in virtual time, by two records on the stream. */
float fixture_spin_ms(CUstream stream, uint64_t ns);

/* --- before there is a context --- */

/* Create the mock with settings; bare_begin() also calls cuInit, with success. */
void bare_create(const char *settings);
void bare_begin(const char *settings);

/* Destroy it: it has seen no misuse. */
void bare_end(void);

/* A test without CUDA_VISIBLE_DEVICES, whose mock is destroyed and has seen no misuse. */
int bare_setup(void **state);
int bare_teardown(void **state);
#define BARE_TEST(name) cmocka_unit_test_setup_teardown(name, bare_setup, bare_teardown)

CUuuid bare_uuid(CUdevice device);
bool bare_same_uuid(CUuuid one, CUuuid other);

/* --- kernels: a module is loaded, and there is a stream to launch on --- */

extern CUmodule kernel_module;
extern CUstream kernel_stream;

/* For a setup; and a teardown, after which nothing is left. */
int kernel_begin(const char *settings, const char *ptx);
int kernel_end(void **state);

/* A function of the module. */
CUfunction kernel_find(const char *name);

/* Launch one thread on the stream. */
CUresult kernel_launch(CUfunction function, void **parameters, void **extra);

/* --- captures: each step must succeed --- */

/* Capture a stream, in global mode; and end that: the graph is the caller's. */
void capture_begin(CUstream stream);
CUgraph capture_end(CUstream stream);

/* Queue a host function. */
void capture_work(CUstream stream);

/* Let what comes next in `to` depend on what is in `from`. */
void capture_tie(CUstream from, CUstream to);

CUstreamCaptureStatus capture_status(CUstream stream);

#endif
