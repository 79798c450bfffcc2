/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call the driver itself with the objects of cushim: with the handle of a stream, in the scope of a
 * context.
 *
 *     cc driver_calls.c $(pkg-config --cflags --libs cushim)
 *
 * cushim wraps a function only if it adds something to it. All other functions are slots of the
 * table: here a limit of a context, the priority of a stream, a graph captured from a stream, and a
 * value in memory that one stream writes and another waits for. Exit status 0, or 1 with the reason
 * if a call fails.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

enum { BYTES = 1 << 20, CAN_WAIT_FOR_VALUES = 122 }; /* an attribute without a name before 12.0 */

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s.\n%s\n", what, cushim_error_string(code), cushim_error_advice(code));
    exit(1);
}

static CUstream handle_of(struct cushim_stream *stream)
{
    CUstream handle = NULL;

    check(cushim_stream_get_handle(stream, &handle), "stream");
    return handle;
}

/* The driver reads the limit of the current context, so the call is in a scope. */
static size_t stack_bytes(struct cushim_context *context)
{
    struct cushim_context_scope scope;
    size_t bytes = 0;

    check(cushim_context_push(context, &scope), "context");
    check(cushim_driver()->CtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE), "limit");
    check(cushim_context_pop(&scope), "context");
    return bytes;
}

/* The work that is queued between begin and end becomes a graph. */
static void fill_twice_by_a_graph(CUstream stream, CUdeviceptr memory)
{
    const struct cushim_table *driver = cushim_driver();
    CUgraphExec executable = NULL;
    CUgraph graph = NULL;

    check(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capture");
    check(driver->MemsetD8Async(memory, 1, BYTES, stream), "fill");
    check(driver->StreamEndCapture(stream, &graph), "capture");
    check(driver->GraphInstantiateWithFlags(&executable, graph, 0), "graph");
    for (int i = 0; i < 2; i++)
        check(driver->GraphLaunch(executable, stream), "graph");
    check(driver->GraphExecDestroy(executable), "graph");
    check(driver->GraphDestroy(graph), "graph");
}

/* One stream waits until another has written a value. */
static void wait_for_a_value(CUstream waiting, CUstream writing, CUdeviceptr flag)
{
    const struct cushim_table *driver = cushim_driver();

    check(driver->MemsetD32Async(flag, 0, 1, writing), "fill");
    check(driver->StreamWriteValue32_v2(writing, flag, 1, 0), "value");
    check(driver->StreamSynchronize(writing), "value");
    check(driver->StreamWaitValue32_v2(waiting, flag, 1, CU_STREAM_WAIT_VALUE_GEQ), "value");
}

int main(void)
{
    const struct cushim_table *driver;
    struct cushim_context *context = NULL;
    struct cushim_stream *first = NULL, *second = NULL;
    CUdeviceptr memory = 0;
    int can_wait = 0, priority = 0;

    check(cushim_driver_init(NULL), "driver");
    driver = cushim_driver();
    check(cushim_context_retain_primary(0, &context), "context");
    printf("stack of a thread: %zu bytes\n", stack_bytes(context));

    check(cushim_stream_create(context, NULL, &first), "stream");
    check(cushim_stream_create(context, NULL, &second), "stream");
    check(driver->StreamGetPriority(handle_of(first), &priority), "priority");
    printf("priority of the stream: %d\n", priority);

    check(cushim_context_make_current(context), "context");
    check(driver->MemAlloc_v2(&memory, BYTES), "memory");
    fill_twice_by_a_graph(handle_of(first), memory);
    check(cushim_stream_synchronize(first), "graph");
    /* A driver that does not know the attribute cannot do it. */
    if (driver->DeviceGetAttribute(&can_wait, (CUdevice_attribute)CAN_WAIT_FOR_VALUES, 0) ==
            CUDA_SUCCESS &&
        can_wait) {
        wait_for_a_value(handle_of(second), handle_of(first), memory);
        check(cushim_stream_synchronize(second), "value");
        printf("the value has come\n");
    }
    check(driver->MemFree_v2(memory), "memory");
    cushim_stream_release(first);
    cushim_stream_release(second);
    cushim_context_release(context);
    return 0;
}
