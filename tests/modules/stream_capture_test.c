/* SPDX-License-Identifier: Apache-2.0 */
/* Capture: what the stream module begins it can end, and nothing is left behind. */
#include "testkit.h"

static CUstreamCaptureStatus status_of(struct cushim_stream *stream, cuuint64_t *id)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;

    OK(cushim_stream_capture_status(stream, &status, id));
    return status;
}

static void end(struct cushim_stream *stream)
{
    CUgraph graph = NULL;

    OK(cushim_stream_end_capture(stream, &graph));
    OK(cushim_driver()->GraphDestroy(graph));
}

static void capture_of_each_kind_of_stream_makes_a_graph(void **state)
{
    (void)state;
    for (int mode = 0; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        for (enum kit_stream_kind kind = 0; kind < KINDS; kind++) {
            struct cushim_stream *stream = kit_stream(kind);

            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            OK(cushim_stream_begin_capture(stream, (CUstreamCaptureMode)mode));
            assert_int_equal(kit_argument("cuStreamBeginCapture_v2", "mode"), mode);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_ACTIVE);
            end(stream);
            assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
            OK(cushim_stream_release(stream));
        }
    }
}

static void status_has_the_id_of_an_active_capture_only(void **state)
{
    struct cushim_stream *one = kit_stream(CREATED), *other = kit_stream(CREATED);
    cuuint64_t id = 9, its = 9;
    CUgraph graph = NULL;

    (void)state;
    kit_forget();
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_true(id == 0);
    assert_calls("cuStreamGetCaptureInfo");
    OK(cushim_stream_begin_capture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cushim_stream_begin_capture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(other, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id && its && id != its);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(one));
    assert_int_equal(status_of(one, &id), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_true(id == 0);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cushim_stream_end_capture(one, &graph));
    assert_null(graph);
    end(other);
    OK(cushim_stream_release(one));
    OK(cushim_stream_release(other));
}

static void wait_stream_forks_and_joins_a_capture(void **state)
{
    struct cushim_stream *origin = kit_stream(CREATED), *fork = kit_stream(CREATED);
    cuuint64_t id = 0, its = 0;

    (void)state;
    OK(cushim_stream_begin_capture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    assert_int_equal(status_of(origin, &id), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(status_of(fork, &its), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id == its);
    OK(cushim_stream_wait_stream(origin, fork));
    end(origin);
    assert_int_equal(status_of(fork, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_release(origin));
    OK(cushim_stream_release(fork));
}

static void exchange_puts_a_mode_in_the_place_of_the_former(void **state)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    (void)state;
    OK(cushim_stream_exchange_capture_mode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cushim_stream_exchange_capture_mode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void capture_whose_begin_answers_an_error_has_ended(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);

    (void)state;
    kit_fault("cuCtxPopCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_enter(kit.current);
    assert_int_equal(status_of(stream, NULL), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cushim_stream_release(stream));
}

static void graph_whose_end_answers_an_error_is_destroyed(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    CUgraph graph = NULL;

    (void)state;
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_fault("cuCtxPopCurrent_v2:nth=1,phase=after => return(UNKNOWN)");
    kit_forget();
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_end_capture(stream, &graph));
    assert_calls(IN_FIRST("cuStreamEndCapture") " cuGraphDestroy");
    assert_null(graph);
    OK(cushim_stream_release(stream));
}

static void failing_push_begins_and_ends_no_capture(void **state)
{
    struct cushim_stream *stream = kit_stream(DEFAULT_OF_CONTEXT);
    CUgraph graph = NULL;

    (void)state;
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_end_capture(stream, &graph));
    assert_null(graph);
    end(stream);
    OK(cushim_stream_release(stream));
}

static void missing_arguments_are_refused_before_any_driver_call(void **state)
{
    CUgraph graph;
    cuuint64_t id = 9;

    (void)state;
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_end_capture(NULL, &graph));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_end_capture(kit.stream, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_capture_status(kit.stream, NULL, &id));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_exchange_capture_mode(NULL));
    assert_int_equal(id, 9);
    assert_calls("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(capture_of_each_kind_of_stream_makes_a_graph),
        TEST(status_has_the_id_of_an_active_capture_only),
        TEST(wait_stream_forks_and_joins_a_capture),
        TEST(exchange_puts_a_mode_in_the_place_of_the_former),
        TEST(capture_whose_begin_answers_an_error_has_ended),
        TEST(graph_whose_end_answers_an_error_is_destroyed),
        TEST(failing_push_begins_and_ends_no_capture),
        TEST(missing_arguments_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
