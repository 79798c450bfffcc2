/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/spans.h"

#include <stdlib.h>

static struct mock_span *by_address(const struct cushim__tree_node *node)
{
    return (struct mock_span *)node;
}

static struct mock_span *by_room(const struct cushim__tree_node *node)
{
    return node ? (struct mock_span *)((char *)node - offsetof(struct mock_span, by_room)) : NULL;
}

static bool address_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return by_address(a)->start < by_address(b)->start;
}

static bool room_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    const struct mock_span *left = by_room(a), *right = by_room(b);

    return left->room != right->room ? left->room < right->room : left->start < right->start;
}

static void add(struct mock_spans *spans, struct mock_span *span, uint64_t start, uint64_t room,
                bool used)
{
    span->start = start;
    span->room = room;
    span->used = used;
    span->parts = NULL;
    cushim__tree_add(&spans->addresses, &span->by_address);
    if (!used)
        cushim__tree_add(&spans->sizes, &span->by_room);
}

static void take_out(struct mock_spans *spans, struct mock_span *span)
{
    if (!span->used)
        cushim__tree_remove(&spans->sizes, &span->by_room);
    cushim__tree_remove(&spans->addresses, &span->by_address);
}

void cushim__mock_spans_begin(struct mock_spans *spans, uint64_t boundary)
{
    *spans = (struct mock_spans){.addresses = {.before = address_before},
                                 .sizes = {.before = room_before},
                                 .boundary = boundary};
}

/* Find where `room` bytes would begin in a free span. Returns false if they do not fit. */
static bool fits(const struct mock_span *span, uint64_t room, uint64_t alignment, uint64_t *start)
{
    uint64_t skipped = (alignment - span->start % alignment) % alignment;

    if (skipped > span->room || room > span->room - skipped)
        return false;
    *start = span->start + skipped;
    return true;
}

static struct mock_span *covering(const struct mock_spans *spans, uint64_t address)
{
    const struct mock_span key = {.start = address};
    struct mock_span *span = by_address(cushim__tree_upto(&spans->addresses, &key.by_address));

    return span && address - span->start < span->room ? span : NULL;
}

/* Cut [start, start + room) out of a free span; what remains on either side stays free. */
static bool cut(struct mock_spans *spans, struct mock_span *from, uint64_t start, uint64_t room)
{
    const uint64_t before = start - from->start, after = from->room - before - room;
    const uint64_t whole_start = from->start;
    struct mock_span *rest = from;

    if (before && after) {
        rest = malloc(sizeof *rest);
        if (!rest)
            return false;
    }
    take_out(spans, from);
    if (before)
        add(spans, from, whole_start, before, false);
    if (after)
        add(spans, rest, start + room, after, false);
    if (!before && !after)
        free(from);
    return true;
}

/* The free span that holds all of [start, start + room), or NULL. */
static struct mock_span *free_around(const struct mock_spans *spans, uint64_t start, uint64_t room)
{
    struct mock_span *span = covering(spans, start);

    return span && !span->used && room <= span->room - (start - span->start) ? span : NULL;
}

/* The smallest free span in which `room` bytes fit, or NULL, and where they would begin. */
static struct mock_span *smallest(const struct mock_spans *spans, uint64_t room, uint64_t alignment,
                                  uint64_t *start)
{
    const struct mock_span least = {.room = room};
    const struct cushim__tree_node *node;

    for (node = cushim__tree_from(&spans->sizes, &least.by_room); node;
         node = cushim__tree_after(&spans->sizes, node)) {
        struct mock_span *span = by_room(node);

        if (fits(span, room, alignment, start))
            return span;
    }
    return NULL;
}

bool cushim__mock_spans_find(const struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             uint64_t *start)
{
    return smallest(spans, room, alignment, start) != NULL;
}

bool cushim__mock_spans_take(struct mock_spans *spans, uint64_t room, uint64_t alignment,
                             struct mock_span *span)
{
    uint64_t start;
    struct mock_span *from = smallest(spans, room, alignment, &start);

    if (!from || !cut(spans, from, start, room))
        return false;
    add(spans, span, start, room, true);
    return true;
}

static bool may_merge(const struct mock_spans *spans, const struct mock_span *left,
                      const struct mock_span *right)
{
    return left && right && !left->used && !right->used &&
           left->start + left->room == right->start &&
           (!spans->boundary || right->start % spans->boundary);
}

/* Merge two free spans into the left one. */
static struct mock_span *merge(struct mock_spans *spans, struct mock_span *left,
                               struct mock_span *right)
{
    take_out(spans, right);
    cushim__tree_remove(&spans->sizes, &left->by_room);
    left->room += right->room;
    cushim__tree_add(&spans->sizes, &left->by_room);
    free(right);
    return left;
}

struct mock_span *cushim__mock_spans_give(struct mock_spans *spans, struct mock_span *span)
{
    const struct mock_span before = {.start = span->start - 1};
    struct mock_span *left = by_address(cushim__tree_upto(&spans->addresses, &before.by_address));
    struct mock_span *right = by_address(cushim__tree_after(&spans->addresses, &span->by_address));

    span->used = false;
    cushim__tree_add(&spans->sizes, &span->by_room);
    if (may_merge(spans, span, right))
        merge(spans, span, right);
    return may_merge(spans, left, span) ? merge(spans, left, span) : span;
}

bool cushim__mock_spans_add(struct mock_spans *spans, uint64_t start, uint64_t room)
{
    struct mock_span *span = malloc(sizeof *span);

    if (!span)
        return false;
    add(spans, span, start, room, true);
    cushim__mock_spans_give(spans, span);
    return true;
}

void cushim__mock_spans_remove(struct mock_spans *spans, struct mock_span *span)
{
    take_out(spans, span);
    free(span);
}

bool cushim__mock_spans_drop(struct mock_spans *spans, uint64_t start, uint64_t room)
{
    struct mock_span *from = free_around(spans, start, room);

    return from && cut(spans, from, start, room);
}

struct mock_span *cushim__mock_spans_at(const struct mock_spans *spans, uint64_t address)
{
    struct mock_span *span = covering(spans, address);

    return span && span->used ? span : NULL;
}

struct mock_span *cushim__mock_spans_next(const struct mock_spans *spans,
                                          const struct mock_span *span)
{
    do
        span = by_address(cushim__tree_after(&spans->addresses, span ? &span->by_address : NULL));
    while (span && !span->used);
    return (struct mock_span *)span;
}

void cushim__mock_spans_clear(struct mock_spans *spans)
{
    struct cushim__tree_node *node;

    while ((node = spans->addresses.root) != NULL) {
        cushim__tree_remove(&spans->addresses, node);
        free(node);
    }
    cushim__mock_spans_begin(spans, spans->boundary);
}
