/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/handle_table.h"

#include <stdlib.h>

/*
 * How many are remembered that are destroyed, so that a use of one shows which it was. The driver
 * may have no value twice for long, as the mock.
 */
enum { GONE_KEPT = 256 };

static bool before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct cushim__known *)a)->value < ((const struct cushim__known *)b)->value;
}

static struct cushim__tree trees[CUSHIM__NOUNS];
static uint32_t numbers[CUSHIM__NOUNS];
static struct cushim__known *first_gone, *last_gone;
static size_t gone;

static bool is_memory(enum cushim__noun noun)
{
    return noun == CUSHIM__NOUN_MEMORY || noun == CUSHIM__NOUN_GLOBAL;
}

static struct cushim__known *upto(enum cushim__noun noun, uint64_t value)
{
    const struct cushim__known key = {.value = value};

    trees[noun].before = before;
    return (struct cushim__known *)cushim__tree_upto(&trees[noun], &key.node);
}

static struct cushim__known *find(enum cushim__noun noun, uint64_t value)
{
    struct cushim__known *known = upto(noun, value);

    return known && known->value == value ? known : NULL;
}

static struct cushim__known *add(enum cushim__noun noun, uint64_t value, uint64_t bytes)
{
    struct cushim__known *known = calloc(1, sizeof *known);

    if (!known)
        return NULL;
    known->value = value;
    known->bytes = bytes;
    known->noun = noun;
    known->number = ++numbers[noun];
    known->device = -1;
    trees[noun].before = before;
    cushim__tree_add(&trees[noun], &known->node);
    return known;
}

/* It goes no longer with what owned it. */
static void part(struct cushim__known *known)
{
    if (known->owner)
        known->owner->owned--;
    known->owner = NULL;
}

static void unlist(const struct cushim__known *known)
{
    struct cushim__known **link = &first_gone, *previous = NULL;

    while (*link != known) {
        previous = *link;
        link = &previous->next_gone;
    }
    *link = known->next_gone;
    if (last_gone == known)
        last_gone = previous;
    gone--;
}

static void forget(struct cushim__known *known)
{
    if (known->is_gone)
        unlist(known);
    cushim__known_end_owned(known);
    part(known);
    cushim__tree_remove(&trees[known->noun], &known->node);
    free(known);
}

struct cushim__known *cushim__known_handle(enum cushim__noun noun, uint64_t value, bool may_add)
{
    struct cushim__known *known = find(noun, value);

    return known || !may_add ? known : add(noun, value, 0);
}

struct cushim__known *cushim__known_given(enum cushim__noun noun, uint64_t value)
{
    struct cushim__known *known = find(noun, value);

    if (known && known->is_gone) {
        forget(known);
        known = NULL;
    }
    return known ? known : add(noun, value, 0);
}

static struct cushim__known *covering(enum cushim__noun noun, uint64_t address)
{
    struct cushim__known *known = upto(noun, address);

    return known && address - known->value < known->bytes ? known : NULL;
}

struct cushim__known *cushim__known_memory(uint64_t address)
{
    struct cushim__known *known = covering(CUSHIM__NOUN_MEMORY, address);

    return known ? known : covering(CUSHIM__NOUN_GLOBAL, address);
}

/* What lies where something else begins is no more there, whoever took it away. */
static void clear_range(enum cushim__noun noun, uint64_t start, uint64_t bytes)
{
    struct cushim__known *known;

    while ((known = upto(noun, start + (bytes ? bytes - 1 : 0))) != NULL &&
           known->value + known->bytes > start)
        forget(known);
}

struct cushim__known *cushim__known_make(enum cushim__noun noun, uint64_t value, uint64_t bytes)
{
    struct cushim__known *known;

    if (is_memory(noun)) {
        clear_range(CUSHIM__NOUN_MEMORY, value, bytes);
        clear_range(CUSHIM__NOUN_GLOBAL, value, bytes);
    }
    known = find(noun, value);
    if (known)
        forget(known);
    return add(noun, value, bytes);
}

void cushim__known_own(struct cushim__known *owner, struct cushim__known *owned)
{
    part(owned);
    if (!owner || owner == owned)
        return;
    owned->owner = owner;
    owner->owned++;
}

void cushim__known_end(struct cushim__known *known)
{
    if (is_memory(known->noun)) {
        forget(known);
        return;
    }
    cushim__known_end_owned(known);
    part(known);
    known->is_live = false;
    known->is_gone = true;
    known->next_gone = NULL;
    *(last_gone ? &last_gone->next_gone : &first_gone) = known;
    last_gone = known;
    if (++gone > GONE_KEPT)
        forget(first_gone);
}

/* One that ends may take others with it: so the next is looked for by its value. */
static struct cushim__known *after(enum cushim__noun noun, uint64_t value)
{
    const struct cushim__known key = {.value = value};

    return (struct cushim__known *)cushim__tree_after(&trees[noun], &key.node);
}

void cushim__known_end_owned(const struct cushim__known *owner)
{
    for (unsigned noun = 0; noun < CUSHIM__NOUNS && owner->owned > 0; noun++) {
        struct cushim__known *known = cushim__known_next((enum cushim__noun)noun, NULL);

        while (known && owner->owned > 0) {
            const uint64_t value = known->value;

            if (known->owner == owner)
                cushim__known_end(known);
            known = after((enum cushim__noun)noun, value);
        }
    }
}

struct cushim__known *cushim__known_primary(int device)
{
    struct cushim__known *known = cushim__known_next(CUSHIM__NOUN_CONTEXT, NULL);

    while (known && known->device != device)
        known = cushim__known_next(CUSHIM__NOUN_CONTEXT, known);
    return known;
}

struct cushim__known *cushim__known_next(enum cushim__noun noun,
                                         const struct cushim__known *previous)
{
    trees[noun].before = before;
    return (struct cushim__known *)cushim__tree_after(&trees[noun],
                                                      previous ? &previous->node : NULL);
}

struct cushim__known_counts cushim__known_count(void)
{
    struct cushim__known_counts counts = {.handles = 0};

    for (unsigned noun = 0; noun < CUSHIM__NOUNS; noun++) {
        const struct cushim__known *known = NULL;

        while ((known = cushim__known_next((enum cushim__noun)noun, known)) != NULL) {
            if (!known->is_live)
                continue;
            if (noun == CUSHIM__NOUN_MEMORY) {
                counts.allocations++;
                counts.bytes += known->bytes;
            } else {
                counts.handles++;
            }
        }
    }
    return counts;
}

struct cushim__tag cushim__known_tag(const struct cushim__known *known)
{
    return (struct cushim__tag){
        .noun = (uint8_t)known->noun, .number = known->number, .is_destroyed = known->is_gone};
}

void cushim__known_clear(void)
{
    for (unsigned noun = 0; noun < CUSHIM__NOUNS; noun++) {
        struct cushim__known *known;

        while ((known = cushim__known_next((enum cushim__noun)noun, NULL)) != NULL) {
            known->owned = 0; /* nobody is left to be told */
            known->owner = NULL;
            known->is_gone = false;
            forget(known);
        }
        numbers[noun] = 0;
    }
    first_gone = last_gone = NULL;
    gone = 0;
}
