/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history has the uses of an allocation with which a later operation may race. None can race with
 * what the host has seen to be finished. Nor need a use be kept if a later one is ordered after it,
 * covers its bytes, and races with whatever it would race with.
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/race/internal.h"

enum { BUCKETS = 1024, FIRST_ROOM = 4 };

struct use {
    struct race_access access; /* without its clock */
    struct race_region region;
    enum race_use use;
    bool open; /* it waits for a value, so it may come after anything that is submitted later */
};

/* An operation that was submitted, but whose uses are not known yet. */
struct race_deferred {
    struct race_deferred *next;
    struct race_access access;
};

struct race_history {
    struct race_history *next; /* in its bucket */
    uint64_t id;               /* of the allocation */
    struct use *uses;          /* in the order of submission */
    size_t count, room;
};

bool cushim__race_histories_create(void)
{
    cushim__race_detector->histories = calloc(BUCKETS, sizeof *cushim__race_detector->histories);
    return cushim__race_detector->histories;
}

static void drop(struct race_history **link)
{
    struct race_history *history = *link;

    *link = history->next;
    free(history->uses);
    free(history);
}

void cushim__race_histories_clear(void)
{
    struct race_detector *detector = cushim__race_detector;

    for (size_t i = 0; detector->histories && i < BUCKETS; i++) {
        while (detector->histories[i])
            drop(&detector->histories[i]);
    }
    free(detector->histories);
    while (detector->deferred)
        cushim__race_deferred_end(detector->deferred->access.number);
}

/* The link to the history of an allocation, or the NULL in its place. */
static struct race_history **find(uint64_t id)
{
    struct race_history **link = &cushim__race_detector->histories[id % BUCKETS];

    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

void cushim__race_forget(uint64_t id)
{
    struct race_history **link;

    if (!cushim__race_detector)
        return;
    link = find(id);
    if (*link)
        drop(link);
}

/* A use that does not wait for its allocation is reported, so the free that follows need not be. */
static bool conflict(enum race_use one, enum race_use other)
{
    if (one == RACE_READS && other == RACE_READS)
        return false;
    if (one == RACE_ALLOCATES && other == RACE_FREES)
        return false;
    return one != other || (one != RACE_MAY_WRITE && one != RACE_ATOMIC);
}

/* Whether whatever conflicts with one use conflicts with another, too. */
static bool conflicts_as_much(enum race_use use, enum race_use other)
{
    return use == other || (use != RACE_READS && use != RACE_MAY_WRITE && use != RACE_ATOMIC);
}

/* Returns false if the host has seen that the use is finished. */
static bool is_unseen(const struct use *use)
{
    return use->access.number >
           cushim__race_clock_of(cushim__race_detector->host, use->access.timeline);
}

bool cushim__race_is_used(uint64_t id, struct race_access *access)
{
    const struct race_history *history;
    size_t last;

    if (!cushim__race_detector)
        return false;
    history = *find(id);
    last = history ? history->count : 0;
    while (last > 0 &&
           (history->uses[last - 1].use == RACE_ALLOCATES || !is_unseen(&history->uses[last - 1])))
        last--;
    if (last > 0)
        *access = history->uses[last - 1].access;
    return last > 0;
}

/* Whether an operation whose uses are not known yet may race with this use. */
static bool is_awaited(const struct use *use)
{
    const struct race_deferred *one = cushim__race_detector->deferred;

    while (one && (one->access.number == use->access.number ||
                   cushim__race_access_precedes(&use->access, &one->access)))
        one = one->next;
    return one;
}

/* Whether a use comes before an access or, if that is `deferred` and so seen late, after it. */
static bool is_ordered(const struct use *earlier, const struct race_access *access, bool deferred)
{
    if (!deferred || earlier->access.number < access->number)
        return cushim__race_access_precedes(&earlier->access, access);
    return cushim__race_order(access->number, earlier->access.number) != RACE_ORDER_NONE;
}

/*
 * Compare a use with a later one, which may have come before it if it is deferred. Returns false if
 * the former need not be kept any longer.
 */
static bool compare(const struct use *earlier, const struct use *later,
                    const struct race_access *access, const struct race_memory *memory,
                    bool deferred)
{
    uint64_t first, end;

    if (!deferred && !is_unseen(earlier))
        return is_awaited(earlier);
    if (earlier->access.number == access->number)
        return true;
    if (is_ordered(earlier, access, deferred))
        return deferred || later->open || !conflicts_as_much(later->use, earlier->use) ||
               !cushim__race_region_covers(&later->region, &earlier->region) || is_awaited(earlier);
    if (!earlier->open && conflict(earlier->use, later->use) &&
        cushim__race_region_overlap(&earlier->region, &later->region, &first, &end))
        cushim__race_report(&(struct race_side){access, later->use},
                            &(struct race_side){&earlier->access, earlier->use}, memory, first,
                            end);
    return true;
}

/* Keep to the limit. This is logged once, because races may be missed from then on. */
static void forget_oldest(struct race_history *history)
{
    struct race_detector *detector = cushim__race_detector;
    char text[200];

    for (size_t i = 1; i < history->count; i++)
        history->uses[i - 1] = history->uses[i];
    history->count--;
    detector->forgotten++;
    if (detector->forgotten == 1) {
        snprintf(text, sizeof text,
                 "races: more than %d uses of an allocation are not known to be finished; the "
                 "oldest ones are forgotten, here and elsewhere",
                 RACE_ACCESSES_KEPT);
        detector->ask.log(text);
    }
}

static bool append(struct race_history *history, const struct use *use)
{
    if (history->count >= RACE_ACCESSES_KEPT)
        forget_oldest(history);
    if (history->count >= history->room) {
        const size_t room = history->room > 0 ? history->room * 2 : FIRST_ROOM;
        struct use *uses = realloc(history->uses, room * sizeof *uses);

        if (!uses)
            return false;
        history->uses = uses;
        history->room = room;
    }
    history->uses[history->count++] = *use;
    return true;
}

/* Returns NULL if memory runs out. */
static struct race_history *find_or_create(uint64_t id)
{
    struct race_history **link = find(id);

