/* SPDX-License-Identifier: Apache-2.0 */
/* A module for cases on modules, functions and launches. */
#ifndef CUSHIM_TESTS_CONFORMANCE_MODULE_H
#define CUSHIM_TESTS_CONFORMANCE_MODULE_H

#include <cuda.h>

/*
 * PTX text. Its functions: `plain`; `many` with five parameters; `take` with a u64 and a u32;
 * `shared` with 1 KiB of shared memory; `bounded` to 64 threads; and `cushim_nothing`, which a mock
 * knows, as it does not know the others. Its variables: `bytes` of 12, `seven` of 8, `five` of 4
 * (constant), and `hidden` of 4, which is not visible.
 */
extern const char module_image[1024];
enum { MODULE_FUNCTIONS = 6 };

/* It, loaded into the primary context, which is made current. */
CUmodule begin_module(void);

/* A function of a module. */
CUfunction begin_function(CUmodule module, const char *name);

#endif
