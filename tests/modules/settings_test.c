/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What contexts and streams are set to: asked of that context, and not of the current one; and
 * primary contexts.
 */
#include "testkit.h"

static void flags_are_those_of_the_context(void **state)
{
    unsigned flags = 77;

    (void)state;
    OK(cushim_context_set_flags(kit.one, CU_CTX_SCHED_YIELD));
    assert_calls(PUSHED_FIRST("cuCtxSetFlags"));
    OK(cushim_context_flags(kit.one, &flags));
    assert_calls(PUSHED_FIRST("cuCtxGetFlags"));
    assert_int_equal(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_YIELD);
    OK(cushim_context_flags(kit.two, &flags));
    assert_int_equal(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_AUTO);
}

static void limits_are_those_of_the_context_as_the_driver_rounds_them(void **state)
{
    size_t value = 0, unset = 0;

    (void)state;
    OK(cushim_context_limit(kit.two, CU_LIMIT_STACK_SIZE, &unset));
    kit_forget();
    OK(cushim_context_set_limit(kit.one, CU_LIMIT_STACK_SIZE, 2040));
    assert_calls(PUSHED_FIRST("cuCtxSetLimit"));
    OK(cushim_context_limit(kit.one, CU_LIMIT_STACK_SIZE, &value));
    assert_calls(PUSHED_FIRST("cuCtxGetLimit"));
    assert_int_equal(value, 2048);
    OK(cushim_context_limit(kit.two, CU_LIMIT_STACK_SIZE, &value));
    assert_int_equal(value, unset);
}

static void cache_preference_is_that_of_the_context(void **state)
{
    CUfunc_cache preference = CU_FUNC_CACHE_PREFER_EQUAL;

    (void)state;
    OK(cushim_context_set_cache_config(kit.one, CU_FUNC_CACHE_PREFER_L1));
    assert_calls(PUSHED_FIRST("cuCtxSetCacheConfig"));
    OK(cushim_context_cache_config(kit.one, &preference));
    assert_calls(PUSHED_FIRST("cuCtxGetCacheConfig"));
    assert_int_equal(preference, CU_FUNC_CACHE_PREFER_L1);
    OK(cushim_context_cache_config(kit.two, &preference));
    assert_int_equal(preference, CU_FUNC_CACHE_PREFER_NONE);
}

static void priorities_range_from_the_least_to_the_greatest(void **state)
{
    int least = 99, greatest = 99;

    (void)state;
    OK(cushim_context_stream_priority_range(kit.one, &least, &greatest));
    assert_calls(PUSHED_FIRST("cuCtxGetStreamPriorityRange"));
    assert_int_equal(least, 0);
    assert_int_equal(greatest, -5);
}

static void api_version_is_asked_of_any_context(void **state)
{
    unsigned version = 0;

    (void)state;
    OK(cushim_context_api_version(kit.one, &version));
    assert_calls("cuCtxGetApiVersion");
    assert_int_equal(version, 3020);
}

/* --- primary contexts without an object --- */

static void primary_context_is_active_while_it_is_retained(void **state)
{
    struct cushim_context *context;
    unsigned flags = 77;
    bool active = true;

    (void)state;
    OK(cushim_primary_context_state(1, &flags, &active));
    assert_int_equal(flags, 0);
    assert_false(active);
    OK(cushim_context_retain_primary(&context, 1));
    OK(cushim_primary_context_state(1, NULL, &active));
    assert_true(active);
    OK(cushim_primary_context_state(0, NULL, &active));
    assert_false(active);
    OK(cushim_context_release(context));
}

static void flags_of_a_primary_context_are_set_even_while_it_is_active(void **state)
{
    struct cushim_context *context;
    unsigned flags = 0;

    (void)state;
    OK(cushim_context_retain_primary(&context, 0));
    kit_forget();
    OK(cushim_primary_context_set_flags(0, CU_CTX_SCHED_SPIN));
    OK(cushim_primary_context_state(0, &flags, NULL));
    assert_calls("cuDevicePrimaryCtxSetFlags_v2 cuDevicePrimaryCtxGetState");
    assert_int_equal(flags, CU_CTX_SCHED_SPIN);
    OK(cushim_context_release(context));
}

static void driver_without_the_newer_functions_is_given_the_older_ones(void **state)
{
    (void)state;
    kit_fault("cuDevicePrimaryCtxSetFlags_v2 => missing");
    kit_fault("cuDevicePrimaryCtxReset_v2 => missing");
    OK(cushim_primary_context_set_flags(0, CU_CTX_SCHED_SPIN));
    assert_calls("cuDevicePrimaryCtxSetFlags_v2 cuDevicePrimaryCtxSetFlags");
    OK(cushim_primary_context_reset(0));
    assert_calls("cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxReset");
}

