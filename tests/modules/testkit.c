/* SPDX-License-Identifier: Apache-2.0 */
#include "testkit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cushim/testing/layer.h>

#include "src/objects.h"

struct kit kit;

const struct cushim_event_options kit_untimed = {.size = sizeof kit_untimed,
                                                 .disable_timing = true};
const struct cushim_event_options kit_interprocess = {
    .size = sizeof kit_interprocess, .disable_timing = true, .interprocess = true};

static struct cushim_test *test;
static _Atomic uint32_t *gate; /* page-locked: a held stream waits until it is 1 */

static void listen(void *data, const char *message)
{
    (void)data;
    kit.log_lines++;
    snprintf(kit.log_last, sizeof kit.log_last, "%s", message);
}

/* A context of the test's own, which the layer knows by a name. */
static CUcontext make_context(CUdevice device, const char *name)
{
    CUcontext context = NULL, popped = NULL;

    OK(kit.driver->CtxCreate_v2(&context, 0, device));
    OK(kit.driver->CtxPopCurrent_v2(&popped));
    OK(cushim_driver()->CtxPushCurrent_v2(context));
    OK(cushim_driver()->CtxPopCurrent_v2(&popped));
    OK(cushim_tag_set(kit.layer, context, name));
    return context;
}

static CUstream make_stream(CUcontext context)
{
    CUcontext popped = NULL;
    CUstream stream = NULL;

    OK(kit.driver->CtxPushCurrent_v2(context));
    OK(kit.driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(kit.driver->CtxPopCurrent_v2(&popped));
    return stream;
}

int kit_setup(void **state)
{
    char settings[200], message[200] = "";
    const struct cushim_test_options options = {.size = sizeof options,
                                                .settings = settings,
                                                .message = message,
                                                .message_size = sizeof message};

    kit = (struct kit){.log_lines = 0};
    snprintf(settings, sizeof settings, "devices = 2\n%s",
             *state ? (const char *)*state : "schedule = eager");
    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        fail_msg("%s", message);
    kit.mock = cushim_test_mock(test);
    kit.layer = cushim_test_layer(test);
    kit.driver = cushim_layer_wrapped(kit.layer);
    OK(kit.driver->Init(0));
    kit.first = make_context(0, "first");
    kit.second = make_context(1, "second");
    kit.current = make_context(1, "current");
    kit.stream_handle = make_stream(kit.first);
    OK(cushim_context_wrap(kit.first, &kit.one));
    OK(cushim_context_wrap(kit.second, &kit.two));
    OK(cushim_stream_wrap(kit.stream_handle, kit.one, &kit.stream));
    OK(cushim_stream_wrap(make_stream(kit.second), kit.two, &kit.other));
    kit_enter(kit.current);
    OK(kit.driver->MemHostAlloc((void **)(uintptr_t)&gate, sizeof *gate, 0));
    cushim_log_set(listen, NULL);
    kit_forget();
    return 0;
}

/* Whether the stack of contexts holds the one that the test entered, and no other. */
static bool stack_is_as_entered(void)
{
    CUcontext top = NULL;

    if (!kit.current)
        return kit.driver->CtxPopCurrent_v2(&top) == CUDA_ERROR_INVALID_CONTEXT;
    return kit.driver->CtxPopCurrent_v2(&top) == CUDA_SUCCESS && top == kit.current &&
           kit.driver->CtxPopCurrent_v2(&top) == CUDA_ERROR_INVALID_CONTEXT;
}

int kit_teardown(void **state)
{
    const bool is_stack_right = stack_is_as_entered();
    const bool is_counted_right = kit.one->references == 2 && kit.two->references == 2 &&
                                  kit.stream->references == 1 && kit.other->references == 1;
    char text[8192];
    CUresult code;

    (void)state;
    kit_resume();
    cushim_log_set(NULL, NULL);
    cushim_stream_release(kit.stream);
    cushim_stream_release(kit.other);
    cushim_context_release(kit.one);
    cushim_context_release(kit.two);
    code = cushim_test_end(test, text, sizeof text);
    if (code != CUDA_SUCCESS)
        fail_msg("%s", text);
    assert_true(is_stack_right);
    assert_true(is_counted_right);
    return 0;
}

static struct cushim_recorded_call recorded(size_t index)
{
    struct cushim_recorded_call call = {.size = sizeof call};

    OK(cushim_recording_get(kit.layer, index, &call));
    return call;
}

void kit_assert_calls(const char *names, const char *file, int line)
{
    const size_t count = cushim_recording_count(kit.layer);
    char made[4096] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof made; i++) {
        const struct cushim_recorded_call call = recorded(i);
        const bool is_push = strcmp(call.name, "cuCtxPushCurrent_v2") == 0;

        used += (size_t)snprintf(made + used, sizeof made - used, "%s%s%s%s%s", i ? " " : "",
                                 call.name, is_push ? "(" : "",
                                 is_push ? call.arguments[0].tag : "", is_push ? ")" : "");
    }
    _assert_string_equal(made, names, file, line);
    kit_forget();
}

