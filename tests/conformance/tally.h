/* SPDX-License-Identifier: Apache-2.0 */
/* What a run comes to: a line for each case, sums, and whether it was enough. */
#ifndef CUSHIM_TESTS_CONFORMANCE_TALLY_H
#define CUSHIM_TESTS_CONFORMANCE_TALLY_H

#include <stdbool.h>

#include "cases.h"

enum outcome { PASSED, FAILED, SKIPPED, OUTCOMES };

/* Print as text or as JSON from here on; `driver` says what is tested. */
void tally_begin(bool json, const char *driver);

/* A case has ended: it asserted so much, and said this. */
void tally_add(const struct conformance_case *row, enum outcome outcome, unsigned assertions,
               const char *said);

/*
 * Print the sums. `kind` (ON_GPU, ON_MOCK) is held to the minimum of a whole run, 0 to nothing.
 * Returns whether the run has passed.
 */
bool tally_end(unsigned kind);

#endif
