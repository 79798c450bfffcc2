/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on CUDA libraries (CUlibrary, CUDA 12.0) and their kernels. */
#include "src/mock/module/module.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/sim/sim.h"

enum { LIBRARY_OPTIONS = 2 };

/*
 * Read the options of both calls that load. `given` is the image, or the file with it, and
 * `library` is where the handle goes; neither may be NULL.
 */
static CUresult begin_load(struct mock_jit *jit, const void *given, const cushim_CUlibrary *library,
                           CUjit_option *jit_options, void **jit_values, unsigned jit_count,
                           const cushim_CUlibraryOption *options, unsigned count)
{
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (library && given)
        code = cushim__mock_jit_begin(jit, jit_count, jit_options, jit_values);
    if (code == CUDA_SUCCESS && count > 0 && !options)
        code = CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        if ((unsigned)options[i] >= LIBRARY_OPTIONS)
            code = CUDA_ERROR_INVALID_VALUE;
    }
    return code ? code : cushim__mock_call.refusal;
}

/* An invalid image is reported only when something in it is asked for. */
static CUresult load(cushim_CUlibrary *library, const void *image, size_t bytes,
                     const struct mock_jit *jit)
{
    struct mock_code *code = NULL;
    const CUresult refusal = cushim__mock_code_load(image, bytes, jit, &code);
    struct mock_library *made;
    CUresult result;

    if (refusal == CUDA_ERROR_OUT_OF_MEMORY)
        return refusal;
    result = cushim__mock_library_create(code, refusal, &made);
    if (result != CUDA_SUCCESS)
        return result;
    if (code)
        cushim__mock_jit_end(jit, "");
    *library = made->object.handle;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_LibraryLoadData(cushim_CUlibrary *library, const void *code,
                                      CUjit_option *jitOptions, void **jitOptionsValues,
                                      unsigned int numJitOptions,
                                      cushim_CUlibraryOption *libraryOptions,
                                      unsigned int numLibraryOptions)
{
    struct mock_jit jit;
    CUresult result = begin_load(&jit, code, library, jitOptions, jitOptionsValues, numJitOptions,
                                 libraryOptions, numLibraryOptions);

    return result == CUDA_SUCCESS ? load(library, code, 0, &jit) : result;
}

CUresult cushim__mock_LibraryLoadFromFile(cushim_CUlibrary *library, const char *fileName,
                                          CUjit_option *jitOptions, void **jitOptionsValues,
                                          unsigned int numJitOptions,
                                          cushim_CUlibraryOption *libraryOptions,
                                          unsigned int numLibraryOptions)
{
    struct mock_jit jit;
    char *bytes;
    size_t size;
    CUresult result = begin_load(&jit, fileName, library, jitOptions, jitOptionsValues,
                                 numJitOptions, libraryOptions, numLibraryOptions);

    if (result == CUDA_SUCCESS)
        result = cushim__mock_code_file(fileName, &bytes, &size);
    if (result != CUDA_SUCCESS)
        return result;
    result = load(library, bytes, size, &jit);
    free(bytes);
    return result;
}

CUresult cushim__mock_LibraryUnload(struct mock_library *library)
{
    const void *handle = library->object.handle;
    CUresult code = CUDA_SUCCESS;

    /* Wait as cuModuleUnload does, in each context with a module. Others may call meanwhile. */
    for (struct mock_module *module = library->modules; module;) {
        struct mock_context *context = module->object.context;

        code = cushim__mock_sim_wait_group(&context->group);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_object_find(handle, MOCK_LIBRARY, &library);
        module = code ? NULL : cushim__mock_library_module(library, context);
        module = module ? module->next : NULL;
    }
    if (code == CUDA_SUCCESS)
        cushim__mock_library_destroy(library);
    return code;
}

CUresult cushim__mock_LibraryGetKernel(struct mock_kernel **kernel, struct mock_library *library,
                                       const char *name)
{
    return cushim__mock_library_kernel(library, name, kernel);
}

CUresult cushim__mock_LibraryGetModule(struct mock_context *current, struct mock_module **module,
                                       struct mock_library *library)
{
    return cushim__mock_library_load(library, current, module);
}

/* Find a variable for both calls: any variable, or only a managed one. */
static CUresult get_variable(cushim_CUlibrary handle, const char *name, bool is_managed,
                             CUdeviceptr *dptr, size_t *bytes)
{
    const struct mock_allocation *memory;
    struct mock_library *library;
    struct mock_context *context;
    struct mock_module *module;
    CUdeviceptr address;
    size_t size;
    CUresult code;

    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(handle, MOCK_LIBRARY, &library);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_library_load(library, context, &module);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_module_global(module, name, &address, &size);
    if (code != CUDA_SUCCESS)
        return code;
    memory = cushim__mock_allocation_at(address);
    if (is_managed && (!memory || memory->origin != MOCK_BY_VARIABLE))
        return CUDA_ERROR_NOT_FOUND;
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_LibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, cushim_CUlibrary library,
                                       const char *name)
{
    return get_variable(library, name, false, dptr, bytes);
}

CUresult cushim__mock_LibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, cushim_CUlibrary library,
                                        const char *name)
{
    return get_variable(library, name, true, dptr, bytes);
}

