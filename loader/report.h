/* SPDX-License-Identifier: Apache-2.0 */
/* The report of attempts to load, and its advice. */
#ifndef CUSHIM_LOADER_REPORT_H
#define CUSHIM_LOADER_REPORT_H

#include <cushim/report.h>

/* Keep the report of the last failed attempt. */
void cushim__keep_failed_report(const struct cushim_report *attempt);

/* Advice on a state. NULL: use that of the outcome or of the code. */
const char *cushim__state_advice(enum cushim_state state);

/* Advice on the outcome of a candidate; empty if there is none. */
const char *cushim__outcome_advice(enum cushim_outcome outcome);

/* In a forked child: release the lock of the report, whose owner was a thread of the parent. */
void cushim__report_after_fork(void);

#endif
