/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of contexts that programs read and set. */
#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/capture.h"

/* A primary context that has ended has the flags 0 (driver-semantics.md #12). */
CUresult cushim__mock_CtxGetFlags(unsigned int *flags)
{
    struct mock_context *current;
    CUresult code = cushim__mock_context_current(&current);

    if (code == CUDA_ERROR_CONTEXT_IS_DESTROYED && current->primary) {
        *flags = 0;
        return CUDA_SUCCESS;
    }
    if (code)
        return code;
    *flags = cushim__mock_context_space(current)->flags;
    if (current->primary || current->base)
        *flags |= CU_CTX_MAP_HOST;
    if (*flags & CU_CTX_USER_COREDUMP_ENABLE)
        *flags = (*flags & ~(unsigned)CU_CTX_USER_COREDUMP_ENABLE) | CU_CTX_COREDUMP_ENABLE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxSetFlags(struct mock_context *current, unsigned int flags)
{
    struct mock_context *context = cushim__mock_context_space(current);
    const unsigned not_kept = CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE;
    const unsigned created_with = CU_CTX_MAP_HOST; /* a context keeps it or never has it */

    if (!cushim__mock_context_flags_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = (flags & ~(not_kept | created_with)) | (context->flags & created_with);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_find_or_current(ctx, &context);

    if (code == CUDA_ERROR_CONTEXT_IS_DESTROYED && context->primary)
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (code == CUDA_SUCCESS && !version)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *version = context->api_version;
    return code;
}

CUresult cushim__mock_CtxGetId(struct mock_context *context, unsigned long long *ctxId)
{
    *ctxId = context->id;
    return CUDA_SUCCESS;
}

/* Also cuCtxGetDevice. The current context has a device even if it has ended. */
CUresult cushim__mock_CtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_find_or_current(ctx, &context);

    if (code == CUDA_ERROR_CONTEXT_IS_DESTROYED && !ctx)
        code = CUDA_SUCCESS;
    if (code == CUDA_SUCCESS)
        *device = context->device->ordinal;
    return code;
}

CUresult cushim__mock_CtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;

    if (leastPriority)
        *leastPriority = profile->least_priority;
    if (greatestPriority)
        *greatestPriority = profile->greatest_priority;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxGetCacheConfig(struct mock_context *current, CUfunc_cache *pconfig)
{
    struct mock_context *context = cushim__mock_context_space(current);
    *pconfig = context->cache;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxSetCacheConfig(struct mock_context *current, CUfunc_cache config)
{
    struct mock_context *context = cushim__mock_context_space(current);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    context->cache = config;
    return CUDA_SUCCESS;
}

/* The bank size is the device's, whatever was set. */
CUresult cushim__mock_CtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxSetSharedMemConfig(CUsharedconfig config)
{
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxResetPersistingL2Cache(void)
{
    return CUDA_SUCCESS;
}

CUresult cushim__mock_CtxGetExecAffinity(const struct mock_context *current,
                                         cushim_CUexecAffinityParam *pExecAffinity,
                                         cushim_CUexecAffinityType type)
{
    if (current->base)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val =
        (unsigned)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

/*
 * The limits of a context start as in the profile, and are rounded as on an H200
 * (driver-semantics.md #192).
 */

enum answer { ROUNDED, FIXED, UNSUPPORTED };

/* Limits that older headers do not name. */
enum { SHMEM_SIZE = 7, CIG_ENABLED, CIG_SHMEM_FALLBACK_ENABLED, LIMITS };
/* An attribute that older headers do not name. */
enum { MAX_PERSISTING_L2_CACHE_SIZE = 108 };

/* What was left of a heap of 2^50 bytes on one H200; nothing says how the driver finds it. */
#define LARGEST_HEAP ((size_t)17681179680)

/* The bounds of a value, the largest accepted, and what it is a multiple of (0: see unit_of()). */
static const struct rule {
    enum answer answer;
    size_t least, most, refused_above, multiple;
} rules[LIMITS] = {
    [CU_LIMIT_STACK_SIZE] = {ROUNDED, 0, SIZE_MAX, 523264, 16},
    [CU_LIMIT_PRINTF_FIFO_SIZE] = {ROUNDED, 524288, (size_t)2 << 30, SIZE_MAX, 256},
    [CU_LIMIT_MALLOC_HEAP_SIZE] = {ROUNDED, (size_t)4 << 20, LARGEST_HEAP, SIZE_MAX, 65536},
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = {UNSUPPORTED, 0, 0, 0, 0},
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = {ROUNDED, 32, SIZE_MAX, SIZE_MAX, 1},
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = {ROUNDED, 0, SIZE_MAX, 128, 1},
    [CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = {ROUNDED, 0, SIZE_MAX, 0, 0},
    [SHMEM_SIZE] = {FIXED, 0, 0, 0, 0},
    [CIG_ENABLED] = {FIXED, 0, 0, 0, 0},
    [CIG_SHMEM_FALLBACK_ENABLED] = {UNSUPPORTED, 0, 0, 0, 0},
};

static CUresult check(CUlimit limit)
{
    if ((unsigned)limit >= LIMITS)
        return CUDA_ERROR_INVALID_VALUE;
    return rules[limit].answer == UNSUPPORTED || !cushim__mock->settings.profile.has_limit[limit]
               ? CUDA_ERROR_UNSUPPORTED_LIMIT
               : CUDA_SUCCESS;
}

CUresult cushim__mock_CtxGetLimit(struct mock_context *current, size_t *pvalue, CUlimit limit)
{
    struct mock_context *context = cushim__mock_context_space(current);
    CUresult code = check(limit);

    if (code == CUDA_SUCCESS && !pvalue)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *pvalue = context->limits[limit];
    return code;
}

/* The unit of a limit. For the persisting part of the L2 it is a sixteenth of the cache. */
static size_t unit_of(CUlimit limit)
{
    const int sixteenth = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) / 16;

    if (rules[limit].multiple > 0)
        return rules[limit].multiple;
    return sixteenth > 0 ? (size_t)sixteenth : 1;
}

static size_t largest_persisting_cache(void)
{
    const int bytes = cushim__mock_attribute(MAX_PERSISTING_L2_CACHE_SIZE);

    return bytes > 0 ? (size_t)bytes : 0;
}

/* Returns 0 if no multiple fits. */
static size_t round_up(size_t value, size_t multiple)
{
    size_t rest = value % multiple, lack = rest ? multiple - rest : 0;

    return lack <= SIZE_MAX - value ? value + lack : 0;
}

/* The printf buffer and the heap stay as they are once a kernel may have used them. */
static bool is_in_use(const struct mock_context *context, CUlimit limit)
{
    return (limit == CU_LIMIT_PRINTF_FIFO_SIZE && context->printed) ||
           (limit == CU_LIMIT_MALLOC_HEAP_SIZE && context->heap_used);
}

CUresult cushim__mock_CtxSetLimit(struct mock_context *current, CUlimit limit, size_t value)
{
    struct mock_context *context = cushim__mock_context_space(current);
    const struct rule *rule;
    size_t highest;
    CUresult code = check(limit);

    if (code)
        return code;
    rule = &rules[limit];
    if (rule->answer == FIXED)
        return CUDA_ERROR_NOT_PERMITTED;
    highest = rule->refused_above ? rule->refused_above : largest_persisting_cache();
    if (value > highest || is_in_use(current, limit))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_capture_unsafe();
    if (code)
        return code;
    value = round_up(value < rule->least ? rule->least : value, unit_of(limit));
    context->limits[limit] = value > rule->most ? rule->most : value;
    return CUDA_SUCCESS;
}