static void reset_ends_what_lives_in_the_context_but_no_reference(void **state)
{
    struct cushim_context *context;
    struct cushim_event *event;

    (void)state;
    OK(cushim_context_retain_primary(&context, 0));
    OK(cushim_event_create(&event, context, NULL));
    OK(cushim_primary_context_reset(0));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_event_query(event));
    OK(cushim_event_release(event));
    OK(cushim_context_release(context));
}

static void missing_arguments_of_contexts_are_refused_before_any_driver_call(void **state)
{
    const CUresult no_handle = CUDA_ERROR_INVALID_HANDLE, no_output = CUDA_ERROR_INVALID_VALUE;
    const CUlimit stack = CU_LIMIT_STACK_SIZE;
    CUfunc_cache preference;
    unsigned number;
    size_t size;
    int priority;

    (void)state;
    CODE(no_handle, cushim_context_api_version(NULL, &number));
    CODE(no_output, cushim_context_api_version(kit.one, NULL));
    CODE(no_handle, cushim_context_flags(NULL, &number));
    CODE(no_output, cushim_context_flags(kit.one, NULL));
    CODE(no_handle, cushim_context_set_flags(NULL, 0));
    CODE(no_handle, cushim_context_limit(NULL, stack, &size));
    CODE(no_output, cushim_context_limit(kit.one, stack, NULL));
    CODE(no_handle, cushim_context_set_limit(NULL, stack, 1));
    CODE(no_handle, cushim_context_cache_config(NULL, &preference));
    CODE(no_output, cushim_context_cache_config(kit.one, NULL));
    CODE(no_handle, cushim_context_set_cache_config(NULL, CU_FUNC_CACHE_PREFER_L1));
    CODE(no_handle, cushim_context_stream_priority_range(NULL, &priority, &priority));
    CODE(no_output, cushim_context_stream_priority_range(kit.one, NULL, &priority));
    CODE(no_output, cushim_context_stream_priority_range(kit.one, &priority, NULL));
    CODE(no_output, cushim_primary_context_state(0, NULL, NULL));
    assert_calls("");
}

static void flags_and_priority_are_those_of_the_driver(void **state)
{
    const struct cushim_stream_options options = {
        .size = sizeof options, .blocking = true, .priority = -1000};
    struct cushim_stream *stream = NULL;
    unsigned flags = 9;
    int priority = 9;

    (void)state;
    OK(cushim_stream_create(&stream, kit.one, &options));
    OK(cushim_stream_flags(stream, &flags));
    OK(cushim_stream_priority(stream, &priority));
    assert_int_equal(flags, CU_STREAM_DEFAULT);
    assert_int_equal(priority, -5);
    OK(cushim_stream_release(stream));
}

static void default_stream_answers_for_its_own_context(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    unsigned long long here = 0, there = 0;
    CUcontext context = NULL;
    unsigned flags = 9;
    int priority = 9;

    (void)state;
    OK(cushim_stream_driver_context(stream, &context));
    assert_calls(IN_FIRST("cuStreamGetCtx"));
    assert_ptr_equal(context, kit.first);
    OK(cushim_stream_driver_context(cushim_stream_per_thread(), &context));
    assert_calls("cuStreamGetCtx");
    assert_ptr_equal(context, kit.current);
    OK(cushim_stream_id(stream, &here));
    OK(cushim_stream_id(cushim_stream_per_thread(), &there));
    assert_true(here != there);
    OK(cushim_stream_flags(stream, &flags));
    OK(cushim_stream_priority(stream, &priority));
    assert_int_equal(flags, 0);
    assert_int_equal(priority, 0);
    OK(cushim_stream_release(stream));
}

static void device_is_found_for_every_kind_of_stream(void **state)
{
    static const CUdevice devices[KINDS] = {0, 0, 0, 0, 1};

    (void)state;
    for (int old = 0; old <= 1; old++) {
        if (old)
            kit_fault("cuStreamGetDevice => missing"); /* which came with CUDA 12.8 */
        for (enum kit_stream_kind kind = 0; kind < KINDS; kind++) {
            struct cushim_stream *stream = kit_stream(kind);
            CUdevice device = 9;

            OK(cushim_stream_device(stream, &device));
            assert_int_equal(device, devices[kind]);
            OK(cushim_stream_release(stream));
        }
    }
}

