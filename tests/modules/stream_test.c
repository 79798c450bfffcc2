/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: creating, wrapping and releasing them, querying and waiting. */
#include "../support/event_info.h"
#include "testkit.h"

#include "src/objects/objects.h"

/* --- creating and releasing --- */

TEST(create_makes_a_non_blocking_stream_in_the_context)
{
    struct cushim_stream *stream = NULL;

    OK(cushim_stream_create(testkit.one, NULL, &stream));
    assert_int_equal(testkit_argument("cuStreamCreateWithPriority", "flags"),
                     CU_STREAM_NON_BLOCKING);
    assert_int_equal(testkit_argument("cuStreamCreateWithPriority", "priority"), 0);
    assert_calls(IN_FIRST("cuStreamCreateWithPriority"));
    assert_ptr_equal(stream_context(stream), testkit.one);
    OK(cushim_stream_release(stream));
    assert_calls("cuStreamDestroy_v2");
}

TEST(create_follows_its_options)
{
    static const struct {
        struct cushim_stream_options options;
        unsigned flags;
        int priority;
    } cases[] = {
        {{.size = sizeof cases[0].options, .sync_with_legacy = true}, CU_STREAM_DEFAULT, 0},
        {{.size = sizeof cases[0].options, .priority = -6}, CU_STREAM_NON_BLOCKING, -6},
        {{.size = sizeof(size_t), .sync_with_legacy = true, .priority = -2},
         CU_STREAM_NON_BLOCKING,
         0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cushim_stream *stream = NULL;

        OK(cushim_stream_create(testkit.one, &cases[i].options, &stream));
        assert_int_equal(testkit_argument("cuStreamCreateWithPriority", "flags"), cases[i].flags);
        assert_int_equal((int)testkit_argument("cuStreamCreateWithPriority", "priority"),
                         cases[i].priority);
        OK(cushim_stream_release(stream));
    }
}

TEST(clamped_priority_is_logged_once_for_each_stream)
{
    static const struct {
        int wanted;
        const char *message; /* NULL: the priority is in the range, from 0 to -5 */
    } cases[] = {
        {-6, "a stream was created with priority -5, as the driver has none of priority -6"},
        {1, "a stream was created with priority 0, as the driver has none of priority 1"},
        {-5, NULL},
        {-1, NULL},
        {0, NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cushim_stream_options options = {.size = sizeof options,
                                                      .priority = cases[i].wanted};
        struct cushim_stream *stream = NULL;

        testkit.log_lines = 0;
        testkit_forget();
        OK(cushim_stream_create(testkit.one, &options, &stream));
        assert_calls(cases[i].wanted ? IN_FIRST("cuStreamCreateWithPriority") " cuStreamGetPriority"
                                     : IN_FIRST("cuStreamCreateWithPriority"));
        assert_int_equal(testkit.log_lines, cases[i].message != NULL);
        if (cases[i].message)
            assert_string_equal(testkit.log_last, cases[i].message);
        OK(cushim_stream_release(stream));
    }
}

TEST(stream_whose_priority_cannot_be_asked_is_created)
{
    const struct cushim_stream_options options = {.size = sizeof options, .priority = -6};
    struct cushim_stream *stream = NULL;

    testkit_fault("cuStreamGetPriority => return(UNKNOWN)");
    OK(cushim_stream_create(testkit.one, &options, &stream));
    assert_int_equal(testkit.log_lines, 0);
    OK(cushim_stream_release(stream));
}

TEST(unknown_options_are_refused_unless_zero)
{
    struct {
        struct cushim_stream_options known;
        long long unknown;
    } longer = {{.size = sizeof longer, .priority = -2}, 0};
    const struct cushim_stream_options nothing = {.size = 0};
    struct cushim_stream *stream = NULL;

    OK(cushim_stream_create(testkit.one, &longer.known, &stream));
    assert_int_equal((int)testkit_argument("cuStreamCreateWithPriority", "priority"), -2);
    OK(cushim_stream_release(stream));
    stream = NULL;
    longer.unknown = 1;
    testkit_forget();
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_create(testkit.one, &longer.known, &stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_create(testkit.one, &nothing, &stream));
    assert_null(stream);
    assert_calls("");
}

TEST(stream_keeps_its_context_alive)
{
    struct cushim_stream *created = NULL, *wrapped = NULL;
    struct cushim_context *context = NULL;

    OK(cushim_context_create(0, NULL, &context));
    OK(cushim_stream_create(context, NULL, &created));
    OK(cushim_stream_wrap(NULL, context, &wrapped));
    OK(cushim_context_release(context));
    testkit_forget();
    OK(cushim_stream_release(wrapped));
    assert_calls("");
    OK(cushim_stream_release(created));
    assert_calls("cuStreamDestroy_v2 cuCtxDestroy_v2");
}

TEST(release_returns_that_its_context_could_not_be_destroyed)
{
    struct cushim_context *context = NULL;
    struct cushim_stream *stream = NULL;

    OK(cushim_context_create(0, NULL, &context));
    OK(cushim_stream_create(context, NULL, &stream));
    OK(cushim_context_release(context));
    testkit_fault("cuCtxDestroy_v2:phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_release(stream));
}

TEST(last_release_destroys_once)
{
    struct cushim_stream *stream = testkit_stream(CREATED);

    testkit_forget();
    assert_ptr_equal(cushim_stream_retain(stream), stream);
    OK(cushim_stream_release(stream));
    assert_calls("");
    OK(cushim_stream_release(stream));
    assert_calls("cuStreamDestroy_v2");
}

TEST(close_destroys_once_and_keeps_the_object)
{
    struct cushim_stream *stream = testkit_stream(CREATED);
    CUdevice device;
    CUstream handle;

    testkit_forget();
    OK(cushim_stream_close(stream));
    OK(cushim_stream_close(stream));
    assert_calls("cuStreamDestroy_v2");
    assert_ptr_equal(stream_context(stream), testkit.one);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_query(stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_get_handle(stream, &handle));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_get_device(stream, &device));
    OK(cushim_stream_release(stream));
    assert_calls("");
}

TEST(wrapped_streams_are_never_destroyed)
{
    for (enum testkit_stream_kind kind = WRAPPED; kind < KINDS; kind++) {
        struct cushim_stream *released = testkit_stream(kind), *closed = testkit_stream(kind);

        OK(cushim_stream_release(released));
        OK(cushim_stream_close(closed));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_query(closed));
        OK(cushim_stream_release(closed));
        assert_calls("");
    }
}

TEST(constant_default_streams_cannot_be_ended)
{
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};
    const CUstream handles[] = {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

    for (size_t i = 0; i < COUNT(streams); i++) {
        const unsigned references = streams[i]->references;

        assert_ptr_equal(cushim_stream_retain(streams[i]), streams[i]);
        assert_int_equal(streams[i]->references, references);
        for (int n = 0; n < 3; n++) {
            OK(cushim_stream_close(streams[i]));
            OK(cushim_stream_release(streams[i]));
        }
        assert_int_equal(streams[i]->references, references);
        assert_ptr_equal(testkit_handle(streams[i]), handles[i]);
        assert_null(stream_context(streams[i]));
        assert_calls("");
        OK(cushim_stream_query(streams[i]));
        assert_calls("cuStreamQuery");
    }
}

/* --- querying --- */

TEST(query_has_three_answers)
{
    for (enum testkit_stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = testkit_stream(kind);

        OK(cushim_stream_query(stream));
        testkit_hold(testkit.first, testkit_handle(stream));
        CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
        testkit_resume();
        OK(cushim_stream_query(stream));
        testkit_fault("cuStreamQuery:nth=1 => return(LAUNCH_FAILED)");
        CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_stream_query(stream));
        OK(cushim_stream_release(stream));
    }
}

