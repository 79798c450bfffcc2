/* SPDX-License-Identifier: Apache-2.0 */
/* What cases on memory begin with, and how they see whether a call waits. */
#ifndef CUSHIM_TESTS_CONFORMANCE_MEMORY_H
#define CUSHIM_TESTS_CONFORMANCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

/* Device memory and page-locked memory of the current context. */
CUdeviceptr begin_memory(size_t bytes);
void *begin_pinned(size_t bytes);

/* A value of 32 bits in device memory, once all work of the context has ended. */
unsigned read_value(CUdeviceptr memory);

/*
 * Make a call that must answer success while the stream is held up by a gate, which is opened from
 * elsewhere a little later. Returns whether it was open when the call returned. The stream is idle
 * before and after.
 */
bool waits_for_gate(CUstream stream, CUresult (*call)(void *data), void *data);

#endif
