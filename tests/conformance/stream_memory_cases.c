/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations on page-locked memory. Statements 59, 173-175. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static void wait_is_a_latch(void)
{
    CUstream stream;
    CUevent event;
    struct latch word;

    begin_context();
    word = begin_latch();
    stream = begin_stream();
    event = begin_event();
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

static void streams_write_values(void)
{
    CUstream writer, waiter;
    struct latch word;

    begin_context();
    word = begin_latch();
    writer = begin_stream();
    waiter = begin_stream();
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

/* `count` writes of i + 1 to word i. */
static void fill_batch(CUstreamBatchMemOpParams *batch, unsigned count, CUdeviceptr address)
{
    for (unsigned i = 0; i < count; i++) {
        batch[i] = (CUstreamBatchMemOpParams){0};
        batch[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        batch[i].writeValue.address = address + 4 * (i % 16);
        batch[i].writeValue.value = i + 1;
    }
}

static void batch_does_all_its_operations(void)
{
    static CUstreamBatchMemOpParams batch[300];
    const uint32_t *words;
    struct latch word;
    CUstream stream;

    begin_context();
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

static void wrong_arguments_are_refused(void)
{
    struct latch word;
    CUstream stream;

    begin_context();
    word = begin_latch();
    stream = begin_stream();
    ONE_OF(cu->StreamWaitValue32_v2(stream, word.device, 0, 0x80), 1, 801);
    ONE_OF(cu->StreamWriteValue32_v2(stream, word.device, 0, 0x80), 1, 801);
    ONE_OF(cu->StreamWaitValue32_v2(stream, word.device + 1, 0, 0), 1, 801);
    ONE_OF(cu->StreamWaitValue64_v2(stream, 0, 0, 0), 1, 801);
    OK(cu->StreamQuery(stream));
}

static void arguments_are_checked_as_measured(void)
{
    struct latch word;
    CUstream stream;

    begin_context();
    word = begin_latch();
    stream = begin_stream();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitValue32_v2(stream, word.device, 0, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, word.device, 0, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, word.device + 2, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue64_v2(stream, word.device + 4, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWriteValue32_v2(stream, 0, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamWriteValue32_v2(stream, (CUdeviceptr)(uintptr_t)&stream, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         cu->StreamWaitValue32_v2(stream, word.device, 0, CU_STREAM_WAIT_VALUE_FLUSH));
    OK(cu->StreamQuery(stream));
}

static void batches_are_checked_as_measured(void)
{
    static CUstreamBatchMemOpParams batch[256];
    struct latch word;
    CUstream stream;

    begin_context();
    word = begin_latch();
    stream = begin_stream();
    fill_batch(batch, 256, word.device);
    OK(cu->StreamBatchMemOp_v2(stream, 0, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 256, batch, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 1, batch, 1));
    batch[0].operation = (CUstreamBatchMemOpType)99;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    batch[0].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    batch[0].operation = CU_STREAM_MEM_OP_BARRIER;
    OK(cu->StreamBatchMemOp_v2(stream, 1, batch, 0));
    OK(cu->StreamSynchronize(stream));
}

static void first_abi_is_not_supported(void)
{
    struct latch word;
    CUstream stream;

    begin_context();
    word = begin_latch();
    stream = begin_stream();
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWaitValue32(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWaitValue64(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWriteValue32(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamWriteValue64(stream, word.device, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->StreamBatchMemOp(stream, 0, NULL, 0));
}

const struct conformance_case stream_memory_cases[] = {
    MEASURED_CASE("059_wait_is_a_latch", wait_is_a_latch),
    DOCUMENTED_CASE("059_streams_write_values", streams_write_values),
    DOCUMENTED_CASE("059_batch_does_all_its_operations", batch_does_all_its_operations),
    DOCUMENTED_CASE("059_wrong_arguments_are_refused", wrong_arguments_are_refused),
    MEASURED_CASE("173_arguments_are_checked", arguments_are_checked_as_measured),
    MEASURED_CASE("174_batches_are_checked", batches_are_checked_as_measured),
    MEASURED_CASE("175_first_abi_is_not_supported", first_abi_is_not_supported),
    {.name = NULL},
};
