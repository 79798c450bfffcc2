/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of memory: a row of bytes, or rows and layers of rows with gaps between them. */
#ifndef CUSHIM_MOCK_RACES_REGION_H
#define CUSHIM_MOCK_RACES_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct race_region {
    uint64_t start;
    size_t width;         /* of a row, in bytes */
    size_t rows, pitch;   /* how many in a layer, and from one to the next */
    size_t layers, layer; /* how many, and from one to the next */
};

/* A row of bytes. */
struct race_region cushim__race_region_row(uint64_t start, size_t bytes);

/* Rows without gaps are one row. */
struct race_region cushim__race_region_joined(struct race_region region);

/* From the start to behind the last byte. */
uint64_t cushim__race_region_end(const struct race_region *region);

/* Whether two have a byte in common, and from where to where the first such bytes are. */
bool cushim__race_region_overlap(const struct race_region *one, const struct race_region *other,
                                 uint64_t *first, uint64_t *end);

/* Whether one has all bytes of the other. False also where that would take long to tell. */
bool cushim__race_region_covers(const struct race_region *one, const struct race_region *other);

#endif
