/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates, for the parts that judge them and tell of them. */
#ifndef CUSHIM_LOADER_CANDIDATE_H
#define CUSHIM_LOADER_CANDIDATE_H

#include <cushim/report.h>

/* A report of this version's size: `given`, or `whole` with zeros for what an older caller lacks. */
const struct cushim_report *cushim__whole_report(struct cushim_report *whole,
                                                 const struct cushim_report *given);

/* The candidate that decides what the whole attempt came to: the one that got furthest. */
const struct cushim_candidate *cushim__deciding_candidate(const struct cushim_report *report);

/* Copy text into a field of a report; text that is too long ends in `...`. */
void cushim__copy_text(char *field, size_t size, const char *text);

#endif
