/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiprocessors of a device as a resource that programs split and give to green contexts
 * (driver-semantics.md #228).
 */
#ifndef CUSHIM_MOCK_CONTEXT_RESOURCE_H
#define CUSHIM_MOCK_CONTEXT_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/mock/core/object.h"

struct mock_device;

/* CUdevResource: the program has the struct, in which the members up to `hidden` are the mock's. */
struct mock_resource {
    uint32_t type;
    uint32_t magic, device;
    uint32_t is_part; /* of a split: it cannot be split again */
    uint32_t copies;  /* the same as `count`, by which a changed one is recognised */
    uint32_t hidden[19];
    uint32_t count;           /* what programs see: sm.smCount, ... */
    uint32_t least, multiple; /* groups of a split have at least so many, and a multiple of these */
    uint32_t rest[9];
};

_Static_assert(sizeof(struct mock_resource) == 144, "the size is that of CUdevResource");

enum { MOCK_RESOURCE_SM = 1 };

/* CUdevResourceDesc. It exists until the mock ends. */
struct mock_description {
    struct mock_object object;
    const struct mock_device *device;
    unsigned multiprocessors;
};

/* Describe the first multiprocessors of a device. */
void cushim__mock_resource_fill(struct mock_resource *resource, const struct mock_device *device,
                                unsigned count);

/* How many multiprocessors a device has. */
unsigned cushim__mock_multiprocessors(void);

/*
 * Split multiprocessors into groups of at least `least`, at most `*groups` of them, which becomes
 * how many there are. `result` may be NULL, which only counts them, and so may `rest`.
 */
CUresult cushim__mock_resource_split(const struct mock_resource *whole, unsigned flags,
                                     unsigned least, unsigned *groups, struct mock_resource *result,
                                     struct mock_resource *rest);

/* Create the description of several resources. */
CUresult cushim__mock_description_create(const struct mock_resource *resources, unsigned count,
                                         struct mock_description **description);

#endif