    if (!*link) {
        *link = calloc(1, sizeof **link);
        if (*link)
            (*link)->id = id;
    }
    return *link;
}

/* Look for races with earlier uses, and keep this one. */
static void add(const struct race_memory *memory, const struct race_access *access,
                const struct race_region *region, enum race_use kind, bool deferred)
{
    struct race_history *history = find_or_create(memory->id);
    struct use use = {.access = *access,
                      .region = cushim__race_region_joined(*region),
                      .use = kind,
                      .open = access->before && access->before->open > 0};
    size_t kept = 0;

    if (!history) {
        cushim__race_disable();
        return;
    }
    use.access.before = NULL;
    for (size_t i = 0; i < history->count; i++) {
        if (compare(&history->uses[i], &use, access, memory, deferred))
            history->uses[kept++] = history->uses[i];
    }
    history->count = kept;
    if (!append(history, &use))
        cushim__race_disable();
}

/* Memory that is in no allocation, such as pageable memory, is not known. */
void cushim__race_use(const struct race_access *access, const struct race_region *region,
                      enum race_use use)
{
    struct race_memory memory;

    if (cushim__race_detector->ask.find(region->start, &memory))
        add(&memory, access, region, use, false);
}

void cushim__race_use_from(const struct race_access *access, uint64_t address, size_t bytes,
                           enum race_use use)
{
    struct race_memory memory;
    struct race_region region;
    size_t rest;

    if (!cushim__race_detector->ask.find(address, &memory))
        return;
    rest = memory.bytes - (address - memory.start);
    region = cushim__race_region_row(address, bytes > 0 && bytes < rest ? bytes : rest);
    add(&memory, access, &region, use, false);
}

void cushim__race_use_all(const struct race_access *access, const struct race_memory *memory,
                          enum race_use use)
{
    const struct race_region region = cushim__race_region_row(memory->start, memory->bytes);

    add(memory, access, &region, use, false);
}

void cushim__race_defer(const struct race_access *access)
{
    struct race_deferred **link = &cushim__race_detector->deferred, *made = calloc(1, sizeof *made);

    if (!made) {
        cushim__race_disable();
        return;
    }
    made->access = *access;
    while (*link)
        link = &(*link)->next;
    *link = made;
}

static struct race_deferred **find_deferred(uint64_t number)
{
    struct race_deferred **link = &cushim__race_detector->deferred;

    while (*link && (*link)->access.number != number)
        link = &(*link)->next;
    return link;
}

void cushim__race_use_deferred(uint64_t number, const struct race_region *region, enum race_use use)
{
    const struct race_deferred *deferred;
    struct race_memory memory;

    if (!cushim__race_detector || cushim__race_detector->is_disabled)
        return;
    deferred = *find_deferred(number);
    if (deferred && cushim__race_detector->ask.find(region->start, &memory))
        add(&memory, &deferred->access, region, use, true);
}

void cushim__race_deferred_end(uint64_t number)
{
    struct race_deferred **link = cushim__race_detector ? find_deferred(number) : NULL, *ended;

    if (!link || !*link)
        return;
    ended = *link;
    *link = ended->next;
    free(ended);
}
