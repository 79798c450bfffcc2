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
    struct cushim__mark mark; /* without its clock */
    struct cushim__region region;
    enum cushim__use use;
    bool open; /* it waits for a value: it may come after anything that is submitted later */
};

struct cushim__history {
    struct cushim__history *next; /* in its bucket */
    uint64_t id;                  /* of the allocation */
    struct access *accesses;      /* by submission */
    size_t count, room;
};

bool cushim__histories_create(void)
{
    cushim__races()->histories = calloc(BUCKETS, sizeof *cushim__races()->histories);
    return cushim__races()->histories;
}

static void drop(struct cushim__history **link)
{
    struct cushim__history *history = *link;

    *link = history->next;
    free(history->accesses);
    free(history);
}

void cushim__histories_clear(void)
{
    struct cushim__races *races = cushim__races();

    for (size_t i = 0; races->histories && i < BUCKETS; i++) {
        while (races->histories[i])
            drop(&races->histories[i]);
    }
    free(races->histories);
}

/* Where the history of an allocation is linked, or NULL is. */
static struct cushim__history **find(uint64_t id)
{
    struct cushim__history **link = &cushim__races()->histories[id % BUCKETS];

    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

void cushim__races_forget(const struct cushim__allocation *allocation)
{
    struct cushim__history **link;

    if (!cushim__races())
        return;
    link = find(allocation->id);
    if (*link)
        drop(link);
}

/* A use that lacks a wait for its allocation is told of; the free that follows it need not be. */
static bool conflict(enum cushim__use one, enum cushim__use other)
{
    if (one == CUSHIM__READS && other == CUSHIM__READS)
        return false;
    if (one == CUSHIM__ALLOCATES && other == CUSHIM__FREES)
        return false;
    return one != CUSHIM__MAY_WRITE || other != CUSHIM__MAY_WRITE;
}

/* Whether whatever conflicts with one use conflicts with another, too. */
static bool conflicts_as_much(enum cushim__use use, enum cushim__use other)
{
    return use == other || (use != CUSHIM__READS && use != CUSHIM__MAY_WRITE);
}

/* False: the host has seen that it is finished. */
static bool is_unseen(const struct access *access)
{
    return access->mark.number > cushim__clock_of(cushim__races()->host, access->mark.strand);
}

/* Compare an access with one that comes. False: the former need not be kept any longer. */
static bool compare(const struct access *earlier, const struct access *later,
                    const struct cushim__mark *mark, const struct cushim__allocation *allocation)
{
    uint64_t first, end;

    if (!is_unseen(earlier))
        return false;
    if (earlier->mark.number == mark->number)
        return true;
    if (cushim__mark_precedes(&earlier->mark, mark))
        return later->open || !conflicts_as_much(later->use, earlier->use) ||
               !cushim__region_covers(&later->region, &earlier->region);
    if (!earlier->open && conflict(earlier->use, later->use) &&
        cushim__region_overlap(&earlier->region, &later->region, &first, &end))
        cushim__race_report(&(struct cushim__race_side){mark, later->use},
                            &(struct cushim__race_side){&earlier->mark, earlier->use}, allocation,
                            first, end);
    return true;
}

/* A bound on what is kept: what is forgotten is said once, as races may go with it. */
static void forget_oldest(struct cushim__history *history)
{
    struct cushim__races *races = cushim__races();

    for (size_t i = 1; i < history->count; i++)
        history->accesses[i - 1] = history->accesses[i];
    history->count--;
    races->forgotten++;
    if (races->forgotten == 1)
        cushim__mock_log("races: more than %d uses of allocation %llu are not known to be "
                         "finished; the oldest ones are forgotten, here and elsewhere",
                         CUSHIM__ACCESSES_KEPT, (unsigned long long)history->id);
}

static bool append(struct cushim__history *history, const struct access *access)
{
    if (history->count >= CUSHIM__ACCESSES_KEPT)
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
static struct cushim__history *find_or_create(uint64_t id)
{
    struct cushim__history **link = find(id);

    if (!*link) {
        *link = calloc(1, sizeof **link);
        if (*link)
            (*link)->id = id;
    }
    return *link;
}

void cushim__history_add(const struct cushim__allocation *allocation,
                         const struct cushim__mark *mark, const struct cushim__region *region,
                         enum cushim__use use)
{
    struct cushim__history *history = find_or_create(allocation->id);
    struct access access = {.mark = *mark,
                            .region = cushim__region_joined(*region),
                            .use = use,
                            .open = mark->before && mark->before->open > 0};
    size_t kept = 0;

    if (!history) {
        cushim__races_go_blind();
        return;
    }
    access.mark.before = NULL;
    for (size_t i = 0; i < history->count; i++) {
        if (compare(&history->accesses[i], &access, mark, allocation))
            history->accesses[kept++] = history->accesses[i];
    }
    history->count = kept;
    if (!append(history, &access))
        cushim__races_go_blind();
}
