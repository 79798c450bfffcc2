/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function on events with its 1st, 2nd, ... driver call failing: the code comes through,
 * nothing leaks, and the current context is put back.
 */
#include "event_world.h"

static CUresult first(CUresult one, CUresult two)
{
    return one ? one : two;
}

static CUresult create_and_release(void *data)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_create(&event, world.context, data);

    return first(code, cushim_event_release(event));
}

static CUresult create_recorded_and_close(void *data)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create_recorded(&event, data, NULL);

    if (event)
        code = first(code, cushim_event_close(event));
    return first(code, cushim_event_release(event));
}

/* An event to do one thing with. */
static CUresult with_event(CUresult (*use)(struct cushim_event *event),
                           const struct cushim_event_options *options)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(&event, world.context, options);

    if (event)
        code = first(code, use(event));
    return first(code, cushim_event_release(event));
}

static CUresult record_plain(struct cushim_event *event)
{
    return cushim_event_record(event, world.stream);
}

static CUresult record_on_default(struct cushim_event *event)
{
    return cushim_event_record(event, cushim_stream_per_thread());
}

static CUresult record_external(struct cushim_event *event)
{
    CUresult code;

    event_begin_capture(world.stream_handle, CU_STREAM_CAPTURE_MODE_RELAXED);
    code = cushim_event_record_with_flags(event, world.stream, CU_EVENT_RECORD_EXTERNAL);
    event_end_capture(world.stream_handle);
    return code;
}

static CUresult wait_for(struct cushim_event *event)
{
    return cushim_event_wait_for(event, UINT64_MAX);
}

static CUresult query(struct cushim_event *event)
{
    return cushim_event_query(event);
}

static CUresult device(struct cushim_event *event)
{
    CUdevice of_event = 99;
    const CUresult code = cushim_event_device(event, &of_event);

    assert_int_equal(of_event, code ? 99 : 0);
    return code;
}

static CUresult elapsed(struct cushim_event *event)
{
    float ms = 99;
    CUresult code = cushim_event_record(event, world.stream);

    if (code)
        return code;
    code = cushim_event_elapsed(event, event, &ms);
    assert_true(ms == (code ? 99 : 0));
    return code;
}

static CUresult export_event(struct cushim_event *event)
{
    CUipcEventHandle handle;

    return cushim_event_export(event, &handle);
}

static const struct {
    CUresult (*use)(struct cushim_event *event);
    unsigned calls; /* beside those of creating and destroying */
    const struct cushim_event_options *options;
} uses[] = {
    {record_plain, 1, NULL},
    {record_on_default, 3, NULL},
    {record_external, 1, NULL},
    {wait_for, 1, NULL},
    {query, 1, NULL},
    {cushim_event_synchronize, 1, NULL},
    {device, 0, NULL},
    {elapsed, 2, NULL},
    {cushim_event_close, 0, NULL},
    {export_event, 3, &interprocess},
};

static CUresult use_event(void *data)
{
    const size_t *which = data;

    return with_event(uses[*which].use, uses[*which].options);
}

static CUresult import_event(void *data)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_import(&event, world.context, data);

    return first(code, cushim_event_release(event));
}

static CUresult use_pool(void *data)
{
    struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *events[3] = {NULL};
    CUresult code = cushim_event_pool_create(&pool, world.context, data, &options);

    for (size_t i = 0; pool && i < COUNT(events); i++)
        code = first(code, cushim_event_pool_acquire(pool, &events[i]));
    code = first(code, cushim_event_release(events[0]));
    code = first(code, cushim_event_pool_release(pool));
    code = first(code, cushim_event_release(events[1]));
    return first(code, cushim_event_release(events[2]));
}

static CUresult explain(void *data)
{
    assert_non_null(cushim_event_explain(data, data, CUDA_ERROR_INVALID_HANDLE));
    return CUDA_SUCCESS;
}

static void creating_fails_at_each_call(void **state)
{
    struct cushim_stream *unknown;

    (void)state;
    assert_int_equal(fake_sweep(create_and_release, NULL, NULL), 4);
    assert_int_equal(fake_sweep(create_recorded_and_close, world.stream, NULL), 5);
    fake_enter(world.other_handle);
    assert_int_equal(fake_sweep(create_recorded_and_close, cushim_stream_legacy(), NULL), 6);
    assert_int_equal(cushim_stream_wrap(&unknown, world.stream_handle, NULL), CUDA_SUCCESS);
    assert_int_equal(fake_sweep(create_recorded_and_close, unknown, NULL), 6);
    cushim_stream_release(unknown);
}

static void using_fails_at_each_call(void **state)
{
    (void)state;
    fake_enter(world.other_handle);
    for (size_t i = 0; i < COUNT(uses); i++)
        assert_int_equal(fake_sweep(use_event, &i, NULL), 4 + uses[i].calls);
}

static void sharing_fails_at_each_call(void **state)
{
    CUipcEventHandle handle = fake_ipc_handle();

    (void)state;
    assert_int_equal(fake_sweep(import_event, &handle, NULL), 4);
}

static void pools_fail_at_each_call(void **state)
{
    (void)state;
    fake_enter(world.other_handle);
    assert_int_equal(fake_sweep(use_pool, NULL, NULL), 3 * 3 + 3);
}

static void explaining_never_fails(void **state)
{
    static const char *const unreported[] = {"cuEventElapsedTime_v2", NULL};
    struct cushim_event *event = event_make(NULL);

    (void)state;
    assert_true(fake_sweep(explain, event, unreported) > 0);
    event_record(event);
    assert_true(fake_sweep(explain, event, unreported) > 0);
    event_drop(event);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(creating_fails_at_each_call), TEST(using_fails_at_each_call),
        TEST(sharing_fails_at_each_call),  TEST(pools_fail_at_each_call),
        TEST(explaining_never_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
