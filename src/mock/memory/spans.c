/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/spans.h"

#include <stdlib.h>

static struct cushim__span *by_address(const struct cushim__tree_node *node)
{
    return (struct cushim__span *)node;
}

static struct cushim__span *by_room(const struct cushim__tree_node *node)
{
    return node ? (struct cushim__span *)((char *)node - offsetof(struct cushim__span, by_room))
                : NULL;
}

static bool address_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return by_address(a)->start < by_address(b)->start;
}

static bool room_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    const struct cushim__span *left = by_room(a), *right = by_room(b);

    return left->room != right->room ? left->room < right->room : left->start < right->start;
}

static void add(struct cushim__spans *spans, struct cushim__span *span, uint64_t start,
                uint64_t room, bool used)
{
    span->start = start;
    span->room = room;
    span->used = used;
    span->parts = NULL;
    cushim__tree_add(&spans->addresses, &span->by_address);
    if (!used)
        cushim__tree_add(&spans->rooms, &span->by_room);
}

static void take_out(struct cushim__spans *spans, struct cushim__span *span)
{
    if (!span->used)
        cushim__tree_remove(&spans->rooms, &span->by_room);
    cushim__tree_remove(&spans->addresses, &span->by_address);
}

void cushim__spans_begin(struct cushim__spans *spans, uint64_t boundary)
{
    *spans = (struct cushim__spans){.addresses = {.before = address_before},
                                    .rooms = {.before = room_before},
                                    .boundary = boundary};
}

bool cushim__spans_add(struct cushim__spans *spans, uint64_t start, uint64_t room)
{
    struct cushim__span *span = malloc(sizeof *span);

    if (span)
        add(spans, span, start, room, false);
    return span != NULL;
}

/* Where in a free span `room` bytes would begin; false: they do not fit. */
static bool fits(const struct cushim__span *span, uint64_t room, uint64_t alignment,
                 uint64_t *start)
{
    uint64_t skipped = (alignment - span->start % alignment) % alignment;

    if (skipped > span->room || room > span->room - skipped)
        return false;
    *start = span->start + skipped;
    return true;
}

static struct cushim__span *covering(const struct cushim__spans *spans, uint64_t address)
{
    const struct cushim__span key = {.start = address};
    struct cushim__span *span = by_address(cushim__tree_upto(&spans->addresses, &key.by_address));

    return span && address - span->start < span->room ? span : NULL;
}

/* Cut [start, start + room) out of a free span; what remains on either side stays free. */
static bool cut(struct cushim__spans *spans, struct cushim__span *from, uint64_t start,
                uint64_t room)
{
    const uint64_t before = start - from->start, after = from->room - before - room;
    const uint64_t whole_start = from->start;
    struct cushim__span *rest = from;

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

/* The free span that holds all of [start, start + room). NULL: none does. */
static struct cushim__span *free_around(const struct cushim__spans *spans, uint64_t start,
                                        uint64_t room)
{
    struct cushim__span *span = covering(spans, start);

    return span && !span->used && room <= span->room - (start - span->start) ? span : NULL;
}

/* The smallest free span that `room` bytes fit in, and where in it. NULL: none. */
static struct cushim__span *smallest(const struct cushim__spans *spans, uint64_t room,
                                     uint64_t alignment, uint64_t *start)
{
    const struct cushim__span least = {.room = room};
    const struct cushim__tree_node *node;

    for (node = cushim__tree_from(&spans->rooms, &least.by_room); node;
         node = cushim__tree_after(&spans->rooms, node)) {
        struct cushim__span *span = by_room(node);

        if (fits(span, room, alignment, start))
            return span;
    }
    return NULL;
}

bool cushim__spans_find(const struct cushim__spans *spans, uint64_t room, uint64_t alignment,
                        uint64_t *start)
{
    return smallest(spans, room, alignment, start) != NULL;
}

bool cushim__spans_take(struct cushim__spans *spans, uint64_t room, uint64_t alignment,
                        struct cushim__span *span)
{
    uint64_t start;
    struct cushim__span *from = smallest(spans, room, alignment, &start);

    if (!from || !cut(spans, from, start, room))
        return false;
    add(spans, span, start, room, true);
    return true;
}

static bool may_merge(const struct cushim__spans *spans, const struct cushim__span *left,
                      const struct cushim__span *right)
{
    return left && right && !left->used && !right->used &&
           left->start + left->room == right->start &&
           (!spans->boundary || right->start % spans->boundary);
}

/* Make two free spans one, which is the left one. */
static struct cushim__span *merge(struct cushim__spans *spans, struct cushim__span *left,
                                  struct cushim__span *right)
{
    take_out(spans, right);
    cushim__tree_remove(&spans->rooms, &left->by_room);
    left->room += right->room;
    cushim__tree_add(&spans->rooms, &left->by_room);
    free(right);
    return left;
}

struct cushim__span *cushim__spans_give(struct cushim__spans *spans, struct cushim__span *span)
{
    const struct cushim__span before = {.start = span->start - 1};
    struct cushim__span *left =
        by_address(cushim__tree_upto(&spans->addresses, &before.by_address));
    struct cushim__span *right =
        by_address(cushim__tree_after(&spans->addresses, &span->by_address));

    span->used = false;
    cushim__tree_add(&spans->rooms, &span->by_room);
    if (may_merge(spans, span, right))
        merge(spans, span, right);
    return may_merge(spans, left, span) ? merge(spans, left, span) : span;
}

void cushim__spans_remove(struct cushim__spans *spans, struct cushim__span *span)
{
    take_out(spans, span);
    free(span);
}

bool cushim__spans_drop(struct cushim__spans *spans, uint64_t start, uint64_t room)
{
    struct cushim__span *from = free_around(spans, start, room);

    return from && cut(spans, from, start, room);
}

struct cushim__span *cushim__spans_at(const struct cushim__spans *spans, uint64_t address)
{
    struct cushim__span *span = covering(spans, address);

    return span && span->used ? span : NULL;
}

struct cushim__span *cushim__spans_next(const struct cushim__spans *spans,
                                        const struct cushim__span *span)
{
    do
        span = by_address(cushim__tree_after(&spans->addresses, span ? &span->by_address : NULL));
    while (span && !span->used);
    return (struct cushim__span *)span;
}

void cushim__spans_clear(struct cushim__spans *spans)
{
    struct cushim__tree_node *node;

    while ((node = spans->addresses.root) != NULL) {
        cushim__tree_remove(&spans->addresses, node);
        free(node);
    }
    cushim__spans_begin(spans, spans->boundary);
}
