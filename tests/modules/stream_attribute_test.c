/* SPDX-License-Identifier: Apache-2.0 */
/* What streams are like, as the driver has it. */
#include "testkit.h"

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

static void missing_arguments_are_refused_before_any_driver_call(void **state)
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
        TEST(flags_and_priority_are_those_of_the_driver),
        TEST(default_stream_answers_for_its_own_context),
        TEST(device_is_found_for_every_kind_of_stream),
        TEST(device_of_a_stream_without_a_context_is_asked_of_the_driver),
        TEST(attributes_are_set_got_and_copied),
        TEST(attributes_are_copied_in_the_context_of_either_default_stream),
        TEST(missing_arguments_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