TEST(default_stream_acts_in_its_own_context)
{
    static const CUstream handles[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

    for (size_t i = 0; i < COUNT(handles); i++) {
        struct cushim_stream *stream = NULL;

        OK(cushim_stream_wrap(handles[i], testkit.one, &stream));
        OK(cushim_stream_query(stream));
        assert_calls(IN_FIRST("cuStreamQuery"));
        OK(cushim_stream_synchronize(stream));
        assert_calls(IN_FIRST("cuStreamSynchronize"));
        OK(cushim_stream_release(stream));
    }
}

TEST(default_stream_without_a_context_acts_in_the_current_one)
{
    struct cushim_stream *stream = testkit_stream(DEFAULT_BARE);

    testkit_stop_check();
    testkit_hold(testkit.current, CU_STREAM_PER_THREAD);
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    assert_calls("cuStreamQuery");
    testkit_enter(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_query(stream));
    OK(cushim_stream_release(stream));
}

/* "Not ready" is not a failure, so the sweep does not cover this. */
TEST(query_returns_that_the_context_was_not_put_back)
{
    struct cushim_stream *stream = testkit_stream(DEFAULT_OF_CONTEXT);

    testkit_hold(testkit.first, CU_STREAM_PER_THREAD);
    testkit_fault("cuCtxPopCurrent_v2:phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_query(stream));
    assert_int_equal(testkit.log_lines, 0);
    testkit_fault("cuStreamQuery => return(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_stream_query(stream));
    assert_int_equal(testkit.log_lines, 1);
    OK(cushim_stream_release(stream));
}

TEST(device_is_found_for_every_kind_of_stream)
{
    static const CUdevice devices[KINDS] = {0, 0, 0, 0, 1};

    for (int old = 0; old <= 1; old++) {
        if (old)
            testkit_fault("cuStreamGetDevice => missing"); /* added by CUDA 12.8 */
        for (enum testkit_stream_kind kind = 0; kind < KINDS; kind++) {
            struct cushim_stream *stream = testkit_stream(kind);
            CUdevice device = 9;

            OK(cushim_stream_get_device(stream, &device));
            assert_int_equal(device, devices[kind]);
            OK(cushim_stream_release(stream));
        }
    }
}

TEST(device_of_a_stream_without_a_context_is_asked_of_the_driver)
{
    struct cushim_stream *stream = testkit_stream(WRAPPED_BARE);
    CUdevice device = 9;

    OK(cushim_stream_get_device(stream, &device));
    assert_calls("cuStreamGetDevice");
    testkit_fault("cuStreamGetDevice => missing");
    OK(cushim_stream_get_device(stream, &device));
    assert_calls("cuStreamGetDevice cuStreamGetCtx " PUSHED_FIRST("cuCtxGetDevice"));
    testkit_enter(NULL);
    device = 9;
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_get_device(cushim_stream_legacy(), &device));
    assert_int_equal(device, 9);
    OK(cushim_stream_release(stream));
}

/* --- waiting --- */

TEST(wait_for_looks_once_without_a_timeout)
{
    struct cushim_stream *stream = testkit_stream(CREATED);

    testkit_forget();
    OK(cushim_stream_synchronize_for(stream, 0));
    testkit_hold(testkit.first, testkit_handle(stream));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_synchronize_for(stream, 0));
    assert_calls("cuStreamQuery cuStreamQuery");
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_synchronize_for(stream, 1));
    testkit_resume();
    OK(cushim_stream_release(stream));
}

TEST(wait_for_ends_with_the_first_failure)
{
    struct cushim_stream *stream = testkit_stream(DEFAULT_OF_CONTEXT);

    testkit_hold(testkit.first, CU_STREAM_PER_THREAD);
    testkit_fault("cuStreamQuery:nth=3 => return(LAUNCH_FAILED)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_stream_synchronize_for(stream, UINT64_MAX));
    OK(cushim_stream_release(stream));
}
