/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: how they begin and end, and their modules and kernels at first use. */
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/api/context.h"
#include "src/mock/api/module.h"

static void kernel_free(struct mock_kernel *kernel)
{
    free(kernel->unknown.name);
    free(kernel);
}

/* The mock ends while a kernel has its handle. */
static void kernel_drop(void *object)
{
    struct mock_kernel *kernel = object;
    struct mock_kernel **link = &kernel->library->kernels;

    while (*link != kernel)
        link = &(*link)->next;
    *link = kernel->next;
    kernel_free(kernel);
}

/* The mock ends: modules go on their own. */
static void library_drop(void *object)
{
    struct mock_library *library = object;

    for (struct mock_module *module = library->modules; module; module = module->next)
        module->library = NULL;
    library->modules = NULL;
    cushim__mock_library_destroy(library);
}

CUresult cushim__mock_library_create(struct mock_code *code, CUresult refusal,
                                     struct mock_library **library)
{
    struct mock_library *made = calloc(1, sizeof *made);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (made) {
        made->code = code;
        made->refusal = refusal;
        made->object.drop = library_drop;
        result = cushim__mock_object_add(made, MOCK_LIBRARY, NULL);
    }
    if (result != CUDA_SUCCESS) {
        if (code)
            cushim__mock_code_release(code);
        free(made);
        return result;
    }
    *library = made;
    return CUDA_SUCCESS;
}

void cushim__mock_library_destroy(struct mock_library *library)
{
    while (library->kernels) {
        struct mock_kernel *kernel = library->kernels;

        library->kernels = kernel->next;
        cushim__mock_object_remove(kernel);
        kernel_free(kernel);
    }
    while (library->modules) {
        struct mock_module *module = library->modules;

        library->modules = module->next;
        cushim__mock_module_destroy(module, true);
    }
    if (library->object.handle)
        cushim__mock_object_remove(library);
    if (library->code)
        cushim__mock_code_release(library->code);
    free(library);
}

void cushim__mock_library_forget(struct mock_library *library, struct mock_module *module)
{
    struct mock_module **link = &library->modules;

    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
}

static struct mock_module *find_module(const struct mock_library *library,
                                       const struct mock_context *context)
{
    struct mock_module *module = library->modules;

    while (module && module->object.context != context)
        module = module->next;
    return module;
}

CUresult cushim__mock_library_module(struct mock_library *library, struct mock_context *context,
                                     struct mock_module **module)
{
    struct mock_module *made;
    const void *handle;
    CUresult code;

    if (!library->code)
        return library->refusal;
    *module = find_module(library, context);
    if (*module)
        return CUDA_SUCCESS;
    handle = library->object.handle;
    code = cushim__mock_module_create(context, cushim__mock_code_retain(library->code), &made);
    if (code != CUDA_SUCCESS)
        return code;
    /* It waited: another thread may have unloaded the library, or have made the module. */
    if (cushim__mock_object_lookup(handle, MOCK_LIBRARY) != library ||
        find_module(library, context)) {
        cushim__mock_module_destroy(made, true);
        return cushim__mock_object_lookup(handle, MOCK_LIBRARY) == library
                   ? cushim__mock_library_module(library, context, module)
                   : CUDA_ERROR_INVALID_HANDLE;
    }
    made->object.internal = true;
    made->library = library;
    made->next = library->modules;
    library->modules = made;
    *module = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_library_kernel(struct mock_library *library, const char *name,
                                     struct mock_kernel **kernel)
{
    const struct mock_image_kernel *declared;
    struct mock_kernel *made;
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (!library->code)
        return library->refusal;
    for (made = library->kernels; made; made = made->next) {
        if (strcmp(made->declared->name, name) == 0) {
            *kernel = made;
            return CUDA_SUCCESS;
        }
    }
    declared = cushim__mock_image_kernel(&library->code->image, name);
    if (!declared && !library->code->image.opaque)
        return CUDA_ERROR_NOT_FOUND;
    made = calloc(1, sizeof *made);
    if (!made)
        return code;
    made->object.drop = kernel_drop;
    made->library = library;
    made->declared = declared ? declared : &made->unknown;
    if (!declared)
        made->unknown.name = cushim__name_copy(name, strlen(name));
    cushim__mock_function_defaults(made->declared, &made->settings);
    if (made->declared->name)
        code = cushim__mock_object_add(made, MOCK_KERNEL, NULL);
    if (code != CUDA_SUCCESS) {
        kernel_free(made);
        return code;
    }
    made->next = library->kernels;
    library->kernels = made;
    *kernel = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_kernel_function(const void *handle, struct mock_context *context,
                                      struct mock_function **function)
{
    struct mock_kernel *kernel;
    struct mock_module *module;
    CUresult code = cushim__mock_object_find(handle, MOCK_KERNEL, &kernel);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_library_module(kernel->library, context, &module);
    if (code != CUDA_SUCCESS)
        return code;
    for (*function = module->functions; *function; *function = (*function)->next) {
        if (strcmp((*function)->kernel->name, kernel->declared->name) == 0)
            return CUDA_SUCCESS;
    }
    code = cushim__mock_module_function(module, kernel->declared->name, function);
    if (code == CUDA_SUCCESS) {
        (*function)->settings = kernel->settings;
        (*function)->loaded = true;
    }
    return code;
}
