/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and memory operations in a stream. Statements 57-59, 82, 173-175. */
#include <stdatomic.h>

#include "cases.h"

static atomic_uint calls;

static void CUDA_CB count(void *data)
{
    atomic_store((atomic_uint *)data, atomic_fetch_add(&calls, 1) + 1);
}

DOCUMENTED_CASE(057, functions_run_in_order_with_the_work)
{
    atomic_uint before = 0, after = 0;
    struct gate gate = GATE;
    CUstream stream = begin_stream();
    CUevent between = begin_event();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchHostFunc(stream, NULL, NULL));
    OK(cu->LaunchHostFunc(stream, count, &before));
    gate_queue(&gate, stream);
    OK(cu->EventRecord(between, stream));
    OK(cu->LaunchHostFunc(stream, count, &after));
    while (!gate_is_reached(&gate))
        let_time_pass();
    EQUAL(1, atomic_load(&before));
    EQUAL(1, atomic_load(&calls));
    EQUAL(0, atomic_load(&after));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(between));
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
    EQUAL(2, atomic_load(&after));
    OK(cu->EventQuery(between));
}

DOCUMENTED_CASE(057, function_runs_after_prior_work)
{
    atomic_uint place = 0;
    CUstream stream = begin_stream();
    struct latch latch = latch_shut(stream);

    OK(cu->LaunchHostFunc(stream, count, &place));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    EQUAL(0, atomic_load(&place));
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
    EQUAL(1, atomic_load(&place));
}

MEASURED_CASE(057, blocking_function_holds_up_its_context_only)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUstream stream = begin_stream(), sibling = begin_stream(), far = begin_stream_in(other);
    atomic_uint in_sibling = 0, in_far = 0;
    CUevent passed = begin_event();
    struct gate gate = GATE;

    CHECK(own != other);
    gate_shut(&gate, stream);
    OK(cu->LaunchHostFunc(sibling, count, &in_sibling));
    OK(cu->LaunchHostFunc(far, count, &in_far));
    OK(cu->StreamSynchronize(far));
    EQUAL(1, atomic_load(&in_far));
    for (int i = 0; i < 100; i++) { /* other work of the context continues */
        CUstream free = begin_stream();

        OK(cu->EventRecord(passed, free));
        OK(cu->EventSynchronize(passed));
        OK(cu->StreamDestroy_v2(free));
    }
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(sibling));
    EQUAL(0, atomic_load(&in_sibling));
    gate_open(&gate);
    OK(cu->StreamSynchronize(sibling));
    EQUAL(2, atomic_load(&in_sibling));
}

/* The codes that calls return inside a host function. */
struct inside {
    CUstream stream, other;
    CUevent start, end;
    CUcontext context;
    CUresult version, query, record, elapsed, flags, self;
    CUresult current, count, create, memory, set;
};

static void CUDA_CB call_inside(void *data)
{
    struct inside *inside = data;
    CUcontext current = NULL;
    CUevent made = NULL;
    CUdeviceptr memory = 0;
    unsigned flags = 0;
    int number = 0;
    float ms = 0;

    inside->version = cu->DriverGetVersion(&number);
    inside->query = cu->EventQuery(inside->end);
    inside->elapsed = cu->EventElapsedTime(&ms, inside->start, inside->end);
    inside->flags = cu->StreamGetFlags(inside->stream, &flags);
    inside->self = cu->StreamQuery(inside->stream);
    inside->record = cu->EventRecord(inside->end, inside->other);
    inside->current = cu->CtxGetCurrent(&current);
    inside->count = cu->DeviceGetCount(&number);
    inside->create = cu->EventCreate(&made, 0);
    inside->memory = cu->MemAlloc_v2(&memory, 256);
    inside->set = cu->CtxSetCurrent(inside->context);
}

static struct inside go_inside(void)
{
    struct inside inside = {.context = begin_context()};

    inside.stream = begin_stream();
    inside.other = begin_stream();
    inside.start = begin_event();
    inside.end = begin_event();
    MUST(cu->EventRecord(inside.start, inside.other));
    MUST(cu->EventRecord(inside.end, inside.other));
    drain(inside.other);
    OK(cu->LaunchHostFunc(inside.stream, call_inside, &inside));
    OK(cu->StreamSynchronize(inside.stream));
    return inside;
}

MEASURED_CASE(057, calls_inside_as_measured)
{
    struct inside inside = go_inside();

    CODE(CUDA_ERROR_NOT_PERMITTED, inside.create);
    OK(inside.query);
    CODE(CUDA_ERROR_NOT_READY, inside.self);
    OK(inside.version);
}

