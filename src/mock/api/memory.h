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

struct mock_context;
struct mock_device;
struct mock_operation;
struct mock_stream;

enum mock_place { MOCK_PAGEABLE, MOCK_DEVICE_MEMORY, MOCK_PINNED, MOCK_MANAGED };

/* What an address lies in. */
struct mock_range {
    enum mock_place place;
    CUdeviceptr start;
    size_t bytes;
    struct mock_context *context;
    struct mock_device *device;
    char *host;       /* the host's view of `start` */
    bool synchronous; /* calls that are not asynchronous wait for what they do with it */
};

/*
 * The current context, for calls of the ABI with addresses of 64 bits. INVALID_CONTEXT: there is
 * none, or it was made by cuCtxCreate itself, whose addresses have 32 (statement 97).
 */
CUresult cushim__mock_memory_context(struct mock_context **context);

/*
 * The stream of a call: the one that it names, or, if it is not asynchronous, the current context's
 * default stream.
 */
CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous,
                                    struct mock_stream **stream);

/* Queue an operation and wait for it. Takes it over. */
CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation);

/* False: in nothing that the mock knows (pageable memory, or garbage). */
bool cushim__mock_memory_find(CUdeviceptr address, struct mock_range *range);

/* Whether an address is one of a device, allocated or not: the host cannot read it. */
bool cushim__mock_memory_is_device(CUdeviceptr address);

/*
 * The host's view of `bytes` from an address, for execution: NULL if they are not all within one
 * allocation that is alive. For page-locked memory the address itself.
 */
void *cushim__mock_memory_host(CUdeviceptr address, size_t bytes);

/* Allocate and free for other calls (globals of modules, ...), in the arena of the device. */
CUresult cushim__mock_memory_allocate(struct mock_context *context, size_t bytes,
                                      CUdeviceptr *address);
CUresult cushim__mock_memory_free(CUdeviceptr address);

/* How many bytes of device memory are allocated, on all devices: for cushim_mock_state_get(). */
size_t cushim__mock_memory_used(void);

/* All memory of a context goes with it. */
void cushim__mock_memory_forget(struct mock_context *context);

/* Arenas and page-locked memory at the end of the mock. */
void cushim__mock_memory_clear(void);

#endif
