/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races within a launch: two threads use the same bytes, one of them writes, not both are atomic,
 * and nothing orders them.
 *
 * Time is a number that grows with whatever orders threads. Each word that was used has a cell: who
 * wrote it last, two who have read it, and when. Each warp knows up to which time the accesses of
 * others come before its own: for each of its lanes, by bar.warp.sync; for each warp of its block,
 * by barriers; and for the whole launch, by atomic reads. A write releases everything up to the
 * last fence of its warp, or up to now if it is a release itself; an atomic read acquires what was
 * released at that word.
 *
 * All this errs on one side: who knows of an access is taken to know of all accesses before it. So
 * some races are missed, but none is reported between accesses that the program orders.
 */
#include "src/mock/kernel/launch.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = 4,
    PAGE_BYTES = 256,
    PAGE_CELLS = PAGE_BYTES / WORD,
    PAGES_MAX = 1 << 16, /* of 4.4 KB each: 16 MiB of the kernel's memory */
    PLACES = PAGES_MAX * 2,
    PAIRS_MAX = 64, /* pairs of instructions that are reported */
    LOCKSTEP = 70,  /* below this target the lanes of a warp execute in lockstep */
};

/* The key of a page of shared memory: this bit, and the indices of resident block and page. */
#define SHARED_KEY (UINT64_C(1) << 63)
#define SHARED_PAGES 4096

enum { STRONG = 1, VALUE = 2 };

struct use {
    uint32_t block, time, pc;
    uint32_t bits; /* of the word, whole bytes; 0: it was not used */
    uint16_t thread;
    uint16_t flags; /* STRONG: atomic or volatile; VALUE: what it wrote is in the cell */
};

struct cell {
    struct use write, reads[2];
    uint32_t value;    /* that was written last */
    uint32_t released; /* whoever reads it atomically knows of all accesses up to this time */
};

struct page {
    uint64_t key;
    struct cell cells[PAGE_CELLS];
};

/* Up to which time a warp knows what others have done; 0: it knows of nothing. */
struct knowledge {
    uint32_t lanes[PTX_LANES][PTX_LANES]; /* what each lane knows of each other one */
    uint32_t warps[PTX_WARPS];
    uint32_t all;    /* of the whole launch */
    uint32_t fenced; /* the time of the last fence */
};

struct ptx_racecheck {
    uint32_t now;
    bool lockstep;
    struct page *pages[PLACES]; /* a hash table */
    size_t page_count;
    struct page *last;
    uint64_t pairs[PAIRS_MAX];
    unsigned pair_count;
    struct knowledge warps[]; /* of all resident blocks */
};

struct ptx_racecheck *cushim__ptx_racecheck_create(const struct ptx_launch *launch, size_t blocks)
{
    struct ptx_racecheck *check =
        calloc(1, sizeof *check + blocks * launch->warps * sizeof *check->warps);

    if (check) {
        check->now = 1;
        check->lockstep = launch->program->module.target < LOCKSTEP;
    }
    return check;
}

void cushim__ptx_racecheck_destroy(struct ptx_racecheck *check)
{
    for (size_t i = 0; check && i < PLACES; i++)
        free(check->pages[i]);
    free(check);
}

static struct knowledge *knowledge_of(const struct ptx_launch *launch, const struct ptx_warp *warp)
{
    const size_t block = (size_t)(warp->block - launch->blocks);

    return &launch->racecheck->warps[block * launch->warps + warp->index];
}

/*
 * Begin a new time, and return the one before. When the numbers have run out, time stands still:
 * whoever synchronizes then knows of everything, so races are missed.
 */
static uint32_t tick(struct ptx_racecheck *check)
{
    return check->now < UINT32_MAX ? check->now++ : check->now;
}

static void advance(uint32_t *time, uint32_t other)
{
    if (*time < other)
        *time = other;
}

/* --- cells --- */

