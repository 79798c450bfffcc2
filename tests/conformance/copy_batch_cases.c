/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of copies. Statements 108 and 146. */
#include <string.h>

#include "cases.h"
#include "graph.h"

enum { INVALID = CUDA_ERROR_INVALID_VALUE };

/* Enumerators that older headers lack. */
#define ORDER_STREAM 1
#define POINTER 1
#define ARRAY 2

/* Two copies of 4 bytes, as cuMemcpyBatchAsync() takes them. */
struct batch {
    CUdeviceptr from[2], to[2];
    size_t bytes[2], first, failed;
    CUmemcpyAttributes attributes;
};

static struct batch begin_batch(void)
{
    const CUdeviceptr memory = begin_memory(16);
    struct batch batch;

    memset(&batch, 0, sizeof batch);
    batch.attributes.srcAccessOrder = ORDER_STREAM;
    for (unsigned i = 0; i < 2; i++) {
        batch.from[i] = memory + 4 * i;
        batch.to[i] = memory + 8 + 4 * i;
        batch.bytes[i] = 4;
        MUST(cu->MemsetD32_v2(batch.from[i], 5 + i, 1));
    }
    MUST(cu->CtxSynchronize());
    return batch;
}

static CUresult copy_batch(struct batch *batch, CUstream stream)
{
    return cu->MemcpyBatchAsync(batch->to, batch->from, batch->bytes, 2, &batch->attributes,
                                &batch->first, 1, &batch->failed, stream);
}

MEASURED_CASE(146, batch_of_copies_is_refused_in_a_capture)
{
    CUstream stream = begin_stream();
    struct batch batch = begin_batch();
    CUgraph graph = NULL;

    OK(copy_batch(&batch, stream));
    OK(cu->StreamSynchronize(stream));
    EQUAL(5, read_value(batch.to[0]));
    EQUAL(6, read_value(batch.to[1]));
    capture_begin(stream, THREAD_LOCAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, copy_batch(&batch, stream));
    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
    EQUAL(0, graph_nodes(graph));
}

/* Copy the batch with one member changed. */
#define BATCH(code, change)                       \
    do {                                          \
        struct batch changed = batch;             \
                                                  \
        changed.change;                           \
        CODE(code, copy_batch(&changed, stream)); \
    } while (0)

MEASURED_CASE(108, batches_are_checked)
{
    CUstream stream = begin_stream();
    struct batch batch = begin_batch();
    CUcontext context;

    BATCH(CUDA_SUCCESS, attributes.flags = 1);
    BATCH(INVALID, attributes.flags = 2);
    BATCH(INVALID, attributes.srcAccessOrder = 0);
    BATCH(INVALID, attributes.srcAccessOrder = 4);
    BATCH(INVALID, attributes.srcLocHint.type = 77);
    BATCH(INVALID, attributes.srcLocHint = ((CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 99}));
    BATCH(INVALID, bytes[0] = 0);
    BATCH(INVALID, first = 1);
    CODE(INVALID, copy_batch(&batch, NULL));
    OK(cu->CtxPopCurrent_v2(&context));
    CODE(INVALID, copy_batch(&batch, stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, copy_batch(&batch, CU_STREAM_PER_THREAD));
}

static CUDA_MEMCPY3D_BATCH_OP box(CUdeviceptr from, CUdeviceptr to)
{
    CUDA_MEMCPY3D_BATCH_OP op;

    memset(&op, 0, sizeof op);
    op.src.type = POINTER;
    op.src.op.ptr.ptr = from;
    op.dst.type = POINTER;
    op.dst.op.ptr.ptr = to;
    op.extent.width = 16;
    op.extent.height = 4;
    op.extent.depth = 3;
    op.srcAccessOrder = ORDER_STREAM;
    return op;
}

/* Copy the box with one member changed. */
#define BOX(code, change)                                              \
    do {                                                               \
        CUDA_MEMCPY3D_BATCH_OP changed = op;                           \
                                                                       \
        changed.change;                                                \
        CODE(code, cu->Memcpy3DBatchAsync_v2(1, &changed, 0, stream)); \
    } while (0)

MEASURED_CASE(108, boxes_are_checked)
{
    CUstream stream = begin_stream();
    const CUdeviceptr memory = begin_memory(8192);
    CUDA_MEMCPY3D_BATCH_OP op = box(memory, memory + 4096), two[2] = {op, op};
    CUcontext context;

    OK(cu->Memcpy3DBatchAsync_v2(2, two, 0, stream));
    BOX(CUDA_SUCCESS, src.op.ptr.rowLength = 32);
    BOX(INVALID, src.op.ptr.rowLength = 15);
    BOX(CUDA_SUCCESS, dst.op.ptr.layerHeight = 8);
    BOX(INVALID, dst.op.ptr.layerHeight = 3);
    BOX(INVALID, extent.width = 0);
    BOX(INVALID, extent.height = 0);
    BOX(INVALID, extent.depth = 0);
    BOX(INVALID, extent.depth = (size_t)1 << 62);
    BOX(INVALID, extent.depth = 65); /* leaves the allocation */
    BOX(INVALID, srcAccessOrder = 0);
    BOX(INVALID, srcAccessOrder = 4);
    BOX(CUDA_SUCCESS, flags = 1);
    BOX(INVALID, flags = 2);
    BOX(INVALID, src.type = 0);
    BOX(INVALID, dst.type = 3);
    BOX(INVALID, src.op.ptr.ptr = 0);
    BOX(CUDA_SUCCESS, src.op.ptr.locHint.type = 77);
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(0, &op, 0, stream));
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(1, NULL, 0, stream));
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(1, &op, 1, stream));
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(1, &op, 0, NULL));
    OK(cu->CtxPopCurrent_v2(&context));
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(1, &op, 0, stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->Memcpy3DBatchAsync_v2(1, &op, 0, CU_STREAM_PER_THREAD));
}

