/* SPDX-License-Identifier: Apache-2.0 */
/* A layer for targets that need one, over a mock that is called only through the layer. */
#ifndef CUSHIM_TESTS_FUZZ_LAYER_H
#define CUSHIM_TESTS_FUZZ_LAYER_H

#include <stddef.h>

struct cushim_layer;

/* Reset to the same state for every input. `capacity`: how many calls it records; 0: none. */
struct cushim_layer *fuzz_layer(size_t capacity);

#endif
