/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates, for the parts that tell of them. */
#ifndef CUSHIM_LOADER_CANDIDATE_H
#define CUSHIM_LOADER_CANDIDATE_H

#include <cushim/report.h>

/* The candidate that decides what the whole attempt came to: the one that got furthest. */
const struct cushim_candidate *cushim__deciding_candidate(const struct cushim_report *report);

#endif