void kit_forget(void)
{
    cushim_recording_clear(kit.layer);
}

uint64_t kit_argument(const char *function, const char *name)
{
    for (size_t i = cushim_recording_count(kit.layer); i > 0; i--) {
        const struct cushim_recorded_call call = recorded(i - 1);

        if (strcmp(call.name, function) != 0)
            continue;
        for (size_t j = 0; j < call.argument_count; j++) {
            if (strcmp(call.arguments[j].name, name) == 0)
                return call.arguments[j].value;
        }
    }
    fail_msg("no call of %s with %s is recorded", function, name);
    return 0;
}

void kit_fault(const char *rule)
{
    char message[200];

    if (cushim_fault_parse(kit.layer, rule, message, sizeof message) != CUDA_SUCCESS)
        fail_msg("%s", message);
}

void kit_enter(CUcontext context)
{
    CUcontext popped;

    while (kit.driver->CtxPopCurrent_v2(&popped) == CUDA_SUCCESS)
        ;
    if (context)
        OK(kit.driver->CtxPushCurrent_v2(context));
    kit.current = context;
}

CUcontext kit_current(void)
{
    CUcontext current = NULL;

    OK(kit.driver->CtxGetCurrent(&current));
    return current;
}

void kit_hold(CUcontext context, CUstream stream)
{
    CUcontext popped;

    atomic_store(gate, 0);
    OK(kit.driver->CtxPushCurrent_v2(context));
    OK(kit.driver->StreamWaitValue32_v2(stream, (CUdeviceptr)(uintptr_t)gate, 1,
                                        CU_STREAM_WAIT_VALUE_GEQ));
    OK(kit.driver->CtxPopCurrent_v2(&popped));
}

void kit_resume(void)
{
    atomic_store(gate, 1);
    cushim_mock_drain(kit.mock);
}

struct cushim_event *kit_event(const struct cushim_event_options *options)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_create(kit.one, options, &event));
    return event;
}

CUevent kit_event_handle(const struct cushim_event *event)
{
    CUevent handle = NULL;

    OK(cushim_event_handle(event, &handle));
    return handle;
}

CUevent kit_foreign_event(unsigned flags)
{
    CUcontext popped;
    CUevent event = NULL;

    OK(kit.driver->CtxPushCurrent_v2(kit.first));
    OK(kit.driver->EventCreate(&event, flags));
    OK(kit.driver->CtxPopCurrent_v2(&popped));
    return event;
}

static CUresult CUDAAPI open_event(CUevent *event, CUipcEventHandle handle)
{
    (void)handle;
    return kit.driver->EventCreate(event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
}

struct cushim_event *kit_imported_event(void)
{
    const CUipcEventHandle handle = {{0}};
    struct cushim_event *event = NULL;

    cushim_layer_next(kit.layer)->IpcOpenEventHandle = open_event;
    OK(cushim_event_import(kit.one, &handle, &event));
    return event;
}

struct cushim_stream *kit_stream(enum kit_stream_kind kind)
{
    const CUstream handle = kind >= DEFAULT_OF_CONTEXT ? CU_STREAM_PER_THREAD : kit.stream_handle;
    struct cushim_stream *stream = NULL;

    if (kind == CREATED)
        OK(cushim_stream_create(kit.one, NULL, &stream));
    else
        OK(cushim_stream_wrap(
            handle, kind == WRAPPED || kind == DEFAULT_OF_CONTEXT ? kit.one : NULL, &stream));
    return stream;
}

CUstream kit_handle(const struct cushim_stream *stream)
{
    CUstream handle = NULL;

    OK(cushim_stream_handle(stream, &handle));
    return handle;
}
