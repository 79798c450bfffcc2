/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cushim's objects, as the cases about its modules begin with them: cushim is loaded from the
 * driver under test. What fails ends the case.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_OBJECTS_H
#define CUSHIM_TESTS_CONFORMANCE_OBJECTS_H

#include <cushim/cushim.h>

/* The first device. */
CUdevice load_device(void);

/* Its primary context, or one more context on it. Neither is made current. */
struct cushim_context *retain_primary(void);
struct cushim_context *create_context(void);

/* With the default options; and an event that was recorded and is done. */
struct cushim_stream *create_stream(struct cushim_context *context);
struct cushim_event *create_event(struct cushim_context *context);
struct cushim_event *create_done(struct cushim_context *context);

/* Their handles, to call the driver itself with. */
CUcontext context_handle(const struct cushim_context *context);
CUstream stream_handle(const struct cushim_stream *stream);
CUevent event_handle(const struct cushim_event *event);

#endif
