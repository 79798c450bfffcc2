/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy, and its two sides: a box of bytes each. A side is memory that the mock knows, looked up
 * again when the copy executes, or memory that it does not know, which is pageable memory of the
 * host.
 */
#ifndef CUSHIM_MOCK_COPY_SIDE_H
#define CUSHIM_MOCK_COPY_SIDE_H

#include "src/mock/sim/operation.h"

struct mock_device;

/* One side of a copy. */
struct mock_copy_side {
    union {
        CUdeviceptr address; /* of the host or the device */
        CUarray array;
    };
    size_t x, y, z, pitch, height;
    uint8_t type;     /* CUmemorytype */
    bool pageable;    /* the mock does not know it */
    bool on_device;   /* it is no memory of the host */
    bool synchronous; /* what SYNC_MEMOPS reads of the memory */
};

struct mock_copy {
    struct mock_operation operation;
    struct mock_copy_side from, to;
    size_t width, height, depth;
    char *staged; /* what `from` held at the call, row after row; NULL: it is read at execution */
};

/* Where the bytes of a side are. */
struct mock_copy_box {
    char *first;
    size_t row, layer; /* from one to the next, in bytes */
};

/*
 * Make a side of what a call says of it; `type`, the place in the memory and its rows are set.
 * INVALID_VALUE: the box is not in
 * memory of that kind; INVALID_HANDLE: there is no such array.
 */
CUresult cushim__mock_copy_side_check(const struct mock_copy *copy, struct mock_copy_side *side,
                                      const void *host, CUdeviceptr device, CUarray array);

/* The device whose memory a side is; NULL: pageable memory. */
const struct mock_device *cushim__mock_copy_side_device(const struct mock_copy_side *side);

/* The bytes of a side, now. False: the memory is gone. */
bool cushim__mock_copy_find(const struct mock_copy *copy, const struct mock_copy_side *side,
                            struct mock_copy_box *box);

/* The bytes of a side, as the device addresses them. False: pageable memory, or gone. */
struct race_region;
bool cushim__mock_copy_region(const struct mock_copy *copy, const struct mock_copy_side *side,
                              struct race_region *region);

/* The box of what was read at the call. */
struct mock_copy_box cushim__mock_copy_staged(const struct mock_copy *copy);

/* Move the bytes, whatever overlaps. */
void cushim__mock_copy_move(const struct mock_copy *copy, const struct mock_copy_box *to,
                            const struct mock_copy_box *from);

#endif
