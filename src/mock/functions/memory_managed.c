/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints about managed memory (driver-semantics.md #88 and #189). Host and device use the same bytes
 * in the mock, so nothing moves; what was said about each page can be queried.
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"

/* A place for memory: a device's number, or one of these. */
enum { HOST = -1 /* CU_DEVICE_CPU */, NOWHERE = -2 /* CU_DEVICE_INVALID */ };

enum { PAGE = 4096 };

/* Attributes of a range that old headers lack. */
enum { PREFERRED_TYPE = 5, PREFERRED_ID = 6, PREFETCHED_TYPE = 7, PREFETCHED_ID = 8 };

/* The managed memory that a range lies in, or NULL. */
static struct mock_allocation *find(CUdeviceptr start, size_t bytes)
{
    struct mock_allocation *allocation = bytes ? cushim__mock_allocation_at(start) : NULL;

    if (!allocation || cushim__mock_allocation_place(allocation) != MOCK_MANAGED ||
        bytes > allocation->bytes - (start - allocation->span.start))
        return NULL;
    return allocation;
}

/* The hints of the pages of a range, created on first use. NULL if memory runs out. */
static struct mock_hints *pages_of(struct mock_allocation *memory, CUdeviceptr start, size_t bytes,
                                   size_t *count)
{
    const size_t pages = (memory->bytes + PAGE - 1) / PAGE;
    const size_t offset = start - memory->span.start, first = offset / PAGE;

    if (!memory->hints) {
        memory->hints = calloc(pages, sizeof *memory->hints);
        for (size_t i = 0; memory->hints && i < pages; i++)
            memory->hints[i].preferred = memory->hints[i].prefetched = NOWHERE;
    }
    *count = (offset + bytes - 1) / PAGE - first + 1;
    return memory->hints ? memory->hints + first : NULL;
}

/* What holds for each page of a range. */
static struct mock_hints common(const struct mock_allocation *memory, CUdeviceptr start,
                                size_t bytes)
{
    const size_t first = (start - memory->span.start) / PAGE;
    const size_t last = (start - memory->span.start + bytes - 1) / PAGE;
    struct mock_hints hints = {.preferred = NOWHERE, .prefetched = NOWHERE};

    if (!memory->hints)
        return hints;
    hints = memory->hints[first];
    for (size_t i = first + 1; i <= last; i++) {
        const struct mock_hints *page = &memory->hints[i];

        hints.read_mostly &= page->read_mostly;
        hints.accessed_by &= page->accessed_by;
        if (hints.preferred != page->preferred)
            hints.preferred = NOWHERE;
        if (hints.prefetched != page->prefetched)
            hints.prefetched = NOWHERE;
    }
    return hints;
}

static bool exists(int place)
{
    struct mock_device *device;

    return place == HOST || cushim__mock_device_find(place, &device) == CUDA_SUCCESS;
}

/* Check a place. A device that cannot use managed memory together with the host is none. */
static CUresult check_place(int place)
{
    if (!exists(place))
        return CUDA_ERROR_INVALID_DEVICE;
    return place == HOST ? CUDA_SUCCESS : cushim__mock_needs(MOCK_NEEDS_CONCURRENT_MANAGED_ACCESS);
}

/* Find a location's place, if it has one. The host has one node. Devices are not looked up. */
static bool find_place(CUmemLocation location, int *place)
{
    *place = HOST;
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        *place = location.id >= 0 ? location.id : NOWHERE;
        return true;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return true;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return location.id == 0;
    default:
        return false;
    }
}

