/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what they are set to. */
#include "begin.h"
#include "cases.h"
#include "check.h"

static void context_knows_who_it_is(void)
{
    struct cushim_context *one = begin_context(), *other = begin_other_context();
    unsigned long long id = 0, other_id = 0;
    CUdevice device = -5;
    unsigned version = 0;

    OK(cushim_context_device(one, &device));
    CHECK(device == begin_device());
    OK(cushim_context_api_version(one, &version));
    CHECK(version > 0);
    detail("API version %u", version);
    OK(cushim_context_id(one, &id));
    OK(cushim_context_id(other, &other_id));
    CHECK(id != other_id);
    CHECK(current_context() == NULL);
}

static void flags_are_given_and_replaced(void)
{
    const struct cushim_context_options options = {
        .size = sizeof options,
        .flags = CU_CTX_SCHED_BLOCKING_SYNC,
    };
    struct cushim_context *context = NULL;
    unsigned flags = 0;

    OK(cushim_context_create(&context, begin_device(), &options));
    OK(cushim_context_flags(context, &flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    detail("created with %#x, has %#x", options.flags, flags);
    OK(cushim_context_set_flags(context, CU_CTX_SCHED_YIELD));
    OK(cushim_context_flags(context, &flags));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
    detail("set to %#x, has %#x", (unsigned)CU_CTX_SCHED_YIELD, flags);
    CHECK(current_context() == NULL);
}

static void limits_are_set_and_read(void)
{
    struct cushim_context *context = begin_context();
    size_t before = 0, after = 0, none = 77;
    CUresult code;

    OK(cushim_context_limit(context, CU_LIMIT_STACK_SIZE, &before));
    OK(cushim_context_set_limit(context, CU_LIMIT_STACK_SIZE, 8192));
    OK(cushim_context_limit(context, CU_LIMIT_STACK_SIZE, &after));
    CHECK(after >= 8192);
    code = cushim_context_limit(context, (CUlimit)999, &none);
    CHECK(code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_UNSUPPORTED_LIMIT);
    CHECK(none == 77);
    CHECK(current_context() == NULL);
    detail("stack %zu, then %zu bytes; a limit that does not exist: %d", before, after, (int)code);
}

static void cache_preference_is_set_and_read(void)
{
    struct cushim_context *context = begin_context();
    CUfunc_cache before = CU_FUNC_CACHE_PREFER_EQUAL, after = CU_FUNC_CACHE_PREFER_EQUAL;

    OK(cushim_context_cache_config(context, &before));
    OK(cushim_context_set_cache_config(context, CU_FUNC_CACHE_PREFER_L1));
    OK(cushim_context_cache_config(context, &after));
    CHECK(after == CU_FUNC_CACHE_PREFER_L1 || after == CU_FUNC_CACHE_PREFER_NONE);
    detail("%d, set to 2: %d", (int)before, (int)after);
}

static void priority_range_is_the_devices(void)
{
    struct cushim_context *context = begin_other_context();
    int least = 9, greatest = 9, device_least = 9, device_greatest = 9;

    OK(cushim_context_stream_priority_range(context, &least, &greatest));
    OK(cushim_device_stream_priority_range(begin_device(), &device_least, &device_greatest));
    CHECK(least == 0 && greatest <= 0);
    CHECK(least == device_least && greatest == device_greatest);
    CHECK(current_context() == NULL);
    make_current(context);
    OK(cushim_driver()->CtxGetStreamPriorityRange(NULL, NULL));
    detail("%d to %d", least, greatest);
}

static void peer_access_is_refused_to_oneself_and_given_to_others(void)
{
    struct cushim_context *context = begin_context(), *peer = NULL;
    CUdevice other;
    int count = 0;
    bool can = false;

    detail("access to itself: enable %d, disable %d",
           (int)cushim_context_enable_peer_access(context, context),
           (int)cushim_context_disable_peer_access(context, context));
    CHECK(cushim_context_enable_peer_access(context, context) != CUDA_SUCCESS);
    CHECK(current_context() == NULL);
    OK(cushim_device_count(&count));
    if (count < 2) {
        detail("no second device");
        return;
    }
    OK(cushim_device_get(&other, 1));
    OK(cushim_device_can_access_peer(begin_device(), other, &can));
    if (!can) {
        detail("the second device is out of reach");
        return;
    }
    OK(cushim_context_retain_primary(&peer, other));
    OK(cushim_context_enable_peer_access(context, peer));
    CODE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cushim_context_enable_peer_access(context, peer));
    OK(cushim_context_disable_peer_access(context, peer));
    CODE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cushim_context_disable_peer_access(context, peer));
    detail("enabled and disabled for the second device");
}

const struct gpu_case context_setting_cases[] = {
    {"context_knows_who_it_is", context_knows_who_it_is},
    {"context_flags_are_given_and_replaced", flags_are_given_and_replaced},
    {"context_limits_are_set_and_read", limits_are_set_and_read},
    {"context_cache_preference_is_set_and_read", cache_preference_is_set_and_read},
    {"context_50_priority_range_is_the_devices", priority_range_is_the_devices},
    {"context_peer_access", peer_access_is_refused_to_oneself_and_given_to_others},
    {NULL, NULL},
};
