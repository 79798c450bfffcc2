/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How tests control the fake driver: by environment variables.
 *
 *   FAKE_DEVICES    how many devices there are; 2
 *   FAKE_INIT       what cuInit returns; 0
 *   FAKE_MEMORY     bytes that can be allocated; 8 GiB
 *   FAKE_FAIL       number of the call that fails, counted from 1; 0: none
 *   FAKE_FAIL_CODE  what it returns; 700
 *   FAKE_FAIL_ON    1: so do all calls after it
 *   FAKE_ROUND_MS   how long cuEventSynchronize waits; 0
 *   FAKE_INTERRUPT  number of the cuEventSynchronize in which SIGINT arrives; 0: none
 *   FAKE_STILL      1: no time passes between two events
 *   FAKE_LOG        file that gets a line for each process, and one for each of its calls
 */
#ifndef CUSHIM_TESTS_TOOL_FAKE_CONTROL_H
#define CUSHIM_TESTS_TOOL_FAKE_CONTROL_H

#include <cuda.h>

long long fake_setting(const char *name, long long otherwise);

/* Begin a call. Returns the code with which it must fail, or 0. `detail` may be empty. */
CUresult fake_enter(const char *call, const char *detail);

/* The program made a call that a real driver may crash on: abort. */
void fake_misuse(const char *call, const char *what);

int fake_device_count(void);

/* Abort unless this is the handle of a device of the initialised driver. Returns its number. */
int fake_check_device(const char *call, CUdevice device);

/* cuda.h defines these names as macros for newer symbols. */
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuEventElapsedTime

#define EXPORT(name, ...)                                                      \
    __attribute__((visibility("default"))) CUresult CUDAAPI name(__VA_ARGS__); \
    CUresult CUDAAPI name(__VA_ARGS__)

#endif
