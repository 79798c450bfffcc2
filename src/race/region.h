/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of memory: a row of bytes, or rows and layers of rows with gaps between them. */
#ifndef CUSHIM_MOCK_RACES_REGION_H
#define CUSHIM_MOCK_RACES_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cushim__region {
    uint64_t start;
    size_t width;         /* of a row, in bytes */
    size_t rows, pitch;   /* how many in a layer, and from one to the next */
    size_t layers, layer; /* how many, and from one to the next */
};

/* A row of bytes. */
struct cushim__region cushim__region_row(uint64_t start, size_t bytes);

/* Rows without gaps are one row. */
struct cushim__region cushim__region_joined(struct cushim__region region);

/* From the start to behind the last byte. */
uint64_t cushim__region_end(const struct cushim__region *region);

/* Whether two have a byte in common, and from where to where the first such bytes are. */
bool cushim__region_overlap(const struct cushim__region *one, const struct cushim__region *other,
                            uint64_t *first, uint64_t *end);

/* Whether one has all bytes of the other. False also where that would take long to tell. */
bool cushim__region_covers(const struct cushim__region *one, const struct cushim__region *other);

#endif
