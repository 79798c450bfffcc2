/* SPDX-License-Identifier: Apache-2.0 */
/* A layer for targets that need one: over a mock that nobody calls but through it. */
#ifndef CUSHIM_TESTS_FUZZ_LAYER_H
#define CUSHIM_TESTS_FUZZ_LAYER_H

#include <stddef.h>

struct cushim_layer;

/* The same for every input. `capacity`: calls that it records; 0: it records none. */
struct cushim_layer *fuzz_layer(size_t capacity);

#endif