MEASURED_CASE(108, boxes_of_arrays_count_elements)
{
    const CUDA_ARRAY_DESCRIPTOR floats = {8, 4, CU_AD_FORMAT_FLOAT, 1},
                                bytes = {8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUstream stream = begin_stream();
    const CUdeviceptr memory = begin_memory(4096);
    CUDA_MEMCPY3D_BATCH_OP op = box(memory, 0);
    CUgraph graph = NULL;
    CUarray array, other;
    uint32_t values[32];

    for (uint32_t i = 0; i < 32; i++)
        values[i] = i;
    MUST(cu->MemcpyHtoD_v2(memory, values, sizeof values));
    MUST(cu->CtxSynchronize());
    MUST(cu->ArrayCreate_v2(&array, &floats));
    MUST(cu->ArrayCreate_v2(&other, &bytes));
    op.extent.width = 4;
    op.extent.height = 2;
    op.extent.depth = 1;
    op.dst.type = ARRAY;
    op.dst.op.array.array = array;
    op.dst.op.array.offset.x = 4;
    op.dst.op.array.offset.y = 2;
    op.dst.op.array.offset.z = 0;
    OK(cu->Memcpy3DBatchAsync_v2(1, &op, 0, stream));
    BOX(INVALID, dst.op.array.offset.x = 5);
    BOX(INVALID, dst.op.array.offset.z = 1);
    BOX(INVALID, extent.depth = 2);
    BOX(INVALID, src.op.ptr.rowLength = 3);
    op.src = op.dst;
    op.dst = box(0, memory + 2048).dst;
    op.dst.op.ptr.rowLength = 5; /* elements */
    OK(cu->Memcpy3DBatchAsync_v2(1, &op, 0, stream));
    OK(cu->StreamSynchronize(stream));
    EQUAL(3, read_value(memory + 2048 + 3 * 4));
    EQUAL(7, read_value(memory + 2048 + 8 * 4));
    op.dst = op.src;
    BOX(INVALID, dst.op.array.array = other);
    capture_begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->Memcpy3DBatchAsync_v2(1, &op, 0, stream));
    CODE(INVALID, cu->Memcpy3DBatchAsync_v2(1, NULL, 0, stream));
    capture_active(stream);
    OK(cu->StreamEndCapture(stream, &graph));
}
