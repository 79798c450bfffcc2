/* SPDX-License-Identifier: Apache-2.0 */
/* Capture through the stream module: what it begins it can end, and nothing is left behind. */
#include "stream_world.h"

#include <pthread.h>

enum { GLOBAL, THREAD_LOCAL, RELAXED }; /* CUstreamCaptureMode */

static CUstreamCaptureStatus status_of(struct cushim_stream *stream, cuuint64_t *id)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;

    assert_int_equal(cushim_stream_capture_status(stream, &status, id), CUDA_SUCCESS);
    return status;
}

static void begin(struct cushim_stream *stream, int mode)
{
    assert_int_equal(cushim_stream_begin_capture(stream, (CUstreamCaptureMode)mode), CUDA_SUCCESS);
}

static void end(struct cushim_stream *stream)
{
    CUgraph graph = NULL;

    assert_int_equal(cushim_stream_end_capture(stream, &graph), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->GraphDestroy(graph), CUDA_SUCCESS);
}

/* End a capture that has failed; the graph must be untouched, which the driver's is not. */
static void end_failing(struct cushim_stream *stream, CUresult code)
{
    const CUgraph untouched = (CUgraph)&code;
    CUgraph graph = untouched;

    assert_int_equal(cushim_stream_end_capture(stream, &graph), code);
    assert_ptr_equal(graph, untouched);
}

static void capture_makes_a_graph(void **state)
{
    (void)state;
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
            struct cushim_stream *stream = stream_make(kind);

            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            begin(stream, mode);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
            assert_ptr_equal(fake_current(), world.current);
            end(stream);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            stream_drop(stream);
        }
    }
}

