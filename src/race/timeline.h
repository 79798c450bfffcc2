/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strands: operations one after the other. A stream has one from its first operation on, which
 * stays when the stream is gone, since its operations go on coming before others. A stream that
 * begins after all of them takes the strand of one that is gone.
 */
#ifndef CUSHIM_MOCK_RACES_STRAND_H
#define CUSHIM_MOCK_RACES_STRAND_H

#include "src/race/internal.h"

struct race_timeline {
    struct race_clock *before; /* what comes before its next operation, besides its own */
    const struct mock_context *context;
    uint64_t last; /* the number of its last operation; 0: it had none */
    uint64_t seen; /* up to which the host has seen them to be finished */
    uint64_t told; /* the version of the host's clock that `before` has */
    bool blocks;   /* and is blocked by the legacy default stream */
    bool gone;     /* no stream goes on with it */
};

static inline struct race_timeline *cushim__race_timeline_at(uint32_t index)
{
    return &cushim__race_search()->strands[index];
}

/* Whether the host has seen that all its operations are finished. */
static inline bool cushim__race_timeline_is_seen(const struct race_timeline *strand)
{
    return strand->last <= strand->seen;
}

#endif
