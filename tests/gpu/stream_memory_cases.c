/* SPDX-License-Identifier: Apache-2.0 */
/* Stream memory operations on pinned memory of the host. Statement 59. */
#include <stdatomic.h>

#include "begin.h"
#include "cases.h"
#include "check.h"

/* A word of pinned host memory as both sides see it. */
struct word {
    _Atomic uint64_t *host;
    CUdeviceptr device;
};

static struct word begin_word(struct cushim_context *context)
{
    struct cushim_context_scope scope;
    struct word word = {NULL, 0};
    void *memory = NULL;
    bool supported = false;

    OK(cushim_device_supports_stream_memory_operations(begin_device(), &supported));
    if (!supported)
        skip("the device does not support them");
    OK(cushim_context_push(context, &scope));
    OK(cushim_driver()->MemAllocHost_v2(&memory, 64));
    OK(cushim_driver()->MemHostGetDevicePointer_v2(&word.device, memory, 0));
    OK(cushim_context_pop(&scope));
    word.host = memory;
    *word.host = 0;
    return word;
}

static void memory_is_a_latch(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct word word = begin_word(context);

    OK(cushim_stream_wait_value32(stream, word.device, 5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cushim_event_record(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_wait_for(stream, 1000000));
    *word.host = 5;
    OK(cushim_event_synchronize(event));

    OK(cushim_stream_wait_value64(stream, word.device, (cuuint64_t)1 << 40,
                                  CU_STREAM_WAIT_VALUE_EQ));
    OK(cushim_event_record(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    *word.host = (uint64_t)1 << 40;
    OK(cushim_event_synchronize(event));
    detail("32 and 64 bit: pending until the host wrote");
}

static void stream_writes_values(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *writer = begin_stream(context), *waiter = begin_stream(context);
    struct word word = begin_word(context);

    OK(cushim_stream_write_value32(writer, word.device, 77, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cushim_stream_synchronize(writer));
    CHECK(*word.host == 77);
    OK(cushim_stream_wait_value32(waiter, word.device, 78, CU_STREAM_WAIT_VALUE_EQ));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(waiter));
    OK(cushim_stream_write_value64(writer, word.device, ((cuuint64_t)3 << 32) + 78,
                                   CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cushim_stream_synchronize(waiter));
    CHECK(*word.host == ((uint64_t)3 << 32) + 78);
    CHECK(current_context() == NULL);
}

static void wrong_arguments_are_refused(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct word word = begin_word(context);

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_value32(stream, word.device, 0, 0x80));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_write_value32(stream, word.device, 0, 0x80));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_value32(stream, word.device + 1, 0, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_value64(NULL, word.device, 0, 0));
    OK(cushim_stream_query(stream));
}

const struct gpu_case stream_memory_cases[] = {
    {"memory_59_is_a_latch", memory_is_a_latch},
    {"memory_59_stream_writes_values", stream_writes_values},
    {"memory_59_wrong_arguments_are_refused", wrong_arguments_are_refused},
    {NULL, NULL},
};
