/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that an executed kernel uses, for the race detector: ranges of bytes, which are
 * collected in the order of the accesses, and sorted and merged when there are many. This file also
 * reports races between the threads of a kernel.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/text.h"
#include "src/mock/launch/execution.h"
#include "src/mock/memory/allocation.h"
#include "src/ptx/ptx.h"
#include "src/race/race.h"

enum {
    FIRST_ROOM = 64,
    RANGES_MAX = 1 << 18,
    REGIONS_MAX = 64, /* regions reported for one allocation and one use */
};

static int by_start(const void *one, const void *other)
{
    const struct mock_access *a = one, *b = other;

    return (a->start > b->start) - (a->start < b->start);
}

/* Sort the ranges, and merge those that touch or overlap. */
static void merge(struct mock_accesses *accesses)
{
    struct mock_access *ranges = accesses->ranges;
    size_t count = 0;

    if (accesses->count == 0)
        return;
    qsort(ranges, accesses->count, sizeof *ranges, by_start);
    for (size_t i = 1; i < accesses->count; i++) {
        if (ranges[i].start > ranges[count].end)
            ranges[++count] = ranges[i];
        else if (ranges[i].end > ranges[count].end)
            ranges[count].end = ranges[i].end;
    }
    accesses->count = count + 1;
}

/* Returns false if the limit is reached or memory runs out. */
static bool make_room(struct mock_accesses *accesses)
{
    struct mock_access *grown;
    size_t room;

    merge(accesses);
    if (accesses->count < accesses->room / 2)
        return true;
    room = accesses->room > 0 ? accesses->room * 2 : FIRST_ROOM;
    grown = room <= RANGES_MAX ? realloc(accesses->ranges, room * sizeof *grown) : NULL;
    if (!grown)
        return false;
    accesses->ranges = grown;
    accesses->room = room;
    return true;
}

void cushim__mock_accesses_add(struct mock_accesses *accesses, uint64_t address, uint64_t bytes)
{
    struct mock_access *last = accesses->count > 0 ? &accesses->ranges[accesses->count - 1] : NULL;

    if (last && address >= last->start && address <= last->end) {
        if (address + bytes > last->end)
            last->end = address + bytes;
        return;
    }
    if (accesses->incomplete)
        return;
    if (accesses->count == accesses->room && !make_room(accesses)) {
        accesses->incomplete = true;
        return;
    }
    accesses->ranges[accesses->count++] = (struct mock_access){address, address + bytes};
}

/*
 * Make a region whose rows are the first ranges, as long as these have one width and one distance.
 * Returns their number.
 */
static size_t region_of(const struct mock_access *ranges, size_t count, struct race_region *region)
{
    const size_t width = ranges[0].end - ranges[0].start;
    const size_t pitch = count > 1 ? ranges[1].start - ranges[0].start : width;
    size_t rows = 1;

    while (rows < count && ranges[rows].end - ranges[rows].start == width &&
           ranges[rows].start - ranges[rows - 1].start == pitch)
        rows++;
    *region = (struct race_region){.start = ranges[0].start,
                                   .width = width,
                                   .rows = rows,
                                   .pitch = rows > 1 ? pitch : width,
                                   .layers = 1};
    region->layer = region->pitch * rows;
    return rows;
}

/* Report the ranges within one allocation. */
static void report(const struct mock_access *ranges, size_t count, uint64_t number,
                   enum race_use use)
{
    struct race_region region;
    size_t done = 0;

    for (unsigned i = 0; i < REGIONS_MAX && done < count; i++) {
        done += region_of(ranges + done, count - done, &region);
        cushim__race_use_deferred(number, &region, use);
    }
    /* What exceeds REGIONS_MAX is reported as one region that may be written. */
    if (done == count || use == RACE_READS)
        return;
    region_of(&(struct mock_access){ranges[done].start, ranges[count - 1].end}, 1, &region);
    cushim__race_use_deferred(number, &region, RACE_MAY_WRITE);
}

