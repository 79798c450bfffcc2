/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations: every piece of memory that the driver knows, found by any address in it. Device
 * memory is behind addresses that the host cannot read, page-locked host memory at its own address;
 * of pageable memory the mock knows nothing.
 *
 * A context owns allocations, and is nothing else here.
 */
#ifndef CUSHIM_MOCK_MEMORY_ALLOCATION_H
#define CUSHIM_MOCK_MEMORY_ALLOCATION_H

#include <cuda.h>

#include "src/mock/core/object.h"
#include "src/mock/memory/spans.h"
#include "src/race/race.h"

struct mock_device;
struct mock_pool;
struct mock_shared_pages;

enum mock_place { MOCK_DEVICE_MEMORY, MOCK_PINNED, MOCK_MANAGED };

/* Who made it, and so who may end it. */
enum mock_origin {
    MOCK_BY_ALLOC,    /* cuMemAlloc and the like: cuMemFree */
    MOCK_BY_MANAGED,  /* cuMemAllocManaged: cuMemFree */
    MOCK_BY_HOST,     /* cuMemHostAlloc: cuMemFreeHost */
    MOCK_BY_REGISTER, /* cuMemHostRegister: cuMemHostUnregister */
    MOCK_BY_MODULE,   /* a global: its module */
    MOCK_BY_VARIABLE, /* a managed global: its module */
    MOCK_BY_POOL,     /* cuMemAllocAsync: cuMemFreeAsync or cuMemFree */
    MOCK_BY_IMPORT,   /* cuIpcOpenMemHandle: cuIpcCloseMemHandle */
    MOCK_BY_KERNEL,   /* malloc() of a kernel: free() of one */
};

struct mock_allocation {
    struct mock_span span;        /* its place: rounded up, in device memory */
    size_t bytes;                 /* as asked for */
    char *host;                   /* the host's view of its start */
    struct mock_context *context; /* it goes with it; NULL: a pool's */
    struct mock_device *device;
    struct mock_pool *pool;
    uint64_t id;      /* of allocations, from 1: BUFFER_ID */
    unsigned flags;   /* of page-locked and managed memory */
    uint8_t origin;   /* enum mock_origin */
    bool synchronous; /* what SYNC_MEMOPS reads: calls wait for what they do with it */
    bool read_mostly; /* advice for managed memory, and where it was prefetched to */
    int8_t preferred, prefetched;
    uint32_t accessed_by;    /* a bit for the host, and one for each device */
    uint32_t number;         /* of memory, or of globals, in this mock: of its tag */
    char tag[MOCK_TAG_SIZE]; /* the layer's; empty: it is its word and number */
    bool leaving; /* the program gave it back: only work that is pending still finds it */
};

/*
 * The allocation that an address lies in, for calls, and for work that is under way; NULL: none
 * (pageable memory, or garbage).
 */
struct mock_allocation *cushim__mock_allocation_at(CUdeviceptr address);
struct mock_allocation *cushim__mock_allocation_behind(CUdeviceptr address);

/* The allocation that is nearest to an address, to name it in messages; NULL: there is none. */
const struct mock_allocation *cushim__mock_allocation_near(CUdeviceptr address);

/*
 * How messages name the allocation that begins at an address: `memory#3`, or the tag that the layer
 * has given it.
 */
void cushim__mock_allocation_tag(CUdeviceptr start, char *text, size_t size);
void cushim__mock_allocation_set_tag(CUdeviceptr start, const char *tag);

enum mock_place cushim__mock_allocation_place(const struct mock_allocation *allocation);

/* Allocate device memory of a context. INVALID_VALUE (no bytes) or OUT_OF_MEMORY. */
CUresult cushim__mock_allocation_create(struct mock_context *context, struct mock_device *device,
                                        enum mock_origin origin, size_t bytes,
                                        struct mock_allocation **allocation);

