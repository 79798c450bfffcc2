/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of events share: event.c, event_ipc.c, event_pool.c. */
#ifndef CUSHIM_SRC_EVENT_H
#define CUSHIM_SRC_EVENT_H

#include "src/objects.h"

/* --- event.c --- */

/* The driver's flags for what a caller asks for. False if the options are not understood. */
bool cushim__event_flags_of(const struct cushim_event_options *options, unsigned *flags);

/*
 * Create the driver event of an object that has its flags and context, and record it if `stream` is
 * not NULL. On failure nothing is left behind and the object is untouched.
 */
CUresult cushim__event_open(struct cushim_event *event, const struct cushim_stream *stream);

/* Destroy the handle of an event: logged, and success if it is gone already. */
CUresult cushim__event_destroy(CUevent handle, const struct cushim_table *maker);

/* A new object with one reference, of an open event. NULL: out of memory. Retains `context`. */
struct cushim_event *cushim__event_new(enum cushim__ownership ownership,
                                       struct cushim_context *context);

/*
 * The function of the driver that cushim_event_elapsed() uses: `cuEventElapsedTime` if it stands
 * in, in the loaded driver or in a table that was filled and installed.
 */
const char *cushim__event_elapsed_function(void);

/* Undo cushim__event_new() for an object whose handle was never set. */
void cushim__event_discard(struct cushim_event *event);

/* --- event_pool.c --- */

/* Take back an event of a pool that has no references any more. */
CUresult cushim__event_pool_take_back(struct cushim_event *event);

#endif
