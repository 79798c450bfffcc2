/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream memory operations (driver-semantics.md #59): waits and writes of single values. The memory
 * of a wait is polled, so that whoever writes there releases it, including the host.
 */
#include "src/mock/stream/stream.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/race/race.h"

/* A value to wait for in memory, or to write there. */
struct mock_memory_value {
    enum mock_memory_value_kind { MOCK_MEMORY_WAIT, MOCK_MEMORY_WRITE } kind;
    unsigned bytes; /* 4 or 8 */
    unsigned flags; /* of the call */
    CUdeviceptr address;
    uint64_t value;
};

/* An operation that does one or several of these in order. */
struct batch {
    struct mock_operation operation;
    unsigned count, done;
    struct mock_memory_value *values;
};

/* Whether the found value ends the wait. Comparisons are those of the CUDA reference. */
static bool is_met(const struct mock_memory_value *value, uint64_t found)
{
    const uint64_t mask = value->bytes == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;

    switch (value->flags) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return value->bytes == sizeof(uint64_t) ? (int64_t)(found - value->value) >= 0
                                                : (int32_t)(found - value->value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return found == value->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (found & value->value) != 0;
    default:
        return (~(found | value->value) & mask) != 0;
    }
}

/* Read a value that the host may write at the same time. Returns false if the memory was freed. */
static bool load(const struct mock_memory_value *value, uint64_t *found)
{
    const void *host = cushim__mock_memory_host(value->address, value->bytes);

    if (!host)
        return false;
    *found = value->bytes == sizeof(uint64_t)
                 ? __atomic_load_n((const uint64_t *)host, __ATOMIC_ACQUIRE)
                 : __atomic_load_n((const uint32_t *)host, __ATOMIC_ACQUIRE);
    return true;
}

/* The host may be waiting for the value, so from here on it may know what came before. */
static bool store(const struct batch *batch, const struct mock_memory_value *value)
{
    void *host = cushim__mock_memory_host(value->address, value->bytes);

    if (!host)
        return false;
    cushim__mock_operation_seen(&batch->operation);
    cushim__mock_sim_effect_visible();
    if (value->bytes == sizeof(uint64_t))
        __atomic_store_n((uint64_t *)host, value->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)host, (uint32_t)value->value, __ATOMIC_RELEASE);
    return true;
}

static unsigned next_wait(const struct batch *batch)
{
    unsigned index = batch->done;

    while (index < batch->count && batch->values[index].kind != MOCK_MEMORY_WAIT)
        index++;
    return index;
}

/*
 * Whether all waits are met. Writes before a wait are done here, as somebody may respond to them;
 * those after the last wait are done when the operation executes. Freed memory is a fault then.
 */
static bool ready(struct mock_operation *operation, struct mock_stream *stream)
{
    struct batch *batch = (struct batch *)operation;

    (void)stream;
    for (unsigned wait = next_wait(batch); wait < batch->count; wait = next_wait(batch)) {
        uint64_t found;

        for (; batch->done < wait; batch->done++) {
            if (!store(batch, &batch->values[batch->done]))
                return true;
        }
        if (!load(&batch->values[wait], &found))
            return true;
        if (!is_met(&batch->values[wait], found))
            return false;
        batch->done++;
    }
    return true;
}

static CUresult execute(struct mock_operation *operation)
{
    struct batch *batch = (struct batch *)operation;

    for (; batch->done < batch->count; batch->done++) {
        if (batch->values[batch->done].kind == MOCK_MEMORY_WAIT ||
            !store(batch, &batch->values[batch->done]))
            return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return CUDA_SUCCESS;
}

static bool copy(const struct mock_operation *from, struct mock_operation *to)
{
    const struct batch *old = (const struct batch *)from;
    struct batch *new = (struct batch *)to;

    new->done = 0;
    new->values = malloc(old->count * sizeof *new->values);
    if (!new->values)
        return false;
    memcpy(new->values, old->values, old->count * sizeof *new->values);
    return true;
}

static bool waits(const struct mock_operation *operation)
{
    const struct batch *batch = (const struct batch *)operation;

    return next_wait(batch) < batch->count;
}

static void drop(struct mock_operation *operation)
{
    cushim__race_released(operation->number);
    free(((struct batch *)operation)->values);
}

static const struct mock_operation_class batch_class = {
    .name = "value",
    .size = sizeof(struct batch),
    .node_type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    .ready = ready,
    .execute = execute,
    .copy = copy,
    .waits = waits,
    .drop = drop,
};

/*
 * Both kinds need memory that the device reaches, aligned to its size. A flush of remote writes
 * does nothing on the mock, if the device can do it.
 */
static CUresult check(struct mock_memory_value *value)
{
    const bool waits = value->kind == MOCK_MEMORY_WAIT;

    if (waits && value->flags & CU_STREAM_WAIT_VALUE_FLUSH) {
        value->flags &= ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
        if (!cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES))
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (value->address == 0 || value->address % value->bytes != 0 ||
        !cushim__mock_memory_host(value->address, value->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return value->flags > (waits ? CU_STREAM_WAIT_VALUE_NOR : CU_STREAM_WRITE_VALUE_DEFAULT)
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
}

/* Create an operation that does these in order. Returns INVALID_VALUE if one cannot be done. */
static CUresult create_values(const struct mock_memory_value *values, unsigned count,
                              struct mock_operation **operation)
{
    struct mock_memory_value *copies = malloc((count > 0 ? count : 1) * sizeof *copies);
    CUresult code = CUDA_SUCCESS;
    struct batch *batch;

    if (!copies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        copies[i] = values[i];
        code = check(&copies[i]);
    }
    batch =
        code == CUDA_SUCCESS ? cushim__mock_operation_create(&batch_class, MOCK_NO_UNIT, 0) : NULL;
    if (!batch) {
        free(copies);
        return code == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : code;
    }
    batch->count = count;
    batch->values = copies;
    *operation = &batch->operation;
    return CUDA_SUCCESS;
}

/* The calls of stream memory operations. Those of the first ABI work if the device says so. */

enum {
    MOST = 255,
    /* Attributes of the first ABI; their names changed. */
    FIRST_ABI = 92,
    FIRST_ABI_WIDE = 93,
};

static CUresult submit(struct mock_stream *stream, const struct mock_memory_value *value)
{
    struct mock_operation *operation;
    CUresult code = create_values(value, 1, &operation);

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
    case CU_STREAM_MEM_OP_BARRIER:
        return CUDA_SUCCESS;
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
    return create_values(values, used_count, operation);
}

/*
 * Also cuStreamBatchMemOp. In a graph a batch is one node; otherwise its parts are executed one by
 * one.
 */
CUresult cushim__mock_StreamBatchMemOp_v2(struct mock_stream *stream, unsigned int count,
                                          CUstreamBatchMemOpParams *paramArray, unsigned int flags,
                                          unsigned slot)
{
    struct mock_operation *operation;
    const struct batch *batch;
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
    batch = (const struct batch *)operation;
    for (unsigned i = 0; code == CUDA_SUCCESS && i < batch->count; i++)
        code = submit(stream, &batch->values[i]);
    cushim__mock_operation_destroy(operation);
    return code;
}