MEASURED_CASE(082, more_calls_inside_as_measured)
{
    struct inside inside = go_inside();

    OK(inside.version);
    OK(inside.query);
    OK(inside.record);
    OK(inside.elapsed);
    OK(inside.flags);
    CODE(CUDA_ERROR_NOT_READY, inside.self);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.current);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.count);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.create);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.memory);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.set);
    OK(cu->EventSynchronize(inside.end));
}

/* A host function that waits for its own stream. */
struct deadlock {
    CUstream stream;
    atomic_bool began, ended;
};

static void CUDA_CB synchronize_with_itself(void *data)
{
    struct deadlock *deadlock = data;

    atomic_store(&deadlock->began, true);
    (void)cu->StreamSynchronize(deadlock->stream);
    atomic_store(&deadlock->ended, true);
}

MEASURED_CASE(057, synchronizing_with_itself_does_not_return)
{
    static struct deadlock deadlock; /* static, because the function outlives the case's frame */
    CUstream other;
    CUevent event;

    deadlock.stream = begin_stream();
    other = begin_stream();
    event = begin_event();
    OK(cu->LaunchHostFunc(deadlock.stream, synchronize_with_itself, &deadlock));
    while (!atomic_load(&deadlock.began))
        let_time_pass();
    for (int i = 0; i < 1000; i++) { /* meanwhile other work starts and ends */
        OK(cu->EventRecord(event, other));
        OK(cu->EventSynchronize(event));
    }
    CHECK(!atomic_load(&deadlock.ended));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(deadlock.stream));
}

/* The arguments of a stream callback or a host function. */
struct callback_record {
    CUstream stream;
    CUresult status;
    atomic_uint callbacks, functions;
};

static void CUDA_CB record_callback(CUstream stream, CUresult status, void *data)
{
    struct callback_record *record = data;

    record->stream = stream;
    record->status = status;
    atomic_fetch_add(&record->callbacks, 1);
}

static void CUDA_CB be_called(void *data)
{
    atomic_fetch_add(&((struct callback_record *)data)->functions, 1);
}

DOCUMENTED_CASE(058, callback_gets_stream_and_status)
{
    struct callback_record record = {.status = CUDA_ERROR_UNKNOWN};
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamAddCallback(stream, record_callback, &record, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamAddCallback(stream, NULL, &record, 0));
    OK(cu->StreamAddCallback(stream, record_callback, &record, 0));
    OK(cu->StreamSynchronize(stream));
    EQUAL(1, atomic_load(&record.callbacks));
    OK(record.status);
    CHECK(record.stream == stream);
}

static struct callback_record break_behind_a_gate(void)
{
    static struct callback_record record;
    CUfunction fault;
    struct gate gate = GATE;
    CUstream stream;

    record.status = CUDA_ERROR_UNKNOWN;
    stream = begin_stream();
    fault = begin_kernel("cushim_fault");
    gate_shut(&gate, stream);
    queue_kernel(fault, stream);
    OK(cu->LaunchHostFunc(stream, be_called, &record));
    OK(cu->StreamAddCallback(stream, record_callback, &record, 0));
    gate_open(&gate);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->StreamSynchronize(stream));
    while (atomic_load(&record.callbacks) == 0)
        let_time_pass();
    return record;
}

DOCUMENTED_CASE(057, function_is_not_called_in_error)
{
    struct callback_record record = break_behind_a_gate();

    EQUAL(0, atomic_load(&record.functions));
}

DOCUMENTED_CASE(058, callback_is_called_in_error)
{
    struct callback_record record = break_behind_a_gate();

    EQUAL(1, atomic_load(&record.callbacks));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, record.status);
}

MEASURED_CASE(059, wait_is_a_latch)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();
    struct latch word = begin_latch();

    OK(cu->StreamWaitValue32_v2(stream, word.device, 5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    *word.host = 4;
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    *word.host = 7;
    OK(cu->EventSynchronize(event));
    OK(cu->StreamWaitValue64_v2(stream, word.device, (cuuint64_t)1 << 40, CU_STREAM_WAIT_VALUE_EQ));
    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    *word.host = (cuuint64_t)1 << 40;
    OK(cu->EventSynchronize(event));
    OK(cu->StreamWaitValue32_v2(stream, word.device + 4, 0x3, CU_STREAM_WAIT_VALUE_AND));
    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event)); /* the upper half is 0x100 */
    *word.host = (cuuint64_t)2 << 32;
    OK(cu->EventSynchronize(event));
}

