/* SPDX-License-Identifier: Apache-2.0 */
/* Modules. What is measured of them stands in section 13 of docs/driver-semantics.md. */
#include "src/mock/api/module.h"

#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/jit.h"
#include "src/mock/api/stream.h"

/* A context that takes addresses of 32 bits: of cuCtxCreate's first ABI. */
enum { FIRST_WIDE_API = 3020 };

static CUresult find(CUmodule handle, struct mock_module **module)
{
    return cushim__mock_object_find(handle, MOCK_MODULE, module);
}

static CUresult load(CUmodule *module, const void *image, size_t bytes, const struct mock_jit *jit)
{
    struct mock_context *context;
    struct mock_module *made;
    struct mock_code *code;
    CUresult result;

    result = cushim__mock_context_current(&context);
    if (result == CUDA_SUCCESS && (!module || !image))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = cushim__mock_code_load(image, bytes, jit, &code);
    if (result != CUDA_SUCCESS)
        return result;
    result = cushim__mock_module_create(context, code, &made);
    if (result != CUDA_SUCCESS)
        return result;
    cushim__mock_jit_end(jit, "");
    *module = made->object.handle;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(ModuleLoadData, "PTX is not compiled, so that what is wrong within a body is "
                                 "not found")
(CUmodule *module, const void *image)
{
    return load(module, image, 0, &(struct mock_jit){.wall_time = NULL});
}

MOCK_APPROXIMATE(ModuleLoadDataEx, "as cuModuleLoadData; of the options only the outputs have an "
                                   "effect")
(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
 void **optionValues)
{
    struct mock_jit jit;
    CUresult code = cushim__mock_jit_begin(&jit, numOptions, options, optionValues);

    return code == CUDA_SUCCESS ? load(module, image, 0, &jit) : code;
}

MOCK_APPROXIMATE(ModuleLoadFatBinary, "as cuModuleLoadData")
(CUmodule *module, const void *fatCubin)
{
    return load(module, fatCubin, 0, &(struct mock_jit){.wall_time = NULL});
}

MOCK_APPROXIMATE(ModuleLoad, "as cuModuleLoadData")(CUmodule *module, const char *fname)
{
    struct mock_context *context;
    char *bytes;
    size_t size;
    CUresult code;

    code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS && (!module || !fname))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_code_file(fname, &bytes, &size);
    if (code != CUDA_SUCCESS)
        return code;
    code = load(module, bytes, size, &(struct mock_jit){.wall_time = NULL});
    free(bytes);
    return code;
}

/* All work of the context is waited for, whether it is of the module or not. */
MOCK_EXACT(ModuleUnload)(CUmodule hmod)
{
    struct mock_module *module;
    CUresult code = find(hmod, &module);

    if (code != CUDA_SUCCESS)
        return code;
    if (module->library)
        return CUDA_ERROR_NOT_PERMITTED;
    if (cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_sim_wait_group(&module->object.context->group);
    /* Meanwhile others may have called. */
    if (code == CUDA_SUCCESS)
        code = find(hmod, &module);
    if (code == CUDA_SUCCESS)
        cushim__mock_module_destroy(module, true);
    return code;
}

MOCK_EXACT(ModuleGetFunction)(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct mock_function *function;
    struct mock_module *module;
    CUresult code = find(hmod, &module);

    if (code != CUDA_SUCCESS)
        return code;
    if (!hfunc || !name || *name == '\0')
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_module_function(module, name, &function);
    if (code == CUDA_SUCCESS)
        function->loaded = true;
    *hfunc = code == CUDA_SUCCESS ? function->object.handle : NULL;
    return code;
}

MOCK_EXACT(ModuleGetFunctionCount)(unsigned int *count, CUmodule mod)
{
    struct mock_module *module;
    CUresult code;

    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    code = find(mod, &module);
    if (code == CUDA_SUCCESS)
        *count = (unsigned)module->code->image.kernel_count;
    return code;
}

MOCK_EXACT(ModuleEnumerateFunctions)
(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    struct mock_function *function;
    struct mock_module *module;
    CUresult code;

    if (!functions)
        return CUDA_ERROR_INVALID_VALUE;
    code = find(mod, &module);
    if (code != CUDA_SUCCESS)
        return code;
    if (numFunctions > module->code->image.kernel_count)
        numFunctions = (unsigned)module->code->image.kernel_count;
    /* Each is there from then on, so that nothing is written before all are. */
    for (size_t i = 0; code == CUDA_SUCCESS && i < numFunctions; i++)
        code = cushim__mock_module_function(module, module->code->image.kernels[i].name, &function);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numFunctions; i++) {
        code = cushim__mock_module_function(module, module->code->image.kernels[i].name, &function);
        functions[i] = function->object.handle;
    }
    return code;
}

MOCK_EXACT(ModuleGetGlobal_v2)(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    struct mock_module *module;
    CUdeviceptr address = 0;
    size_t size = 0;
    CUresult code = find(hmod, &module);

    if (code != CUDA_SUCCESS)
        return code;
    if ((!dptr && !bytes) || !name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_module_global(module, name, &address, &size);
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return code;
}

/* The first ABI works in contexts of the first ABI only; elsewhere it writes zeros. */
MOCK_EXACT(ModuleGetGlobal)
(unsigned int *dptr, unsigned int *bytes, CUmodule hmod, const char *name)
{
    struct mock_context *context;
    struct mock_module *module;
    CUdeviceptr address = 0;
    size_t size = 0;
    CUresult code = find(hmod, &module);

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS && context->api_version >= FIRST_WIDE_API)
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_ModuleGetGlobal_v2(dptr ? &address : NULL, bytes ? &size : NULL, hmod,
                                               name);
    if (dptr)
        *dptr = (unsigned)address;
    if (bytes)
        *bytes = (unsigned)size;
    return code;
}

/*
 * A reference that a module declares cannot be used here: it is not found, as one that is not
 * there.
 */
static CUresult find_reference(const void *reference, CUmodule hmod, const char *name)
{
    struct mock_module *module;
    CUresult code = find(hmod, &module);

    if (code != CUDA_SUCCESS)
        return code;
    return reference && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}

MOCK_APPROXIMATE(ModuleGetTexRef, "none is ever found")
(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    return find_reference(pTexRef, hmod, name);
}

MOCK_APPROXIMATE(ModuleGetSurfRef, "none is ever found")
(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    return find_reference(pSurfRef, hmod, name);
}

/* Modules are loaded lazily on the driver of the semantics page. */
MOCK_EXACT(ModuleGetLoadingMode)(cushim_CUmoduleLoadingMode *mode)
{
    enum { LAZY = 2 };

    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = (cushim_CUmoduleLoadingMode)LAZY;
    return CUDA_SUCCESS;
}
