/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: they give memory and initial values to their variables, and handles to functions. */
#include "src/mock/module/module.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/module/translation.h"
#include "src/mock/sim/sim.h"

/* Write a variable's initial value to its memory. */
static void fill(struct mock_module *module, size_t index)
{
    const struct mock_image *image = &module->code->image;
    const struct mock_image_global *global = &image->globals[index];
    unsigned char *host =
        cushim__mock_memory_fill(module->addresses[index], global->initial, global->bytes);

    for (size_t i = 0; host && i < global->address_count; i++) {
        const struct mock_image_address *place = &global->addresses[i];
        const struct mock_image_global *other =
            place->name ? cushim__mock_image_global_of(image, place->name, global->part) : NULL;
        CUdeviceptr address = place->addend;

        if (other)
            address += module->addresses[other - image->globals];
        address >>= place->shift;
        if (place->offset + place->bytes <= global->bytes)
            memcpy(host + place->offset, &address, place->bytes);
    }
}

/* Whether the program that is executed declares a global of the image as managed. */
static bool is_managed(const struct mock_code *code, size_t index)
{
    for (size_t i = 0; code->program && i < code->program->global_count; i++) {
        if (code->program->globals[i].managed && code->variables[i] == index)
            return true;
    }
    return false;
}

static CUresult allocate_one(struct mock_module *module, size_t index)
{
    struct mock_context *context = module->object.context;
    const size_t bytes = module->code->image.globals[index].bytes;
    struct mock_allocation *memory;
    CUresult code;

    if (bytes == 0)
        return CUDA_SUCCESS;
    if (is_managed(module->code, index))
        code = cushim__mock_allocation_create_host(context, context->device, MOCK_BY_VARIABLE, NULL,
                                                   bytes, CU_MEM_ATTACH_GLOBAL, &memory);
    else
        code = cushim__mock_allocation_create(context, context->device, MOCK_BY_MODULE, bytes,
                                              &memory);
    if (code == CUDA_SUCCESS)
        module->addresses[index] = memory->span.start;
    return code;
}

static CUresult allocate(struct mock_module *module)
{
    const struct mock_image *image = &module->code->image;

    if (image->global_count == 0)
        return CUDA_SUCCESS;
    module->addresses = calloc(image->global_count, sizeof *module->addresses);
    if (!module->addresses)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < image->global_count; i++) {
        CUresult code = allocate_one(module, i);

        if (code != CUDA_SUCCESS)
            return code;
    }
    for (size_t i = 0; i < image->global_count; i++) {
        if (module->addresses[i] != 0)
            fill(module, i);
    }
    return CUDA_SUCCESS;
}

static void module_drop(void *object)
{
    cushim__mock_module_destroy(object, false);
}

CUresult cushim__mock_module_create(struct mock_context *context, struct mock_code *code,
                                    struct mock_module **module)
{
    struct mock_module *made = calloc(1, sizeof *made);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!made) {
        cushim__mock_code_release(code);
        return result;
    }
    context = cushim__mock_context_space(context);
    made->code = code;
    made->object.drop = module_drop;
    made->object.context = context;
    result = cushim__mock_sim_wait_group(&context->group);
    /* The context may have been destroyed during the wait. */
    if (result == CUDA_SUCCESS && !context->alive)
        result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (result == CUDA_SUCCESS)
        result = allocate(made);
    if (result == CUDA_SUCCESS)
        result = cushim__mock_variables_create(made);
    if (result == CUDA_SUCCESS)
        result = cushim__mock_object_add(made, MOCK_MODULE, context);
    if (result != CUDA_SUCCESS) {
        cushim__mock_module_destroy(made, true);
        return result;
    }
    *module = made;
    return CUDA_SUCCESS;
}

void cushim__mock_module_destroy(struct mock_module *module, bool free_variables)
{
    cushim__mock_functions_free(&module->functions);
    for (size_t i = 0; free_variables && module->addresses && i < module->code->image.global_count;
         i++) {
        if (module->addresses[i] != 0)
            cushim__mock_memory_free(module->addresses[i]);
    }
    if (free_variables)
        cushim__mock_variables_free(module->variables);
    cushim__mock_variables_release(module->variables);
    if (module->object.handle)
        cushim__mock_object_remove(module);
    free(module->addresses);
    cushim__mock_code_release(module->code);
    free(module);
}

void cushim__mock_modules_forget(struct mock_context *context)
{
    struct mock_module *module = cushim__mock_object_next(MOCK_MODULE, NULL);

    while (module) {
        struct mock_module *next = cushim__mock_object_next(MOCK_MODULE, module);

        if (module->object.context == context) {
            if (module->library)
                cushim__mock_library_forget(module->library, module);
            cushim__mock_module_destroy(module, false);
        }
        module = next;
    }
}

CUresult cushim__mock_module_function(struct mock_module *module, const char *name,
                                      struct mock_function **function)
{
    CUresult code =
        cushim__mock_function_get(&module->functions, &module->code->image, name, MOCK_FUNCTION,
                                  module->object.context, sizeof **function, function);

    if (code == CUDA_SUCCESS)
        (*function)->module = module;
    return code;
}

CUresult cushim__mock_module_global(const struct mock_module *module, const char *name,
                                    CUdeviceptr *address, size_t *bytes)
{
    const struct mock_image *image = &module->code->image;
    const struct mock_image_global *global = cushim__mock_image_global(image, name);

    if (!global)
        return cushim__mock_image_kernel(image, name) ? CUDA_ERROR_INVALID_VALUE
                                                      : CUDA_ERROR_NOT_FOUND;
    if (global->reference)
        return CUDA_ERROR_INVALID_VALUE;
    *address = module->addresses[global - image->globals];
    *bytes = global->bytes;
    return CUDA_SUCCESS;
}
