/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of stream memory operations (driver-semantics.md #59). Those of the first ABI work if
 * the device says so.
 */
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/memory_value.h"
#include "src/mock/stream/stream.h"

enum {
    MOST = 255,
    /* Attributes of the first ABI; their names changed. */
    FIRST_ABI = 92,
    FIRST_ABI_WIDE = 93,
};

static CUresult submit(struct mock_stream *stream, const struct mock_memory_value *value)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_memory_operation(value, 1, &operation);

    return code == CUDA_SUCCESS ? cushim__mock_stream_submit(stream, operation) : code;
}

/* The calls that wait for one value or write one. */
static const struct value_call {
    unsigned slot;
    enum mock_memory_value_kind kind;
    int attribute; /* of the device, which says whether it can; 0 if it always can */
} calls[] = {
    {CUSHIM__SLOT(StreamWaitValue32), MOCK_MEMORY_WAIT, FIRST_ABI},
    {CUSHIM__SLOT(StreamWaitValue64), MOCK_MEMORY_WAIT, FIRST_ABI_WIDE},
    {CUSHIM__SLOT(StreamWriteValue32), MOCK_MEMORY_WRITE, FIRST_ABI},
    {CUSHIM__SLOT(StreamWriteValue64), MOCK_MEMORY_WRITE, FIRST_ABI_WIDE},
    {CUSHIM__SLOT(StreamWaitValue32_v2), MOCK_MEMORY_WAIT, 0},
    {CUSHIM__SLOT(StreamWaitValue64_v2), MOCK_MEMORY_WAIT, 0},
    {CUSHIM__SLOT(StreamWriteValue32_v2), MOCK_MEMORY_WRITE, 0},
    {CUSHIM__SLOT(StreamWriteValue64_v2), MOCK_MEMORY_WRITE, 0},
};

static CUresult call(unsigned slot, struct mock_stream *stream, struct mock_memory_value value)
{
    const struct value_call *row = calls;

    while (row->slot != slot)
        row++;
    value.kind = row->kind;
    return row->attribute == 0 || cushim__mock_attribute(row->attribute) ? submit(stream, &value)
                                                                         : CUDA_ERROR_NOT_SUPPORTED;
}

/* Also cuStreamWaitValue32, cuStreamWriteValue32, cuStreamWriteValue32_v2. */
CUresult cushim__mock_StreamWaitValue32_v2(struct mock_stream *stream, CUdeviceptr addr,
                                           cuuint32_t value, unsigned int flags, unsigned slot)
{
    return call(slot, stream,
                (struct mock_memory_value){
                    .bytes = sizeof value, .flags = flags, .address = addr, .value = value});
}

/* Also cuStreamWaitValue64, cuStreamWriteValue64, cuStreamWriteValue64_v2. */
CUresult cushim__mock_StreamWaitValue64_v2(struct mock_stream *stream, CUdeviceptr addr,
                                           cuuint64_t value, unsigned int flags, unsigned slot)
{
    return call(slot, stream,
                (struct mock_memory_value){
                    .bytes = sizeof value, .flags = flags, .address = addr, .value = value});
}

/* Read one of a batch. INVALID_VALUE if it is unknown; `*used` is whether it does anything. */
static CUresult read_one(const CUstreamBatchMemOpParams *one, struct mock_memory_value *value,
                         bool *used)
{
    const int kind = (int)one->operation;
    const bool waits =
        kind == CU_STREAM_MEM_OP_WAIT_VALUE_32 || kind == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    bool is_wide = false;

    *used = false;
    switch (kind) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        is_wide = true;
        break;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_NOT_SUPPORTED;
    /* A barrier of the system or the GPU: nothing is out of order. Old headers lack its member. */
    case CU_STREAM_MEM_OP_BARRIER:
        return one->flushRemoteWrites.flags > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    *used = true;
    /* The members of a write are where those of a wait are. */
    *value = (struct mock_memory_value){
        .kind = waits ? MOCK_MEMORY_WAIT : MOCK_MEMORY_WRITE,
        .bytes = is_wide ? sizeof(cuuint64_t) : sizeof(cuuint32_t),
        .flags = one->waitValue.flags,
        .address = one->waitValue.address,
        .value = is_wide ? one->waitValue.value64 : one->waitValue.value,
    };
    return CUDA_SUCCESS;
}

/* Make one operation of a list. INVALID_VALUE if it is too long or has an unknown entry. */
static CUresult read_all(const CUstreamBatchMemOpParams *list, unsigned count,
                         struct mock_operation **operation)
{
    struct mock_memory_value values[MOST];
    CUresult code = CUDA_SUCCESS;
    unsigned used_count = 0;

    if (count > MOST || (count > 0 && !list))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        bool used;

        code = read_one(&list[i], &values[used_count], &used);
        used_count += used;
    }
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_memory_operation(values, used_count, operation);
}

/*
 * Also cuStreamBatchMemOp. In a graph a batch is one node; otherwise its parts are executed one by
 * one.
 */
CUresult cushim__mock_StreamBatchMemOp_v2(struct mock_stream *stream, unsigned int count,
                                          CUstreamBatchMemOpParams *paramArray, unsigned int flags,
                                          unsigned slot)
{
    const struct mock_memory_value *values;
    struct mock_operation *operation;
    unsigned used;
    CUresult code;

    if (slot == CUSHIM__SLOT(StreamBatchMemOp) && !cushim__mock_attribute(FIRST_ABI))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = read_all(paramArray, count, &operation);
    if (code != CUDA_SUCCESS)
        return code;
    if (stream->capture && count > 0)
        return cushim__mock_stream_submit(stream, operation);
    values = cushim__mock_memory_values(operation, &used);
    for (unsigned i = 0; code == CUDA_SUCCESS && i < used; i++)
        code = submit(stream, &values[i]);
    cushim__mock_operation_destroy(operation);
    return code;
}
