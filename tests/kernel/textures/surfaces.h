/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces, queries and references, and functions that these programs share. */
#ifndef CUSHIM_TESTS_KERNEL_TEXTURES_SURFACES_H
#define CUSHIM_TESTS_KERNEL_TEXTURES_SURFACES_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

void surfaces_each(CUdeviceptr points, CUdeviceptr results);

void must(CUresult result, const char *what);
uint32_t next_random(void);
/* Compare exact results with those of an H200, or print them. */
void report(const char *name, const void *results, size_t bytes);
/*
 * Run a body for POINTS threads: %rd1 is the handle, %r1 to %r4 are the words of the thread's
 * point, and %r5 to %r8 are stored as its results.
 */
void launch_points(const char *body, uint64_t handle);

#endif