/* Whether advice names a place. */
static bool is_of_place(CUmem_advise advice)
{
    return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
           advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

/* Nodes of the host may be preferred locations, but not places to access memory from. */
static bool takes(CUmem_advise advice, CUmemLocation location)
{
    return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
           ((int)location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA &&
            (int)location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
}

static void apply(struct mock_hints *page, CUmem_advise advice, int place)
{
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        page->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        page->preferred = (int8_t)(is_of_place(advice) ? place : NOWHERE);
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        page->accessed_by |= 1U << (place + 1);
        break;
    default: /* CU_MEM_ADVISE_UNSET_ACCESSED_BY */
        page->accessed_by &= ~(1U << (place + 1));
        break;
    }
}

static CUresult advise(CUdeviceptr start, size_t bytes, CUmem_advise advice, int place)
{
    struct mock_allocation *memory = find(start, bytes);
    struct mock_hints *pages;
    size_t count;
    CUresult code;

    if (!memory || (unsigned)advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
        (unsigned)advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    code = is_of_place(advice) ? check_place(place) : CUDA_SUCCESS;
    if (code)
        return code;
    pages = pages_of(memory, start, bytes, &count);
    if (!pages)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        apply(&pages[i], advice, place);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                                CUdevice device)
{
    return advise(devPtr, count, advice, device);
}

CUresult cushim__mock_MemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                                   CUmemLocation location)
{
    struct mock_context *context;
    int place = HOST;
    CUresult code;

    if (!find(devPtr, count))
        return CUDA_ERROR_INVALID_VALUE;
    if (!find_place(location, &place) ||
        (is_of_place(advice) && (!takes(advice, location) || !exists(place))))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_context(&context);
    return code ? code : advise(devPtr, count, advice, place);
}

static const struct mock_operation_class prefetch_class = {
    .name = "prefetch",
    .size = sizeof(struct mock_operation),
};

/* A prefetch takes the time of a copy, and cannot be captured (driver-semantics.md #129). */
static CUresult prefetch(CUdeviceptr start, size_t bytes, int place, CUstream handle)
{
    const struct mock_costs *costs = &cushim__mock->settings.costs;
    struct mock_allocation *memory;
    struct mock_hints *pages;
    struct mock_stream *stream;
    void *operation;
    size_t count;
    CUresult code = cushim__mock_memory_stream(handle, true, &stream);

    if (code == CUDA_SUCCESS && stream->capture)
        code = cushim__mock_capture_refuse(stream);
    if (code)
        return code;
    memory = find(start, bytes);
    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    code = check_place(place);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_needs(MOCK_NEEDS_CONCURRENT_MANAGED_ACCESS); /* the stream's device */
    if (code)
        return code;
    operation = cushim__mock_operation_create(
        &prefetch_class, place == HOST ? MOCK_DEVICE_TO_HOST : MOCK_HOST_TO_DEVICE,
        costs->operation_ns +
            cushim__mock_operation_duration(bytes, costs->host_to_device_bytes_per_us));
    pages = operation ? pages_of(memory, start, bytes, &count) : NULL;
    if (!pages) {
        if (operation)
            cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        pages[i].prefetched = (int8_t)place;
    return cushim__mock_stream_submit(stream, operation);
}

CUresult cushim__mock_MemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                       CUstream hStream)
{
    return prefetch(devPtr, count, dstDevice, hStream);
}

CUresult cushim__mock_MemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                          unsigned int flags, CUstream hStream)
{
    int place;

    if (flags != 0 || count == 0 || !find_place(location, &place))
        return CUDA_ERROR_INVALID_VALUE;
    return prefetch(devPtr, count, place, hStream);
}

/* List the devices that have access, and then the host if it has; the rest is NOWHERE. */
static void list_accessed_by(uint32_t accessed_by, int *list, size_t count)
{
    size_t filled = 0;

    for (int place = 0; place < MOCK_DEVICES_MAX && filled < count; place++) {
        if (accessed_by & 1U << (place + 1))
            list[filled++] = place;
    }
    if (filled < count && accessed_by & 1U << (HOST + 1))
        list[filled++] = HOST;
    while (filled < count)
        list[filled++] = NOWHERE;
}

/* The type of CUmemLocation of a place. */
static int type_of(int place)
{
    return place == HOST      ? CU_MEM_LOCATION_TYPE_HOST
           : place == NOWHERE ? CU_MEM_LOCATION_TYPE_INVALID
                              : CU_MEM_LOCATION_TYPE_DEVICE;
}

static CUresult get_attribute(const struct mock_hints *hints, void *data, size_t size,
                              CUmem_range_attribute attribute)
{
    int value;

    if (!data || size == 0 || size % sizeof value != 0)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        value = hints->read_mostly;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case PREFERRED_ID:
        value = hints->preferred;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    case PREFETCHED_ID:
        value = hints->prefetched;
        break;
    case PREFERRED_TYPE:
        value = type_of(hints->preferred);
        break;
    case PREFETCHED_TYPE:
        value = type_of(hints->prefetched);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        list_accessed_by(hints->accessed_by, data, size / sizeof value);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (size != sizeof value)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &value, sizeof value);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemRangeGetAttribute(void *data, size_t dataSize,
                                           CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                           size_t count)
{
    const struct mock_allocation *memory = find(devPtr, count);
    struct mock_hints hints;

    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    hints = common(memory, devPtr, count);
    return get_attribute(&hints, data, dataSize, attribute);
}

CUresult cushim__mock_MemRangeGetAttributes(void **data, size_t *dataSizes,
                                            CUmem_range_attribute *attributes, size_t numAttributes,
                                            CUdeviceptr devPtr, size_t count)
{
    const struct mock_allocation *memory = find(devPtr, count);
    CUresult code = CUDA_SUCCESS;
    struct mock_hints hints;

    if (!memory || !data || !dataSizes || !attributes || numAttributes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    hints = common(memory, devPtr, count);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numAttributes; i++)
        code = get_attribute(&hints, data[i], dataSizes[i], attributes[i]);
    return code;
}

/*
 * Attaching memory to a stream lets the host use it while other streams work, on devices where the
 * host cannot otherwise use managed memory while work is pending. On the mock it always can.
 */
CUresult cushim__mock_StreamAttachMemAsync(struct mock_stream *stream, CUdeviceptr dptr,
                                           size_t length, unsigned int flags)
{
    const struct mock_allocation *allocation = find(dptr, 1);
    CUresult code = CUDA_SUCCESS;

    if (stream->capture)
        code = cushim__mock_capture_refuse(stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_unsafe();
    if (code)
        return code;
    if (!allocation || dptr != allocation->span.start ||
        (length != 0 && length != allocation->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags == CU_MEM_ATTACH_SINGLE)
        return stream->kind == MOCK_CREATED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    return flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_INVALID_VALUE;
}
