/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device may be unable to do, by the attribute that says so. A call that needs the ability
 * is refused on a device without it. The calls are named in driver_functions.tsv, where each call
 * of a function needs the ability, and otherwise ask here.
 */
#ifndef CUSHIM_MOCK_CORE_ABILITY_H
#define CUSHIM_MOCK_CORE_ABILITY_H

#include <stdbool.h>

#include <cuda.h>

struct mock_profile;

/* Numbers of attributes, without CU_DEVICE_ATTRIBUTE_: older headers lack some. */
enum mock_ability {
    MOCK_NEEDS_CAN_MAP_HOST_MEMORY = 19,
    MOCK_NEEDS_COMPUTE_MODE = 20,
    MOCK_NEEDS_UNIFIED_ADDRESSING = 41,
    MOCK_NEEDS_STREAM_PRIORITIES_SUPPORTED = 78,
    MOCK_NEEDS_MANAGED_MEMORY = 83,
    MOCK_NEEDS_CONCURRENT_MANAGED_ACCESS = 89,
    MOCK_NEEDS_COOPERATIVE_LAUNCH = 95,
    MOCK_NEEDS_HOST_REGISTER_SUPPORTED = 99,
    MOCK_NEEDS_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    MOCK_NEEDS_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    MOCK_NEEDS_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
    MOCK_NEEDS_MEMORY_POOLS_SUPPORTED = 115,
    MOCK_NEEDS_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
    MOCK_NEEDS_CLUSTER_LAUNCH = 120,
    MOCK_NEEDS_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
    MOCK_NEEDS_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
    MOCK_NEEDS_DMA_BUF_SUPPORTED = 124,
    MOCK_NEEDS_IPC_EVENT_SUPPORTED = 125,
    MOCK_NEEDS_TENSOR_MAP_ACCESS_SUPPORTED = 127,
    MOCK_NEEDS_MULTICAST_SUPPORTED = 132,
};

/*
 * Return CUDA_SUCCESS, or the code with which a call that needs the ability is refused. The log
 * names the attribute once. A profile that lacks the attribute says nothing about the ability, so
 * the device has it.
 */
CUresult cushim__mock_needs(enum mock_ability ability);

/* The same as a question about a profile, without a line in the log. */
bool cushim__mock_profile_lacks(const struct mock_profile *profile, enum mock_ability ability);

#endif
