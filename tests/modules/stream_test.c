/* SPDX-License-Identifier: Apache-2.0 */
/* How streams come and go, and who owns what meanwhile. */
#include "stream_world.h"

#include <string.h>

#include "src/objects.h"

static void create_makes_a_non_blocking_stream_in_the_context(void **state)
{
    struct cushim_stream *stream = NULL;

    (void)state;
    assert_int_equal(cushim_stream_create(&stream, world.context, NULL), CUDA_SUCCESS);
    assert_string_equal(fake_order(),
                        "cuCtxPushCurrent_v2 cuStreamCreateWithPriority cuCtxPopCurrent_v2");
    assert_int_equal(stream_fake(stream)->flags, CU_STREAM_NON_BLOCKING);
    assert_int_equal(stream_fake(stream)->priority, 0);
    assert_ptr_equal(stream_fake(stream)->object.context, world.handle);
    assert_ptr_equal(cushim_stream_context(stream), world.context);
    stream_drop(stream);
    assert_int_equal(fake_calls("cuStreamDestroy_v2"), 1);
}

static void create_follows_its_options(void **state)
{
    static const struct {
        bool blocking;
        int priority;
        unsigned flags;
        int real;
    } cases[] = {
        {false, 0, CU_STREAM_NON_BLOCKING, 0}, {true, 0, CU_STREAM_DEFAULT, 0},
        {true, -3, CU_STREAM_DEFAULT, -3},     {false, -6, CU_STREAM_NON_BLOCKING, -5},
        {false, 1, CU_STREAM_NON_BLOCKING, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cushim_stream_options options = {
            .size = sizeof options, .blocking = cases[i].blocking, .priority = cases[i].priority};
        struct cushim_stream *stream = NULL;

        assert_int_equal(cushim_stream_create(&stream, world.context, &options), CUDA_SUCCESS);
        assert_int_equal(stream_fake(stream)->flags, cases[i].flags);
        assert_int_equal(stream_fake(stream)->priority, cases[i].real);
        stream_drop(stream);
    }
}

static void create_understands_options_of_other_versions(void **state)
{
    struct {
        struct cushim_stream_options known;
        long long unknown;
    } longer = {{.size = sizeof longer, .priority = -2}, 0};
    struct cushim_stream_options shorter = {
        .size = sizeof shorter.size, .blocking = true, .priority = -2};
    struct cushim_stream *stream = NULL;

    (void)state;
    assert_int_equal(cushim_stream_create(&stream, world.context, &longer.known), CUDA_SUCCESS);
    assert_int_equal(stream_fake(stream)->priority, -2);
    stream_drop(stream);
    assert_int_equal(cushim_stream_create(&stream, world.context, &shorter), CUDA_SUCCESS);
    assert_int_equal(stream_fake(stream)->priority, 0);
    assert_int_equal(stream_fake(stream)->flags, CU_STREAM_NON_BLOCKING);
    stream_drop(stream);
    fake_forget();
    stream = NULL;
    longer.unknown = 1;
    shorter.size = 0;
    assert_int_equal(cushim_stream_create(&stream, world.context, &longer.known), 1);
    assert_int_equal(cushim_stream_create(&stream, world.context, &shorter), 1);
    assert_null(stream);
    assert_int_equal(fake_calls(NULL), 0);
}

static void create_and_wrap_refuse_null_before_any_driver_call(void **state)
{
    struct cushim_stream *stream = NULL;

    (void)state;
    assert_int_equal(cushim_stream_create(&stream, NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_stream_create(NULL, world.context, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_wrap(NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_null(stream);
    assert_int_equal(fake_calls(NULL), 0);
}

static void create_and_wrap_say_that_memory_ran_out(void **state)
{
    struct cushim_stream *stream = NULL;

    (void)state;
    stream_lack_memory(true);
    assert_int_equal(cushim_stream_create(&stream, world.context, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_stream_wrap(&stream, NULL, world.context), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(stream);
    assert_int_equal(fake_calls(NULL), 0);
}

static void stream_keeps_its_context_alive(void **state)
{
    struct cushim_context *context = NULL;
    struct cushim_stream *created = NULL, *wrapped = NULL;

    (void)state;
    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_create(&created, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_wrap(&wrapped, NULL, context), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_int_equal(fake_live(FAKE_CONTEXT), 1);
    stream_drop(wrapped);
    assert_int_equal(fake_live(FAKE_CONTEXT), 1);
    fake_forget();
    stream_drop(created);
    assert_string_equal(fake_order(), "cuStreamDestroy_v2 cuCtxDestroy_v2");
}

static void release_tells_that_its_context_could_not_be_ended(void **state)
{
    struct cushim_context *context = NULL;
    struct cushim_stream *stream = NULL;

    (void)state;
    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_create(&stream, context, NULL), CUDA_SUCCESS);
    cushim_context_release(context);
    fake_fail("cuCtxDestroy_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_release(stream), CUDA_ERROR_UNKNOWN);
}

static void release_destroys_at_the_last_reference(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    assert_ptr_equal(cushim_stream_retain(stream), stream);
    stream_drop(stream);
    assert_int_equal(fake_calls("cuStreamDestroy_v2"), 0);
    stream_drop(stream);
    assert_int_equal(fake_calls("cuStreamDestroy_v2"), 1);
    assert_null(cushim_stream_retain(NULL));
    assert_int_equal(cushim_stream_release(NULL), CUDA_SUCCESS);
}

static void wrapped_streams_are_never_destroyed(void **state)
{
    (void)state;
    for (enum stream_kind kind = WRAPPED; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        stream_drop(stream);
        stream = stream_make(kind);
        assert_int_equal(cushim_stream_close(stream), CUDA_SUCCESS);
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_INVALID_HANDLE);
        stream_drop(stream);
    }
    assert_int_equal(fake_calls("cuStreamDestroy_v2"), 0);
}

static void close_destroys_once_and_keeps_the_object(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    assert_int_equal(cushim_stream_close(stream), CUDA_SUCCESS);
    assert_int_equal(fake_live(FAKE_STREAM), 0);
    assert_int_equal(cushim_stream_close(stream), CUDA_SUCCESS);
    assert_ptr_equal(cushim_stream_context(stream), world.context);
    stream_drop(stream);
    assert_int_equal(fake_calls("cuStreamDestroy_v2"), 1);
    assert_int_equal(cushim_stream_close(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void destroying_what_is_gone_succeeds_and_other_failures_are_logged(void **state)
{
    static const struct {
        CUresult code, answer;
    } cases[] = {
        {CUDA_ERROR_DEINITIALIZED, CUDA_SUCCESS},
        {CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_SUCCESS},
        {CUDA_ERROR_NOT_INITIALIZED, CUDA_SUCCESS},
        {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cushim_stream *closed = stream_create(), *released = stream_create();

        stream_log_lines = 0;
        fake_fail_from("cuStreamDestroy_v2", 1, cases[i].code);
        assert_int_equal(cushim_stream_close(closed), cases[i].answer);
        assert_int_equal(cushim_stream_close(closed), CUDA_SUCCESS);
        assert_int_equal(cushim_stream_release(released), cases[i].answer);
        assert_int_equal(stream_log_lines, cases[i].answer ? 2 : 0);
        fake_fail_no_more();
        stream_drop(closed);
    }
    assert_non_null(strstr(stream_log_last, "cuStreamDestroy_v2 failed"));
    assert_non_null(strstr(stream_log_last, "CUDA_ERROR_ILLEGAL_ADDRESS"));
}

static void null_and_closed_streams_are_refused_before_any_driver_call(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);

        cushim_stream_close(stream);
        fake_forget();
        for (size_t i = 0; i < stream_function_count; i++) {
            const struct stream_function *function = &stream_functions[i];

            if (function->call(NULL) != CUDA_ERROR_INVALID_HANDLE ||
                function->call(stream) != CUDA_ERROR_INVALID_HANDLE || fake_calls(NULL))
                fail_msg("%s", function->name);
        }
        stream_drop(stream);
    }
    assert_null(cushim_stream_context(NULL));
    assert_int_equal(cushim_stream_handle(cushim_stream_legacy(), NULL), CUDA_ERROR_INVALID_VALUE);
}

static void constant_default_streams_cannot_be_ended(void **state)
{
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};
    const CUstream handles[] = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        const unsigned references = streams[i]->references;

        assert_ptr_equal(cushim_stream_retain(streams[i]), streams[i]);
        assert_int_equal(streams[i]->references, references);
        for (int n = 0; n < 3; n++) {
            assert_int_equal(cushim_stream_close(streams[i]), CUDA_SUCCESS);
            assert_int_equal(cushim_stream_release(streams[i]), CUDA_SUCCESS);
        }
        assert_int_equal(streams[i]->references, references);
        assert_ptr_equal(stream_handle(streams[i]), handles[i]);
        assert_null(cushim_stream_context(streams[i]));
        assert_int_equal(fake_calls(NULL), 0);
        assert_int_equal(cushim_stream_query(streams[i]), CUDA_SUCCESS);
        fake_forget();
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(create_makes_a_non_blocking_stream_in_the_context),
        TEST(create_follows_its_options),
        TEST(create_understands_options_of_other_versions),
        TEST(create_and_wrap_refuse_null_before_any_driver_call),
        TEST(create_and_wrap_say_that_memory_ran_out),
        TEST(stream_keeps_its_context_alive),
        TEST(release_tells_that_its_context_could_not_be_ended),
        TEST(release_destroys_at_the_last_reference),
        TEST(wrapped_streams_are_never_destroyed),
        TEST(close_destroys_once_and_keeps_the_object),
        TEST(destroying_what_is_gone_succeeds_and_other_failures_are_logged),
        TEST(null_and_closed_streams_are_refused_before_any_driver_call),
        TEST(constant_default_streams_cannot_be_ended),
    };

    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