static struct page **place_of(struct ptx_racecheck *check, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % PLACES;

    while (check->pages[at] && check->pages[at]->key != key)
        at = (at + 1) % PLACES;
    return &check->pages[at];
}

/* NULL: PAGES_MAX are in use, or there is no memory. */
static struct page *page_of(struct ptx_racecheck *check, uint64_t key)
{
    struct page **place;

    if (check->last && check->last->key == key)
        return check->last;
    place = place_of(check, key);
    if (!*place) {
        *place = check->page_count < PAGES_MAX ? calloc(1, sizeof **place) : NULL;
        if (!*place)
            return NULL;
        (*place)->key = key;
        check->page_count++;
    }
    return check->last = *place;
}

/* The key of a page: of global memory, or of the shared memory of a warp's block. */
static uint64_t key_of(const struct ptx_launch *launch, const struct ptx_block *block,
                       enum ptx_space space, uint64_t address)
{
    return address / PAGE_BYTES |
           (space == PTX_SHARED ? SHARED_KEY | (uint64_t)(block - launch->blocks) * SHARED_PAGES
                                : 0);
}

static struct cell *cell_of(const struct ptx_step *step, enum ptx_space space, uint64_t address)
{
    struct page *page =
        page_of(step->launch->racecheck, key_of(step->launch, step->warp->block, space, address));

    return page ? &page->cells[address % PAGE_BYTES / WORD] : NULL;
}

static void forget(struct ptx_racecheck *check, uint64_t first, uint64_t last)
{
    for (uint64_t key = first; key <= last; key++) {
        struct page *page = *place_of(check, key);

        if (page)
            memset(page->cells, 0, sizeof page->cells);
    }
}

void cushim__ptx_racecheck_forget(const struct ptx_launch *launch, uint64_t address, size_t bytes)
{
    if (bytes > 0)
        forget(launch->racecheck, address / PAGE_BYTES, (address + bytes - 1) / PAGE_BYTES);
}

/* --- accesses --- */

static bool is_before(const struct ptx_step *step, unsigned lane, const struct use *one)
{
    const struct ptx_warp *warp = step->warp;
    const struct knowledge *knows = knowledge_of(step->launch, warp);
    const uint32_t of = one->thread / PTX_LANES;

    if (one->time <= knows->all)
        return true;
    if (one->block != warp->block->linear)
        return false;
    return one->time <= knows->warps[of] || one->thread == ptx_thread(warp, lane) ||
           (of == warp->index && (step->launch->racecheck->lockstep ||
                                  one->time <= knows->lanes[lane][one->thread % PTX_LANES]));
}

static bool is_race(const struct ptx_step *step, unsigned lane, const struct use *one,
                    const struct use *later)
{
    return one->bits & later->bits && !(one->flags & later->flags & STRONG) &&
           !is_before(step, lane, one);
}

/* Whether this pair of instructions is a new one. */
static bool is_new(struct ptx_launch *launch, uint32_t one, uint32_t other)
{
    struct ptx_racecheck *check = launch->racecheck;
    const uint64_t pair = one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;

    for (unsigned i = 0; i < check->pair_count; i++) {
        if (check->pairs[i] == pair)
            return false;
    }
    if (check->pair_count == PAIRS_MAX) {
        launch->counts.unreported_races++;
        return false;
    }
    check->pairs[check->pair_count++] = pair;
    return true;
}

static struct ptx_race_side side_of(const struct ptx_launch *launch, const struct use *use,
                                    bool writes)
{
    struct ptx_race_side side = {
        .use = !writes                                               ? PTX_READ
               : launch->program->code[use->pc].handler == DO_ATOMIC ? PTX_ATOMIC
                                                                     : PTX_WRITE,
        .is_strong = use->flags & STRONG,
        .line = launch->program->code[use->pc].line,
        .linear_block = use->block,
        .linear_thread = use->thread,
    };

    ptx_index(launch->shape.grid, use->block, side.block);
    ptx_index(launch->shape.block, use->thread, side.thread);
    return side;
}

