/* SPDX-License-Identifier: Apache-2.0 */
/* A mock for a test: one device, one context current, nothing left at the end. */
#ifndef CUSHIM_TESTS_MOCK_WORLD_H
#define CUSHIM_TESTS_MOCK_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/mock.h>
#include <cushim/mock_clock.h>
#include <cushim/mock_kernel.h>

/* The mock of the test, and its table. */
extern struct cushim_mock *world;
extern const struct cushim_table *driver;

/* A call that must answer this code. */
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

/* Create the mock with settings, initialise, and make the primary context current. */
void world_begin(const char *settings);

/*
 * Release the context and destroy the mock: it has seen no violation and the program left nothing.
 */
void world_end(void);

/* Setups of tests that want the mode of the clock and no more, and their teardown. */
int world_auto(void **state);
int world_manual(void **state);
int world_done(void **state);

/* What is pending, and where the clock stands. */
struct cushim_mock_state world_state(void);

CUstream world_stream(void); /* non-blocking */
CUevent world_event(void);

/* Queue work that takes so long on the device, in virtual nanoseconds. */
void world_spin(CUstream stream, uint64_t ns);

#endif
