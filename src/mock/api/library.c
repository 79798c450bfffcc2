/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries (CUDA 12.0): modules without a context. */
#include "src/mock/api/module.h"

#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/device.h"

enum { LIBRARY_OPTIONS = 2 };

/* All calls with options accept the same ones. */
static CUresult check_options(unsigned count, const cushim_CUlibraryOption *options)
{
    if (count > 0 && !options)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= LIBRARY_OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* What is no image is found to be none when something in it is asked for. */
static CUresult load(cushim_CUlibrary *library, const void *image, size_t bytes,
                     const struct mock_jit *jit)
{
    struct mock_library *made;
    struct mock_code *code = NULL;
    CUresult result = cushim__mock_code_load(image, bytes, jit, &code);

    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return result;
    result = cushim__mock_library_create(code, result, &made);
    if (result != CUDA_SUCCESS)
        return result;
    if (code)
        cushim__mock_jit_end(jit, "");
    *library = made->object.handle;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(LibraryLoadData, "as cuModuleLoadData")
(cushim_CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
 unsigned int numJitOptions, cushim_CUlibraryOption *libraryOptions, void **libraryOptionValues,
 unsigned int numLibraryOptions)
{
    struct mock_jit jit;
    CUresult result = library && code ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        result = cushim__mock_jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (result == CUDA_SUCCESS)
        result = check_options(numLibraryOptions, libraryOptions);
    return result == CUDA_SUCCESS ? load(library, code, 0, &jit) : result;
}

MOCK_APPROXIMATE(LibraryLoadFromFile, "as cuModuleLoadData")
(cushim_CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
 unsigned int numJitOptions, cushim_CUlibraryOption *libraryOptions, void **libraryOptionValues,
 unsigned int numLibraryOptions)
{
    struct mock_jit jit;
    char *bytes;
    size_t size;
    CUresult result = library && fileName ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        result = cushim__mock_jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (result == CUDA_SUCCESS)
        result = check_options(numLibraryOptions, libraryOptions);
    if (result == CUDA_SUCCESS)
        result = cushim__mock_code_file(fileName, &bytes, &size);
    if (result != CUDA_SUCCESS)
        return result;
    result = load(library, bytes, size, &jit);
    free(bytes);
    return result;
}

MOCK_EXACT(LibraryUnload)(struct mock_library *library)
{
    const void *handle = library->object.handle;
    CUresult code = CUDA_SUCCESS;

    /* As cuModuleUnload does, where it is loaded. Meanwhile others may have called. */
    for (struct mock_module *module = library->modules; module;) {
        struct mock_context *context = module->object.context;

        code = cushim__mock_sim_wait_group(&context->group);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_object_find(handle, MOCK_LIBRARY, &library);
        module = code ? NULL : library->modules;
        while (module && module->object.context != context)
            module = module->next;
        module = module ? module->next : NULL;
    }
    if (code == CUDA_SUCCESS)
        cushim__mock_library_destroy(library);
    return code;
}

MOCK_EXACT(LibraryGetKernel)
(struct mock_kernel **NOT_NULL kernel, const char *NOT_NULL name, struct mock_library *library)
{
    return cushim__mock_library_kernel(library, name, kernel);
}

MOCK_EXACT(LibraryGetModule)
(struct mock_module **NOT_NULL module, struct mock_library *library, struct mock_context *current)
{
    return cushim__mock_library_module(library, current, module);
}

MOCK_EXACT(LibraryGetGlobal)
(CUdeviceptr *dptr, size_t *bytes, const char *name, cushim_CUlibrary library)
{
    struct mock_library *found;
    struct mock_context *context;
    struct mock_module *module;
    CUdeviceptr address;
    size_t size;
    CUresult code;

    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(library, MOCK_LIBRARY, &found);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_library_module(found, context, &module);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_module_global(module, name, &address, &size);
    if (code != CUDA_SUCCESS)
        return code;
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(LibraryGetManaged, "managed variables are not found, but are variables of "
                                    "cuLibraryGetGlobal")
(CUdeviceptr *dptr, size_t *bytes, cushim_CUlibrary library, const char *name)
{
    struct mock_library *found;
    CUresult code;

    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(library, MOCK_LIBRARY, &found);
    return code == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : code;
}

MOCK_EXACT(LibraryGetKernelCount)
(unsigned int *NOT_NULL count, const struct mock_library *library)
{
    *count = library->code ? (unsigned)library->code->image.kernel_count : 0;
    return CUDA_SUCCESS;
}

MOCK_EXACT(LibraryEnumerateKernels)
(cushim_CUkernel *NOT_NULL kernels, struct mock_library *library, unsigned int numKernels)
{
    const struct mock_image *image = library->code ? &library->code->image : NULL;
    struct mock_kernel *kernel;
    CUresult code = image ? CUDA_SUCCESS : library->refusal;

    if (image && numKernels > image->kernel_count)
        numKernels = (unsigned)image->kernel_count;
    /* Each is there from then on, so that nothing is written before all are. */
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++)
        code = cushim__mock_library_kernel(library, image->kernels[i].name, &kernel);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++) {
        code = cushim__mock_library_kernel(library, image->kernels[i].name, &kernel);
        kernels[i] = (cushim_CUkernel)kernel->object.handle;
    }
    return code;
}

/* Kernels of libraries: functions without a context. */

MOCK_EXACT(KernelGetFunction)
(struct mock_function **NOT_NULL function, cushim_CUkernel NOT_NULL kernel,
 struct mock_context *current)
{
    return cushim__mock_kernel_function(kernel, current, function);
}

MOCK_APPROXIMATE(KernelGetAttribute, "as cuFuncGetAttribute")
(const struct mock_kernel *kernel, const struct mock_device *device, int *NOT_NULL pi,
 CUfunction_attribute attrib)
{
    return cushim__mock_function_attribute(kernel->library->code, kernel->declared,
                                           &kernel->settings, attrib, pi);
}

/* What is set of a kernel holds for its functions that there are, and for those to come. */
static void spread(const struct mock_kernel *kernel)
{
    for (struct mock_module *module = kernel->library->modules; module; module = module->next) {
        for (struct mock_function *one = module->functions; one; one = one->next) {
            if (one->kernel == kernel->declared)
                one->settings = kernel->settings;
        }
    }
}

MOCK_APPROXIMATE(KernelSetAttribute, "sets it for all devices")
(struct mock_kernel *kernel, const struct mock_device *device, CUfunction_attribute attrib, int val)
{
    CUresult code = cushim__mock_function_set(kernel->declared, &kernel->settings, attrib, val);

    if (code == CUDA_SUCCESS)
        spread(kernel);
    return code;
}

MOCK_APPROXIMATE(KernelSetCacheConfig, "sets it for all devices")
(struct mock_kernel *kernel, const struct mock_device *device, CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    kernel->settings.cache = config;
    spread(kernel);
    return CUDA_SUCCESS;
}

MOCK_EXACT(KernelGetName)(const char **NOT_NULL name, struct mock_kernel *NOT_NULL hfunc)
{
    *name = hfunc->declared->name;
    return CUDA_SUCCESS;
}

MOCK_EXACT(KernelGetParamInfo)
(size_t *NOT_NULL paramOffset, struct mock_kernel *NOT_NULL kernel, size_t paramIndex,
 size_t *paramSize)
{
    return cushim__mock_kernel_parameter(kernel->declared, paramIndex, paramOffset, paramSize);
}

MOCK_APPROXIMATE(KernelGetParamCount, "no driver of this version was measured")
(size_t *NOT_NULL paramCount, struct mock_kernel *NOT_NULL kernel)
{
    *paramCount = kernel->declared->parameter_count;
    return CUDA_SUCCESS;
}

MOCK_EXACT(KernelGetLibrary)
(struct mock_library **NOT_NULL library, struct mock_kernel *NOT_NULL kernel)
{
    *library = kernel->library;
    return CUDA_SUCCESS;
}
