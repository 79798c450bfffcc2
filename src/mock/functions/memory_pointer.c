/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuPointerGetAttribute and its like: the attributes of a pointer (driver-semantics.md #103 to
 * #105).
 */
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pool.h"
#include "src/mock/memory/virtual.h"

/* Attributes that old headers lack. */
enum {
    ALLOWED_HANDLE_TYPES = 14,
    GPU_DIRECT_RDMA_CAPABLE = 15,
    ACCESS_FLAGS = 16,
    MEMPOOL_HANDLE = 17,
    MAPPING_SIZE = 18,
    MAPPING_BASE = 19,
    BLOCK_ID = 20,
    HW_DECOMPRESS_CAPABLE = 21,
    LAST = HW_DECOMPRESS_CAPABLE,
    READ_WRITE = 3, /* an access flag */
};

/* The value of an attribute. */
struct value {
    union {
        const void *pointer;
        uint64_t wide;
        uint32_t narrow;
        CUDA_POINTER_ATTRIBUTE_P2P_TOKENS tokens;
    };
    size_t size; /* 0 if there is none */
    CUresult code;
};

static struct value pointer(const void *pointer)
{
    return (struct value){.pointer = pointer, .size = sizeof pointer};
}

static struct value wide(uint64_t number)
{
    return (struct value){.wide = number, .size = sizeof number};
}

static struct value narrow(unsigned number)
{
    return (struct value){.narrow = number, .size = sizeof number};
}

/* A value, with the code of an attribute that the memory does not have unless `has` is true. */
static struct value none(struct value value, bool has)
{
    value.code = has ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    return value;
}

/* The range that the driver maps at once. Its id is a number that the allocations in it share. */
static struct value mapping(const struct mock_allocation *allocation, int attribute)
{
    CUdeviceptr start;
    size_t bytes;

    cushim__mock_allocation_mapping(allocation, &start, &bytes);
    if (attribute == BLOCK_ID)
        return wide(start >> 9);
    return wide(attribute == MAPPING_BASE ? start : bytes);
}

/*
 * The attributes that differ for memory of cuMemMap(): its range is the reservation, and without
 * access it has no device pointer. Returns false if the attribute is as for other memory.
 */
static bool find_mapped(const struct mock_mapping *mapped, int attribute, struct value *value)
{
    const CUmemAllocationProp *properties = &mapped->physical->properties;
    const unsigned access = mapped->access[mapped->physical->device->ordinal];

    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *value = none(wide(0), false);
        return access == CU_MEM_ACCESS_FLAGS_PROT_NONE;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *value = wide(mapped->reservation->start);
        return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *value = wide(mapped->reservation->bytes);
        return true;
    case ALLOWED_HANDLE_TYPES:
        *value = wide((uint64_t)properties->requestedHandleTypes);
        return true;
    case GPU_DIRECT_RDMA_CAPABLE:
        *value = narrow(properties->allocFlags.gpuDirectRDMACapable);
        return true;
    case ACCESS_FLAGS:
        *value = narrow(access);
        return true;
    case BLOCK_ID:
        *value = wide(mapped->physical->id);
        return true;
    default:
        return false;
    }
}

/* The value of an attribute of memory that the driver knows. */
static struct value value_of(const struct mock_allocation *allocation, int attribute,
                             CUdeviceptr ptr)
{
    const enum mock_place place = cushim__mock_allocation_place(allocation);
    const bool is_alloc = allocation->origin == MOCK_BY_ALLOC;
    const struct mock_mapping *mapped = cushim__mock_mapping_of(allocation);
    struct value value;

    if (mapped && find_mapped(mapped, attribute, &value))
        return value;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return pointer(allocation->context ? allocation->context->object.handle : NULL);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return narrow(place == MOCK_PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return wide(ptr);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return none(wide(place == MOCK_DEVICE_MEMORY ? 0 : ptr), place != MOCK_DEVICE_MEMORY);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return none((struct value){.size = sizeof(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS)},
                    place != MOCK_PINNED);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return narrow(allocation->synchronous);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return wide(allocation->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return narrow(place == MOCK_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return narrow((unsigned)allocation->device->ordinal);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case GPU_DIRECT_RDMA_CAPABLE:
    case HW_DECOMPRESS_CAPABLE:
        return narrow(is_alloc);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return wide(allocation->span.start);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return wide(allocation->bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return narrow(1);
    case ALLOWED_HANDLE_TYPES:
        return wide(0);
    case ACCESS_FLAGS:
        return narrow(READ_WRITE);
    case MEMPOOL_HANDLE:
        return pointer(allocation->pool ? allocation->pool->object.handle : NULL);
    case MAPPING_SIZE:
    case MAPPING_BASE:
    case BLOCK_ID:
        return mapping(allocation, attribute);
    default:
        return (struct value){.code = CUDA_ERROR_INVALID_VALUE};
    }
}

/* What cuPointerGetAttributes returns for memory that the driver does not know. */
static struct value unknown_value(int attribute, CUdeviceptr ptr)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return wide(0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return wide(ptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return narrow(0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return narrow((unsigned)CU_DEVICE_INVALID);
    default:
        return (struct value){.size = 0};
    }
}

static void write(void *data, const struct value *value)
{
    if (value->size > 0)
        memcpy(data, &value->wide, value->size);
}

CUresult cushim__mock_PointerGetAttribute(void *data, CUpointer_attribute attribute,
                                          CUdeviceptr ptr)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at(ptr);
    struct mock_context *context;
    struct value value;
    CUresult code;

    if (!data || !allocation)
        return CUDA_ERROR_INVALID_VALUE;
    /* Only this attribute depends on a context: it is the address there. */
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) {
        code = cushim__mock_context_current(&context);
        if (code == CUDA_SUCCESS && !cushim__mock_context_reaches(context, allocation))
            code = CUDA_ERROR_INVALID_VALUE;
        if (code)
            return code;
    }
    value = value_of(allocation, (int)attribute, ptr);
    write(data, &value);
    /* The tokens let another device access the memory. */
    if (attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS && value.code == CUDA_SUCCESS)
        allocation->synchronous = true;
    return value.code;
}

CUresult cushim__mock_PointerGetAttributes(unsigned int numAttributes,
                                           CUpointer_attribute *attributes, void **data,
                                           CUdeviceptr ptr)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(ptr);

    if (numAttributes == 0 || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < numAttributes; i++) {
        struct value value;

        if ((int)attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT || (int)attributes[i] > LAST ||
            !data[i])
            return CUDA_ERROR_INVALID_VALUE;
        value = allocation ? value_of(allocation, (int)attributes[i], ptr)
                           : unknown_value((int)attributes[i], ptr);
        write(data[i], &value);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_PointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                          CUdeviceptr ptr)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at(ptr);
    unsigned flag;

    if (!allocation || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    if (allocation->origin == MOCK_BY_MAP)
        return CUDA_ERROR_NOT_SUPPORTED;
    memcpy(&flag, value, sizeof flag);
    allocation->synchronous = flag != 0;
    return CUDA_SUCCESS;
}
