/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of captures do again and again. Each step must succeed. */
#ifndef CUSHIM_TESTS_MOCK_CAPTURE_WORLD_H
#define CUSHIM_TESTS_MOCK_CAPTURE_WORLD_H

#include "tests/mock/world.h"

/* Capture a stream, in global mode; and end that: the graph is the caller's. */
void capture_begin(CUstream stream);
CUgraph capture_end(CUstream stream);

/* Queue a host function. */
void capture_work(CUstream stream);

/* Let what comes next in `to` depend on what is in `from`. */
void capture_tie(CUstream from, CUstream to);

CUstreamCaptureStatus capture_status(CUstream stream);

#endif
