/* SPDX-License-Identifier: Apache-2.0 */
/* The report: what is kept of attempts to load, and how it is written out. */
#ifndef CUSHIM_LOADER_REPORT_H
#define CUSHIM_LOADER_REPORT_H

#include <cushim/report.h>

/* Keep what the last attempt found out that has failed. */
void cushim__keep_failed_report(const struct cushim_report *attempt);

/* What to do about a state. NULL: the advice is that of the outcome or of the code. */
const char *cushim__state_advice(enum cushim_state state);

/* What to do about the outcome of a candidate; empty if there is nothing. */
const char *cushim__outcome_advice(enum cushim_outcome outcome);

/* In the child of a fork: whoever was keeping or reading a report is not here. */
void cushim__report_after_fork(void);

#endif
