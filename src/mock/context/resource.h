/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiprocessors of a device, as a resource that programs split and give to green contexts
 * (driver-semantics.md #228).
 */
#ifndef CUSHIM_MOCK_CONTEXT_RESOURCE_H
#define CUSHIM_MOCK_CONTEXT_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/mock/core/object.h"

struct mock_device;

/* CUdevResource, which the program owns. The members between `type` and `count` are the mock's. */
struct mock_resource {
    uint32_t type;
    uint32_t magic, device;
    uint32_t is_part; /* it comes from a split, and cannot be split again */
    uint32_t copies;  /* a copy of `count`, to detect that the program has changed that */
    uint32_t hidden[19];
    uint32_t count;           /* what programs see: sm.smCount, ... */
    uint32_t least, multiple; /* bounds on the size of groups of a split */
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

/* Describe `count` multiprocessors of a device. */
void cushim__mock_resource_fill(struct mock_resource *resource, const struct mock_device *device,
                                unsigned count);

/* How many multiprocessors a device has. */
unsigned cushim__mock_multiprocessors(void);

/*
 * Split multiprocessors into at most `*groups` groups of at least `least` each; `*groups` becomes
 * the number of groups. A NULL `result` only counts the groups, however many; `rest` may be NULL.
 */
CUresult cushim__mock_resource_split(const struct mock_resource *whole, unsigned flags,
                                     unsigned least, unsigned *groups, struct mock_resource *result,
                                     struct mock_resource *rest);

/* Create the description of several resources. */
CUresult cushim__mock_description_create(const struct mock_resource *resources, unsigned count,
                                         struct mock_description **description);

#endif
