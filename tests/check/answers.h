/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cases make calls. Whoever runs them says what it means that another code is answered: a test
 * fails, and judge.c notes what a driver does.
 */
#ifndef CUSHIM_TESTS_CHECK_ANSWERS_H
#define CUSHIM_TESTS_CHECK_ANSWERS_H

#include <cushim/table.h>

extern const struct cushim_table *driver;

/* A call that must answer this code: without it the case has no meaning. */
#define CODE(wanted, call) check_expect((call), (wanted), #call)
#define OK(call) CODE(CUDA_SUCCESS, call)

/* The misuse itself. The code is that of check, or of the mock; another driver may have its own. */
#define MISUSE(wanted, call) check_misuse((call), (wanted), #call)

void check_expect(CUresult answer, CUresult wanted, const char *call);
void check_misuse(CUresult answer, CUresult wanted, const char *call);

/* PTX with cushim_spin and cushim_fault, which a mock knows by these names, and cushim_unused. */
extern const char check_image[];

#endif
