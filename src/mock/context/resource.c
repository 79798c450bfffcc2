/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/context/resource.h"

#include <string.h>

#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

enum { MAGIC = 0x6d637372 };

/* Flags of a split. */
enum { IGNORE_COSCHEDULING = 1, MAX_CLUSTERS = 2 };

/* The size of groups by architecture, as the reference documents it. */
static unsigned alignment_of(void)
{
    return cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9 ? 8 : 2;
}

static unsigned least_of(void)
{
    const int major = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    return major >= 9 ? 8 : major == 8 ? 4 : 2;
}

unsigned cushim__mock_multiprocessors(void)
{
    return (unsigned)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

static struct mock_resource part(unsigned device, unsigned count, bool is_part)
{
    return (struct mock_resource){.type = count > 0 ? MOCK_RESOURCE_SM : 0,
                                  .magic = MAGIC,
                                  .device = device,
                                  .is_part = is_part,
                                  .copies = count,
                                  .count = count,
                                  .least = least_of(),
                                  .multiple = alignment_of()};
}

void cushim__mock_resource_fill(struct mock_resource *resource, const struct mock_device *device,
                                unsigned count)
{
    *resource = part((unsigned)device->ordinal, count, false);
}

static CUresult check(const struct mock_resource *resource)
{
    if (resource->type != MOCK_RESOURCE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    return resource->magic == MAGIC && resource->copies == resource->count
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

static unsigned most(unsigned one, unsigned other)
{
    return one > other ? one : other;
}

CUresult cushim__mock_resource_split(const struct mock_resource *whole, unsigned flags,
                                     unsigned least, unsigned *groups, struct mock_resource *result,
                                     struct mock_resource *rest)
{
    const unsigned multiple = flags & IGNORE_COSCHEDULING ? 2 : alignment_of();
    const struct mock_resource of = *whole; /* `result` may overlap it */
    unsigned size, count;
    CUresult code = check(whole);

    if (code)
        return code;
    if (whole->is_part || least > whole->count)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    if ((flags & IGNORE_COSCHEDULING && flags & MAX_CLUSTERS) || (result && *groups == 0))
        return CUDA_ERROR_INVALID_VALUE;
    size = most(least, flags & IGNORE_COSCHEDULING ? 2 : least_of());
    size = (size + multiple - 1) / multiple * multiple;
    size = size > of.count ? of.count : size;
    count = of.count / size;
    if (result && count > *groups)
        count = *groups;
    *groups = count;
    for (unsigned i = 0; result && i < count; i++)
        result[i] = part(of.device, size, true);
    if (rest)
        *rest = part(of.device, of.count - count * size, true);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_description_create(const struct mock_resource *resources, unsigned count,
                                         struct mock_description **description)
{
    struct mock_description *made;
    unsigned all = 0;

    for (unsigned i = 0; i < count; i++) {
        CUresult code = check(&resources[i]);

        if (code == CUDA_SUCCESS && resources[i].device != resources[0].device)
            code = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        if (code)
            return code;
        all += resources[i].count; /* a resource that is given twice counts twice */
    }
    made = cushim__mock_object_create(sizeof *made, MOCK_DESCRIPTION, NULL, NULL);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->object.internal = true;
    made->device = &cushim__mock->devices[resources[0].device];
    made->multiprocessors =
        all < cushim__mock_multiprocessors() ? all : cushim__mock_multiprocessors();
    *description = made;
    return CUDA_SUCCESS;
}
