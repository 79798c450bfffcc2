/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are cancelled inside a call: the call completes, and other threads go on. If a
 * cancelled thread kept the mock's lock, nothing could release it, so each case has its own mock,
 * which a failing case leaves behind.
 */
#include <pthread.h>

#include "tests/mock/fixture.h"
#include "tests/support/gate.h"

/* The call of a thread that is cancelled at its next cancellation point. */
struct call {
    void (*make)(void *data);
    void *data;
    CUcontext context;
    bool returned;
};

static void *run(void *data)
{
    struct call *call = data;

    driver->CtxSetCurrent(call->context);
    pthread_cancel(pthread_self());
    call->make(call->data);
    call->returned = true;
    pthread_testcancel();
    return NULL;
}

static void assert_goes_on(void (*make)(void *data), void *data)
{
    struct call call = {.make = make, .data = data};
    pthread_t thread;
    void *result;
    int version;

    OK(driver->CtxGetCurrent(&call.context));
    assert_int_equal(pthread_create(&thread, NULL, run, &call), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_true(call.returned);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    OK(driver->DriverGetVersion(&version));
}

static void synchronize(void *stream)
{
    driver->StreamSynchronize(stream);
}

FIXTURE_TEST(thread_that_waits_is_cancelled_after_it, "mode = threaded")
{
    struct gate gate = GATE;
    struct opener opener;
    CUstream stream = fixture_stream();

    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(stream, gate_stand, &gate));
    gate_await(&gate);
    opener_start(&opener, &gate, 5);
    assert_goes_on(synchronize, stream);
    opener_join(&opener);
    OK(driver->StreamQuery(stream));
}

static void destroy(void *context)
{
    driver->CtxDestroy_v2(context);
}

static void CUDA_CB nothing(void *data)
{
}

FIXTURE_TEST(thread_that_ends_a_context_is_cancelled_after_it, "mode = auto")
{
    CUcontext context, current;
    CUdevice device;
    CUstream stream;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    stream = fixture_stream();
    OK(driver->LaunchHostFunc(stream, nothing, NULL));
    OK(driver->CtxPopCurrent_v2(&current));
    assert_goes_on(destroy, context);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamQuery(stream));
    OK(driver->CtxGetDevice(&device));
}

static void print(void *graph)
{
    driver->GraphDebugDotPrint(graph, "/dev/null", 0);
}

FIXTURE_TEST(thread_that_writes_a_file_is_cancelled_after_it, "mode = auto")
{
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
    assert_goes_on(print, graph);
    OK(driver->GraphDestroy(graph));
}

static void occasion(void *data, const char *line)
{
    pthread_testcancel();
}

static void refused(void *data)
{
    driver->GLGetDevices_v2(data, NULL, 0, 0);
}

FIXTURE_TEST(thread_whose_call_is_logged_is_cancelled_after_it, "mode = auto")
{
    unsigned count;

    cushim_mock_set_log(fixture_mock, occasion, NULL);
    assert_goes_on(refused, &count);
}
