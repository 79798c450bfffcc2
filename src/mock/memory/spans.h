/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of an address space: those in use, found by address, and the free ones, of which the
 * smallest that is large enough is taken, the lowest of equal ones. Free neighbours are one span.
 */
#ifndef CUSHIM_MOCK_MEMORY_SPANS_H
#define CUSHIM_MOCK_MEMORY_SPANS_H

#include <stddef.h>

#include "src/base/tree.h"

struct mock_spans;

/* Lies at the beginning of memory from malloc(), which goes with it. */
struct mock_span {
    struct cushim__tree_node by_address; /* first member */
    struct cushim__tree_node by_room;    /* of free spans */
    uint64_t start;
    uint64_t room;
    bool used;
    struct mock_spans *parts; /* the owner's: it is in use by these; NULL: it is one */
};

struct mock_spans {
    struct cushim__tree addresses, sizes;
    uint64_t boundary; /* free spans do not merge across multiples of it; 0: no boundary */
};

void cushim__mock_spans_begin(struct mock_spans *spans, uint64_t boundary);

/* Add a free span. False: out of memory. */
bool cushim__mock_spans_add(struct mock_spans *spans, uint64_t start, uint64_t room);

/*
 * Where a span of `room` bytes at a multiple of `alignment` would be taken. False: there is none.
 */
bool cushim__mock_spans_find(const struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             uint64_t *start);

/* Take it. `span` becomes it. False: there is none (or no memory for what remains). */
bool cushim__mock_spans_take(struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             struct mock_span *span);

/* Give a span back, memory and all. Returns the free span that it is part of. */
struct mock_span *cushim__mock_spans_give(struct mock_spans *spans, struct mock_span *span);

/* Remove a span, and free its memory. */
void cushim__mock_spans_remove(struct mock_spans *spans, struct mock_span *span);

/* Remove a range that is free as a whole. False: it is not (or no memory for what remains). */
bool cushim__mock_spans_drop(struct mock_spans *spans, uint64_t start, uint64_t room);

/* The span in use that covers an address; NULL: none. */
struct mock_span *cushim__mock_spans_at(const struct mock_spans *spans, uint64_t address);

/* The first span in use that begins after `span` (NULL: the first of all); NULL: none. */
struct mock_span *cushim__mock_spans_next(const struct mock_spans *spans,
                                          const struct mock_span *span);

/* Free the memory of all spans. */
void cushim__mock_spans_clear(struct mock_spans *spans);

#endif
