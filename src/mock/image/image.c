/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/image/reading.h"

/* Make room for one more element. The array doubles when its count is a power of two. */
static bool grow(void *array, size_t count, size_t element_bytes)
{
    void *old, *grown;

    if (count & (count - 1))
        return true;
    memcpy(&old, array, sizeof old);
    if (count > SIZE_MAX / 2 / element_bytes)
        return false;
    grown = realloc(old, (count == 0 ? 1 : count * 2) * element_bytes);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    return true;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

struct mock_image_kernel *cushim__mock_image_add_kernel(struct mock_image *image, const char *name,
                                                        size_t length, bool *added)
{
    struct mock_image_kernel *kernel;

    *added = false;
    for (size_t i = 0; i < image->kernel_count; i++) {
        if (is_named(image->kernels[i].name, name, length))
            return &image->kernels[i];
    }
    if (!grow(&image->kernels, image->kernel_count, sizeof *image->kernels))
        return NULL;
    kernel = &image->kernels[image->kernel_count];
    memset(kernel, 0, sizeof *kernel);
    kernel->name = cushim__name_copy(name, length);
    if (!kernel->name)
        return NULL;
    kernel->part = image->part_count;
    image->kernel_count++;
    *added = true;
    return kernel;
}

/* What is local to a part does not meet anything of another. */
static bool meets(const struct mock_image_global *global, bool local, unsigned part)
{
    return global->part == part || (!global->local && !local);
}

struct mock_image_global *cushim__mock_image_add_global(struct mock_image *image, const char *name,
                                                        size_t length, bool local, bool *added)
{
    struct mock_image_global *global;

    *added = false;
    for (size_t i = 0; i < image->global_count; i++) {
        if (is_named(image->globals[i].name, name, length) &&
            meets(&image->globals[i], local, image->part_count))
            return &image->globals[i];
    }
    if (!grow(&image->globals, image->global_count, sizeof *image->globals))
        return NULL;
    global = &image->globals[image->global_count];
    memset(global, 0, sizeof *global);
    global->name = cushim__name_copy(name, length);
    if (!global->name)
        return NULL;
    global->part = image->part_count;
    global->local = local;
    image->global_count++;
    *added = true;
    return global;
}

bool cushim__mock_image_add_parameter(struct mock_image_kernel *kernel, size_t offset, size_t bytes)
{
    if (!grow(&kernel->parameters, kernel->parameter_count, sizeof *kernel->parameters))
        return false;
    kernel->parameters[kernel->parameter_count++] =
        (struct mock_image_parameter){.offset = offset, .bytes = bytes};
    if (offset + bytes > kernel->parameter_bytes)
        kernel->parameter_bytes = offset + bytes;
    return true;
}

void cushim__mock_image_set_shared(struct mock_image_kernel *kernel, uint64_t bytes)
{
    const unsigned most = 1u << 30;

    kernel->shared_bytes = bytes < most ? (unsigned)bytes : most;
}

bool cushim__mock_image_add_address(struct mock_image_global *global, size_t offset,
                                    const char *name, size_t length, uint64_t addend)
{
    char *copy;

    if (!grow(&global->addresses, global->address_count, sizeof *global->addresses))
        return false;
    copy = cushim__name_copy(name, length);
    if (!copy)
        return false;
    global->addresses[global->address_count++] =
        (struct mock_image_address){.offset = offset, .addend = addend, .name = copy};
    return true;
}

CUresult cushim__mock_image_refuse(struct mock_image *image, CUresult code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(image->message, sizeof image->message, format, arguments);
    va_end(arguments);
    return code;
}

static uint32_t magic_of(const unsigned char *start, size_t bytes)
{
    uint32_t magic = 0;

    memcpy(&magic, start, bytes < sizeof magic ? bytes : sizeof magic);
    return magic;
}

CUresult cushim__mock_read_any(struct mock_reading *reading, const unsigned char *start,
                               size_t bytes)
{
    struct mock_reading inner = *reading;

    if (++inner.depth > MOCK_READING_DEPTH_MAX)
        return cushim__mock_image_refuse(reading->image, CUDA_ERROR_INVALID_IMAGE,
                                         "the image has too many images within images");
    switch (magic_of(start, bytes)) {
    case MOCK_ELF_MAGIC:
        return cushim__mock_read_elf(&inner, start, bytes);
    case MOCK_FATBIN_MAGIC:
        return cushim__mock_read_fatbin(&inner, start, bytes);
    default:
        return cushim__mock_read_ptx(&inner, (const char *)start, bytes);
    }
}

CUresult cushim__mock_image_read_bytes(struct mock_image *image, const void *start, size_t bytes,
                                       const struct mock_image_target *target)
{
    struct mock_reading reading = {.image = image, .target = target};

    return cushim__mock_read_any(&reading, start, bytes);
}

CUresult cushim__mock_image_read(struct mock_image *image, const void *start,
                                 const struct mock_image_target *target)
{
    unsigned char *copy;
    size_t bytes;
    CUresult code = cushim__mock_image_copy(start, &copy, &bytes);

    if (code != CUDA_SUCCESS)
        return cushim__mock_image_refuse(image, code, "the image is not all there");
    code = cushim__mock_image_read_bytes(image, copy, bytes, target);
    free(copy);
    return code;
}

CUresult cushim__mock_image_refuse_twice(struct mock_image *image, unsigned part, const char *name,
                                         size_t length)
{
    return cushim__mock_image_refuse(
        image, part == image->part_count ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_SOURCE,
        "'%.*s' is declared twice", length > 60 ? 60 : (int)length, name);
}

void cushim__mock_image_undefine(struct mock_image_global *global)
{
    for (size_t i = 0; i < global->address_count; i++)
        free(global->addresses[i].name);
    free(global->addresses);
    free(global->initial);
    global->addresses = NULL;
    global->address_count = 0;
    global->initial = NULL;
}

void cushim__mock_image_clear(struct mock_image *image)
{
    for (size_t i = 0; i < image->kernel_count; i++) {
        free(image->kernels[i].parameters);
        free(image->kernels[i].name);
    }
    for (size_t i = 0; i < image->global_count; i++) {
        cushim__mock_image_undefine(&image->globals[i]);
        free(image->globals[i].name);
    }
    free(image->kernels);
    free(image->globals);
    *image = (struct mock_image){0};
}

struct mock_image_kernel *cushim__mock_image_kernel(const struct mock_image *image,
                                                    const char *name)
{
    for (size_t i = 0; i < image->kernel_count; i++) {
        if (strcmp(image->kernels[i].name, name) == 0)
            return &image->kernels[i];
    }
    return NULL;
}

struct mock_image_global *cushim__mock_image_global(const struct mock_image *image,
                                                    const char *name)
{
    for (size_t i = 0; i < image->global_count; i++) {
        if (strcmp(image->globals[i].name, name) == 0)
            return &image->globals[i];
    }
    return NULL;
}

struct mock_image_global *cushim__mock_image_global_of(const struct mock_image *image,
                                                       const char *name, unsigned part)
{
    struct mock_image_global *of_other = NULL;

    for (size_t i = 0; i < image->global_count; i++) {
        struct mock_image_global *global = &image->globals[i];

        if (strcmp(global->name, name) != 0)
            continue;
        if (global->part == part)
            return global;
        if (!global->local)
            of_other = global;
    }
    return of_other;
}

const struct mock_image_global *cushim__mock_image_unresolved(const struct mock_image *image)
{
    for (size_t i = 0; i < image->global_count; i++) {
        if (image->globals[i].external)
            return &image->globals[i];
    }
    return NULL;
}
