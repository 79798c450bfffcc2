/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations: every piece of memory that the driver knows, found by any address in it. */
#ifndef CUSHIM_MOCK_ALLOCATION_H
#define CUSHIM_MOCK_ALLOCATION_H

#include "src/mock/api/memory.h"
#include "src/mock/memory/spans.h"

struct cushim__pool;

/* Who made it, and so who may end it. */
enum cushim__origin {
    CUSHIM__BY_ALLOC,    /* cuMemAlloc and the like: cuMemFree */
    CUSHIM__BY_MANAGED,  /* cuMemAllocManaged: cuMemFree */
    CUSHIM__BY_HOST,     /* cuMemHostAlloc: cuMemFreeHost */
    CUSHIM__BY_REGISTER, /* cuMemHostRegister: cuMemHostUnregister */
    CUSHIM__BY_MODULE,   /* a global: its module */
    CUSHIM__BY_POOL,     /* cuMemAllocAsync: cuMemFreeAsync or cuMemFree */
    CUSHIM__BY_IMPORT,   /* cuIpcOpenMemHandle: cuIpcCloseMemHandle */
};

struct cushim__allocation {
    struct cushim__span span;        /* its place: rounded up, in device memory */
    size_t bytes;                    /* as asked for */
    char *host;                      /* the host's view of its start */
    struct cushim__context *context; /* it goes with it; NULL: a pool's */
    struct cushim__device *device;
    struct cushim__pool *pool;
    uint64_t id;      /* of allocations, from 1: BUFFER_ID */
    unsigned flags;   /* of page-locked and managed memory */
    uint8_t origin;   /* enum cushim__origin */
    bool synchronous; /* what SYNC_MEMOPS reads */
    bool read_mostly; /* advice for managed memory, and where it was prefetched to */
    int8_t preferred, prefetched;
    uint32_t accessed_by; /* a bit for the host, and one for each device */
    bool leaving;         /* the program gave it back: only work that is pending still finds it */
};

/* The allocation that an address lies in, for calls and for work; NULL: none. */
struct cushim__allocation *cushim__allocation_at(CUdeviceptr address);
struct cushim__allocation *cushim__allocation_behind(CUdeviceptr address);

/* Whether an address is one of a device, allocated or not. */
bool cushim__allocation_is_device(uint64_t address);

enum cushim__place cushim__allocation_place(const struct cushim__allocation *allocation);

/* Allocate device memory of a context. INVALID_VALUE (no bytes) or OUT_OF_MEMORY. */
CUresult cushim__allocation_create(struct cushim__context *context, enum cushim__origin origin,
                                   size_t bytes, struct cushim__allocation **allocation);

/*
 * Page-locked memory: allocated with `memory` NULL, else registered. INVALID_VALUE,
 * HOST_MEMORY_ALREADY_REGISTERED or OUT_OF_MEMORY.
 */
CUresult cushim__allocation_create_host(struct cushim__context *context, enum cushim__origin origin,
                                        void *memory, size_t bytes, unsigned flags,
                                        struct cushim__allocation **allocation);

/* List an allocation that is in no arena by its address. */
void cushim__allocation_list(struct cushim__allocation *allocation);

/*
 * The parts of these, for pools: an allocation without a place, and the device's arena (NULL:
 * none).
 */
struct cushim__allocation *cushim__allocation_new(struct cushim__context *context,
                                                  struct cushim__device *device,
                                                  enum cushim__origin origin, size_t bytes);
void cushim__allocation_begin(struct cushim__allocation *allocation,
                              struct cushim__context *context, struct cushim__device *device,
                              enum cushim__origin origin, size_t bytes);
void cushim__allocation_renew(struct cushim__allocation *allocation, size_t bytes);
void cushim__allocation_uncount(const struct cushim__allocation *allocation);
struct cushim__arena *cushim__allocation_arena(struct cushim__device *device);

/* What can still be allocated on a device, in bytes. */
size_t cushim__allocation_left(const struct cushim__device *device);

/* End it, whoever made it; the other does not count it. Not for a pool's. */
void cushim__allocation_destroy(struct cushim__allocation *allocation);
void cushim__allocation_drop(struct cushim__allocation *allocation);

/*
 * End it once the work of its context so far has ended: waits for that. INVALID_VALUE: another
 * thread ended it meanwhile.
 */
CUresult cushim__allocation_end(struct cushim__allocation *allocation);

/* Every allocation that is in no arena: the one after `previous` (NULL: the first). */
struct cushim__allocation *cushim__allocation_next_host(const struct cushim__allocation *previous);

/* What memory of the device the allocation is part of, as the driver maps it: MAPPING_BASE_ADDR. */
void cushim__allocation_mapping(const struct cushim__allocation *allocation, CUdeviceptr *start,
                                size_t *bytes);

#endif
