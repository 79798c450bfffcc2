/* SPDX-License-Identifier: Apache-2.0 */
/* A mock for tests of kernels: a module is loaded, and there is a stream to launch on. */
#ifndef CUSHIM_TESTS_MOCK_KERNEL_WORLD_H
#define CUSHIM_TESTS_MOCK_KERNEL_WORLD_H

#include "tests/mock/world.h"

extern CUmodule kernel_module;
extern CUstream kernel_stream;

/* For a setup; and a teardown, after which nothing is left. */
int kernel_begin(const char *settings, const char *image);
int kernel_end(void **state);

/* A function of the module. */
CUfunction kernel_find(const char *name);

/* Launch one thread on the stream. */
CUresult kernel_launch(CUfunction function, void **parameters, void **extra);

#endif