/*
 * `count` bytes of what a store writes, from `behind` bytes after its address on, as they lie in a
 * word from its byte `from` on.
 */
static uint32_t value_of(const struct ptx_step *step, unsigned lane, unsigned behind, unsigned from,
                         unsigned count)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    uint32_t value = 0;

    for (unsigned i = 0; i < count; i++) {
        const uint64_t number =
            ptx_number(ptx_row(step, list[(behind + i) / at->bytes]), lane, at->bytes == 8);

        value |= (uint32_t)(number >> 8 * ((behind + i) % at->bytes) & 0xff) << 8 * (from + i);
    }
    return value;
}

/* Whether two writes leave the same in the bytes that both have. */
static bool is_same(const struct cell *cell, const struct use *write, uint32_t value)
{
    return cell->write.flags & write->flags & VALUE &&
           !((cell->value ^ value) & cell->write.bits & write->bits);
}

static void note_read(const struct ptx_step *step, unsigned lane, struct cell *cell,
                      const struct use *read)
{
    struct use *const first = &cell->reads[0], *const second = &cell->reads[1];
    const bool same = second->thread == read->thread && second->block == read->block;

    /* Two reads are enough: at most one of them is by the thread that makes a later write. */
    *(!same && is_before(step, lane, first) ? first : second) = *read;
}

/* Whether more accesses race with a write than with a later, atomic one of the same thread. */
static bool outweighs(const struct use *write, const struct use *later)
{
    return later->flags & STRONG && !(write->flags & STRONG) && write->bits == later->bits &&
           write->time == later->time && write->thread == later->thread &&
           write->block == later->block;
}

/* Judge and note the part of an access that lies in one word. */
static void use_cell(struct ptx_step *step, unsigned lane, struct cell *cell, const struct use *use,
                     uint32_t value, const struct ptx_access *access)
{
    const struct ptx_launch *launch = step->launch;
    const bool writes = access->use != PTX_READ;
    const struct use *other = NULL;

    if (is_race(step, lane, &cell->write, use) && !(writes && is_same(cell, use, value)))
        other = &cell->write;
    for (unsigned i = 0; writes && !other && i < 2; i++) {
        if (is_race(step, lane, &cell->reads[i], use))
            other = &cell->reads[i];
    }
    if (other && is_new(step->launch, other->pc, use->pc)) {
        const struct ptx_race race = {
            .space = access->space,
            .address = access->address,
            .bytes = access->bytes,
            .earlier = side_of(launch, other, other == &cell->write),
            .later = side_of(launch, use, writes),
        };

        launch->callbacks->race(launch->data, &race);
    }
    if (!writes) {
        note_read(step, lane, cell, use);
    } else if (!outweighs(&cell->write, use)) {
        cell->write = *use;
        cell->value = value;
    }
}

/* What an access says of the order of threads: who acquires here, and what is released. */
static void order(const struct ptx_step *step, struct cell *cell, const struct use *use,
                  enum ptx_use kind)
{
    const struct ptx_instruction *at = step->at;
    struct knowledge *knows = knowledge_of(step->launch, step->warp);

    /* An atomic operation whose result is not used gives its thread no information. */
    if (use->flags & STRONG && kind != PTX_WRITE &&
        (at->handler == DO_LOAD || (at->handler == DO_ATOMIC && at->d != PTX_UNUSED)))
        advance(&knows->all, cell->released);
    if (kind != PTX_READ)
        advance(&cell->released, use->flags & STRONG && at->flags & FLAG_RELEASE
                                     ? tick(step->launch->racecheck)
                                     : knows->fenced);
}

