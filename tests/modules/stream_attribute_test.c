/* SPDX-License-Identifier: Apache-2.0 */
/* What streams are like, as the driver tells it. */
#include "stream_world.h"

#include <string.h>

/* An old driver lacks what was added after it. */
static void lack_get_device(void)
{
    fake_lack("cuStreamGetDevice");
    assert_int_equal(cushim_driver()->StreamGetDevice(NULL, NULL), 36);
    fake_forget();
}

static void flags_and_priority_are_those_of_the_driver(void **state)
{
    const struct cushim_stream_options options = {
        .size = sizeof options, .blocking = true, .priority = -1000};
    struct cushim_stream *stream = NULL;
    unsigned flags = 9;
    int priority = 9;

    (void)state;
    assert_int_equal(cushim_stream_create(&stream, world.context, &options), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_flags(stream, &flags), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_priority(stream, &priority), CUDA_SUCCESS);
    assert_int_equal(flags, CU_STREAM_DEFAULT);
    assert_int_equal(priority, -5);
    stream_drop(stream);
    assert_int_equal(cushim_stream_flags(cushim_stream_legacy(), &flags), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_priority(cushim_stream_per_thread(), &priority), CUDA_SUCCESS);
    assert_int_equal(flags, 0);
    assert_int_equal(priority, 0);
}

static void null_and_legacy_have_one_number_and_others_their_own(void **state)
{
    struct cushim_stream *null = NULL, *stream = stream_create();
    unsigned long long ids[4] = {0};

    (void)state;
    assert_int_equal(cushim_stream_wrap(&null, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_id(null, &ids[0]), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_id(cushim_stream_legacy(), &ids[1]), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_id(cushim_stream_per_thread(), &ids[2]), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_id(stream, &ids[3]), CUDA_SUCCESS);
    assert_true(ids[0] == ids[1]);
    assert_true(ids[0] != ids[2] && ids[2] != ids[3] && ids[0] != ids[3]);
    stream_drop(null);
    stream_drop(stream);
}

static void default_stream_answers_for_its_own_context(void **state)
{
    struct cushim_stream *stream = stream_default();
    unsigned long long here = 0, there = 0;
    CUcontext context = NULL;

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_driver_context(stream, &context), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuStreamGetCtx cuCtxPopCurrent_v2");
    assert_ptr_equal(context, world.handle);
    assert_int_equal(cushim_stream_driver_context(cushim_stream_per_thread(), &context),
                     CUDA_SUCCESS);
    assert_ptr_equal(context, world.current);
    assert_int_equal(cushim_stream_id(stream, &here), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_id(cushim_stream_per_thread(), &there), CUDA_SUCCESS);
    assert_true(here != there);
    stream_drop(stream);
}

static void device_is_found_on_every_way(void **state)
{
    static const CUdevice devices[STREAM_KINDS] = {0, 0, 0, 0, 1};

    (void)state;
    for (int old = 0; old <= 1; old++) {
        if (old)
            lack_get_device();
        for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
            struct cushim_stream *stream = stream_make(kind);
            CUdevice device = 9;

            assert_int_equal(cushim_stream_device(stream, &device), CUDA_SUCCESS);
            assert_int_equal(device, devices[kind]);
            assert_ptr_equal(fake_current(), world.current);
            stream_drop(stream);
        }
    }
}

static void device_without_a_context_asks_the_driver(void **state)
{
    struct cushim_stream *stream = stream_make(WRAPPED_BARE);
    CUdevice device = 9;

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_device(stream, &device), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuStreamGetDevice");
    lack_get_device();
    assert_int_equal(cushim_stream_device(stream, &device), CUDA_SUCCESS);
    assert_string_equal(fake_order(),
                        "cuStreamGetCtx cuCtxPushCurrent_v2 cuCtxGetDevice cuCtxPopCurrent_v2");
    stream_drop(stream);
}

