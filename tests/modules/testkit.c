/* SPDX-License-Identifier: Apache-2.0 */
#include "testkit.h"

#include <stdatomic.h>

#include <cushim/testing/check.h>
#include <cushim/testing/layer.h>

#include "src/objects/objects.h"

struct testkit testkit;

const struct cushim_event_options testkit_untimed = {.size = sizeof testkit_untimed,
                                                     .disable_timing = true};
const struct cushim_event_options testkit_interprocess = {
    .size = sizeof testkit_interprocess, .disable_timing = true, .interprocess = true};

static struct cushim_test *test;
static _Atomic uint32_t *gate; /* page-locked: a held stream waits until it is 1 */

static void listen(void *data, const char *message)
{
    testkit.log_lines++;
    snprintf(testkit.log_last, sizeof testkit.log_last, "%s", message);
}

/* Create a context of the test, with a name for the layer. */
static CUcontext make_context(CUdevice device, const char *name)
{
    CUcontext context = NULL, popped = NULL;

    OK(testkit.driver->CtxCreate_v2(&context, 0, device));
    OK(testkit.driver->CtxPopCurrent_v2(&popped));
    OK(cushim_driver()->CtxPushCurrent_v2(context));
    OK(cushim_driver()->CtxPopCurrent_v2(&popped));
    OK(cushim_recording_set_tag(testkit.layer, context, name));
    return context;
}