void cushim__ptx_racecheck_access(struct ptx_step *step, unsigned lane,
                                  const struct ptx_access *access)
{
    const struct ptx_instruction *at = step->at;
    const bool moves = at->handler == DO_LOAD || at->handler == DO_STORE;
    struct use use = {
        .block = step->warp->block->linear,
        .pc = (uint32_t)(at - step->launch->program->code),
        .thread = (uint16_t)ptx_thread(step->warp, lane),
        .flags = access->use == PTX_ATOMIC || (moves && at->flags & FLAG_STRONG) ? STRONG : 0,
    };
    unsigned count;

    use.flags |= at->handler == DO_STORE ? VALUE : 0;
    for (unsigned behind = 0; behind < access->bytes; behind += count) {
        const unsigned from = (access->address + behind) % WORD, left = access->bytes - behind;
        struct cell *cell = cell_of(step, access->space, access->address + behind);

        count = left < WORD - from ? left : WORD - from;
        if (!cell) {
            step->launch->counts.unwatched_bytes += count;
            continue;
        }
        order(step, cell, &use, access->use);
        use.time = step->launch->racecheck->now;
        use.bits = UINT32_MAX >> (32 - 8 * count) << 8 * from;
        use_cell(step, lane, cell, &use,
                 use.flags & VALUE ? value_of(step, lane, behind, from, count) : 0, access);
    }
}

void cushim__ptx_racecheck_mbarrier(struct ptx_step *step, const unsigned char *place, bool waits,
                                    bool over)
{
    const uint64_t offset = (uint64_t)(place - step->warp->block->shared);
    struct knowledge *knows = knowledge_of(step->launch, step->warp);
    struct cell *cell;

    if (offset >= step->launch->shared_bytes)
        return;
    cell = cell_of(step, PTX_SHARED, offset);
    if (cell && !waits)
        advance(&cell->released, tick(step->launch->racecheck));
    else if (over)
        /* If its word is not watched, all accesses so far are taken to come before. */
        advance(&knows->all, cell ? cell->released : tick(step->launch->racecheck));
}

/* --- what orders threads --- */

void cushim__ptx_racecheck_block_begin(struct ptx_launch *launch, const struct ptx_block *block)
{
    const uint64_t first = key_of(launch, block, PTX_SHARED, 0);

    memset(knowledge_of(launch, block->warps), 0, launch->warps * sizeof *launch->racecheck->warps);
    forget(launch->racecheck, first, first + launch->shared_bytes / PAGE_BYTES);
}

void cushim__ptx_fence(struct ptx_step *step)
{
    if (step->launch->racecheck)
        knowledge_of(step->launch, step->warp)->fenced = tick(step->launch->racecheck);
}

void cushim__ptx_racecheck_warp_sync(struct ptx_launch *launch, const struct ptx_warp *warp,
                                     uint32_t lanes)
{
    struct knowledge *knows = knowledge_of(launch, warp);
    const uint32_t now = tick(launch->racecheck);
    uint32_t joined[PTX_LANES] = {0};

    for (uint32_t left = lanes; left; left &= left - 1) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            advance(&joined[i], ptx_in(lanes, i) ? now : knows->lanes[ptx_first(left)][i]);
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        memcpy(knows->lanes[ptx_first(left)], joined, sizeof joined);
}

void cushim__ptx_racecheck_barrier(struct ptx_launch *launch, const struct ptx_block *block,
                                   const struct ptx_barrier_state *barrier)
{
    struct knowledge *const warps = knowledge_of(launch, block->warps);
    const bool whole = barrier->expected == 0;
    const uint32_t now = tick(launch->racecheck);
    uint32_t joined[PTX_WARPS] = {0}, all = 0, fenced = 0;

    for (uint32_t i = 0; i < block->warp_count; i++) {
        if (!whole && !barrier->arrived[i])
            continue;
        for (uint32_t j = 0; j < block->warp_count; j++)
            advance(&joined[j], i == j ? now : warps[i].warps[j]);
        advance(&all, warps[i].all);
        advance(&fenced, warps[i].fenced);
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        if (!whole && !barrier->waiting[i])
            continue;
        memcpy(warps[i].warps, joined, sizeof joined);
        warps[i].all = all;
        warps[i].fenced = fenced;
    }
}
