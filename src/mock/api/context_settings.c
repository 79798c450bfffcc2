/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a context, and set. */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"

MOCK_EXACT(CtxGetFlags)(unsigned int *flags)
{
    struct mock_context *context;
    CUresult code;

    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_current(&context);
    if (code)
        return code;
    *flags = context->flags;
    if (context->primary)
        *flags |= CU_CTX_MAP_HOST;
    if (*flags & CU_CTX_USER_COREDUMP_ENABLE)
        *flags = (*flags & ~(unsigned)CU_CTX_USER_COREDUMP_ENABLE) | CU_CTX_COREDUMP_ENABLE;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxSetFlags)(unsigned int flags)
{
    const unsigned not_kept = CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE;
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code)
        return code;
    if (!cushim__mock_context_flags_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags & ~not_kept;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxGetApiVersion)(CUcontext ctx, unsigned int *version)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_find_or_current(ctx, &context);

    if (code == CUDA_SUCCESS && !version)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *version = context->api_version;
    return code;
}

MOCK_EXACT(CtxGetId)(CUcontext ctx, unsigned long long *ctxId)
{
    struct mock_context *context;
    CUresult code;

    if (!ctxId)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_find_or_current(ctx, &context);
    if (code == CUDA_SUCCESS)
        *ctxId = context->id;
    return code;
}

MOCK_EXACT(CtxGetDevice_v2)(CUdevice *device, CUcontext ctx)
{
    struct mock_context *context;
    CUresult code;

    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_find_or_current(ctx, &context);
    if (code == CUDA_SUCCESS)
        *device = context->device->ordinal;
    return code;
}

MOCK_EXACT(CtxGetDevice)(CUdevice *device)
{
    return cushim__mock_CtxGetDevice_v2(device, NULL);
}

MOCK_EXACT(CtxGetStreamPriorityRange)(int *leastPriority, int *greatestPriority)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code)
        return code;
    if (leastPriority)
        *leastPriority = profile->least_priority;
    if (greatestPriority)
        *greatestPriority = profile->greatest_priority;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxGetCacheConfig)(CUfunc_cache *pconfig)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS && !pconfig)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *pconfig = context->cache;
    return code;
}

MOCK_EXACT(CtxSetCacheConfig)(CUfunc_cache config)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS && (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        context->cache = config;
    return code;
}

/* The bank size is what the device has, whatever is set. */
MOCK_EXACT(CtxGetSharedMemConfig)(CUsharedconfig *pConfig)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS && !pConfig)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return code;
}

MOCK_EXACT(CtxSetSharedMemConfig)(CUsharedconfig config)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code == CUDA_SUCCESS && (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

MOCK_EXACT(CtxResetPersistingL2Cache)(void)
{
    struct mock_context *context;

    return cushim__mock_context_current(&context);
}

MOCK_EXACT(CtxGetExecAffinity)
(cushim_CUexecAffinityParam *pExecAffinity, cushim_CUexecAffinityType type)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;
    struct mock_context *context;
    CUresult code = cushim__mock_context_current(&context);

    if (code)
        return code;
    if (!pExecAffinity)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val =
        (unsigned)profile->attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    return CUDA_SUCCESS;
}
