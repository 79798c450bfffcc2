/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of libraries: functions without a context. */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/library.h"
#include "src/mock/core/device.h"

static CUresult find(const void *handle, struct mock_kernel **kernel)
{
    return cushim__mock_object_find(handle, MOCK_KERNEL, kernel);
}

/* These answer INVALID_VALUE to NULL, where others answer INVALID_HANDLE. */
static CUresult find_not_null(const void *handle, struct mock_kernel **kernel)
{
    return handle ? find(handle, kernel) : CUDA_ERROR_INVALID_VALUE;
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
    CUresult code = find(handle, kernel);

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
