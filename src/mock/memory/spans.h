/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of an address space: those in use, found by address, and the free ones. The smallest free
 * one that is large enough is taken, and the lowest of equal ones. Free neighbours are merged.
 */
#ifndef CUSHIM_MOCK_MEMORY_SPANS_H
#define CUSHIM_MOCK_MEMORY_SPANS_H

#include <stddef.h>

#include "src/base/tree.h"

struct mock_spans;

/* The first member of a struct from malloc(), which is freed with the span. */
struct mock_span {
    struct cushim__tree_node by_address; /* first member */
    struct cushim__tree_node by_room;    /* of free spans only */
    uint64_t start;
    uint64_t room;
    bool used;
    struct mock_spans *parts; /* set by its owner: the spans in it; NULL if it is not divided */
};

struct mock_spans {
    struct cushim__tree addresses, sizes;
    uint64_t boundary; /* free spans do not merge across multiples of it; 0 for none */
};

void cushim__mock_spans_begin(struct mock_spans *spans, uint64_t boundary);

/* Add a free span, which merges with free neighbours. Returns false if memory runs out. */
bool cushim__mock_spans_add(struct mock_spans *spans, uint64_t start, uint64_t room);

/*
 * Find where a span of `room` bytes at a multiple of `alignment` would be taken, if there is one.
 */
bool cushim__mock_spans_find(const struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             uint64_t *start);

/* Take such a span as `span`. Returns false if there is none, or no memory for what remains. */
bool cushim__mock_spans_take(struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             struct mock_span *span);

/* Give a span and its memory back. Returns the free span that it is now a part of. */
struct mock_span *cushim__mock_spans_give(struct mock_spans *spans, struct mock_span *span);

/* Remove a span, and free its memory. */
void cushim__mock_spans_remove(struct mock_spans *spans, struct mock_span *span);

/* Remove a range. Returns false if not all of it is free, or no memory for what remains. */
bool cushim__mock_spans_drop(struct mock_spans *spans, uint64_t start, uint64_t room);

/* The span in use that covers an address, or NULL. */
struct mock_span *cushim__mock_spans_at(const struct mock_spans *spans, uint64_t address);

/* The first span in use after `span`, or of all if that is NULL. NULL if there is none. */
struct mock_span *cushim__mock_spans_next(const struct mock_spans *spans,
                                          const struct mock_span *span);

/* Free the memory of all spans. */
void cushim__mock_spans_clear(struct mock_spans *spans);

#endif
