/* SPDX-License-Identifier: Apache-2.0 */
/* Captures, as the cases use them. */
#ifndef CUSHIM_TESTS_GPU_CAPTURE_H
#define CUSHIM_TESTS_GPU_CAPTURE_H

#include <cushim/stream_capture.h>

/* All modes, and their names. */
enum { CAPTURE_MODES = 3 };
extern const CUstreamCaptureMode capture_modes[CAPTURE_MODES];

CUstreamCaptureStatus capture_status(struct cushim_stream *stream);
CUstreamCaptureStatus capture_id(struct cushim_stream *stream, cuuint64_t *id);

/* End a capture that is in order, and destroy its graph. */
void capture_end(struct cushim_stream *stream);

/* End a capture that something has invalidated. */
void capture_end_invalidated(struct cushim_stream *stream);

#endif
