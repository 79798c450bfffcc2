/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Devices: find one, and ask what it is and what it can do.
 *
 * A device needs no object: its handle is a CUdevice, a number that nobody has to give back. Which
 * devices there are, and in what order, is the driver's choice and CUDA_VISIBLE_DEVICES's; to mean
 * the same device in two processes, go by UUID.
 *
 * The driver must have been initialised (cushim_init()): before that, calls here answer
 * CUDA_ERROR_NOT_INITIALIZED.
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

/** Room for any device's PCI address, the final NUL included; today's need 13. */
#define CUSHIM_PCI_ADDRESS_SIZE 32

/**
 * Count the devices that this process may use.
 *
 * A machine without any is no case for 0: there cuInit fails with CUDA_ERROR_NO_DEVICE and this
 * call answers CUDA_ERROR_NOT_INITIALIZED (driver semantics, statement 3).
 *
 * @param count  Receives the number of devices; not NULL.
 *
 * @return CUDA_SUCCESS              `*count` is the number.
 * @return CUDA_ERROR_INVALID_VALUE  `count` is NULL.
 * @return any other code            cuDeviceGetCount's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetCount.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_count(int *count);

/**
 * Get a device by its number.
 *
 * @param device   Receives the device; not NULL.
 * @param ordinal  Number, from 0 to the count less one.
 *
 * @return CUDA_SUCCESS               `*device` is the device.
 * @return CUDA_ERROR_INVALID_VALUE   `device` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is none of this number (driver semantics, statement 8).
 * @return any other code             cuDeviceGet's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGet.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_get(CUdevice *device, int ordinal);

/**
 * Get the device that has a UUID.
 *
 * Asks every device for its own; uuid.h reads one from text.
 *
 * @param device  Receives the device; not NULL.
 * @param uuid    UUID; borrowed, not NULL.
 *
 * @return CUDA_SUCCESS               `*device` is the device.
 * @return CUDA_ERROR_INVALID_VALUE   `device` or `uuid` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  No device that this process may use has this UUID.
 * @return any other code             The driver's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetCount, cuDeviceGet; cuDeviceGetUuid_v2, or cuDeviceGetUuid with drivers
 *               older than 11.4.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_get_by_uuid(CUdevice *device, const CUuuid *uuid);

/**
 * Get the device at a PCI address.
 *
 * @param device   Receives the device; not NULL.
 * @param address  `0000:1b:00.0`; function or domain may be missing: domain:bus:device.function,
 *                 domain:bus:device or bus:device.function, in hexadecimal digits. Borrowed, not
 *                 NULL.
 *
 * @return CUDA_SUCCESS               `*device` is the device.
 * @return CUDA_ERROR_INVALID_VALUE   `device` or `address` is NULL, or `address` is none.
 * @return CUDA_ERROR_INVALID_DEVICE  No device that this process may use is there.
 * @return any other code             cuDeviceGetByPCIBusId's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetByPCIBusId.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_get_by_pci_address(CUdevice *device, const char *address);

/**
 * Get a device's name, such as `NVIDIA H200`.
 *
 * @param device  Device.
 * @param name    Receives the name, cut to `size` if it is longer; not NULL.
 * @param size    Room at `name` in bytes, the final NUL included; not 0. 256 is plenty.
 *
 * @return CUDA_SUCCESS               The name is written.
 * @return CUDA_ERROR_INVALID_VALUE   `name` is NULL or `size` is 0.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetName's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetName.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_name(CUdevice device, char *name, size_t size);

/**
 * Get a device's UUID.
 *
 * If the device is in MIG mode the driver gives the UUID of the compute instance that this process
 * has of it (cuDeviceGetUuid in the driver API reference). Drivers older than 11.4 do not have that
 * and give the whole device's.
 *
 * @param device  Device.
 * @param uuid    Receives the UUID; not NULL. uuid.h writes it as text.
 *
 * @return CUDA_SUCCESS               `*uuid` is the UUID.
 * @return CUDA_ERROR_INVALID_VALUE   `uuid` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetUuid_v2's (cuDeviceGetUuid's with an older driver),
 *                                    unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetUuid_v2, or cuDeviceGetUuid with drivers older than 11.4.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_uuid(CUdevice device, CUuuid *uuid);

/**
 * Get a device's PCI address as domain:bus:device.function: `0000:1B:00.0`.
 *
 * @param device   Device.
 * @param address  Receives the address; not NULL.
 * @param size     Room at `address` in bytes, the final NUL included; CUSHIM_PCI_ADDRESS_SIZE is
 *                 always enough.
 *
 * @return CUDA_SUCCESS               The address is written.
 * @return CUDA_ERROR_INVALID_VALUE   `address` is NULL or `size` too small.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetPCIBusId's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetPCIBusId.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_pci_address(CUdevice device, char *address, size_t size);

/**
 * Get a device's compute capability: 9 and 0 for an H200.
 *
 * @param device  Device.
 * @param major   Receives the major number; not NULL.
 * @param minor   Receives the minor number; not NULL.
 *
 * @return CUDA_SUCCESS               Both are written.
 * @return CUDA_ERROR_INVALID_VALUE   `major` or `minor` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_compute_capability(CUdevice device, int *major, int *minor);

/**
 * Get the size of a device's memory.
 *
 * @param device  Device.
 * @param bytes   Receives the size in bytes, used or not; not NULL.
 *
 * @return CUDA_SUCCESS               `*bytes` is the size.
 * @return CUDA_ERROR_INVALID_VALUE   `bytes` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceTotalMem_v2's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceTotalMem_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_total_memory_bytes(CUdevice device, size_t *bytes);

/**
 * Get any attribute of a device.
 *
 * @param device     Device.
 * @param attribute  Which, by NVIDIA's enumerator: CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ...
 * @param value      Receives the attribute, in the unit that CUdevice_attribute's page gives; not
 *                   NULL.
 *
 * @return CUDA_SUCCESS               `*value` is the attribute.
 * @return CUDA_ERROR_INVALID_VALUE   `value` is NULL, or the driver does not know the attribute.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_attribute(CUdevice device, CUdevice_attribute attribute,
                                            int *value);

/**
 * Get the range of priorities that streams on a device can have.
 *
 * The driver tells it only inside a context, so this one takes a reference on the device's primary
 * context for the call. If nobody else has one, that creates the context and destroys it again:
 * some 100 ms. A program that has a context asks cushim_context_stream_priority_range() instead.
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
 * Thread safety: any thread.
 * Context: acts in the primary context, and leaves the current one as it was.
 * Driver calls: those of cushim_context_retain_primary(), cushim_context_stream_priority_range()
 *               and cushim_context_release().
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_stream_priority_range(CUdevice device, int *least, int *greatest);

/**
 * Tell whether a device's events can be shared with other processes.
 *
 * Drivers older than 12.0 do not tell; for them the answer is worked out by the rule that the
 * driver API reference of their time gives: on Linux, with unified addressing, and not on an
 * integrated (Tegra) device. Driver semantics, statement 77.
 *
 * @param device     Device.
 * @param supported  Receives the answer; not NULL.
 *
 * @return CUDA_SUCCESS               `*supported` is the answer.
 * @return CUDA_ERROR_INVALID_VALUE   `supported` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_supports_ipc_events(CUdevice device, bool *supported);

/**
 * Tell whether streams of a device can wait for and write values in memory, of 32 and of 64 bits.
 *
 * Means the functions that cushim uses, cuStreamWaitValue32_v2 and its kin. Drivers older than 11.7
 * do not have them, so the answer is no there.
 *
 * @param device     Device.
 * @param supported  Receives the answer; not NULL.
 *
 * @return CUDA_SUCCESS               `*supported` is the answer.
 * @return CUDA_ERROR_INVALID_VALUE   `supported` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  There is no such device.
 * @return any other code             cuDeviceGetAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_supports_stream_memory_operations(CUdevice device,
                                                                    bool *supported);

/**
 * Tell whether work on a device can read and write another one's memory.
 *
 * It still has to be allowed, by cushim_context_enable_peer_access().
 *
 * @param device  Device that would use the memory.
 * @param peer    Device whose memory it is.
 * @param can     Receives the answer; not NULL.
 *
 * @return CUDA_SUCCESS               `*can` is the answer.
 * @return CUDA_ERROR_INVALID_VALUE   `can` is NULL.
 * @return CUDA_ERROR_INVALID_DEVICE  One of them is no device.
 * @return any other code             cuDeviceCanAccessPeer's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceCanAccessPeer.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_can_access_peer(CUdevice device, CUdevice peer, bool *can);

/**
 * Get an attribute of the link between two devices.
 *
 * @param device     Device that would use the memory.
 * @param peer       Device whose memory it is; another one.
 * @param attribute  Which: CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, ...
 * @param value      Receives the attribute; not NULL.
 *
 * @return CUDA_SUCCESS               `*value` is the attribute.
 * @return CUDA_ERROR_INVALID_VALUE   `value` is NULL, or the driver does not know the attribute.
 * @return CUDA_ERROR_INVALID_DEVICE  One of them is no device, or both are the same.
 * @return any other code             cuDeviceGetP2PAttribute's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: cuDeviceGetP2PAttribute.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_device_p2p_attribute(CUdevice device, CUdevice peer,
                                                CUdevice_P2PAttribute attribute, int *value);

#ifdef __cplusplus
}
#endif

#endif
