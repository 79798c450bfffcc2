/* SPDX-License-Identifier: Apache-2.0 */
#include "event_world.h"

#include <stdatomic.h>
#include <stdio.h>

struct event_world world;
unsigned event_log_lines;
char event_log_last[256];

const struct cushim_event_options untimed = {.size = sizeof untimed, .disable_timing = true};
const struct cushim_event_options interprocess = {
    .size = sizeof interprocess, .disable_timing = true, .interprocess = true};

static atomic_uint allocations; /* that are left, and this one then fails; 0: without end */

/* The library's calloc, by the linker's --wrap. */
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    const unsigned left = atomic_load(&allocations);

    if (left == 1)
        return NULL;
    if (left > 1)
        atomic_store(&allocations, left - 1);
    return __real_calloc(count, size);
}

void event_lack_memory(unsigned nth)
{
    atomic_store(&allocations, nth);
}

static void listen(void *data, const char *message)
{
    (void)data;
    event_log_lines++;
    snprintf(event_log_last, sizeof event_log_last, "%s", message);
}

int event_world_setup(void **state)
{
    fake_setup(state);
    assert_int_equal(cushim_context_create(&world.context, 0, NULL), 0);
    assert_int_equal(cushim_context_create(&world.other, 1, NULL), 0);
    assert_int_equal(cushim_context_handle(world.context, &world.handle), 0);
    assert_int_equal(cushim_context_handle(world.other, &world.other_handle), 0);
    world.stream_handle = fake_foreign_stream(world.handle, CU_STREAM_NON_BLOCKING);
    assert_int_equal(cushim_stream_wrap(&world.stream, world.stream_handle, world.context), 0);
    assert_int_equal(cushim_stream_wrap(&world.other_stream,
                                        fake_foreign_stream(world.other_handle, 0), world.other),
                     0);
    event_log_lines = 0;
    event_log_last[0] = '\0';
    cushim_log_set(listen, NULL);
    fake_forget();
    return 0;
}

int event_world_teardown(void **state)
{
    event_lack_memory(0);
    fake_fail_no_more();
    cushim_log_set(NULL, NULL);
    assert_true(fake_stack_is_as_entered());
    fake_enter(NULL);
    cushim_stream_release(world.stream);
    cushim_stream_release(world.other_stream);
    cushim_context_release(world.context);
    cushim_context_release(world.other);
    return fake_teardown(state);
}

struct cushim_event *event_make(const struct cushim_event_options *options)
{
    struct cushim_event *event = NULL;

    assert_int_equal(cushim_event_create(&event, world.context, options), CUDA_SUCCESS);
    return event;
}

struct cushim_event *event_make_other(const struct cushim_event_options *options)
{
    struct cushim_event *event = NULL;

    assert_int_equal(cushim_event_create(&event, world.other, options), CUDA_SUCCESS);
    return event;
}

struct cushim_event *event_wrap_unknown(unsigned flags)
{
    const CUevent handle = fake_foreign_event(world.handle, flags);
    struct cushim_event *event = NULL;

    assert_int_equal(cushim_event_wrap(&event, handle, NULL, NULL), CUDA_SUCCESS);
    return event;
}

void event_record(struct cushim_event *event)
{
    assert_int_equal(cushim_event_record(event, world.stream), CUDA_SUCCESS);
}

void event_drop(struct cushim_event *event)
{
    assert_int_equal(cushim_event_release(event), CUDA_SUCCESS);
}

struct fake_event *event_fake(struct cushim_event *event)
{
    CUevent handle = NULL;

    assert_int_equal(cushim_event_handle(event, &handle), CUDA_SUCCESS);
    return (struct fake_event *)handle;
}

void event_begin_capture(CUstream handle, CUstreamCaptureMode mode)
{
    static unsigned long long captures = 1000;
    struct fake_stream *stream = (struct fake_stream *)handle;

    stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->capture_mode = mode;
    stream->capture_id = ++captures;
}

void event_end_capture(CUstream handle)
{
    ((struct fake_stream *)handle)->capture = CU_STREAM_CAPTURE_STATUS_NONE;
}
