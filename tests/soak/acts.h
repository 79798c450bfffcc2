/* SPDX-License-Identifier: Apache-2.0 */
/* What a client of the mock does: one act makes, uses and gives back what there is of one kind. */
#ifndef CUSHIM_TESTS_SOAK_ACTS_H
#define CUSHIM_TESTS_SOAK_ACTS_H

#include "gang.h"

/* Before the gang: the device's primary context, which all acts are in, current in this thread. */
CUresult acts_begin(void);

/* After it. */
CUresult acts_end(void);

/* Let the device's pool give back what it holds for nobody; all threads stand. */
void acts_settle(double *unused);

/* Forget every so many-th event; 0: none. */
void acts_leak(unsigned every);

/* One kind after the other, all of them by turns. */
extern const struct gang_work acts;

#endif