/*
 * Page-locked memory: allocated with `memory` NULL, else registered. INVALID_VALUE,
 * HOST_MEMORY_ALREADY_REGISTERED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_allocation_create_host(struct mock_context *context,
                                             struct mock_device *device, enum mock_origin origin,
                                             void *memory, size_t bytes, unsigned flags,
                                             struct mock_allocation **allocation);

/* List an allocation that is in no arena by its address. */
void cushim__mock_allocation_list(struct mock_allocation *allocation);

/*
 * The parts of these, for pools: an allocation without a place, and the device's arena (NULL:
 * none).
 */
struct mock_allocation *cushim__mock_allocation_new(struct mock_context *context,
                                                    struct mock_device *device,
                                                    enum mock_origin origin, size_t bytes);
void cushim__mock_allocation_begin(struct mock_allocation *allocation, struct mock_context *context,
                                   struct mock_device *device, enum mock_origin origin,
                                   size_t bytes);
void cushim__mock_allocation_renew(struct mock_allocation *allocation, size_t bytes);
void cushim__mock_allocation_uncount(const struct mock_allocation *allocation);
struct mock_arena *cushim__mock_allocation_arena(struct mock_device *device);

/* What can still be allocated on a device, in bytes. */
size_t cushim__mock_allocation_left(const struct mock_device *device);

/* End it, whoever made it; the other does not count it. Not for a pool's. */
void cushim__mock_allocation_destroy(struct mock_allocation *allocation);
void cushim__mock_allocation_drop(struct mock_allocation *allocation);

/* Every allocation that is in no arena: the one after `previous` (NULL: the first). */
struct mock_allocation *cushim__mock_allocation_next_host(const struct mock_allocation *previous);

/* What memory of the device the allocation is part of, as the driver maps it: MAPPING_BASE_ADDR. */
void cushim__mock_allocation_mapping(const struct mock_allocation *allocation, CUdeviceptr *start,
                                     size_t *bytes);

/* As the race detector knows it. */
struct race_memory cushim__mock_allocation_race(const struct mock_allocation *allocation);

/* --- as operations and calls find it --- */

/* Whether an address is one of a device, allocated or not: the host cannot read it. */
bool cushim__mock_memory_is_device(CUdeviceptr address);

/*
 * The host's view of `bytes` from an address, for execution: NULL if they are not all within one
 * allocation that is alive. For page-locked memory the address itself.
 */
void *cushim__mock_memory_host(CUdeviceptr address, size_t bytes);

/* Write an initial value, or zeros where it is NULL. Returns the host's view as above. */
void *cushim__mock_memory_fill(CUdeviceptr address, const void *initial, size_t bytes);

/* Allocate and free for other calls (globals of modules, ...), in the arena of the device. */
CUresult cushim__mock_memory_allocate(struct mock_context *context, struct mock_device *device,
                                      size_t bytes, CUdeviceptr *address);
CUresult cushim__mock_memory_free(CUdeviceptr address);

/* How many bytes of device memory are allocated, on all devices: for cushim_mock_state_get(). */
size_t cushim__mock_memory_used(void);

/* All memory of a context, on this device, goes with it. */
void cushim__mock_memory_forget(const struct mock_context *context,
                                const struct mock_device *device);

/* Arenas and page-locked memory at the end of the mock. */
void cushim__mock_memory_clear(void);

/* --- device memory of another process, at addresses that the host cannot read --- */

/*
 * Map so many bytes at an offset of what another process shares, or count one more use of what is
 * mapped. INVALID_VALUE: it is not there; OUT_OF_MEMORY.
 */
CUresult cushim__mock_import_open(struct mock_context *context, struct mock_device *device,
                                  const struct mock_shared_pages *shared, size_t offset,
                                  size_t bytes, struct mock_allocation **allocation);

/* One use less. Returns whether it was the last. */
bool cushim__mock_import_close(struct mock_allocation *allocation);

/*
 * Free what cushim__mock_import_open() made, whatever its uses: for cushim__mock_allocation_drop().
 */
void cushim__mock_import_free(struct mock_allocation *allocation);

#endif
