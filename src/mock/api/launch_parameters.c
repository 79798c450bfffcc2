/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/launch_parameters.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/kernel.h"
#include "src/mock/api/module.h"

static size_t align(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Where a parameter of a size stands behind others, as far as the size tells: aligned to itself. */
static size_t place(size_t offset, size_t bytes)
{
    size_t alignment = 1;

    while (alignment < 16 && bytes % (alignment * 2) == 0 && bytes > 0)
        alignment *= 2;
    return align(offset, alignment);
}

/*
 * What the launch knows of the kernel's parameters: what is registered, or what the image declares.
 */
struct layout {
    const struct mock_image_kernel *kernel;
    const struct mock_kernel_entry *entry; /* NULL: the image's */
    size_t count;
    bool known;
};

static struct layout layout_of(const struct mock_image_kernel *kernel)
{
    const struct mock_kernel_entry *entry = cushim__mock_kernel_entry_find(kernel->name);

    if (entry && entry->has_sizes)
        return (struct layout){kernel, entry, entry->parameter_count, true};
    return (struct layout){kernel, NULL, kernel->parameter_count, kernel->known};
}

static size_t size_of(const struct layout *layout, size_t index)
{
    return layout->entry ? layout->entry->parameter_sizes[index]
                         : layout->kernel->parameters[index].bytes;
}

/* `offset` is where the one before ends. */
static size_t offset_of(const struct layout *layout, size_t index, size_t offset)
{
    if (layout->kernel->known && layout->kernel->parameter_count == layout->count)
        return layout->kernel->parameters[index].offset;
    return place(offset, size_of(layout, index));
}

struct cushim__parameters *cushim__mock_parameters_create(const struct mock_image_kernel *kernel)
{
    const struct layout layout = layout_of(kernel);
    const size_t count = layout.count;
    struct cushim__parameters *made;
    size_t offset = 0, end = 0, head;

    /* An image may list them in any order. */
    for (size_t i = 0; i < count; i++) {
        offset = offset_of(&layout, i, offset) + size_of(&layout, i);
        end = offset > end ? offset : end;
    }
    head = align(sizeof *made + count * (sizeof *made->values + sizeof *made->sizes), 16);
    made = calloc(1, head + end);
    if (!made)
        return NULL;
    made->references = 1;
    made->count = count;
    made->values = (void **)(made + 1);
    made->sizes = (size_t *)(made->values + count);
    made->byte_count = end;
    made->bytes = (unsigned char *)made + head;
    offset = 0;
    for (size_t i = 0; i < count; i++) {
        offset = offset_of(&layout, i, offset);
        made->values[i] = made->bytes + offset;
        made->sizes[i] = size_of(&layout, i);
        offset += made->sizes[i];
    }
    return made;
}

/* `CU_LAUNCH_PARAM_...` pairs. False: they make no sense. */
static bool read_extra(void **extra, const void **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            *bytes = *(const size_t *)extra[1];
        else
            return false;
    }
    return true;
}

CUresult cushim__mock_parameters_copy_extra(struct cushim__parameters *parameters, void **extra)
{
    const void *buffer;
    size_t bytes;

    if (!read_extra(extra, &buffer, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->byte_count > 0 && (!buffer || bytes == 0))
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > parameters->byte_count)
        return parameters->count > 0 ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
    if (bytes > 0)
        memcpy(parameters->bytes, buffer, bytes);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_parameters_copy(struct cushim__parameters *parameters, void **values)
{
    for (size_t i = 0; i < parameters->count; i++) {
        if (!values || !values[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(parameters->values[i], values[i], parameters->sizes[i]);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_parameters_copy_raw(struct cushim__parameters *parameters, const void *buffer,
                                          size_t bytes)
{
    if (bytes > parameters->byte_count)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (bytes > 0)
        memcpy(parameters->bytes, buffer, bytes);
    return CUDA_SUCCESS;
}

void cushim__mock_parameters_release(struct cushim__parameters *parameters)
{
    if (parameters && --parameters->references == 0)
        free(parameters);
}