CUresult cushim__mock_LibraryGetKernelCount(unsigned int *count, const struct mock_library *library)
{
    *count = library->code ? (unsigned)library->code->image.kernel_count : 0;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_LibraryEnumerateKernels(cushim_CUkernel *kernels, unsigned int numKernels,
                                              struct mock_library *library)
{
    const struct mock_image *image = library->code ? &library->code->image : NULL;
    struct mock_kernel *kernel = NULL;
    CUresult code = image ? CUDA_SUCCESS : library->refusal;

    if (image && numKernels > image->kernel_count)
        numKernels = (unsigned)image->kernel_count;
    /* Make all kernels first, so that nothing is written unless all of them exist. */
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++)
        code = cushim__mock_library_kernel(library, image->kernels[i].name, &kernel);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numKernels; i++) {
        code = cushim__mock_library_kernel(library, image->kernels[i].name, &kernel);
        kernels[i] = (cushim_CUkernel)kernel->declared.object.handle;
    }
    return code;
}

/* Kernels of CUDA libraries: functions without a context. */

CUresult cushim__mock_KernelGetFunction(struct mock_context *current,
                                        struct mock_function **function, cushim_CUkernel kernel)
{
    return cushim__mock_kernel_function(kernel, current, function);
}

CUresult cushim__mock_KernelGetAttribute(int *pi, CUfunction_attribute attrib,
                                         const struct mock_kernel *kernel)
{
    return cushim__mock_function_attribute(kernel->library->code, kernel->declared.kernel,
                                           &kernel->declared.settings, attrib, pi);
}

/* Apply a kernel's settings to its existing functions; later ones are made with them. */
static void spread(const struct mock_kernel *kernel)
{
    for (struct mock_module *module = kernel->library->modules; module; module = module->next) {
        for (struct mock_function *one = module->functions; one; one = one->next) {
            if (one->kernel == kernel->declared.kernel)
                one->settings = kernel->declared.settings;
        }
    }
}

CUresult cushim__mock_KernelSetAttribute(CUfunction_attribute attrib, int val,
                                         struct mock_kernel *kernel)
{
    CUresult code =
        cushim__mock_function_set(kernel->declared.kernel, &kernel->declared.settings, attrib, val);

    if (code == CUDA_SUCCESS)
        spread(kernel);
    return code;
}

CUresult cushim__mock_KernelSetCacheConfig(struct mock_kernel *kernel, CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    kernel->declared.settings.cache = config;
    spread(kernel);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_KernelGetName(const char **name, struct mock_kernel *kernel)
{
    *name = kernel->declared.kernel->name;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_KernelGetParamInfo(struct mock_kernel *kernel, size_t paramIndex,
                                         size_t *paramOffset, size_t *paramSize)
{
    return cushim__mock_kernel_parameter(kernel->declared.kernel, paramIndex, paramOffset,
                                         paramSize);
}

CUresult cushim__mock_KernelGetParamCount(struct mock_kernel *kernel, size_t *paramCount)
{
    *paramCount = kernel->declared.kernel->parameter_count;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_KernelGetLibrary(struct mock_library **library, struct mock_kernel *kernel)
{
    *library = kernel->library;
    return CUDA_SUCCESS;
}
