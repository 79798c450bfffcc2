/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of stream memory operations. Those of the first ABI work where the device says so. */
#include "src/mock/api/api.h"
#include "src/mock/api/stream.h"
#include "src/mock/api/stream_memory.h"
#include "src/mock/core/state.h"

enum {
    MOST = 255,
    /* Attributes of the first ABI; their names changed. */
    FIRST_ABI = 92,
    FIRST_ABI_WIDE = 93,
    /* Kinds in a batch that older headers do not know. */
    BARRIER = 6,
};

static bool has(int attribute)
{
    return cushim__mock->settings.profile.attributes[attribute] != 0;
}

static CUresult queue(struct mock_stream *stream, const struct mock_memory_value *value)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_memory_values_create(value, 1, &operation);

    return code == CUDA_SUCCESS ? cushim__mock_stream_submit(stream, operation) : code;
}

static CUresult submit(CUstream handle, const struct mock_memory_value *value)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    return code == CUDA_SUCCESS ? queue(stream, value) : code;
}

/* What the first ABI answers of a device that does not have it. */
static CUresult refuse(CUstream handle)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(handle, &stream);

    return code == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : code;
}

MOCK_EXACT(StreamWaitValue32_v2)
(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return submit(stream,
                  &(struct mock_memory_value){MOCK_MEMORY_WAIT, sizeof value, flags, addr, value});
}

MOCK_EXACT(StreamWaitValue64_v2)
(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return submit(stream,
                  &(struct mock_memory_value){MOCK_MEMORY_WAIT, sizeof value, flags, addr, value});
}

MOCK_EXACT(StreamWriteValue32_v2)
(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return submit(stream,
                  &(struct mock_memory_value){MOCK_MEMORY_WRITE, sizeof value, flags, addr, value});
}

MOCK_EXACT(StreamWriteValue64_v2)
(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return submit(stream,
                  &(struct mock_memory_value){MOCK_MEMORY_WRITE, sizeof value, flags, addr, value});
}

MOCK_EXACT(StreamWaitValue32)
(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return has(FIRST_ABI) ? cushim__mock_StreamWaitValue32_v2(stream, addr, value, flags)
                          : refuse(stream);
}

MOCK_EXACT(StreamWaitValue64)
(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return has(FIRST_ABI_WIDE) ? cushim__mock_StreamWaitValue64_v2(stream, addr, value, flags)
                               : refuse(stream);
}

MOCK_EXACT(StreamWriteValue32)
(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return has(FIRST_ABI) ? cushim__mock_StreamWriteValue32_v2(stream, addr, value, flags)
                          : refuse(stream);
}

MOCK_EXACT(StreamWriteValue64)
(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return has(FIRST_ABI_WIDE) ? cushim__mock_StreamWriteValue64_v2(stream, addr, value, flags)
                               : refuse(stream);
}

/* One of a batch. False: it is none that the mock knows; `*used` tells if it does anything. */
static CUresult read_one(const CUstreamBatchMemOpParams *one, struct mock_memory_value *value,
                         bool *used)
{
    *used = true;
    switch ((int)one->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        *value =
            (struct mock_memory_value){MOCK_MEMORY_WAIT, sizeof(cuuint32_t), one->waitValue.flags,
                                       one->waitValue.address, one->waitValue.value};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        *value =
            (struct mock_memory_value){MOCK_MEMORY_WAIT, sizeof(cuuint64_t), one->waitValue.flags,
                                       one->waitValue.address, one->waitValue.value64};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        *value =
            (struct mock_memory_value){MOCK_MEMORY_WRITE, sizeof(cuuint32_t), one->writeValue.flags,
                                       one->writeValue.address, one->writeValue.value};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        *value =
            (struct mock_memory_value){MOCK_MEMORY_WRITE, sizeof(cuuint64_t), one->writeValue.flags,
                                       one->writeValue.address, one->writeValue.value64};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        *used = false;
        return has(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES) ? CUDA_SUCCESS
                                                                : CUDA_ERROR_NOT_SUPPORTED;
    case BARRIER:
        *used = false;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* An operation of a whole list. INVALID_VALUE: it is too long, or one of it is unknown. */
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
    return cushim__mock_memory_values_create(values, used_count, operation);
}

/* In a graph a batch is one node; otherwise its parts are executed one by one. */
MOCK_EXACT(StreamBatchMemOp_v2)
(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    const struct mock_memory_value *values;
    struct mock_operation *operation;
    struct mock_stream *found;
    CUresult code = cushim__mock_stream_find(stream, &found);

    if (code == CUDA_SUCCESS && flags != 0)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = read_all(paramArray, count, &operation);
    if (code != CUDA_SUCCESS)
        return code;
    if (found->capture && count > 0)
        return cushim__mock_stream_submit(found, operation);
    values = cushim__mock_memory_values(operation, &count);
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++)
        code = queue(found, &values[i]);
    cushim__mock_operation_destroy(operation);
    return code;
}

MOCK_EXACT(StreamBatchMemOp)
(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return has(FIRST_ABI) ? cushim__mock_StreamBatchMemOp_v2(stream, count, paramArray, flags)
                          : refuse(stream);
}