/* Count the ranges that begin in the same allocation as the first. */
static size_t in_one(const struct mock_access *ranges, size_t count)
{
    const struct mock_allocation *memory = cushim__mock_allocation_behind(ranges[0].start);
    const uint64_t end = memory ? memory->span.start + memory->bytes : ranges[0].end;
    size_t inside = 1;

    while (inside < count && ranges[inside].start < end)
        inside++;
    return inside;
}

void cushim__mock_accesses_report(struct mock_accesses accesses[MOCK_ACCESS_USES], uint64_t number)
{
    static const enum race_use uses[MOCK_ACCESS_USES] = {
        [PTX_READ] = RACE_READS, [PTX_WRITE] = RACE_WRITES, [PTX_ATOMIC] = RACE_ATOMIC};

    for (size_t i = 0; i < MOCK_ACCESS_USES; i++) {
        const struct mock_access *ranges = accesses[i].ranges;
        size_t inside;

        merge(&accesses[i]);
        for (size_t done = 0; done < accesses[i].count; done += inside) {
            inside = in_one(ranges + done, accesses[i].count - done);
            report(ranges + done, inside, number, uses[i]);
        }
    }
}

/* --- races between threads --- */

/* `line 12 of its PTX, block (0,0,0), thread (1,0,0), writes`. */
static void add_side(struct cushim__text *text, const struct ptx_race_side *side, const char *of)
{
    static const char *const verbs[] = {
        [PTX_READ] = "reads", [PTX_WRITE] = "writes", [PTX_ATOMIC] = "changes"};

    cushim__text_format(text, "line %u%s, block (%u,%u,%u), thread (%u,%u,%u), %s%s", side->line,
                        of, side->block[0], side->block[1], side->block[2], side->thread[0],
                        side->thread[1], side->thread[2],
                        side->is_strong && side->use != PTX_ATOMIC ? "as volatile or atomic " : "",
                        verbs[side->use]);
}

static const char *cure(const struct ptx_race *race)
{
    enum { WARP = 32 };
    const struct ptx_race_side *one = &race->earlier, *other = &race->later;

    if (one->is_strong != other->is_strong)
        return "make both atomic, or put a barrier between them";
    /* A barrier can order an instruction and itself only between the rounds of a loop. */
    if (one->line == other->line)
        return one->linear_block != other->linear_block
                   ? "make it atomic, give each block its own memory, or let one block do it"
                   : "make it atomic, give each thread its own memory, let one thread do it, or, "
                     "in a loop, put a __syncthreads() between two rounds";
    if (one->linear_block != other->linear_block)
        return "make both atomic, give each block its own memory, or split the kernel in two";
    return one->linear_thread / WARP == other->linear_thread / WARP
               ? "put a __syncwarp() or __syncthreads() between them"
               : "put a __syncthreads() between them";
}

void cushim__mock_thread_race_report(const struct ptx_race *race, uint64_t number)
{
    const uint32_t one = race->earlier.line, other = race->later.line;
    char line[600], name[MOCK_TAG_SIZE];
    struct cushim__text text;

    cushim__text_begin(&text, line, sizeof line);
    add_side(&text, &race->later, " of its PTX");
    cushim__text_format(&text, ", and ");
    add_side(&text, &race->earlier, "");
    if (race->space == PTX_SHARED) {
        cushim__text_format(&text, ", %u bytes at shared memory+%" PRIu64, race->bytes,
                            race->address);
    } else {
        const struct mock_allocation *memory = cushim__mock_allocation_behind(race->address);

        cushim__mock_allocation_tag(memory ? memory->span.start : 0, name, sizeof name);
        cushim__text_format(&text, ", %u bytes at %s+%" PRIu64, race->bytes, name,
                            memory ? race->address - cushim__mock_allocation_race(memory).start
                                   : 0);
    }
    cushim__text_format(&text, ": nothing orders them; %s", cure(race));
    cushim__race_report_within(
        number, one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one, line);
}
