/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries (CUDA 12.0): modules without a context. */
#include "src/mock/api/module.h"

#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/device.h"

enum { LIBRARY_OPTIONS = 2 };

static CUresult find(const void *handle, struct mock_library **library)
{
    return cushim__mock_object_find(handle, MOCK_LIBRARY, library);
}

/* What takes options takes these. */
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

    (void)libraryOptionValues;
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

    (void)libraryOptionValues;
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

MOCK_EXACT(LibraryUnload)(cushim_CUlibrary library)
{
    struct mock_library *found;
    CUresult code = find(library, &found);

    /* As cuModuleUnload does, where it is loaded. Meanwhile others may have called. */
    for (struct mock_module *module = code ? NULL : found->modules; module;) {
        struct mock_context *context = module->object.context;

        code = cushim__mock_sim_wait_group(&context->group);
        if (code == CUDA_SUCCESS)
            code = find(library, &found);
        module = code ? NULL : found->modules;
        while (module && module->object.context != context)
            module = module->next;
        module = module ? module->next : NULL;
    }
    if (code == CUDA_SUCCESS)
        cushim__mock_library_destroy(found);
    return code;
}

MOCK_EXACT(LibraryGetKernel)
(cushim_CUkernel *pKernel, cushim_CUlibrary library, const char *name)
{
    struct mock_library *found;
    struct mock_kernel *kernel;
    CUresult code;

    if (!pKernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = find(library, &found);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_library_kernel(found, name, &kernel);
    if (code == CUDA_SUCCESS)
        *pKernel = (cushim_CUkernel)kernel->object.handle;
    return code;
}

static CUresult current_module(cushim_CUlibrary library, struct mock_module **module)
{
    struct mock_context *context;
    struct mock_library *found;
    CUresult code = find(library, &found);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_context_current(&context);
    return code == CUDA_SUCCESS ? cushim__mock_library_module(found, context, module) : code;
}

MOCK_EXACT(LibraryGetModule)(CUmodule *pMod, cushim_CUlibrary library)
{
    struct mock_module *module;
    CUresult code = pMod ? current_module(library, &module) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *pMod = module->object.handle;
    return code;
}

MOCK_EXACT(LibraryGetGlobal)
(CUdeviceptr *dptr, size_t *bytes, cushim_CUlibrary library, const char *name)
{
    struct mock_module *module;
    CUdeviceptr address;
    size_t size;
    CUresult code;

    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = current_module(library, &module);
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
    code = find(library, &found);
    return code == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : code;
}

MOCK_EXACT(LibraryGetKernelCount)(unsigned int *count, cushim_CUlibrary lib)
{
    struct mock_library *found;
    CUresult code = count ? find(lib, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *count = found->code ? (unsigned)found->code->image.kernel_count : 0;
    return code;
}

MOCK_EXACT(LibraryEnumerateKernels)
(cushim_CUkernel *kernels, unsigned int numKernels, cushim_CUlibrary lib)
{
    struct mock_library *found;
    struct mock_kernel *kernel;
    CUresult code = kernels ? find(lib, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && !found->code)
        return found->refusal;
    if (code != CUDA_SUCCESS)
        return code;
    if (numKernels > found->code->image.kernel_count)
        numKernels = (unsigned)found->code->image.kernel_count;
    /* Each is there from then on, so that nothing is written before all are. */
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++)
        code = cushim__mock_library_kernel(found, found->code->image.kernels[i].name, &kernel);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++) {
        code = cushim__mock_library_kernel(found, found->code->image.kernels[i].name, &kernel);
        kernels[i] = (cushim_CUkernel)kernel->object.handle;
    }
    return code;
}

/* Kernels of libraries: functions without a context. */

static CUresult find_kernel(const void *handle, struct mock_kernel **kernel)
{
    return cushim__mock_object_find(handle, MOCK_KERNEL, kernel);
}

/* These answer INVALID_VALUE to NULL, where others answer INVALID_HANDLE. */
static CUresult find_not_null(const void *handle, struct mock_kernel **kernel)
{
    return handle ? find_kernel(handle, kernel) : CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXACT(KernelGetFunction)(CUfunction *pFunc, cushim_CUkernel kernel)
{
    struct mock_context *context;
    struct mock_function *function;
    CUresult code;

    if (!pFunc || !kernel)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_kernel_function(kernel, context, &function);
    if (code == CUDA_SUCCESS)
        *pFunc = function->object.handle;
    return code;
}

static CUresult find_on_device(cushim_CUkernel handle, CUdevice device, struct mock_kernel **kernel)
{
    struct mock_device *found;
    CUresult code = find_kernel(handle, kernel);

    return code == CUDA_SUCCESS ? cushim__mock_device_find(device, &found) : code;
}

MOCK_APPROXIMATE(KernelGetAttribute, "as cuFuncGetAttribute")
(int *pi, CUfunction_attribute attrib, cushim_CUkernel kernel, CUdevice dev)
{
    struct mock_kernel *found;
    CUresult code = find_on_device(kernel, dev, &found);

    if (code == CUDA_SUCCESS && !pi)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_function_attribute(found->library->code, found->declared, &found->settings,
                                           attrib, pi);
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
(CUfunction_attribute attrib, int val, cushim_CUkernel kernel, CUdevice dev)
{
    struct mock_kernel *found;
    CUresult code = find_on_device(kernel, dev, &found);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_function_set(found->declared, &found->settings, attrib, val);
    if (code == CUDA_SUCCESS)
        spread(found);
    return code;
}

MOCK_APPROXIMATE(KernelSetCacheConfig, "sets it for all devices")
(cushim_CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct mock_kernel *found;
    CUresult code = find_on_device(kernel, dev, &found);

    if (code == CUDA_SUCCESS && (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    found->settings.cache = config;
    spread(found);
    return CUDA_SUCCESS;
}

MOCK_EXACT(KernelGetName)(const char **name, cushim_CUkernel hfunc)
{
    struct mock_kernel *found;
    CUresult code = name ? find_not_null(hfunc, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *name = found->declared->name;
    return code;
}

MOCK_EXACT(KernelGetParamInfo)
(cushim_CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    struct mock_kernel *found;
    CUresult code = paramOffset ? find_not_null(kernel, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_kernel_parameter(found->declared, paramIndex, paramOffset, paramSize);
}

MOCK_APPROXIMATE(KernelGetParamCount, "no driver of this version was measured")
(cushim_CUkernel kernel, size_t *paramCount)
{
    struct mock_kernel *found;
    CUresult code = paramCount ? find_not_null(kernel, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *paramCount = found->declared->parameter_count;
    return code;
}

MOCK_EXACT(KernelGetLibrary)(cushim_CUlibrary *pLib, cushim_CUkernel kernel)
{
    struct mock_kernel *found;
    CUresult code = pLib ? find_not_null(kernel, &found) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *pLib = (cushim_CUlibrary)found->library->object.handle;
    return code;
}
