/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations: all memory that the driver knows, found by any address in it. Device memory has
 * addresses that the host cannot read, page-locked host memory its own address. The mock knows
 * nothing of pageable memory.
 *
 * In these files a context is only the owner of allocations.
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

/* Which call creates an allocation, and which one frees it. */
enum mock_origin {
    MOCK_BY_ALLOC,    /* cuMemAlloc and the like: cuMemFree */
    MOCK_BY_MANAGED,  /* cuMemAllocManaged: cuMemFree */
    MOCK_BY_HOST,     /* cuMemHostAlloc: cuMemFreeHost */
    MOCK_BY_REGISTER, /* cuMemHostRegister: cuMemHostUnregister */
    MOCK_BY_MODULE,   /* a global: its module */
    MOCK_BY_VARIABLE, /* a managed global: its module */
    MOCK_BY_POOL,     /* cuMemAllocAsync: cuMemFreeAsync or cuMemFree */
    MOCK_BY_IMPORT,   /* cuIpcOpenMemHandle: cuIpcCloseMemHandle */
    MOCK_BY_KERNEL,   /* malloc() in a kernel: free() in a kernel */
    MOCK_BY_EXTERNAL, /* cuExternalMemoryGetMappedBuffer: cuMemFree; or with its mipmapped array */
    MOCK_BY_MAP,      /* cuMemMap: cuMemUnmap */
    MOCK_BY_GRAPH,    /* a node of a graph: cuMemFreeAsync, cuMemFree or another node */
};

/* What the program has said about a page of managed memory. */
struct mock_hints {
    bool read_mostly;
    int8_t preferred, prefetched; /* locations; `prefetched` is that of the last prefetch */
    uint32_t accessed_by;         /* a bit for the host, and one for each device */
};

struct mock_allocation {
    struct mock_span span;        /* its place; rounded up in device memory */
    size_t bytes;                 /* as requested */
    char *host;                   /* the host's view of its start */
    struct mock_context *context; /* it is freed with it; NULL for a pool's */
    struct mock_device *device;
    struct mock_pool *pool;
    uint64_t id;              /* number of the allocation, from 1: BUFFER_ID */
    unsigned flags;           /* of page-locked and managed memory */
    uint8_t origin;           /* enum mock_origin */
    bool synchronous;         /* SYNC_MEMOPS: calls wait for their work on it */
    struct mock_hints *hints; /* for each page of managed memory; NULL before the first hint */
    uint32_t number;          /* in its tag; counts memory, or globals, of this mock */
    char tag[MOCK_TAG_SIZE];  /* set by the layer; empty for the default word and number */
    bool leaving;             /* the program freed it, so only pending work still finds it */
    struct mock_graph_memory *graph; /* of MOCK_BY_GRAPH (src/mock/graph_exec/memory.h) */
    bool unlaunched; /* no launch of a graph has allocated it, so calls do not find it */
    bool unmapped;   /* no launch of a graph allocates it now, so work does not find it */
};

/*
 * The allocation that contains an address: at() for calls, behind() for pending work, known() for
 * nodes of graphs, which may use what a launch will allocate. NULL if there is none (pageable
 * memory, or garbage).
 */
struct mock_allocation *cushim__mock_allocation_at(CUdeviceptr address);
struct mock_allocation *cushim__mock_allocation_known(CUdeviceptr address);
struct mock_allocation *cushim__mock_allocation_behind(CUdeviceptr address);

/* The allocation in no arena that begins at an address or next after it, or NULL. */
struct mock_allocation *cushim__mock_allocation_from(CUdeviceptr address);

/*
 * How many bytes there are from an address to the end of its allocation, or, for mapped memory, to
 * the end of the last mapping without a gap.
 */
size_t cushim__mock_allocation_reach(const struct mock_allocation *allocation, CUdeviceptr address);

/* The allocation nearest to an address, to name it in messages; NULL if there are none. */
const struct mock_allocation *cushim__mock_allocation_near(CUdeviceptr address);

/*
 * The name in messages of the allocation that begins at an address: `memory#3`, or the tag that the
 * layer has given it.
 */
void cushim__mock_allocation_tag(CUdeviceptr start, char *text, size_t size);
void cushim__mock_allocation_set_tag(CUdeviceptr start, const char *tag);

enum mock_place cushim__mock_allocation_place(const struct mock_allocation *allocation);

/* Allocate device memory of a context. INVALID_VALUE (no bytes) or OUT_OF_MEMORY. */
CUresult cushim__mock_allocation_create(struct mock_context *context, struct mock_device *device,
                                        enum mock_origin origin, size_t bytes,
                                        struct mock_allocation **allocation);

/* CU_MEMHOSTREGISTER_READ_ONLY, which old headers lack: a kernel that writes the memory faults. */
enum { MOCK_READ_ONLY = 8 };

