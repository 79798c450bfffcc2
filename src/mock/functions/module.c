/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on modules; section 13 of docs/driver-semantics.md has the measurements. */
#include "src/mock/module/module.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/capture.h"

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

/* Also cuModuleLoadFatBinary. */
CUresult cushim__mock_ModuleLoadData(CUmodule *module, const void *image)
{
    return load(module, image, 0, &(struct mock_jit){.wall_time = NULL});
}

CUresult cushim__mock_ModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                       CUjit_option *options, void **optionValues)
{
    struct mock_jit jit;
    CUresult code = cushim__mock_jit_begin(&jit, numOptions, options, optionValues);

    return code == CUDA_SUCCESS ? load(module, image, 0, &jit) : code;
}

CUresult cushim__mock_ModuleLoad(CUmodule *module, const char *fname)
{
    char *bytes;
    size_t size;
    CUresult code;

    if ((!module || !fname))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_code_file(fname, &bytes, &size);
    if (code != CUDA_SUCCESS)
        return code;
    code = load(module, bytes, size, &(struct mock_jit){.wall_time = NULL});
    free(bytes);
    return code;
}

/* Waits for all work of the context, whether it is of the module or not. */
CUresult cushim__mock_ModuleUnload(struct mock_module *module)
{
    const CUmodule handle = module->object.handle;
    CUresult code;

    if (module->library)
        return CUDA_ERROR_NOT_PERMITTED;
    code = cushim__mock_capture_unsafe();
    if (code == CUDA_SUCCESS)
        code = cushim__mock_sim_wait_group(&module->object.context->group);
    /* Another thread may have unloaded the module meanwhile. */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(handle, MOCK_MODULE, &module);
    if (code == CUDA_SUCCESS)
        cushim__mock_module_destroy(module, true);
    return code;
}

CUresult cushim__mock_ModuleGetFunction(CUfunction *hfunc, struct mock_module *module,
                                        const char *name)
{
    struct mock_function *function;
    CUresult code;

    if (!hfunc || !name || *name == '\0')
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_module_function(module, name, &function);
    if (code == CUDA_SUCCESS)
        function->loaded = true;
    *hfunc = code == CUDA_SUCCESS ? function->object.handle : NULL;
    return code;
}

CUresult cushim__mock_ModuleGetFunctionCount(unsigned int *count, const struct mock_module *module)
{
    *count = (unsigned)module->code->image.kernel_count;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_ModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                               struct mock_module *module)
{
    struct mock_function *function;
    CUresult code = CUDA_SUCCESS;

    if (numFunctions > module->code->image.kernel_count)
        numFunctions = (unsigned)module->code->image.kernel_count;
    /* Make all functions first, so that nothing is written unless all of them exist. */
    for (size_t i = 0; code == CUDA_SUCCESS && i < numFunctions; i++)
        code = cushim__mock_module_function(module, module->code->image.kernels[i].name, &function);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numFunctions; i++) {
        code = cushim__mock_module_function(module, module->code->image.kernels[i].name, &function);
        functions[i] = function->object.handle;
    }
    return code;
}

CUresult cushim__mock_ModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes,
                                         const struct mock_module *module, const char *name)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    CUresult code;

    if ((!dptr && !bytes) || !name || !*name)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_module_global(module, name, &address, &size);
    if (code)
        return code;
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

/* The first ABI works in contexts of the first ABI only. */
CUresult cushim__mock_ModuleGetGlobal(unsigned int *dptr, unsigned int *bytes,
                                      const struct mock_module *module, const char *name)
{
    struct mock_context *context;
    CUdeviceptr address = 0;
    size_t size = 0;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS && context->api_version >= MOCK_WIDE_ABI)
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_ModuleGetGlobal_v2(dptr ? &address : NULL, bytes ? &size : NULL, module,
                                               name);
    if (code)
        return code;
    if (dptr)
        *dptr = (unsigned)address;
    if (bytes)
        *bytes = (unsigned)size;
    return CUDA_SUCCESS;
}

/* The driver that driver-semantics.md describes loads modules lazily. */
CUresult cushim__mock_ModuleGetLoadingMode(cushim_CUmoduleLoadingMode *mode)
{
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
