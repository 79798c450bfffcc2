/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What says that a handle is gone already - the process is ending, its context is destroyed, this
 * is a forked child - is no failure of a function that lets go of it, whatever state it is in.
 */
#include "tests/modules/event_world.h"

static const CUresult gone[] = {CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                                CUDA_ERROR_NOT_INITIALIZED};

enum state { IDLE, RECORDED, PENDING, CAPTURING, IS_CURRENT, STATES };

static unsigned planted;

/* --- how objects come into a state, and out of it --- */

static void enter(enum state state, CUstream stream)
{
    if (state == PENDING)
        fake_stream_hold(world.handle, stream, FAKE_FOREVER);
    if (state == CAPTURING)
        event_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (state == IS_CURRENT)
        fake_enter(world.handle);
}

static void leave(enum state state)
{
    if (state == PENDING)
        fake_stream_go(world.handle, world.stream_handle);
    if (state == CAPTURING)
        event_end_capture(world.stream_handle);
    if (state == IS_CURRENT)
        fake_enter(NULL);
}

static struct cushim_event *event_in(enum state state, struct cushim_event *event)
{
    enter(state, world.stream_handle);
    if (state != IDLE)
        event_record(event);
    return event;
}

static void plant(const char *function, CUresult code)
{
    fake_fail_from(function, 1, code);
    planted++;
}

/* --- ways to let go; each answers what its function answered --- */

static CUresult release_event(enum state state, CUresult code)
{
    struct cushim_event *event = event_in(state, event_make(NULL));

    plant("cuEventDestroy_v2", code);
    return cushim_event_release(event);
}

static CUresult close_event(enum state state, CUresult code)
{
    struct cushim_event *event = event_in(state, event_make(NULL));
    CUresult answer, released;

    plant("cuEventDestroy_v2", code);
    answer = cushim_event_close(event);
    released = cushim_event_release(event);
    return answer ? answer : released;
}

static struct cushim_event_pool *make_pool(struct cushim_event **event)
{
    struct cushim_event_pool *pool = NULL;

    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_acquire(pool, event), CUDA_SUCCESS);
    return pool;
}

static CUresult release_pool(enum state state, CUresult code)
{
    struct cushim_event *event = NULL;
    struct cushim_event_pool *pool = make_pool(&event);

    event_drop(event_in(state, event));
    plant("cuEventDestroy_v2", code);
    return cushim_event_pool_release(pool);
}

static CUresult release_event_after_its_pool(enum state state, CUresult code)
{
    struct cushim_event *event = NULL;
    struct cushim_event_pool *pool = make_pool(&event);

    event_in(state, event);
    assert_int_equal(cushim_event_pool_release(pool), CUDA_SUCCESS);
    plant("cuEventDestroy_v2", code);
    return cushim_event_release(event);
}

static struct cushim_stream *stream_in(enum state state)
{
    struct cushim_stream *stream = NULL;
    CUstream handle = NULL;

    assert_int_equal(cushim_stream_create(&stream, world.context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_handle(stream, &handle), CUDA_SUCCESS);
    enter(state, handle);
    return stream;
}

static CUresult release_stream(enum state state, CUresult code)
{
    struct cushim_stream *stream = stream_in(state);

    plant("cuStreamDestroy_v2", code);
    return cushim_stream_release(stream);
}

static CUresult close_stream(enum state state, CUresult code)
{
    struct cushim_stream *stream = stream_in(state);
    CUresult answer, released;

    plant("cuStreamDestroy_v2", code);
    answer = cushim_stream_close(stream);
    released = cushim_stream_release(stream);
    return answer ? answer : released;
}

static CUresult release_context(enum state state, CUresult code)
{
    struct cushim_context *context = NULL;

    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_SUCCESS);
    enter(state, world.stream_handle);
    plant("cuCtxDestroy_v2", code);
    return cushim_context_release(context);
}

static CUresult release_primary_context(enum state state, CUresult code)
{
    struct cushim_context *context = NULL;

    assert_int_equal(cushim_context_retain_primary(&context, 0), CUDA_SUCCESS);
    enter(state, world.stream_handle);
    plant("cuDevicePrimaryCtxRelease_v2", code);
    return cushim_context_release(context);
}

static const struct {
    const char *name;
    CUresult (*let_go)(enum state state, CUresult code);
} ways[] = {
    {"cushim_event_release", release_event},
    {"cushim_event_close", close_event},
    {"cushim_event_pool_release", release_pool},
    {"cushim_event_release of a pool's", release_event_after_its_pool},
    {"cushim_stream_release", release_stream},
    {"cushim_stream_close", close_stream},
    {"cushim_context_release", release_context},
    {"cushim_context_release of a primary one", release_primary_context},
};

static void handle_that_is_gone_is_let_go_without_an_error(void **state)
{
    unsigned surfaced = 0;

    (void)state;
    for (size_t way = 0; way < COUNT(ways); way++) {
        for (enum state in = IDLE; in < STATES; in++) {
            for (size_t i = 0; i < COUNT(gone); i++) {
                const CUresult answer = ways[way].let_go(in, gone[i]);

                if (answer || !fake_failed()) {
                    print_message("%s in state %d answers %d\n", ways[way].name, in, answer);
                    surfaced++;
                }
                fake_fail_no_more();
                leave(in);
            }
        }
    }
    print_message("%u codes planted, at %zu functions in %d states: %u surfaced\n", planted,
                  COUNT(ways), STATES, surfaced);
    assert_int_equal(surfaced, 0);
    assert_int_equal(planted, COUNT(ways) * STATES * COUNT(gone));
    assert_int_equal(event_log_lines, 0);
}

static void any_other_code_is_told(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT(ways); way++) {
        assert_int_equal(ways[way].let_go(IDLE, CUDA_ERROR_ILLEGAL_ADDRESS),
                         CUDA_ERROR_ILLEGAL_ADDRESS);
        fake_fail_no_more();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(handle_that_is_gone_is_let_go_without_an_error,
                                        event_world_setup, event_world_teardown),
        cmocka_unit_test_setup_teardown(any_other_code_is_told, event_world_setup,
                                        event_world_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