static void device_on_an_old_driver_passes_codes_on(void **state)
{
    static const char *const functions[] = {"cuStreamGetCtx", "cuCtxPushCurrent_v2",
                                            "cuCtxGetDevice", "cuCtxPopCurrent_v2"};
    struct cushim_stream *stream = stream_make(WRAPPED_BARE);
    CUdevice device = 9;

    (void)state;
    lack_get_device();
    for (size_t i = 0; i < COUNT(functions); i++) {
        fake_fail(functions[i], 1, CUDA_ERROR_UNKNOWN);
        assert_int_equal(cushim_stream_device(stream, &device), CUDA_ERROR_UNKNOWN);
        assert_int_equal(device, 9);
        fake_stack_put_back();
        assert_true(fake_stack_is_as_entered());
    }
    fake_enter(NULL);
    assert_int_equal(cushim_stream_device(cushim_stream_legacy(), &device),
                     CUDA_ERROR_INVALID_CONTEXT);
    stream_drop(stream);
}

static void attributes_are_set_got_and_copied(void **state)
{
    const CUstreamAttrValue spin = {.syncPolicy = CU_SYNC_POLICY_SPIN};
    struct cushim_stream *one = stream_create(), *other = stream_create(), *foreign;
    const CUstreamAttrID policy = CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_YIELD};

    (void)state;
    assert_int_equal(cushim_stream_set_attribute(one, policy, &spin), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_attribute(other, policy, &value), CUDA_SUCCESS);
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_AUTO);
    assert_int_equal(cushim_stream_copy_attributes(other, one), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_attribute(other, policy, &value), CUDA_SUCCESS);
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_SPIN);
    foreign = stream_create_other();
    assert_int_equal(cushim_stream_copy_attributes(foreign, one), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_attribute(one, (CUstreamAttrID)99, &value),
                     CUDA_ERROR_INVALID_VALUE);
    stream_drop(foreign);
    stream_drop(one);
    stream_drop(other);
}

static void attributes_are_copied_in_the_context_of_either_default_stream(void **state)
{
    struct cushim_stream *created = stream_create(), *bare = stream_make(WRAPPED_BARE);
    struct cushim_stream *of_context = stream_default();

    (void)state;
    assert_int_equal(cushim_stream_copy_attributes(created, of_context), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_copy_attributes(of_context, bare), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_copy_attributes(of_context, cushim_stream_legacy()),
                     CUDA_SUCCESS);
    assert_int_equal(cushim_stream_copy_attributes(cushim_stream_legacy(), of_context),
                     CUDA_SUCCESS);
    assert_int_equal(cushim_stream_copy_attributes(created, cushim_stream_legacy()),
                     CUDA_ERROR_INVALID_VALUE);
    stream_drop(created);
    stream_drop(bare);
    stream_drop(of_context);
}

static void null_is_refused_before_any_driver_call(void **state)
{
    struct cushim_stream *stream = stream_default();
    struct cushim_stream *closed = stream_default();

    (void)state;
    cushim_stream_close(closed);
    fake_forget();
    assert_int_equal(cushim_stream_flags(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_priority(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_id(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_device(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_driver_context(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cushim_stream_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cushim_stream_set_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_copy_attributes(stream, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_stream_copy_attributes(stream, closed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fake_calls(NULL), 0);
    stream_drop(stream);
    stream_drop(closed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flags_and_priority_are_those_of_the_driver),
        TEST(null_and_legacy_have_one_number_and_others_their_own),
        TEST(default_stream_answers_for_its_own_context),
        TEST(device_is_found_on_every_way),
        TEST(device_without_a_context_asks_the_driver),
        TEST(device_on_an_old_driver_passes_codes_on),
        TEST(attributes_are_set_got_and_copied),
        TEST(attributes_are_copied_in_the_context_of_either_default_stream),
        TEST(null_is_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests_name("stream_attribute", tests, NULL, NULL);
}
