/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: all that the settings ask for, and of these the ones that the program sees. */
#ifndef CUSHIM_MOCK_CORE_DEVICE_H
#define CUSHIM_MOCK_CORE_DEVICE_H

#include <stdbool.h>

#include <cuda.h>

struct cushim_mock;
struct mock_arena;
struct mock_context;
struct mock_pool;

struct mock_device {
    int ordinal; /* its place among the devices, which is its CUdevice */
    bool visible;
    CUuuid uuid;                           /* of the seed and of its number on the machine */
    unsigned bus;                          /* of PCI; domain and device are 0 */
    struct mock_context *primary;          /* NULL: never retained */
    unsigned primary_flags;                /* what cuDevicePrimaryCtxSetFlags set */
    struct mock_arena *arena;              /* of its memory; NULL until it is used */
    struct mock_pool *default_pool, *pool; /* the pool of cuMemAllocAsync; NULL until used */
};

/* Make the devices of a mock, all visible; free them. CUDA_SUCCESS or OUT_OF_MEMORY. */
CUresult cushim__mock_devices_create(struct cushim_mock *mock);
void cushim__mock_devices_destroy(struct cushim_mock *mock);

/*
 * Let the program see what a list of CUDA_VISIBLE_DEVICES names, in its order; NULL: all. Moves the
 * devices, so this comes before anything points at them. NO_DEVICE: none is visible;
 * INVALID_DEVICE: one is named twice.
 */
CUresult cushim__mock_devices_show(struct cushim_mock *mock, const char *list);

/* How many the program sees. */
int cushim__mock_device_count(void);

/* Find a device that the program sees. CUDA_SUCCESS or INVALID_DEVICE. */
CUresult cushim__mock_device_find(CUdevice handle, struct mock_device **device);

#endif
