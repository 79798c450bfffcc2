/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function on streams, on every kind of stream, with its 1st, 2nd, ... driver call failing:
 * the code comes through, nothing is written or left, and the current context is put back.
 */
#include "stream_world.h"

/* One function on one stream. */
struct use {
    struct cushim_stream *stream;
    const struct stream_function *function;
};

static CUresult use_once(void *data)
{
    const struct use *use = data;

    return use->function->call(use->stream);
}

static void each_function_passes_each_failure_on(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        for (size_t i = 0; i < stream_function_count; i++) {
            struct use use = {stream, &stream_functions[i]};

            if (use.function->is_alone && fake_sweep(use_once, &use, NULL) == 0)
                fail_msg("%s made no driver call", use.function->name);
        }
        stream_drop(stream);
    }
}

static CUresult record(void *stream)
{
    return cushim_stream_record(stream, world.event);
}

static void record_passes_each_failure_on(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        assert_true(fake_sweep(record, stream, NULL) > 0);
        stream_drop(stream);
    }
}

static CUresult create_and_release(void *options)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_create(&stream, world.context, options);
    CUresult released;

    assert_true(!code == !!stream);
    released = cushim_stream_release(stream);
    return code ? code : released;
}

static CUresult create_and_close(void *data)
{
    struct cushim_stream *stream = NULL;
    CUresult code = cushim_stream_create(&stream, world.context, NULL);

    (void)data;
    if (stream)
        code = cushim_stream_close(stream);
    assert_int_equal(cushim_stream_release(stream), CUDA_SUCCESS);
    return code;
}

static void creating_and_ending_passes_each_failure_on(void **state)
{
    struct cushim_stream_options options = {.size = sizeof options, .priority = -1};

    (void)state;
    assert_int_equal(fake_sweep(create_and_release, &options, NULL), 4);
    assert_int_equal(fake_sweep(create_and_close, NULL, NULL), 4);
}

static CUresult wait_for_other(void *data)
{
    struct cushim_stream **streams = data;

    return cushim_stream_wait_stream(streams[0], streams[1]);
}

static void waiting_for_any_kind_by_any_kind_passes_each_failure_on(void **state)
{
    (void)state;
    for (enum stream_kind one = 0; one < STREAM_KINDS; one++) {
        for (enum stream_kind other = 0; other < STREAM_KINDS; other++) {
            struct cushim_stream *streams[] = {stream_make(one), stream_make(other)};

            assert_true(fake_sweep(wait_for_other, streams, NULL) >= 5);
            stream_drop(streams[0]);
            stream_drop(streams[1]);
        }
    }
}

static CUresult find_device_on_an_old_driver(void *stream)
{
    CUdevice device = 9;
    const CUresult code = cushim_stream_device(stream, &device);

    assert_int_equal(device, code ? 9 : 0);
    return code;
}

static void device_on_an_old_driver_passes_each_failure_on(void **state)
{
    struct cushim_stream *stream = stream_make(WRAPPED_BARE);

    (void)state;
    fake_lack("cuStreamGetDevice");
    assert_int_equal(fake_sweep(find_device_on_an_old_driver, stream, NULL), 4);
    stream_drop(stream);
}

static CUresult exchange(void *data)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

    (void)data;
    return cushim_stream_exchange_capture_mode(&mode);
}

static void exchange_passes_each_failure_on(void **state)
{
    (void)state;
    assert_int_equal(fake_sweep(exchange, NULL, NULL), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_function_passes_each_failure_on),
        TEST(record_passes_each_failure_on),
        TEST(creating_and_ending_passes_each_failure_on),
        TEST(waiting_for_any_kind_by_any_kind_passes_each_failure_on),
        TEST(device_on_an_old_driver_passes_each_failure_on),
        TEST(exchange_passes_each_failure_on),
    };

    return cmocka_run_group_tests_name("stream_sweep", tests, NULL, NULL);
}
