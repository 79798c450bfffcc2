/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory an executed kernel uses, for the race detector: ranges of bytes, which are collected
 * as they come, and sorted and merged when there are many.
 */
#include <stdlib.h>

#include "src/mock/api/execution.h"
#include "src/mock/kernel/program.h"
#include "src/mock/memory/allocation.h"
#include "src/race/race.h"

enum {
    FIRST_ROOM = 64,
    RANGES_MAX = 1 << 18,
    REGIONS_MAX = 64, /* of one allocation, for one use */
};

static int by_start(const void *one, const void *other)
{
    const struct mock_access *a = one, *b = other;

    return (a->start > b->start) - (a->start < b->start);
}

/* Sort the ranges, and make those one that touch. */
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

/* False: there are as many as can be. */
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
 * A region of as many of the ranges as are rows of it: of one width and at one distance. Returns
 * how many they are.
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
    /* Of what is too much to be noted, one thing is known: that it may be written. */
    if (done == count || use == RACE_READS)
        return;
    region = (struct race_region){.start = ranges[done].start,
                                  .width = ranges[count - 1].end - ranges[done].start,
                                  .rows = 1,
                                  .layers = 1};
    region.pitch = region.layer = region.width;
    cushim__race_use_deferred(number, &region, RACE_MAY_WRITE);
}

/* How many of the ranges begin in the allocation of the first. */
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