static CUstream make_stream(CUcontext context)
{
    CUcontext popped = NULL;
    CUstream stream = NULL;

    OK(testkit.driver->CtxPushCurrent_v2(context));
    OK(testkit.driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(testkit.driver->CtxPopCurrent_v2(&popped));
    return stream;
}

void testkit_stop_check(void)
{
    OK(cushim_check_stop(testkit.layer, NULL, 0));
}

int testkit_setup(void **state)
{
    char settings[200], message[200] = "";
    const struct cushim_test_options options = {.size = sizeof options,
                                                .settings = settings,
                                                .message = message,
                                                .message_size = sizeof message};

    testkit = (struct testkit){.log_lines = 0};
    snprintf(settings, sizeof settings, "devices = 2\n%s",
             *state ? (const char *)*state : "schedule = eager");
    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        fail_msg("%s", message);
    testkit.mock = cushim_test_mock(test);
    testkit.layer = cushim_test_layer(test);
    testkit.driver = cushim_layer_wrapped(testkit.layer);
    OK(testkit.driver->Init(0));
    testkit.first = make_context(0, "first");
    testkit.second = make_context(1, "second");
    testkit.current = make_context(1, "current");
    testkit.stream_handle = make_stream(testkit.first);
    OK(cushim_context_wrap(testkit.first, &testkit.one));
    OK(cushim_context_wrap(testkit.second, &testkit.two));
    OK(cushim_stream_wrap(testkit.stream_handle, testkit.one, &testkit.stream));
    OK(cushim_stream_wrap(make_stream(testkit.second), testkit.two, &testkit.other));
    testkit_enter(testkit.current);
    OK(testkit.driver->MemHostAlloc((void **)(uintptr_t)&gate, sizeof *gate, 0));
    cushim_log_set(listen, NULL);
    testkit_forget();
    return 0;
}

/* Whether the stack holds exactly the context that the test entered. */
static bool stack_is_as_entered(void)
{
    CUcontext top = NULL;

    if (!testkit.current)
        return testkit.driver->CtxPopCurrent_v2(&top) == CUDA_ERROR_INVALID_CONTEXT;
    return testkit.driver->CtxPopCurrent_v2(&top) == CUDA_SUCCESS && top == testkit.current &&
           testkit.driver->CtxPopCurrent_v2(&top) == CUDA_ERROR_INVALID_CONTEXT;
}

int testkit_teardown(void **state)
{
    const bool is_stack_right = stack_is_as_entered();
    const bool is_counted_right = testkit.one->references == 2 && testkit.two->references == 2 &&
                                  testkit.stream->references == 1 && testkit.other->references == 1;
    char text[8192];
    CUresult code;

    testkit_resume();
    cushim_log_set(NULL, NULL);
    cushim_stream_release(testkit.stream);
    cushim_stream_release(testkit.other);
    cushim_context_release(testkit.one);
    cushim_context_release(testkit.two);
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

    OK(cushim_recording_get_call(testkit.layer, index, &call));
    return call;
}

void testkit_assert_calls(const char *names, const char *file, int line)
{
    const size_t count = cushim_recording_count(testkit.layer);
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
    testkit_forget();
}

void testkit_forget(void)
{
    cushim_recording_clear(testkit.layer);
}

uint64_t testkit_argument(const char *function, const char *name)
{
    for (size_t i = cushim_recording_count(testkit.layer); i > 0; i--) {
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

void testkit_fault(const char *rule)
{
    char message[200];

    if (cushim_fault_add_rules(testkit.layer, rule, message, sizeof message) != CUDA_SUCCESS)
        fail_msg("%s", message);
}

void testkit_enter(CUcontext context)
{
    CUcontext popped;

    while (testkit.driver->CtxPopCurrent_v2(&popped) == CUDA_SUCCESS)
        ;
    if (context)
        OK(testkit.driver->CtxPushCurrent_v2(context));
    testkit.current = context;
}

CUcontext testkit_current(void)
{
    CUcontext current = NULL;

    OK(testkit.driver->CtxGetCurrent(&current));
    return current;
}

void testkit_hold(CUcontext context, CUstream stream)
{
    CUcontext popped;

    atomic_store(gate, 0);
    OK(testkit.driver->CtxPushCurrent_v2(context));
    OK(testkit.driver->StreamWaitValue32_v2(stream, (CUdeviceptr)(uintptr_t)gate, 1,
                                            CU_STREAM_WAIT_VALUE_GEQ));
    OK(testkit.driver->CtxPopCurrent_v2(&popped));
}

void testkit_resume(void)
{
    atomic_store(gate, 1);
    cushim_mock_drain(testkit.mock);
}

struct cushim_event *testkit_event(const struct cushim_event_options *options)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_create(testkit.one, options, &event));
    return event;
}

CUevent testkit_event_handle(const struct cushim_event *event)
{
    CUevent handle = NULL;

    OK(cushim_event_get_handle(event, &handle));
    return handle;
}

CUevent testkit_foreign_event(unsigned flags)
{
    CUcontext popped;
    CUevent event = NULL;

    OK(testkit.driver->CtxPushCurrent_v2(testkit.first));
    OK(testkit.driver->EventCreate(&event, flags));
    OK(testkit.driver->CtxPopCurrent_v2(&popped));
    return event;
}

static CUresult CUDAAPI open_event(CUevent *event, CUipcEventHandle handle)
{
    return testkit.driver->EventCreate(event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
}

struct cushim_event *testkit_imported_event(void)
{
    const CUipcEventHandle handle = {{0}};
    struct cushim_event *event = NULL;

    cushim_layer_next(testkit.layer)->IpcOpenEventHandle = open_event;
    OK(cushim_event_import(testkit.one, &handle, &event));
    return event;
}

struct cushim_stream *testkit_stream(enum testkit_stream_kind kind)
{
    const CUstream handle =
        kind >= DEFAULT_OF_CONTEXT ? CU_STREAM_PER_THREAD : testkit.stream_handle;
    struct cushim_stream *stream = NULL;

    if (kind == CREATED)
        OK(cushim_stream_create(testkit.one, NULL, &stream));
    else
        OK(cushim_stream_wrap(
            handle, kind == WRAPPED || kind == DEFAULT_OF_CONTEXT ? testkit.one : NULL, &stream));
    return stream;
}

CUstream testkit_handle(const struct cushim_stream *stream)
{
    CUstream handle = NULL;

    OK(cushim_stream_get_handle(stream, &handle));
    return handle;
}
