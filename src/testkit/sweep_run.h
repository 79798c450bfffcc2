/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a sweep: a world of its own, the body in it, and what was wrong. */
#ifndef CUSHIM_LAYER_SWEEP_RUN_H
#define CUSHIM_LAYER_SWEEP_RUN_H

#include "src/testkit/sweep_calls.h"

enum { CUSHIM__SWEEP_FINDINGS = 1200 }; /* bytes of what was wrong in a run */

/* What all runs of a sweep have in common. */
struct cushim__sweep {
    struct cushim_sweep_options options;
    int (*body)(void *data);
    void *data;
};

struct cushim__sweep_run {
    struct cushim__sweep_order order;
    struct cushim__sweep_seen seen;
    int verdict;                           /* of the body */
    char findings[CUSHIM__SWEEP_FINDINGS]; /* empty: all was well */
};

/*
 * Do a run. CUDA_SUCCESS: it was done, and has findings or none. Any other code: there is no world
 * for it, and `findings` tells why, where that is more than the code.
 */
CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run);

#endif