DOCUMENTED_CASE(059, streams_write_values)
{
    CUstream writer = begin_stream(), waiter = begin_stream();
    struct latch word = begin_latch();

    OK(cu->StreamWriteValue32_v2(writer, word.device, 77, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cu->StreamSynchronize(writer));
    EQUAL(77, *word.host);
    OK(cu->StreamWaitValue32_v2(waiter, word.device, 78, CU_STREAM_WAIT_VALUE_EQ));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(waiter));
    OK(cu->StreamWriteValue64_v2(writer, word.device, ((cuuint64_t)3 << 32) + 78,
                                 CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cu->StreamSynchronize(waiter));
    CHECK(*word.host == ((cuuint64_t)3 << 32) + 78);
}

/* A batch of `count` writes of i + 1 to word i. */
static void fill_batch(CUstreamBatchMemOpParams *batch, unsigned count, CUdeviceptr address)
{
    for (unsigned i = 0; i < count; i++) {
        batch[i] = (CUstreamBatchMemOpParams){0};
        batch[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        batch[i].writeValue.address = address + 4 * (i % 16);
        batch[i].writeValue.value = i + 1;
    }
}

DOCUMENTED_CASE(059, batch_does_all_its_operations)
{
    static CUstreamBatchMemOpParams batch[300];
    const uint32_t *words;
    struct latch word;
    CUstream stream;

    word = begin_latch(); /* 64 bytes */
    words = (const uint32_t *)(uintptr_t)word.host;
    stream = begin_stream();
    fill_batch(batch, 300, word.device);
    OK(cu->StreamBatchMemOp_v2(stream, 16, batch, 0));
    OK(cu->StreamSynchronize(stream));
    for (unsigned i = 0; i < 16; i++)
        EQUAL(i + 1, words[i]);
    OK(cu->StreamBatchMemOp_v2(stream, 255, batch, 0));
    OK(cu->StreamSynchronize(stream));
    EQUAL(255, words[14]);
    ONE_OF(cu->StreamBatchMemOp_v2(stream, 16, batch, 0x80), 1, 801);
    ONE_OF(cu->StreamBatchMemOp_v2(stream, 300, batch, 0), 1, 801);
    OK(cu->StreamSynchronize(stream));
}

DOCUMENTED_CASE(059, wrong_arguments_are_refused)
{
    struct latch word = begin_latch();
    CUstream stream = begin_stream();

    ONE_OF(cu->StreamWaitValue32_v2(stream, word.device, 0, 0x80), 1, 801);
    ONE_OF(cu->StreamWriteValue32_v2(stream, word.device, 0, 0x80), 1, 801);
    ONE_OF(cu->StreamWaitValue32_v2(stream, word.device + 1, 0, 0), 1, 801);
    ONE_OF(cu->StreamWaitValue64_v2(stream, 0, 0, 0), 1, 801);
    OK(cu->StreamQuery(stream));
}

MEASURED_CASE(173, arguments_are_checked)
{
    CUdeviceptr pooled = 0;
    struct latch word = begin_latch();
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitValue32_v2(stream, word.device, 0, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, word.device, 0, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, word.device + 2, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue64_v2(stream, word.device + 4, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, 0, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamWriteValue32_v2(stream, (CUdeviceptr)(uintptr_t)&stream, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, begin_managed(4), 0, 0));
    MUST(cu->MemAllocAsync(&pooled, 4, stream));
    MUST(cu->StreamSynchronize(stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, pooled, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         cu->StreamWaitValue32_v2(stream, word.device, 0, CU_STREAM_WAIT_VALUE_FLUSH));
    OK(cu->StreamQuery(stream));
}

MEASURED_CASE(174, batches_are_checked)
{
    static CUstreamBatchMemOpParams batch[256];
    struct latch word = begin_latch();
    CUstream stream = begin_stream();

    fill_batch(batch, 256, word.device);
    OK(cu->StreamBatchMemOp_v2(stream, 0, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 256, batch, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 1, batch, 1));
    batch[0].operation = (CUstreamBatchMemOpType)99;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    batch[0].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    batch[0].operation = CU_STREAM_MEM_OP_BARRIER;
    for (unsigned flags = 0; flags < 3; flags++) {
        batch[0].flushRemoteWrites.flags = flags; /* memoryBarrier, which old headers lack */
        CODE(flags < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    }
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(175, first_abi_is_not_supported)
{
    struct latch word = begin_latch();
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWaitValue32(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWaitValue64(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWriteValue32(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWriteValue64(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamBatchMemOp(stream, 0, NULL, 0));
}
