/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions may block, and which allocate or free device memory. */
#ifndef CUSHIM_TRACE_ROLES_H
#define CUSHIM_TRACE_ROLES_H

#include <stdbool.h>

enum trace_role {
    TRACE_NO_ROLE,
    TRACE_BLOCKS,      /* may wait for the device */
    TRACE_ALLOCATES,   /* argument 0 is the device address, argument 1 the size in bytes */
    TRACE_PITCHES,     /* allocates rows: argument 1 is the pitch, 2 the width, 3 the height */
    TRACE_FREES,       /* argument 0 is the device address; may wait for the device */
    TRACE_FREES_ASYNC, /* argument 0 is the device address; in stream order */
};

enum trace_role trace_role_of(unsigned slot);

static inline bool trace_role_blocks(enum trace_role role)
{
    return role == TRACE_BLOCKS || role == TRACE_FREES;
}

#endif
