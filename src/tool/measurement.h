/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement: rounds of setting device memory between two events, and what they took. */
#ifndef CUSHIM_TOOL_MEASUREMENT_H
#define CUSHIM_TOOL_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "src/tool/failure.h"

enum { MEASUREMENT_WARMUP_ROUNDS = 3 };

struct measurement {
    /* Set by the caller. */
    CUdevice device;
    size_t bytes;
    unsigned repeat;

    /* Rounds that were timed: `repeat`, or fewer after an interruption. */
    unsigned rounds;
    bool is_interrupted;
    double minimum_ms, median_ms, maximum_ms;
};

/*
 * Measure in the primary context of the device. Whether it succeeds or fails, nothing of the
 * driver's is held afterwards, and the current context of the thread is what it was.
 */
bool measurement_run(struct measurement *measurement, struct failure *failure);

/* Bytes per second at the median; not a number if that is not positive. */
double measurement_bandwidth(const struct measurement *measurement);

#endif
