/* SPDX-License-Identifier: Apache-2.0 */
/* Captures, as the cases use them. */
#ifndef CUSHIM_TESTS_CONFORMANCE_CAPTURE_H
#define CUSHIM_TESTS_CONFORMANCE_CAPTURE_H

#include <cuda.h>

#define GLOBAL CU_STREAM_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED CU_STREAM_CAPTURE_MODE_RELAXED

enum { CAPTURE_MODES = 3 };
extern const CUstreamCaptureMode capture_modes[CAPTURE_MODES];

void capture_begin(CUstream stream, CUstreamCaptureMode mode);
CUstreamCaptureStatus capture_status(CUstream stream);

/* Assert that a capture is active. */
void capture_active(CUstream stream);

/* Assert that it is, and that it ends with a graph. */
void capture_end(CUstream stream);

/* Assert that a capture is spoilt, and that it ends without a graph. */
void capture_spoilt(CUstream stream);

#endif
