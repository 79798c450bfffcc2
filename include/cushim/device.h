/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Devices: find one by its UUID, and query properties that old and new drivers report differently.
 *
 * A device needs no object: its handle is a CUdevice, a number that needs no release. The driver
 * and CUDA_VISIBLE_DEVICES decide which devices there are, and in which order; two processes can
 * compare UUIDs to find out whether they use the same device.
 *
 * Queries that are one call of the driver have no function here. Call them through cushim_driver()
 * (driver.h): DeviceGetCount, DeviceGetName, DeviceGetAttribute, DeviceGetPCIBusId and others.
 *
 * Initialise the driver first (cushim_driver_init()); before that, these functions return
 * CUDA_ERROR_NOT_INITIALIZED.
 *
 * A number such as #77 is a statement of driver-semantics.md, a page of cushim's documentation
 * (share/doc/cushim/docs/ of an installation).
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
 */
#ifndef CUSHIM_DEVICE_H
#define CUSHIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include <cushim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get the device that has a UUID.
 *
 * Queries the UUID of every device. cushim_device_parse_uuid() reads a UUID from text.
 *
 * @param uuid    UUID; borrowed, not NULL.
 * @param device  Receives the device; not NULL.
 *
 * @return CUDA_SUCCESS               `*device` is the device.
 * @return CUDA_ERROR_INVALID_VALUE   `device` or `uuid` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  No device that this process may use has this UUID.
 * @return any other code             The driver's, unchanged.
 *
 * Driver calls: cuDeviceGetCount, cuDeviceGet; cuDeviceGetUuid_v2, or cuDeviceGetUuid with drivers
 *               older than 11.4.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_get_by_uuid(const CUuuid *uuid, CUdevice *device);

/**
 * Get a device's UUID.
 *
 * If the device is in MIG mode, the driver returns the UUID of the compute instance that this
 * process has of it (cuDeviceGetUuid in the driver API reference). Drivers older than 11.4 cannot
 * do that and return the UUID of the whole device.
 *
 * @param device  Device.
 * @param uuid    Receives the UUID; not NULL. cushim_device_format_uuid() writes it as text.
 *
 * @return CUDA_SUCCESS               `*uuid` is the UUID.
 * @return CUDA_ERROR_INVALID_VALUE   `uuid` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetUuid_v2's (cuDeviceGetUuid's with an older driver),
 *                                    unchanged.
 *
 * Driver calls: cuDeviceGetUuid_v2, or cuDeviceGetUuid with drivers older than 11.4.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_get_uuid(CUdevice device, CUuuid *uuid);

/**
 * Get the range of priorities that streams on a device can have.
 *
 * The driver reports it only in a context, so this function takes a reference to the device's
 * primary context for the call. If that is the only reference, the call creates the context and
 * destroys it again, which takes some 100 ms. If a context is current, call
 * cuCtxGetStreamPriorityRange instead.
 *
 * @param device    Device.
 * @param least     Receives the number of the least urgent priority; not NULL.
 * @param greatest  Receives the number of the most urgent priority, the lower number; not NULL.
 *
 * @return CUDA_SUCCESS               Both are written.
 * @return CUDA_ERROR_INVALID_VALUE   `least` or `greatest` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return CUDA_ERROR_OUT_OF_MEMORY   No host memory, or none on the device for a context.
 * @return any other code             The driver's, unchanged.
 *
 * Context: acts in the primary context, and leaves the current one as it was.
 * Driver calls: those of cushim_context_retain_primary() and cushim_context_release(),
 *               cuCtxGetCurrent, cuCtxPushCurrent_v2, cuCtxGetStreamPriorityRange,
 *               cuCtxPopCurrent_v2.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_get_stream_priority_range(CUdevice device,
                                                                            int *least,
                                                                            int *greatest);

/**
 * Return whether a device's events can be shared with other processes.
 *
 * Drivers older than 12.0 do not report it. For these, this function applies the rule of the driver
 * API reference of their time: on Linux, with unified addressing, and not on an integrated (Tegra)
 * device (driver-semantics.md #77).
 *
 * @param device     Device.
 * @param supported  Receives whether they can; not NULL.
 *
 * @return CUDA_SUCCESS               `*supported` is written.
 * @return CUDA_ERROR_INVALID_VALUE   `supported` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetAttribute's, unchanged.
 *
 * Driver calls: cuDeviceGetAttribute.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_get_ipc_event_support(CUdevice device,
                                                                        bool *supported);

/* --- UUIDs as nvidia-smi prints them and CUDA_VISIBLE_DEVICES takes them: GPU-4d656f1c-... --- */

/** Room for a UUID as text, the final NUL included. */
#define CUSHIM_DEVICE_UUID_SIZE 41

/**
 * Write a UUID as text.
 *
 * The text begins with `GPU-` also if the UUID is that of a compute instance (MIG), which this
 * function cannot tell from the bytes; nvidia-smi and CUDA_VISIBLE_DEVICES write `MIG-` there.
 *
 * @param uuid  UUID; borrowed, not NULL.
 * @param text  Receives `GPU-`, then 32 digits in lower case in groups of 8, 4, 4, 4 and 12 with
 *              hyphens between them; not NULL.
 *
 * @return CUDA_SUCCESS              The text is written.
 * @return CUDA_ERROR_INVALID_VALUE  `uuid` or `text` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_format_uuid(const CUuuid *uuid,
                                                              char text[CUSHIM_DEVICE_UUID_SIZE]);

/**
 * Read a UUID from text.
 *
 * Accepts only whole UUIDs, not the prefixes that CUDA_VISIBLE_DEVICES allows.
 *
 * @param text  Text as cushim_device_format_uuid() writes it, in upper or lower case; with `GPU-`,
 *              with `MIG-` (a part of a device) or without a prefix. No other text may precede or
 *              follow it. Borrowed, not NULL.
 * @param uuid  Receives the UUID; not NULL.
 *
 * @return CUDA_SUCCESS              `*uuid` is the UUID.
 * @return CUDA_ERROR_INVALID_VALUE  `uuid` or `text` is NULL, or `text` is not a UUID.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_device_parse_uuid(const char *text, CUuuid *uuid);

#ifdef __cplusplus
}
#endif

#endif
