/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools, as other calls meet them (driver-semantics.md #120 to #128). */
#ifndef CUSHIM_MOCK_API_POOL_H
#define CUSHIM_MOCK_API_POOL_H

#include "src/mock/config/settings.h"
#include "src/mock/core/object.h"
#include "src/mock/memory/spans.h"

struct mock_allocation;
struct mock_device;
struct mock_pool_chunk;

enum { MOCK_POOL_REUSES = 3 };

struct mock_pool {
    struct mock_object object;
    struct mock_device *device;
    struct mock_pool *next;      /* of all */
    size_t limit;                /* of what is used, in bytes; 0: the device's memory */
    int reuse[MOCK_POOL_REUSES]; /* what CU_MEMPOOL_ATTR_REUSE_* read */
    uint64_t threshold;          /* so many bytes stay with the pool when they are free */
    uint64_t reserved, reserved_high, used, used_high;
    struct mock_spans pieces;
    struct mock_pool_chunk *chunks;
    struct mock_leave *leaving;
    bool destroyed;                   /* it goes with its last allocation */
    uint8_t access[MOCK_DEVICES_MAX]; /* of other devices: CUmemAccess_flags */
};

/*
 * An allocation that the program has given back, until the device has. A pool lists its own, so
 * that what comes later on the same stream can reuse them at once.
 */
struct mock_leave {
    struct mock_allocation *allocation; /* NULL: it was reused */
    struct mock_pool *pool;             /* NULL: it is none of a pool */
    struct mock_leave *next;
    unsigned long long stream; /* whose work comes before; 0: all that there was */
    uint64_t number;           /* of the last operation before, of all streams */
    bool late;                 /* the device is there, but not with all up to that number */
};

/* What a handle means. NULL is INVALID_VALUE. */
CUresult cushim__mock_pool_find(CUmemoryPool handle, struct mock_pool **pool);

/* A new pool of a device, and the pool that a device begins with. NULL: out of memory. */
struct mock_pool *cushim__mock_pool_create(struct mock_device *device);
struct mock_pool *cushim__mock_pool_default(struct mock_device *device);

/* The program destroys it. */
void cushim__mock_pool_end(struct mock_pool *pool);

/* Allocate for work of a stream; `*address` is 0 for no bytes. OUT_OF_MEMORY. */
CUresult cushim__mock_pool_allocate(struct mock_pool *pool, size_t bytes, unsigned long long stream,
                                    CUdeviceptr *address);

/* The program gives an allocation back: calls refuse it from now on. NULL: out of memory. */
struct mock_leave *cushim__mock_pool_leave(struct mock_allocation *allocation,
                                           unsigned long long stream);

/*
 * The device is there. The memory is free, unless work elsewhere that came before may still use it:
 * then it is once that has ended. Takes `leave` over.
 */
void cushim__mock_pool_left(struct mock_leave *leave);

/* Free what became free meanwhile, in all pools. */
void cushim__mock_pools_collect(void);

/* cuMemFree: the memory is free once all work that is pending now has ended. Does not wait. */
CUresult cushim__mock_pool_free(struct mock_allocation *allocation);

/* Give back to the device what is free beyond so many bytes. */
void cushim__mock_pool_trim(struct mock_pool *pool, uint64_t kept);

/* The mock ends. */
void cushim__mock_pools_clear(void);

#endif