static void device_of_a_stream_without_a_context_is_asked_of_the_driver(void **state)
{
    struct cushim_stream *stream = kit_stream(WRAPPED_BARE);
    CUdevice device = 9;

    (void)state;
    OK(cushim_stream_device(stream, &device));
    assert_calls("cuStreamGetDevice");
    kit_fault("cuStreamGetDevice => missing");
    OK(cushim_stream_device(stream, &device));
    assert_calls("cuStreamGetDevice cuStreamGetCtx " PUSHED_FIRST("cuCtxGetDevice"));
    kit_enter(NULL);
    device = 9;
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_device(cushim_stream_legacy(), &device));
    assert_int_equal(device, 9);
    OK(cushim_stream_release(stream));
}

static void attributes_are_set_got_and_copied(void **state)
{
    const CUstreamAttrID policy = CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    const CUstreamAttrValue spin = {.syncPolicy = CU_SYNC_POLICY_SPIN};
    struct cushim_stream *one = kit_stream(CREATED), *other = kit_stream(CREATED);
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_YIELD};

    (void)state;
    OK(cushim_stream_set_attribute(one, policy, &spin));
    OK(cushim_stream_attribute(other, policy, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_AUTO);
    OK(cushim_stream_copy_attributes(other, one));
    OK(cushim_stream_attribute(other, policy, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_SPIN);
    OK(cushim_stream_release(one));
    OK(cushim_stream_release(other));
}

static void attributes_are_copied_in_the_context_of_either_default_stream(void **state)
{
    struct cushim_stream *of_context = kit_stream(DEFAULT_OF_CONTEXT);
    struct cushim_stream *bare = kit_stream(WRAPPED_BARE);

    (void)state;
    OK(cushim_stream_copy_attributes(kit.stream, of_context));
    assert_calls(IN_FIRST("cuStreamCopyAttributes"));
    OK(cushim_stream_copy_attributes(of_context, kit.stream));
    assert_calls(IN_FIRST("cuStreamCopyAttributes"));
    OK(cushim_stream_copy_attributes(of_context, cushim_stream_legacy()));
    assert_calls(IN_FIRST("cuStreamCopyAttributes"));
    OK(cushim_stream_copy_attributes(cushim_stream_legacy(), of_context));
    assert_calls(IN_FIRST("cuStreamCopyAttributes"));
    OK(cushim_stream_copy_attributes(kit.stream, bare));
    assert_calls("cuStreamCopyAttributes");
    OK(cushim_stream_release(bare));
    OK(cushim_stream_release(of_context));
}

static void missing_arguments_of_streams_are_refused_before_any_driver_call(void **state)
{
    const CUstreamAttrID policy = CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    const CUresult no_handle = CUDA_ERROR_INVALID_HANDLE, no_output = CUDA_ERROR_INVALID_VALUE;
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    CUdevice device;

    (void)state;
    CODE(no_output, cushim_stream_flags(stream, NULL));
    CODE(no_output, cushim_stream_priority(stream, NULL));
    CODE(no_output, cushim_stream_id(stream, NULL));
    CODE(no_handle, cushim_stream_device(NULL, &device));
    CODE(no_output, cushim_stream_device(stream, NULL));
    CODE(no_output, cushim_stream_driver_context(stream, NULL));
    CODE(no_output, cushim_stream_attribute(stream, policy, NULL));
    CODE(no_output, cushim_stream_set_attribute(stream, policy, NULL));
    CODE(no_handle, cushim_stream_copy_attributes(stream, NULL));
    OK(cushim_stream_close(kit.other));
    CODE(no_handle, cushim_stream_copy_attributes(stream, kit.other));
    assert_calls("");
    OK(cushim_stream_release(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flags_are_those_of_the_context),
        TEST(limits_are_those_of_the_context_as_the_driver_rounds_them),
        TEST(cache_preference_is_that_of_the_context),
        TEST(priorities_range_from_the_least_to_the_greatest),
        TEST(api_version_is_asked_of_any_context),
        TEST(primary_context_is_active_while_it_is_retained),
        TEST(flags_of_a_primary_context_are_set_even_while_it_is_active),
        TEST(driver_without_the_newer_functions_is_given_the_older_ones),
        TEST(reset_ends_what_lives_in_the_context_but_no_reference),
        TEST(missing_arguments_of_contexts_are_refused_before_any_driver_call),
        TEST(flags_and_priority_are_those_of_the_driver),
        TEST(default_stream_answers_for_its_own_context),
        TEST(device_is_found_for_every_kind_of_stream),
        TEST(device_of_a_stream_without_a_context_is_asked_of_the_driver),
        TEST(attributes_are_set_got_and_copied),
        TEST(attributes_are_copied_in_the_context_of_either_default_stream),
        TEST(missing_arguments_of_streams_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
