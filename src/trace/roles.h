/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace says of a function besides its name: it may block, it allocates or frees memory. */
#ifndef CUSHIM_TRACE_ROLES_H
#define CUSHIM_TRACE_ROLES_H

#include <stdbool.h>

enum trace_role {
    TRACE_NO_ROLE,
    TRACE_BLOCKS,      /* may wait for the device */
    TRACE_ALLOCATES,   /* device memory: argument 0 is the address, argument 1 how many bytes */
    TRACE_PITCHES,     /* the same in rows: argument 1 is the pitch, 2 the width, 3 the height */
    TRACE_FREES,       /* device memory: argument 0 is the address; it waits */
    TRACE_FREES_ASYNC, /* the same in the order of a stream */
};

enum trace_role trace_role_of(unsigned slot);

static inline bool trace_role_blocks(enum trace_role role)
{
    return role == TRACE_BLOCKS || role == TRACE_FREES;
}

#endif
