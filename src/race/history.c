/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories: what was done to an allocation, as far as something that comes may race with it. What
 * the host has seen to be finished cannot; nor need a use be kept where a later one is ordered
 * behind it, covers its bytes, and races with whatever it would race with.
 */
#include <stdlib.h>

#include "src/mock/memory/allocation.h"
#include "src/mock/sim/sim.h"
#include "src/race/internal.h"

enum { BUCKETS = 1024, FIRST_ROOM = 4 };

struct access {
    struct race_access mark; /* without its clock */
    struct race_region region;
    enum race_use use;
    bool open; /* it waits for a value: it may come after anything that is submitted later */
};

struct race_history {
    struct race_history *next; /* in its bucket */
    uint64_t id;               /* of the allocation */
    struct access *accesses;   /* by submission */
    size_t count, room;
};

bool cushim__race_histories_create(void)
{
    cushim__race_search()->histories = calloc(BUCKETS, sizeof *cushim__race_search()->histories);
    return cushim__race_search()->histories;
}

static void drop(struct race_history **link)
{
    struct race_history *history = *link;

    *link = history->next;
    free(history->accesses);
    free(history);
}

void cushim__race_histories_clear(void)
{
    struct race_search *races = cushim__race_search();

    for (size_t i = 0; races->histories && i < BUCKETS; i++) {
        while (races->histories[i])
            drop(&races->histories[i]);
    }
    free(races->histories);
}

/* Where the history of an allocation is linked, or NULL is. */
static struct race_history **find(uint64_t id)
{
    struct race_history **link = &cushim__race_search()->histories[id % BUCKETS];

    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

void cushim__race_forget(const struct mock_allocation *allocation)
{
    struct race_history **link;

    if (!cushim__race_search())
        return;
    link = find(allocation->id);
    if (*link)
        drop(link);
}

/* A use that lacks a wait for its allocation is told of; the free that follows it need not be. */
static bool conflict(enum race_use one, enum race_use other)
{
    if (one == RACE_READS && other == RACE_READS)
        return false;
    if (one == RACE_ALLOCATES && other == RACE_FREES)
        return false;
    return one != RACE_MAY_WRITE || other != RACE_MAY_WRITE;
}

/* Whether whatever conflicts with one use conflicts with another, too. */
static bool conflicts_as_much(enum race_use use, enum race_use other)
{
    return use == other || (use != RACE_READS && use != RACE_MAY_WRITE);
}

/* False: the host has seen that it is finished. */
static bool is_unseen(const struct access *access)
{
    return access->mark.number >
           cushim__race_clock_of(cushim__race_search()->host, access->mark.strand);
}

/* Compare an access with one that comes. False: the former need not be kept any longer. */
static bool compare(const struct access *earlier, const struct access *later,
                    const struct race_access *mark, const struct mock_allocation *allocation)
{
    uint64_t first, end;

    if (!is_unseen(earlier))
        return false;
    if (earlier->mark.number == mark->number)
        return true;
    if (cushim__race_access_precedes(&earlier->mark, mark))
        return later->open || !conflicts_as_much(later->use, earlier->use) ||
               !cushim__race_region_covers(&later->region, &earlier->region);
    if (!earlier->open && conflict(earlier->use, later->use) &&
        cushim__race_region_overlap(&earlier->region, &later->region, &first, &end))
        cushim__race_report(&(struct race_side){mark, later->use},
                            &(struct race_side){&earlier->mark, earlier->use}, allocation, first,
                            end);
    return true;
}

/* A bound on what is kept: what is forgotten is said once, as races may go with it. */
static void forget_oldest(struct race_history *history)
{
    struct race_search *races = cushim__race_search();

    for (size_t i = 1; i < history->count; i++)
        history->accesses[i - 1] = history->accesses[i];
    history->count--;
    races->forgotten++;
    if (races->forgotten == 1)
        cushim__mock_log("races: more than %d uses of allocation %llu are not known to be "
                         "finished; the oldest ones are forgotten, here and elsewhere",
                         RACE_ACCESSES_KEPT, (unsigned long long)history->id);
}

static bool append(struct race_history *history, const struct access *access)
{
    if (history->count >= RACE_ACCESSES_KEPT)
        forget_oldest(history);
    if (history->count >= history->room) {
        const size_t room = history->room > 0 ? history->room * 2 : FIRST_ROOM;
        struct access *accesses = realloc(history->accesses, room * sizeof *accesses);

        if (!accesses)
            return false;
        history->accesses = accesses;
        history->room = room;
    }
    history->accesses[history->count++] = *access;
    return true;
}

/* NULL: out of memory. */
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

void cushim__race_history_add(const struct mock_allocation *allocation,
                              const struct race_access *mark, const struct race_region *region,
                              enum race_use use)
{
    struct race_history *history = find_or_create(allocation->id);
    struct access access = {.mark = *mark,
                            .region = cushim__race_region_joined(*region),
                            .use = use,
                            .open = mark->before && mark->before->open > 0};
    size_t kept = 0;

    if (!history) {
        cushim__race_go_blind();
        return;
    }
    access.mark.before = NULL;
    for (size_t i = 0; i < history->count; i++) {
        if (compare(&history->accesses[i], &access, mark, allocation))
            history->accesses[kept++] = history->accesses[i];
    }
    history->count = kept;
    if (!append(history, &access))
        cushim__race_go_blind();
}
