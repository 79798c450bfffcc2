/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A latch: a stream waits for a word of page-locked memory until the test writes it. Unlike a gate
 * it holds up nothing but its stream.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_LATCH_H
#define CUSHIM_TESTS_CONFORMANCE_LATCH_H

#include <stdint.h>

#include <cuda.h>

struct latch {
    _Atomic uint64_t *host;
    CUdeviceptr device;
};

/* A word in the current context, 0. */
struct latch begin_latch(void);

/* A latch of its own in front of the stream, which waits until the word is 1. */
struct latch latch_shut(CUstream stream);

/* Let it go on; at the end of a case, all that were made. */
void latch_open(const struct latch *latch);
void latch_open_all(void);

#endif
