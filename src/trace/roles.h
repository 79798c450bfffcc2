/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of a function mean to a trace: to the layer that writes it, and to its readers. */
#ifndef CUSHIM_TRACE_ROLES_H
#define CUSHIM_TRACE_ROLES_H

#include <stdint.h>

enum {
    TRACE_BLOCKS = 1,    /* may wait for the device */
    TRACE_ALLOCATES = 2, /* argument 0 is the device address, argument 1 the size in bytes */
    TRACE_PITCHES = 4,   /* allocates rows: argument 1 is the pitch, 2 the width, 3 the height */
    TRACE_FREES = 8,     /* argument 0 is the device address */
    TRACE_WAITS = 16,    /* for work of the device, which has ended then */
    TRACE_UNLOADS = 32,  /* afterwards a handle may stand for another function */
    TRACE_DESTROYS_CONTEXT = 64,
    TRACE_RETAINS_PRIMARY = 128,
    TRACE_RELEASES_PRIMARY = 256, /* or resets it */
    TRACE_BEGINS_CAPTURE = 512,
    TRACE_ENDS_CAPTURE = 1024, /* if the stream is captured */
    /* What has to be known of to time work over a real driver, also if it is not recorded. */
    TRACE_CHANGES_TIMING = TRACE_WAITS | TRACE_UNLOADS | TRACE_DESTROYS_CONTEXT |
                           TRACE_RETAINS_PRIMARY | TRACE_RELEASES_PRIMARY | TRACE_BEGINS_CAPTURE |
                           TRACE_ENDS_CAPTURE,
};

/* The roles of a function, as bits. A slot that the registry does not have has none. */
uint16_t trace_roles_of(unsigned slot);

#endif
