/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/context_settings.h>

#include "src/objects.h"

CUresult cushim_context_api_version(const struct cushim_context *context, unsigned *version)
{
    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim_driver()->CtxGetApiVersion(context->handle, version);
}

CUresult cushim_context_flags(const struct cushim_context *context, unsigned *flags)
{
    struct cushim_context_scope scope;
    unsigned its = 0;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_push(context, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(&scope, cushim_driver()->CtxGetFlags(&its));
    if (code == CUDA_SUCCESS)
        *flags = its;
    return code;
}

CUresult cushim_context_set_flags(struct cushim_context *context, unsigned flags)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim_context_push(context, &scope);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxSetFlags(flags));
}

CUresult cushim_context_limit(const struct cushim_context *context, CUlimit limit, size_t *value)
{
    struct cushim_context_scope scope;
    size_t its = 0;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_push(context, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(&scope, cushim_driver()->CtxGetLimit(&its, limit));
    if (code == CUDA_SUCCESS)
        *value = its;
    return code;
}

CUresult cushim_context_set_limit(struct cushim_context *context, CUlimit limit, size_t value)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim_context_push(context, &scope);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxSetLimit(limit, value));
}

CUresult cushim_context_cache_config(const struct cushim_context *context, CUfunc_cache *config)
{
    struct cushim_context_scope scope;
    CUfunc_cache its = CU_FUNC_CACHE_PREFER_NONE;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_push(context, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(&scope, cushim_driver()->CtxGetCacheConfig(&its));
    if (code == CUDA_SUCCESS)
        *config = its;
    return code;
}

CUresult cushim_context_set_cache_config(struct cushim_context *context, CUfunc_cache config)
{
    struct cushim_context_scope scope;
    const CUresult code = cushim_context_push(context, &scope);

    if (code != CUDA_SUCCESS)
        return code;
    return cushim__context_leave(&scope, cushim_driver()->CtxSetCacheConfig(config));
}

CUresult cushim_context_stream_priority_range(const struct cushim_context *context, int *least,
                                              int *greatest)
{
    struct cushim_context_scope scope;
    int its_least = 0, its_greatest = 0;
    CUresult code;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!least || !greatest)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_push(context, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(
            &scope, cushim_driver()->CtxGetStreamPriorityRange(&its_least, &its_greatest));
    if (code != CUDA_SUCCESS)
        return code;
    *least = its_least;
    *greatest = its_greatest;
    return CUDA_SUCCESS;
}
