/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls without functions: what stands in for the world and for the engine, and tells what it was
 * asked.
 */
#ifndef CUSHIM_TESTS_MOCK_CALL_WORLD_H
#define CUSHIM_TESTS_MOCK_CALL_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/mock/call.h"
#include "src/mock/calls/context/context.h"
#include "src/mock/world.h"

#define SLOT CUSHIM__SLOT

/* The mock that calls find; `cushim__world` is this one until a test says otherwise. */
extern struct cushim_mock call_mock;

/* What calls of a slot cost; UINT32_MAX: what calls cost that are not listed. */
extern uint32_t call_ns[];

extern uint64_t call_passed_ns;              /* the time that calls have let pass */
extern CUresult call_fault_while_passing;    /* a fault that comes meanwhile */
extern struct cushim__context *call_context; /* the current one */
extern unsigned call_lines;                  /* of the log */
extern char call_line[200];                  /* the last of them */
extern char call_traced[200];                /* the last that the trace was told */

/* A mock after cuInit; and in the end no call is under way. */
int call_begin(void **state);
int call_end(void **state);

/* A whole call whose function would succeed. */
CUresult call(unsigned slot);

/* Nobody holds the lock: a call has ended. */
bool call_is_over(void);

#endif
