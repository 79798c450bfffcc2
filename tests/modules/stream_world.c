/* SPDX-License-Identifier: Apache-2.0 */
#include "stream_world.h"

#include <stdio.h>
#include <string.h>

struct stream_world world;
unsigned stream_log_lines;
char stream_log_last[256];

static bool lacks_memory;
static uint64_t value;

/* The library's malloc, by the linker's --wrap. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return lacks_memory ? NULL : __real_malloc(size);
}

void stream_lack_memory(bool lack)
{
    lacks_memory = lack;
}

static void listen(void *data, const char *message)
{
    (void)data;
    stream_log_lines++;
    snprintf(stream_log_last, sizeof stream_log_last, "%s", message);
}

int stream_world_setup(void **state)
{
    fake_setup(state);
    world.handle = fake_foreign_context(0);
    world.other_handle = fake_foreign_context(1);
    world.current = fake_foreign_context(1);
    assert_int_equal(cushim_context_wrap(&world.context, world.handle), 0);
    assert_int_equal(cushim_context_wrap(&world.other, world.other_handle), 0);
    assert_int_equal(
        cushim_event_wrap(&world.event, fake_foreign_event(world.handle, 0), world.context, NULL),
        0);
    fake_enter(world.current);
    stream_log_lines = 0;
    stream_log_last[0] = '\0';
    cushim_log_set(listen, NULL);
    fake_forget();
    return 0;
}

int stream_world_teardown(void **state)
{
    lacks_memory = false;
    fake_fail_no_more();
    cushim_log_set(NULL, NULL);
    cushim_event_release(world.event);
    cushim_context_release(world.context);
    cushim_context_release(world.other);
    return fake_teardown(state);
}

struct cushim_stream *stream_create(void)
{
    struct cushim_stream *stream = NULL;

    assert_int_equal(cushim_stream_create(&stream, world.context, NULL), CUDA_SUCCESS);
    return stream;
}

struct cushim_stream *stream_create_other(void)
{
    struct cushim_stream *stream = NULL;

    assert_int_equal(cushim_stream_create(&stream, world.other, NULL), CUDA_SUCCESS);
    return stream;
}

static struct cushim_stream *wrap(CUstream handle, struct cushim_context *context)
{
    struct cushim_stream *stream = NULL;

    assert_int_equal(cushim_stream_wrap(&stream, handle, context), CUDA_SUCCESS);
    return stream;
}

struct cushim_stream *stream_default(void)
{
    return wrap(CU_STREAM_PER_THREAD, world.context);
}

struct cushim_stream *stream_make(enum stream_kind kind)
{
    switch (kind) {
    case WRAPPED:
        return wrap(fake_foreign_stream(world.handle, 0), world.context);
    case WRAPPED_BARE:
        return wrap(fake_foreign_stream(world.handle, 0), NULL);
    case DEFAULT_OF_CONTEXT:
        return stream_default();
    case DEFAULT_BARE:
        return wrap(CU_STREAM_PER_THREAD, NULL);
    default:
        return stream_create();
    }
}

void stream_drop(struct cushim_stream *stream)
{
    assert_int_equal(cushim_stream_release(stream), CUDA_SUCCESS);
}

CUstream stream_handle(struct cushim_stream *stream)
{
    CUstream handle = NULL;

    assert_int_equal(cushim_stream_handle(stream, &handle), CUDA_SUCCESS);
    return handle;
}

struct fake_stream *stream_fake(struct cushim_stream *stream)
{
    return (struct fake_stream *)stream_handle(stream);
}

/* --- every function --- */

enum { UNTOUCHED = 0x5a };

/* Call `function(stream, ..., &memory)`, and see that a failure writes nothing. */
#define GUARDED(type, call)                                       \
    do {                                                          \
        type memory, before;                                      \
        CUresult code;                                            \
        memset(&memory, UNTOUCHED, sizeof memory);                \
        memset(&before, UNTOUCHED, sizeof before);                \
        code = call;                                              \
        if (code)                                                 \
            assert_memory_equal(&memory, &before, sizeof memory); \
        return code;                                              \
    } while (0)

static CUresult handle(struct cushim_stream *stream)
{
    GUARDED(CUstream, cushim_stream_handle(stream, &memory));
}

static CUresult query(struct cushim_stream *stream)
{
    return cushim_stream_query(stream);
}

static CUresult synchronize(struct cushim_stream *stream)
{
    return cushim_stream_synchronize(stream);
}

static CUresult wait_for(struct cushim_stream *stream)
{
    return cushim_stream_wait_for(stream, 0);
}

static CUresult flags(struct cushim_stream *stream)
{
    GUARDED(unsigned, cushim_stream_flags(stream, &memory));
}

