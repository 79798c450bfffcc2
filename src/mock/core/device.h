/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: all that the settings ask for, and which of them the program sees. */
#ifndef CUSHIM_MOCK_CORE_DEVICE_H
#define CUSHIM_MOCK_CORE_DEVICE_H

#include <stdbool.h>

#include <cuda.h>

struct cushim_mock;
struct mock_arena;
struct mock_context;
struct mock_pool;

struct mock_device {
    int ordinal; /* index among the devices, which is its CUdevice */
    bool visible;
    CUuuid uuid;                           /* derived from the seed and its number on the machine */
    unsigned bus;                          /* on PCI; domain and device are 0 */
    struct mock_context *primary;          /* NULL if it was never retained */
    unsigned primary_flags;                /* what cuDevicePrimaryCtxSetFlags set */
    struct mock_arena *arena;              /* its memory; NULL until it is used */
    struct mock_pool *default_pool, *pool; /* `pool` is that of cuMemAllocAsync; NULL until used */
    size_t graph_bytes;                    /* reserved for memory of graphs */
    size_t graph_bytes_high[2];            /* the values of USED_MEM_HIGH and RESERVED_MEM_HIGH */
};

/* Create the devices of a mock, all visible; free them. CUDA_SUCCESS or OUT_OF_MEMORY. */
CUresult cushim__mock_devices_create(struct cushim_mock *mock);
void cushim__mock_devices_destroy(struct cushim_mock *mock);

/*
 * Let the program see the devices that a list of CUDA_VISIBLE_DEVICES names, in its order, or all
 * if it is NULL. This moves the devices, so nothing may point at them yet. Returns NO_DEVICE if
 * none is visible, INVALID_DEVICE if one is named twice.
 */
CUresult cushim__mock_devices_show(struct cushim_mock *mock, const char *list);

/* The number of devices that the program sees. */
int cushim__mock_device_count(void);

/* Find a device that the program sees. CUDA_SUCCESS or INVALID_DEVICE. */
CUresult cushim__mock_device_find(CUdevice handle, struct mock_device **device);

#endif
