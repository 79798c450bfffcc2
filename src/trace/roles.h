/* SPDX-License-Identifier: Apache-2.0 */
/* The roles of functions: what their calls mean to the writer of a trace and to its reader. */
#ifndef CUSHIM_TRACE_ROLES_H
#define CUSHIM_TRACE_ROLES_H

#include <stdint.h>

enum {
    TRACE_BLOCKS = 1,    /* the call may wait for the device */
    TRACE_ALLOCATES = 2, /* argument 0 is the device address, argument 1 the size in bytes */
    TRACE_PITCHES = 4,   /* allocates rows: argument 1 is the pitch, 2 the width, 3 the height */
    TRACE_FREES = 8,     /* argument 0 is the device address */
    TRACE_WAITS = 16,    /* waits until work of the device has ended */
    TRACE_UNLOADS = 32,  /* afterwards a handle may stand for another function */
    TRACE_DESTROYS_CONTEXT = 64,
    TRACE_RETAINS_PRIMARY = 128,
    TRACE_RELEASES_PRIMARY = 256, /* or resets it */
    TRACE_BEGINS_CAPTURE = 512,
    TRACE_ENDS_CAPTURE = 1024, /* if the stream is being captured */
    /* To time work over a real driver, these calls are followed even if they are not recorded. */
    TRACE_CHANGES_TIMING = TRACE_WAITS | TRACE_UNLOADS | TRACE_DESTROYS_CONTEXT |
                           TRACE_RETAINS_PRIMARY | TRACE_RELEASES_PRIMARY | TRACE_BEGINS_CAPTURE |
                           TRACE_ENDS_CAPTURE,
};

/* The roles of a function, as bits; 0 if the registry does not have the slot. */
uint16_t trace_roles_of(unsigned slot);

#endif
