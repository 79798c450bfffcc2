/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text of images: src/ptx/text reads it, and the image takes over its declarations. */
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/image/reader.h"

/* The program that all texts of an image make up; NULL if memory runs out. */
static struct ptx_module *program_of(const struct mock_reader *reader)
{
    const struct ptx_target target = {
        .version = reader->target->ptx_version,
        .architecture = reader->target->architecture,
        .declarations = !reader->target->executes,
    };
    struct mock_image *image = reader->image;

    if (!image->program)
        image->program = cushim__ptx_create(&target);
    return image->program;
}

/* Record why a text is refused, and return the code. */
static CUresult refuse(struct mock_image *image, const struct ptx_error *error)
{
    switch (error->kind) {
    case PTX_OUT_OF_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case PTX_NO_TEXT:
        return cushim__mock_image_refuse(
            image, CUDA_ERROR_INVALID_IMAGE,
            "this is no image: neither a cubin, nor a fat binary, nor PTX");
    case PTX_NEWER_VERSION:
        return cushim__mock_image_refuse(image, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "%s",
                                         error->text);
    default:
        image->error = *error;
        return cushim__mock_image_refuse(
            image,
            error->kind == PTX_IN_OTHER_TEXT ? CUDA_ERROR_INVALID_SOURCE : CUDA_ERROR_INVALID_PTX,
            "line %u: %.140s", error->line, error->text);
    }
}

static CUresult declare_kernel(struct mock_image *image, const struct ptx_kernel *declared)
{
    const size_t length = strlen(declared->name);
    struct mock_image_kernel *kernel;
    bool added;

    kernel = cushim__mock_image_add_kernel(image, declared->name, length, &added);
    if (!kernel)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (kernel->known)
        return declared->defined
                   ? cushim__mock_image_refuse_twice(image, kernel->part, declared->name, length)
                   : CUDA_SUCCESS;
    kernel->part = image->part_count;
    kernel->known = declared->defined;
    kernel->ptx_version = image->program->target;
    kernel->max_threads = declared->required_block[0] > 0 ? 0 : declared->max_threads;
    memcpy(kernel->required_block, declared->required_block, sizeof kernel->required_block);
    memcpy(kernel->required_cluster, declared->required_cluster, sizeof kernel->required_cluster);
    cushim__mock_image_set_shared(kernel, declared->own_shared_bytes);
    kernel->parameter_count = kernel->parameter_bytes = 0;
    for (size_t i = 0; i < declared->parameter_count; i++) {
        if (!cushim__mock_image_add_parameter(kernel, declared->parameters[i].offset,
                                              declared->parameters[i].bytes))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

static bool copy_addresses(struct mock_image *image, const struct ptx_global *declared,
                           struct mock_image_global *global)
{
    if (declared->address_count == 0)
        return true;
    global->addresses = calloc(declared->address_count, sizeof *global->addresses);
    for (size_t i = 0; global->addresses && i < declared->address_count; i++) {
        const struct ptx_address *from = &declared->addresses[i];
        const char *name = from->of_function ? NULL : image->program->globals[from->global].name;

        global->addresses[i] = (struct mock_image_address){
            .offset = from->offset,
            .bytes = from->bytes,
            .shift = from->shift,
            .addend = from->value,
            .name = name ? cushim__name_copy(name, strlen(name)) : NULL,
        };
        if (name && !global->addresses[i].name)
            return false;
        global->address_count++;
    }
    return global->addresses != NULL;
}

/* A variable that is not weak replaces a weak one; of two weak ones, the first counts. */
static CUresult declare_global(struct mock_image *image, size_t number)
{
    const struct ptx_global *declared = &image->program->globals[number];
    const size_t length = strlen(declared->name);
    struct mock_image_global *global;
    bool added;

    global = cushim__mock_image_add_global(image, declared->name, length,
                                           declared->linkage == PTX_LOCAL, &added);
    if (!global)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!added && declared->linkage == PTX_EXTERN)
        return CUDA_SUCCESS;
    if (!added && !global->external && !(global->weak && declared->linkage == PTX_VISIBLE))
        return declared->linkage == PTX_WEAK
                   ? CUDA_SUCCESS
                   : cushim__mock_image_refuse_twice(image, global->part, declared->name, length);
    cushim__mock_image_undefine(global);
    global->part = image->part_count;
    global->weak = declared->linkage == PTX_WEAK;
    global->external = declared->linkage == PTX_EXTERN;
    global->reference = declared->reference;
    global->constant = declared->constant;
    global->number = number;
    global->bytes = declared->reference ? 0 : declared->bytes;
    global->initial = cushim__ptx_take_initial(image->program, number);
    return copy_addresses(image, declared, global) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__mock_read_ptx(struct mock_reader *reader, const char *start, size_t bytes)
{
    struct mock_image *image = reader->image;
    struct ptx_module *program = program_of(reader);
    CUresult code = CUDA_SUCCESS;
    struct ptx_error error;

    image->part_count++;
    if (!program)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!cushim__ptx_add(program, start, bytes, &error))
        return refuse(image, &error);
    for (size_t i = 0; code == CUDA_SUCCESS && i < program->kernel_count; i++) {
        if (program->kernels[i].part == program->part)
            code = declare_kernel(image, &program->kernels[i]);
    }
    for (size_t i = 0; code == CUDA_SUCCESS && i < program->global_count; i++) {
        if (program->globals[i].part == program->part && !program->globals[i].of_body)
            code = declare_global(image, i);
    }
    return code;
}

CUresult cushim__mock_read_ptx_beside(struct mock_reader *reader, const char *start, size_t bytes)
{
    struct mock_image *image = reader->image;
    struct ptx_error error;

    if (!reader->target->executes)
        return CUDA_SUCCESS;
    image->beside = true;
    if (!program_of(reader))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (cushim__ptx_add(image->program, start, bytes, &error))
        return CUDA_SUCCESS;
    cushim__ptx_release(image->program);
    image->program = NULL;
    for (size_t i = 0; i < image->global_count; i++)
        image->globals[i].number = SIZE_MAX;
    return error.kind == PTX_OUT_OF_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
