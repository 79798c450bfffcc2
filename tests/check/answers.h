/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cases make calls. Each program that runs the cases decides what another result means: a test
 * fails, and judge.c records a driver's code.
 */
#ifndef CUSHIM_TESTS_CHECK_ANSWERS_H
#define CUSHIM_TESTS_CHECK_ANSWERS_H

#include <cushim/table.h>

extern const struct cushim_table *driver;

/* A call that must return this code; otherwise the case proves nothing. */
#define CODE(wanted, call) check_expect((call), (wanted), #call)
#define OK(call) CODE(CUDA_SUCCESS, call)

/* The misuse itself. The code is check's or the mock's; another driver may return another one. */
#define MISUSE(wanted, call) check_misuse((call), (wanted), #call)

void check_expect(CUresult answer, CUresult wanted, const char *call);
void check_misuse(CUresult answer, CUresult wanted, const char *call);

/* PTX with cushim_spin and cushim_fault, whose names a mock knows, and cushim_unused. */
extern const char check_image[];

#endif