static void status_tells_the_number_of_an_active_capture(void **state)
{
    struct cushim_stream *one = stream_create(), *other = stream_create();
    cuuint64_t number = 9, its = 9;

    (void)state;
    fake_forget();
    assert_int_equal(status_of(one, &number), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_true(number == 0);
    assert_string_equal(fake_order(), "cuStreamGetCaptureInfo");
    begin(one, RELAXED);
    begin(other, RELAXED);
    assert_int_equal(status_of(one, &number), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(other, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(number && its && number != its);
    assert_int_equal(cushim_stream_query(one), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(status_of(one, &number), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_true(number == 0);
    end_failing(one, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    end(other);
    stream_drop(one);
    stream_drop(other);
}

static void begin_answers_as_the_driver_does(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    assert_int_equal(
        cushim_stream_begin_capture(cushim_stream_legacy(), CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cushim_stream_begin_capture(stream, (CUstreamCaptureMode)3),
                     CUDA_ERROR_INVALID_VALUE);
    begin(stream, GLOBAL);
    assert_int_equal(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    end(stream);
    end_failing(stream, CUDA_ERROR_ILLEGAL_STATE);
    stream_drop(stream);
}

static unsigned called;

static void CUDA_CB call(void *data)
{
    (void)data;
    called++;
}

static void CUDA_CB call_back(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
    called++;
}

static void callback_spoils_a_capture_and_a_host_function_does_not(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    called = 0;
    begin(stream, RELAXED);
    assert_int_equal(cushim_stream_launch_host_function(stream, call, NULL), CUDA_SUCCESS);
    assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(cushim_stream_add_callback(stream, call_back, NULL),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_failing(stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(called, 0);
    stream_drop(stream);
}

static void legacy_stream_speaks_of_a_blocking_stream_that_captures(void **state)
{
    struct cushim_stream *legacy = NULL, *blocking = stream_make(WRAPPED);
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    cuuint64_t id = 9;

    (void)state;
    assert_int_equal(cushim_stream_wrap(&legacy, NULL, world.context), CUDA_SUCCESS);
    begin(blocking, RELAXED);
    assert_int_equal(cushim_stream_capture_status(legacy, &status, &id),
                     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(status, 9);
    assert_int_equal(id, 9);
    assert_int_equal(status_of(blocking, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    end(blocking);
    stream_drop(blocking);
    stream_drop(legacy);
}

static void wait_stream_forks_and_joins_a_capture(void **state)
{
    struct cushim_stream *origin = stream_create(), *fork = stream_create();
    cuuint64_t number = 0, its = 0;

    (void)state;
    begin(origin, GLOBAL);
    assert_int_equal(cushim_stream_wait_stream(fork, origin), CUDA_SUCCESS);
    assert_int_equal(status_of(origin, &number), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(fork, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(number == its);
    assert_int_equal(cushim_stream_wait_stream(origin, fork), CUDA_SUCCESS);
    end(origin);
    assert_int_equal(status_of(fork, NULL), CU_STREAM_CAPTURE_STATUS_NONE);

    begin(origin, GLOBAL);
    assert_int_equal(cushim_stream_wait_stream(fork, origin), CUDA_SUCCESS);
    end_failing(origin, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    begin(origin, GLOBAL);
    assert_int_equal(cushim_stream_wait_stream(fork, origin), CUDA_SUCCESS);
    end_failing(fork, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    end_failing(origin, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    stream_drop(origin);
    stream_drop(fork);
}

static void capture_must_not_wait_for_what_is_outside(void **state)
{
    struct cushim_stream *stream = stream_create(), *outside = stream_create();

    (void)state;
    begin(stream, RELAXED);
    assert_int_equal(cushim_stream_wait_stream(stream, outside),
                     CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    end_failing(stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    stream_drop(stream);
    stream_drop(outside);
}

static void *end_on_another_thread(void *stream)
{
    static CUresult code;
    CUgraph graph = NULL;

    code = cushim_stream_end_capture(stream, &graph);
    if (graph)
        cushim_driver()->GraphDestroy(graph);
    return &code;
}

static void only_a_relaxed_capture_ends_on_another_thread(void **state)
{
    struct cushim_stream *stream = stream_create();

    (void)state;
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        pthread_t thread;
        void *code = NULL;

        begin(stream, mode);
        assert_int_equal(pthread_create(&thread, NULL, end_on_another_thread, stream), 0);
        assert_int_equal(pthread_join(thread, &code), 0);
        assert_int_equal(*(CUresult *)code,
                         mode == RELAXED ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    }
    stream_drop(stream);
}

static void exchange_relaxes_the_thread_for_a_while(void **state)
{
    struct cushim_stream *capturing = stream_create(), *stream = stream_create();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    (void)state;
    begin(capturing, GLOBAL);
    assert_int_equal(cushim_stream_exchange_capture_mode(&mode), CUDA_SUCCESS);
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_exchange_capture_mode(&mode), CUDA_SUCCESS);
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    end(capturing);
    stream_drop(capturing);
    stream_drop(stream);
}

static void exchange_leaves_the_mode_alone_when_it_fails(void **state)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    (void)state;
    fake_fail("cuThreadExchangeStreamCaptureMode", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_exchange_capture_mode(&mode), CUDA_ERROR_UNKNOWN);
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    fake_forget();
    assert_int_equal(cushim_stream_exchange_capture_mode(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 0);
}

static void null_outputs_are_refused_before_any_driver_call(void **state)
{
    struct cushim_stream *stream = stream_default();
    cuuint64_t id = 9;

    (void)state;
    fake_forget();
    assert_int_equal(cushim_stream_end_capture(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_capture_status(stream, NULL, &id), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(id, 9);
    assert_int_equal(fake_calls(NULL), 0);
    stream_drop(stream);
}

static void what_the_caller_is_not_told_of_is_undone(void **state)
{
    struct cushim_stream *stream = stream_default();
    CUgraph graph = NULL;

    (void)state;
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                     CUDA_ERROR_UNKNOWN);
    fake_stack_put_back();
    assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_int_equal(fake_live(FAKE_GRAPH), 0);

    begin(stream, RELAXED);
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_stream_end_capture(stream, &graph), CUDA_ERROR_UNKNOWN);
    fake_stack_put_back();
    assert_null(graph);
    assert_int_equal(fake_live(FAKE_GRAPH), 0);
    stream_drop(stream);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(capture_makes_a_graph),
        TEST(status_tells_the_number_of_an_active_capture),
        TEST(begin_answers_as_the_driver_does),
        TEST(callback_spoils_a_capture_and_a_host_function_does_not),
        TEST(legacy_stream_speaks_of_a_blocking_stream_that_captures),
        TEST(wait_stream_forks_and_joins_a_capture),
        TEST(capture_must_not_wait_for_what_is_outside),
        TEST(only_a_relaxed_capture_ends_on_another_thread),
        TEST(exchange_relaxes_the_thread_for_a_while),
        TEST(exchange_leaves_the_mode_alone_when_it_fails),
        TEST(null_outputs_are_refused_before_any_driver_call),
        TEST(what_the_caller_is_not_told_of_is_undone),
    };

    return cmocka_run_group_tests_name("stream_capture", tests, NULL, NULL);
}
