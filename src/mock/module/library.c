/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA libraries, which have no context: their modules and kernels are created at first use. */
#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/object.h"
#include "src/mock/module/module.h"

void cushim__mock_library_destroy(struct mock_library *library)
{
    cushim__mock_functions_free(&library->kernels);
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

/* Called at the end of the mock, where modules are dropped on their own. */
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
    struct mock_library *made =
        cushim__mock_object_create(sizeof *made, MOCK_LIBRARY, NULL, library_drop);

    if (!made) {
        if (code)
            cushim__mock_code_release(code);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->code = code;
    made->refusal = refusal;
    *library = made;
    return CUDA_SUCCESS;
}

void cushim__mock_library_forget(struct mock_library *library, struct mock_module *module)
{
    struct mock_module **link = &library->modules;

    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
}

struct mock_module *cushim__mock_library_module(const struct mock_library *library,
                                                struct mock_context *context)
{
    struct mock_module *module = library->modules;

    context = cushim__mock_context_space(context);
    while (module && module->object.context != context)
        module = module->next;
    return module;
}

CUresult cushim__mock_library_load(struct mock_library *library, struct mock_context *context,
                                   struct mock_module **module)
{
    struct mock_module *made;
    const void *handle;
    CUresult code;

    if (!library->code)
        return library->refusal;
    *module = cushim__mock_library_module(library, context);
    if (*module)
        return CUDA_SUCCESS;
    handle = library->object.handle;
    code = cushim__mock_module_create(context, cushim__mock_code_retain(library->code), &made);
    if (code != CUDA_SUCCESS)
        return code;
    /* During the wait, another thread may have unloaded the library or made the module. */
    if (cushim__mock_object_lookup(handle, MOCK_LIBRARY) != library ||
        cushim__mock_library_module(library, context)) {
        cushim__mock_module_destroy(made, true);
        return cushim__mock_object_lookup(handle, MOCK_LIBRARY) == library
                   ? cushim__mock_library_load(library, context, module)
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
    struct mock_function *found;
    CUresult code;

    if (!library->code)
        return library->refusal;
    code = cushim__mock_function_get(&library->kernels, &library->code->image, name, MOCK_KERNEL,
                                     NULL, sizeof **kernel, &found);
    if (code != CUDA_SUCCESS)
        return code;
    *kernel = (struct mock_kernel *)found;
    (*kernel)->library = library;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_kernel_function(const void *handle, struct mock_context *context,
                                      struct mock_function **function)
{
    const struct mock_function *newest;
    struct mock_kernel *kernel;
    struct mock_module *module;
    CUresult code = cushim__mock_object_find(handle, MOCK_KERNEL, &kernel);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_library_load(kernel->library, context, &module);
    if (code != CUDA_SUCCESS)
        return code;
    newest = module->functions;
    code = cushim__mock_module_function(module, kernel->declared.kernel->name, function);
    if (module->functions != newest) {
        (*function)->settings = kernel->declared.settings;
        (*function)->loaded = true;
    }
    return code;
}
