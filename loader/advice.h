/* SPDX-License-Identifier: Apache-2.0 */
/* What to do, in the words of the operating system: advice_posix.c, advice_windows.c. */
#ifndef CUSHIM_LOADER_ADVICE_H
#define CUSHIM_LOADER_ADVICE_H

#include <cushim/report.h>

/* By state. NULL: the advice is that of the candidate's outcome or of the code. */
extern const char *const cushim__state_advice[];

/* By the outcome of a candidate. */
extern const char *const cushim__outcome_advice[];

#endif
