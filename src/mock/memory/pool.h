/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools (driver-semantics.md #120 to #128). */
#ifndef CUSHIM_MOCK_MEMORY_POOL_H
#define CUSHIM_MOCK_MEMORY_POOL_H

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
    struct mock_pool *next;      /* in the list of all pools */
    size_t limit;                /* of the bytes in use; 0 for the device's memory */
    int reuse[MOCK_POOL_REUSES]; /* the attributes CU_MEMPOOL_ATTR_REUSE_* */
    uint64_t threshold;          /* this many free bytes stay with the pool */
    uint64_t reserved, reserved_high, used, used_high;
    uint64_t taken; /* bytes in use; `used` also counts what cuMemFree freed */
    struct mock_spans pieces;
    struct mock_pool_chunk *chunks;
    struct mock_leave *leaving;
    bool destroyed;                   /* freed with its last allocation */
    int handle_type;                  /* as which it can be exported; 0: not at all */
    bool exported, imported;          /* the pool itself, not only pointers into it */
    uint64_t key[2];                  /* the same for an exported pool and its imports */
    uint8_t access[MOCK_DEVICES_MAX]; /* of other devices: CUmemAccess_flags */
};

/*
 * An allocation that the program has freed, but the device has not yet. A pool lists its own, so
 * that later work on the same stream can reuse them at once.
 */
struct mock_leave {
    struct mock_allocation *allocation; /* NULL if it was reused */
    struct mock_pool *pool;             /* NULL if not of a pool */
    struct mock_leave *next;
    unsigned long long stream; /* the stream of the free; 0 if the free comes after all work */
    uint64_t number;           /* of the last operation submitted before the free, on any stream */
    bool late; /* the device has reached the free, but not the end of earlier work */
};

/* Find a pool by its handle; for NULL returns INVALID_VALUE. */
CUresult cushim__mock_pool_find(CUmemoryPool handle, struct mock_pool **pool);

/* Create a pool of a device, or find the one that it begins with. NULL if memory runs out. */
struct mock_pool *cushim__mock_pool_create(struct mock_device *device);
struct mock_pool *cushim__mock_pool_default(struct mock_device *device);

/* Called when the program destroys the pool. */
void cushim__mock_pool_end(struct mock_pool *pool);

/* Allocate for work of a stream; `*address` is 0 for no bytes. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_pool_allocate(struct mock_pool *pool, size_t bytes, unsigned long long stream,
                                    CUdeviceptr *address);

/* Begin to free an allocation: calls refuse it from now on. Returns NULL if memory runs out. */
struct mock_leave *cushim__mock_pool_leave(struct mock_allocation *allocation,
                                           unsigned long long stream);

/*
 * Called when the device reaches the free. Frees the memory now, or, if earlier work on other
 * streams may still use it, once that work has ended. Takes `leave` over.
 */
void cushim__mock_pool_left(struct mock_leave *leave);

/* Free what became free meanwhile, in all pools. */
void cushim__mock_pools_collect(void);

/* For cuMemFree: the memory is free once all work that is pending now has ended. Does not wait. */
CUresult cushim__mock_pool_free(struct mock_allocation *allocation);

/* Return free memory beyond `kept` bytes to the device. */
void cushim__mock_pool_trim(struct mock_pool *pool, uint64_t kept);

/*
 * Pools that processes share (driver-semantics.md #224 and #225). A pool is exported as the
 * descriptor of a file that has its key, an allocation as CUmemPoolPtrExportData. OUT_OF_MEMORY;
 * INVALID_VALUE if it cannot be exported; UNKNOWN if the file is of another kind.
 */
CUresult cushim__mock_pool_export(struct mock_pool *pool, int *file);
CUresult cushim__mock_pool_import(int file, struct mock_pool **pool);
CUresult cushim__mock_pool_export_pointer(struct mock_allocation *allocation,
                                          CUmemPoolPtrExportData *data);
CUresult cushim__mock_pool_import_pointer(struct mock_pool *pool,
                                          const CUmemPoolPtrExportData *data, CUdeviceptr *address);

/* The imported pool with a key; NULL if there is none. */
struct mock_pool *cushim__mock_pool_imported(const uint64_t key[2]);

/* Drop all pools when the mock ends. */
void cushim__mock_pools_clear(void);

#endif