/*
 * Allocate page-locked or managed memory (`memory` is NULL), or register `memory`. INVALID_VALUE,
 * HOST_MEMORY_ALREADY_REGISTERED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_allocation_create_host(struct mock_context *context,
                                             struct mock_device *device, enum mock_origin origin,
                                             void *memory, size_t bytes, unsigned flags,
                                             struct mock_allocation **allocation);

/* Let an allocation that is in no arena be found by its address. */
void cushim__mock_allocation_list(struct mock_allocation *allocation);

/*
 * The parts of these functions, for pools: an allocation without a place, and the device's arena
 * (NULL if there is none).
 */
struct mock_allocation *cushim__mock_allocation_new(struct mock_context *context,
                                                    struct mock_device *device,
                                                    enum mock_origin origin, size_t bytes);
void cushim__mock_allocation_begin(struct mock_allocation *allocation, struct mock_context *context,
                                   struct mock_device *device, enum mock_origin origin,
                                   size_t bytes);
void cushim__mock_allocation_renew(struct mock_allocation *allocation, size_t bytes);
uint64_t cushim__mock_allocation_number(void); /* never used again */
void cushim__mock_allocation_uncount(const struct mock_allocation *allocation);
struct mock_arena *cushim__mock_allocation_arena(struct mock_device *device);

/* How many bytes can still be allocated on a device. */
size_t cushim__mock_allocation_left(const struct mock_device *device);

/* Free an allocation that is not a pool's; drop() leaves the mock's count of allocations alone. */
void cushim__mock_allocation_destroy(struct mock_allocation *allocation);
void cushim__mock_allocation_drop(struct mock_allocation *allocation);

/* The allocation in no arena that comes after `previous`, or the first one if that is NULL. */
struct mock_allocation *cushim__mock_allocation_next_host(const struct mock_allocation *previous);

/* The range in which the driver maps the allocation: MAPPING_BASE_ADDR. */
void cushim__mock_allocation_mapping(const struct mock_allocation *allocation, CUdeviceptr *start,
                                     size_t *bytes);

/* The allocation as the race detector and messages know it; a mapping is its reservation there. */
struct race_memory cushim__mock_allocation_race(const struct mock_allocation *allocation);

/* --- access by operations and calls --- */

/* Whether an address is a device's, allocated or not: the host cannot read it. */
bool cushim__mock_memory_is_device(CUdeviceptr address);

/*
 * The host's view of `bytes` from an address, for execution; NULL unless all are in one live
 * allocation, or in mappings side by side that a device may access. For page-locked memory it is
 * the address itself.
 */
void *cushim__mock_memory_host(CUdeviceptr address, size_t bytes);

/* Whether a device may write (or only read) all bytes of a range in one allocation. */
bool cushim__mock_memory_allows(CUdeviceptr address, size_t bytes, bool is_written);

/* Write an initial value, or zeros if it is NULL. Returns the host's view as above. */
void *cushim__mock_memory_fill(CUdeviceptr address, const void *initial, size_t bytes);

/* Allocate and free for other calls (globals of modules, ...), in the arena of the device. */
CUresult cushim__mock_memory_allocate(struct mock_context *context, struct mock_device *device,
                                      size_t bytes, CUdeviceptr *address);
CUresult cushim__mock_memory_free(CUdeviceptr address);

/* How many bytes of device memory are allocated, on all devices: for cushim_mock_get_state(). */
size_t cushim__mock_memory_used(void);

/* Free all memory of a context on this device when the context ends. */
void cushim__mock_memory_forget(const struct mock_context *context,
                                const struct mock_device *device);

/* Free arenas and page-locked memory when the mock ends. */
void cushim__mock_memory_clear(void);

/* --- device memory of another process, at addresses that the host cannot read --- */

/*
 * Map `bytes` bytes at an offset of what another process shares, or count one more use if they are
 * mapped. Returns INVALID_VALUE if they are not there, MAP_FAILED, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_import_open(struct mock_context *context, struct mock_device *device,
                                  const struct mock_shared_pages *shared, size_t offset,
                                  size_t bytes, struct mock_allocation **allocation);

/*
 * Give device addresses to `bytes` bytes at an offset of `pages`, which are `room` bytes of a file
 * of the program. On success the allocation owns the pages. OUT_OF_MEMORY.
 */
CUresult cushim__mock_import_external(struct mock_context *context, struct mock_device *device,
                                      void *pages, size_t room, size_t offset, size_t bytes,
                                      struct mock_allocation **allocation);

/* Remove one use. Returns whether it was the last one. */
bool cushim__mock_import_close(struct mock_allocation *allocation);

/* The range of addresses that is mapped for an import: the whole of what was shared. */
void cushim__mock_import_mapping(const struct mock_allocation *allocation, CUdeviceptr *start,
                                 size_t *bytes);

/*
 * Free what cushim__mock_import_open() or _external() created, however many uses it has: for
 * cushim__mock_allocation_drop().
 */
void cushim__mock_import_free(struct mock_allocation *allocation);

#endif
