/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls the driver in one process: each says what its own driver answered. */
#ifndef CUSHIM_TESTS_DOORS_CAPTURE_CALLS_H
#define CUSHIM_TESTS_DOORS_CAPTURE_CALLS_H

/* What cuCtxSynchronize answered, in the library that is linked to a libcuda.so.1. */
int other_call(void);

/* The same in a plugin with the stubs inside. */
int plugin_call(void);

#endif
