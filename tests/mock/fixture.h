/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock for a test: one device, its context current, and nothing left at the end. Also helpers for
 * tests of devices, kernels and captures.
 */
#ifndef CUSHIM_TESTS_MOCK_FIXTURE_H
#define CUSHIM_TESTS_MOCK_FIXTURE_H

#include <cushim/testing/mock.h>

#include "tests/support/cmocka.h"
#include "tests/support/structs.h"

/* The test's mock and its table. */
extern struct cushim_mock *fixture_mock;
extern const struct cushim_table *driver;

/* Create the mock with settings, call cuInit, and make the primary context current. */
void fixture_begin(const char *settings);

/*
 * Release the context, with which its streams, events, memory and modules end, and destroy the
 * mock. Asserts that the mock saw no misuse and that the program left no other objects.
 */
void fixture_end(void);

/* Setups for tests that need only a mode of the clock, and their teardown. */
int fixture_auto(void **state);
int fixture_manual(void **state);
int fixture_done(void **state);

/* Setup with the settings that are the state, and a test with them. */
int fixture_with(void **state);
#define FIXTURE_TEST(name, settings) TEST_FROM(name, fixture_with, fixture_done, settings)

/* The pending operations and the virtual time. */
struct cushim_mock_state fixture_state(void);

/*
 * What a misuse is, without its id and its call, which this asserts to be there; NULL: there is
 * none.
 */
const char *fixture_misuse(size_t index);

/* From here on the mock's log goes to `fixture_logged`, with a newline after each line. */
void fixture_log(void);
extern char fixture_logged[4096];
extern unsigned fixture_lines;

CUstream fixture_stream(void); /* non-blocking */
CUevent fixture_event(void);

/* Queue work that takes this many virtual nanoseconds on the device. */
void fixture_spin(CUstream stream, uint64_t ns);

/* The virtual time that such work takes, measured with two events on the stream. */
float fixture_spin_ms(CUstream stream, uint64_t ns);

/* --- before there is a context --- */

/* Create the mock with settings; bare_begin() also calls cuInit, which must succeed. */
void bare_create(const char *settings);
void bare_begin(const char *settings);

/* Destroy the mock, which must have seen no misuse. */
void bare_end(void);

/*
 * A setup without CUDA_VISIBLE_DEVICES, and a teardown that destroys the mock, which must have seen
 * no misuse.
 */
int bare_setup(void **state);
int bare_teardown(void **state);
#define BARE_TEST(name) TEST_BETWEEN(name, bare_setup, bare_teardown)

CUuuid bare_uuid(CUdevice device);
bool bare_same_uuid(CUuuid one, CUuuid other);

/* --- kernels: a loaded module and a stream for launches --- */

extern CUmodule kernel_module;
extern CUstream kernel_stream;

/* For a setup. The teardown is fixture_done(). */
int kernel_begin(const char *settings, const char *ptx);

/* A function of the module. */
CUfunction kernel_find(const char *name);

/* Launch one thread on the stream. */
CUresult kernel_launch(CUfunction function, void **parameters, void **extra);

/* --- captures: each step must succeed --- */

/*
 * Begin a capture of a stream in global mode; end it and return the graph, which the caller
 * destroys.
 */
void capture_begin(CUstream stream);
CUgraph capture_end(CUstream stream);

/* Queue a host function. */
void capture_work(CUstream stream);

CUstreamCaptureStatus capture_status(CUstream stream);

/*
 * Reserve this many pages of 2 MiB and map new memory into the one at `page`, which the device may
 * access as the flags say.
 */
enum { FIXTURE_PAGE = 2 << 20 };
CUdeviceptr fixture_map(unsigned pages, unsigned page, CUmemAccess_flags flags);
void fixture_unmap(CUdeviceptr start, unsigned pages);

#endif
