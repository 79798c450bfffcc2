/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of memory: which bytes two have in common. */
#include "src/race/internal.h"

struct race_region cushim__race_region_row(uint64_t start, size_t bytes)
{
    return (struct race_region){
        .start = start, .width = bytes, .rows = 1, .pitch = bytes, .layers = 1, .layer = bytes};
}

struct race_region cushim__race_region_joined(struct race_region region)
{
    if (region.rows > 1 && region.pitch == region.width) {
        region.width *= region.rows;
        region.rows = 1;
    }
    if (region.layers > 1 && region.rows == 1 && region.layer == region.width) {
        region.width *= region.layers;
        region.layers = 1;
    }
    return region;
}

/* The size of a layer, from its first byte to the end of its last. */
static size_t extent(const struct race_region *region)
{
    return (region->rows - 1) * region->pitch + region->width;
}

uint64_t cushim__race_region_end(const struct race_region *region)
{
    return region->start + (region->layers - 1) * region->layer + extent(region);
}

static bool is_row(const struct race_region *region)
{
    return region->rows == 1 && region->layers == 1;
}

static size_t rows_of(const struct race_region *region)
{
    return region->rows * region->layers;
}

/* Cut a range of bytes down to those that another has, too. Returns false if none are left. */
static bool cut(uint64_t *first, uint64_t *end, uint64_t from, uint64_t to)
{
    if (from >= *end || *first >= to)
        return false;
    *first = *first > from ? *first : from;
    *end = *end < to ? *end : to;
    return true;
}

/* Cut a range down to the first row that it overlaps. */
static bool cut_by_rows(const struct race_region *region, uint64_t *first, uint64_t *end)
{
    for (size_t z = 0; z < region->layers; z++) {
        const uint64_t start = region->start + z * region->layer;
        size_t row = 0;

        if (*end <= start || *first >= start + extent(region))
            continue;
        if (*first > start && region->rows > 1)
            row = (*first - start) / region->pitch;
        for (size_t y = row; y < region->rows && y < row + 2; y++) {
            const uint64_t from = start + y * region->pitch;

            if (cut(first, end, from, from + region->width))
                return true;
        }
    }
    return false;
}

bool cushim__race_region_overlap(const struct race_region *one, const struct race_region *other,
                                 uint64_t *first, uint64_t *end)
{
    const bool swap = rows_of(other) < rows_of(one);
    const struct race_region *few = swap ? other : one, *many = swap ? one : other;
    uint64_t whole_first = few->start, whole_end = cushim__race_region_end(few);

    if (!cut(&whole_first, &whole_end, many->start, cushim__race_region_end(many)))
        return false;
    for (size_t z = 0; z < few->layers; z++) {
        for (size_t y = 0; y < few->rows; y++) {
            *first = few->start + z * few->layer + y * few->pitch;
            *end = *first + few->width;
            if (cut_by_rows(many, first, end))
                return true;
        }
    }
    return false;
}

bool cushim__race_region_covers(const struct race_region *one, const struct race_region *other)
{
    if (is_row(one))
        return one->start <= other->start &&
               cushim__race_region_end(other) <= cushim__race_region_end(one);
    return one->start == other->start && one->width == other->width && one->rows == other->rows &&
           one->pitch == other->pitch && one->layers == other->layers && one->layer == other->layer;
}
