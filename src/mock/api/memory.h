/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory, as other calls meet it: device memory behind addresses that the host cannot read,
 * page-locked host memory at its own address, and pageable memory, which the mock knows nothing of.
 */
#ifndef CUSHIM_MOCK_MEMORY_H
#define CUSHIM_MOCK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct cushim__context;
struct cushim__device;
struct cushim__operation;
struct cushim__stream;

enum cushim__place { CUSHIM__PAGEABLE, CUSHIM__DEVICE_MEMORY, CUSHIM__PINNED, CUSHIM__MANAGED };

/* What an address lies in. */
struct cushim__range {
    enum cushim__place place;
    CUdeviceptr start;
    size_t bytes;
    struct cushim__context *context;
    struct cushim__device *device;
    char *host;       /* the host's view of `start` */
    bool synchronous; /* calls that are not asynchronous wait for what they do with it */
};

/*
 * The current context, for calls of the ABI with addresses of 64 bits. INVALID_CONTEXT: there is
 * none, or it was made by cuCtxCreate itself, whose addresses have 32 (statement 97).
 */
CUresult cushim__memory_context(struct cushim__context **context);

/*
 * The stream of a call: the one that it names, or, if it is not asynchronous, the current context's
 * default stream.
 */
CUresult cushim__memory_stream(CUstream handle, bool asynchronous, struct cushim__stream **stream);

/* Queue an operation and wait for it. Takes it over. */
CUresult cushim__memory_finish(struct cushim__stream *stream, struct cushim__operation *operation);

/* False: in nothing that the mock knows (pageable memory, or garbage). */
bool cushim__memory_find(CUdeviceptr address, struct cushim__range *range);

/* Whether an address is one of a device, allocated or not: the host cannot read it. */
bool cushim__memory_is_device(CUdeviceptr address);

/*
 * The host's view of `bytes` from an address, for execution: NULL if they are not all within one
 * allocation that is alive. For page-locked memory the address itself.
 */
void *cushim__memory_host(CUdeviceptr address, size_t bytes);

/* Allocate and free for other calls (globals of modules, ...), in the arena of the device. */
CUresult cushim__memory_allocate(struct cushim__context *context, size_t bytes,
                                 CUdeviceptr *address);
CUresult cushim__memory_free(CUdeviceptr address);

/* How many bytes of device memory are allocated, on all devices: for cushim_mock_state_get(). */
size_t cushim__memory_used(void);

/* All memory of a context goes with it. */
void cushim__memory_forget(struct cushim__context *context);

/* Arenas and page-locked memory at the end of the mock. */
void cushim__memory_clear(void);

#endif
