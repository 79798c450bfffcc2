/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of the tests of events: the fake driver, two contexts with a stream each, and none of
 * them current. The contexts are cushim's own, so that a reference that is left shows.
 */
#ifndef CUSHIM_TESTS_MODULES_EVENT_WORLD_H
#define CUSHIM_TESTS_MODULES_EVENT_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "fake.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct event_world {
    CUcontext handle, other_handle;         /* the driver's contexts */
    CUstream stream_handle;                 /* of the first one */
    struct cushim_context *context, *other; /* objects of theirs */
    struct cushim_stream *stream, *other_stream;
};
extern struct event_world world;

/* For options where only the kind of event matters. */
extern const struct cushim_event_options untimed, interprocess;

int event_world_setup(void **state);
int event_world_teardown(void **state);

/* An event of the first context (of the other one); must succeed. */
struct cushim_event *event_make(const struct cushim_event_options *options);
struct cushim_event *event_make_other(const struct cushim_event_options *options);

/* A wrapped event of the first context, of which cushim knows nothing. */
struct cushim_event *event_wrap_unknown(unsigned flags);

void event_record(struct cushim_event *event);
void event_drop(struct cushim_event *event);

/* The driver's own object of an event. */
struct fake_event *event_fake(struct cushim_event *event);

/* Put a stream into a capture, or end it. */
void event_begin_capture(CUstream handle, CUstreamCaptureMode mode);
void event_end_capture(CUstream handle);

/* Let the `nth` allocation of the library's (1, 2, ...) and all later ones fail; 0: none. */
void event_lack_memory(unsigned nth);

/* What the library logged in this test: how many lines, and the last one. */
extern unsigned event_log_lines;
extern char event_log_last[256];

#endif