static CUresult priority(struct cushim_stream *stream)
{
    GUARDED(int, cushim_stream_priority(stream, &memory));
}

static CUresult id(struct cushim_stream *stream)
{
    GUARDED(unsigned long long, cushim_stream_id(stream, &memory));
}

static CUresult device(struct cushim_stream *stream)
{
    GUARDED(CUdevice, cushim_stream_device(stream, &memory));
}

static CUresult driver_context(struct cushim_stream *stream)
{
    GUARDED(CUcontext, cushim_stream_driver_context(stream, &memory));
}

static CUresult attribute(struct cushim_stream *stream)
{
    CUstreamAttrValue memory;

    return cushim_stream_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &memory);
}

static CUresult set_attribute(struct cushim_stream *stream)
{
    const CUstreamAttrValue policy = {.syncPolicy = CU_SYNC_POLICY_SPIN};

    return cushim_stream_set_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy);
}

static CUresult copy_attributes(struct cushim_stream *stream)
{
    return cushim_stream_copy_attributes(stream, stream);
}

static CUresult wait_event(struct cushim_stream *stream)
{
    return cushim_stream_wait_event(stream, world.event, 0);
}

static CUresult wait_stream(struct cushim_stream *stream)
{
    return cushim_stream_wait_stream(stream, cushim_stream_legacy());
}

static CUresult be_waited_for(struct cushim_stream *stream)
{
    return cushim_stream_wait_stream(cushim_stream_legacy(), stream);
}

static CUresult record(struct cushim_stream *stream)
{
    return cushim_stream_record(stream, world.event);
}

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

static void CUDA_CB nothing_more(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static CUresult launch_host_function(struct cushim_stream *stream)
{
    return cushim_stream_launch_host_function(stream, nothing, NULL);
}

static CUresult add_callback(struct cushim_stream *stream)
{
    return cushim_stream_add_callback(stream, nothing_more, NULL);
}

static CUdeviceptr address(void)
{
    return (CUdeviceptr)(uintptr_t)&value;
}

static CUresult wait_value32(struct cushim_stream *stream)
{
    return cushim_stream_wait_value32(stream, address(), 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult wait_value64(struct cushim_stream *stream)
{
    return cushim_stream_wait_value64(stream, address(), 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult write_value32(struct cushim_stream *stream)
{
    return cushim_stream_write_value32(stream, address(), 1, 0);
}

static CUresult write_value64(struct cushim_stream *stream)
{
    return cushim_stream_write_value64(stream, address(), 1, 0);
}

static CUresult begin_capture(struct cushim_stream *stream)
{
    return cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static CUresult end_capture(struct cushim_stream *stream)
{
    GUARDED(CUgraph, cushim_stream_end_capture(stream, &memory));
}

static CUresult capture(struct cushim_stream *stream)
{
    CUgraph graph = NULL;
    CUresult code = begin_capture(stream), destroyed = CUDA_SUCCESS;

    if (code)
        return code;
    code = cushim_stream_end_capture(stream, &graph);
    if (code) {
        assert_null(graph);
        cushim_stream_end_capture(stream, &graph); /* if it was refused, it goes on */
    }
    if (graph)
        destroyed = cushim_driver()->GraphDestroy(graph);
    return code ? code : destroyed;
}

static CUresult capture_status(struct cushim_stream *stream)
{
    GUARDED(CUstreamCaptureStatus, cushim_stream_capture_status(stream, &memory, NULL));
}

static CUresult capture_number(struct cushim_stream *stream)
{
    CUstreamCaptureStatus status;

    GUARDED(cuuint64_t, cushim_stream_capture_status(stream, &status, &memory));
}

#define ALONE(name)       \
    {                     \
#name, name, true \
    }
const struct stream_function stream_functions[] = {
    {"handle", handle, false},
    ALONE(query),
    ALONE(synchronize),
    ALONE(wait_for),
    ALONE(flags),
    ALONE(priority),
    ALONE(id),
    ALONE(device),
    ALONE(driver_context),
    ALONE(attribute),
    ALONE(set_attribute),
    ALONE(copy_attributes),
    ALONE(wait_event),
    ALONE(wait_stream),
    ALONE(be_waited_for),
    {"record", record, false}, /* not on a stream of another context */
    ALONE(launch_host_function),
    ALONE(add_callback),
    ALONE(wait_value32),
    ALONE(wait_value64),
    ALONE(write_value32),
    ALONE(write_value64),
    {"begin_capture", begin_capture, false},
    {"end_capture", end_capture, false},
    ALONE(capture),
    ALONE(capture_status),
    ALONE(capture_number),
};
const size_t stream_function_count = COUNT(stream_functions);
