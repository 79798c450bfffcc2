/* SPDX-License-Identifier: Apache-2.0 */
/* Copies with attributes, and batches of them (driver-semantics.md #146). */
#include <stddef.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/array.h"
#include "src/mock/copy/copy.h"
#include "src/mock/core/device.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/stream.h"

/* Enumerators that older headers lack. */
enum { ORDER_STREAM = 1, ORDER_DURING_API_CALL = 2, ORDER_ANY = 3 };
enum { FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1 };
enum { OPERAND_POINTER = 1, OPERAND_ARRAY = 2 };

static bool is_legacy(CUstream stream)
{
    return stream == CU_STREAM_LEGACY || (!stream && !cushim__mock_call.per_thread);
}

static bool is_manner_valid(int order, unsigned flags)
{
    return order >= ORDER_STREAM && order <= ORDER_ANY && flags <= FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

/* Hints of locations change nothing in the mock, but that of the source has to be valid. */
static bool are_valid(const cushim_CUmemcpyAttributes *attributes)
{
    const int type = (int)attributes->srcLocHint.type;
    struct mock_device *device;

    return is_manner_valid((int)attributes->srcAccessOrder, attributes->flags) &&
           type >= CU_MEM_LOCATION_TYPE_INVALID && type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT &&
           (type != CU_MEM_LOCATION_TYPE_DEVICE ||
            cushim__mock_device_find(attributes->srcLocHint.id, &device) == CUDA_SUCCESS);
}

/*
 * A capture refuses these copies, and stays active (driver-semantics.md #146). They need a current
 * context, even if the stream has one of its own (#108).
 */
static CUresult check_uncaptured(CUstream handle)
{
    struct mock_context *context;
    struct mock_stream *stream;
    CUresult code = cushim__mock_memory_stream(handle, true, &stream);

    if (code)
        return code;
    if (cushim__mock_context_current(&context))
        return CUDA_ERROR_INVALID_VALUE;
    return stream->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

static CUresult copy_with(const cushim_CUmemcpyAttributes *attributes, CUdeviceptr to,
                          CUdeviceptr from, size_t bytes, CUstream stream)
{
    const struct cushim__copy shape = {
        .from = {.type = CU_MEMORYTYPE_UNIFIED, .device = from},
        .to = {.type = CU_MEMORYTYPE_UNIFIED, .device = to},
        .width = bytes,
        .height = 1,
        .depth = 1,
    };

    return cushim__mock_copy_execute(&shape, stream, true,
                                     (int)attributes->srcAccessOrder == ORDER_DURING_API_CALL);
}

CUresult cushim__mock_MemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                                cushim_CUmemcpyAttributes *attr, CUstream hStream)
{
    CUresult code;

    if (!attr || is_legacy(hStream) || !are_valid(attr))
        return CUDA_ERROR_INVALID_VALUE;
    code = check_uncaptured(hStream);
    return code ? code : copy_with(attr, dst, src, size, hStream);
}

/* Whether each copy of a batch has attributes. */
static bool is_batch_valid(size_t count, const cushim_CUmemcpyAttributes *attributes,
                           const size_t *first_copies, size_t attribute_count)
{
    if (!attributes || !first_copies || attribute_count == 0 || attribute_count > count ||
        first_copies[0] != 0)
        return false;
    for (size_t i = 0; i < attribute_count; i++) {
        if (!are_valid(&attributes[i]) || first_copies[i] >= count ||
            (i > 0 && first_copies[i] <= first_copies[i - 1]))
            return false;
    }
    return true;
}

/* Also cuMemcpyBatchAsync_v2. It has no `failIdx`, which is NULL then. */
CUresult cushim__mock_MemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                       size_t count, cushim_CUmemcpyAttributes *attrs,
                                       size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                       CUstream hStream)
{
    size_t failed = SIZE_MAX; /* no copy in particular */
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (dsts && srcs && sizes && !is_legacy(hStream) &&
        is_batch_valid(count, attrs, attrsIdxs, numAttrs))
        code = check_uncaptured(hStream);
    for (size_t i = 0, next = 1; code == CUDA_SUCCESS && i < count; i++) {
        if (next < numAttrs && attrsIdxs[next] == i)
            next++;
        code = sizes[i] ? copy_with(&attrs[next - 1], dsts[i], srcs[i], sizes[i], hStream)
                        : CUDA_ERROR_INVALID_VALUE;
        if (code != CUDA_SUCCESS)
            failed = i;
    }
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_OUT_OF_MEMORY && failIdx)
        *failIdx = failed;
    return code;
}

static size_t element_bytes(const CUmemcpy3DOperand *operand)
{
    const struct mock_array *array =
        (int)operand->type == OPERAND_ARRAY
            ? cushim__mock_object_lookup(operand->op.array.array, MOCK_ARRAY)
            : NULL;

    return array ? array->element_bytes : 0;
}

/*
 * One side of a copy, whose lengths are in elements. Returns false if one is too large. The hint
 * where managed or pageable memory is changes nothing (driver-semantics.md #108).
 */
static bool side_of(const CUmemcpy3DOperand *operand, size_t element,
                    struct cushim__copy_half *side)
{
    const CUoffset3D *offset = &operand->op.array.offset;

    if ((int)operand->type == OPERAND_ARRAY) {
        *side = (struct cushim__copy_half){.type = CU_MEMORYTYPE_ARRAY,
                                           .array = operand->op.array.array,
                                           .y = offset->y,
                                           .z = offset->z};
        return !__builtin_mul_overflow(offset->x, element, &side->x);
    }
    *side = (struct cushim__copy_half){.type = CU_MEMORYTYPE_UNIFIED,
                                       .device = operand->op.ptr.ptr,
                                       .height = operand->op.ptr.layerHeight};
    return (int)operand->type == OPERAND_POINTER &&
           !__builtin_mul_overflow(operand->op.ptr.rowLength, element, &side->pitch);
}

/* Elements are those of the arrays, which must match, or else bytes. */
static CUresult copy_box(const CUDA_MEMCPY3D_BATCH_OP *box, CUstream stream)
{
    const size_t from = element_bytes(&box->src), to = element_bytes(&box->dst);
    const size_t element = from ? from : to ? to : 1;
    struct cushim__copy shape = {.height = box->extent.height, .depth = box->extent.depth};

    if (!is_manner_valid((int)box->srcAccessOrder, box->flags) || (from && to && from != to) ||
        box->extent.width == 0 || shape.height == 0 || shape.depth == 0 ||
        !side_of(&box->src, element, &shape.from) || !side_of(&box->dst, element, &shape.to) ||
        __builtin_mul_overflow(box->extent.width, element, &shape.width))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_copy_execute(&shape, stream, true,
                                     (int)box->srcAccessOrder == ORDER_DURING_API_CALL);
}

/* Also cuMemcpy3DBatchAsync_v2. It has no `failIdx`, which is NULL then. */
CUresult cushim__mock_Memcpy3DBatchAsync(size_t numOps, cushim_CUDA_MEMCPY3D_BATCH_OP *opList,
                                         size_t *failIdx, unsigned long long flags,
                                         CUstream hStream)
{
    size_t failed = SIZE_MAX; /* no copy in particular */
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (numOps && opList && flags == 0 && !is_legacy(hStream))
        code = check_uncaptured(hStream);
    for (size_t i = 0; code == CUDA_SUCCESS && i < numOps; i++) {
        code = copy_box(&opList[i], hStream);
        if (code != CUDA_SUCCESS)
            failed = i;
    }
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_OUT_OF_MEMORY && failIdx)
        *failIdx = failed;
    return code;
}

CUresult cushim__mock_Memcpy3DWithAttributesAsync(cushim_CUDA_MEMCPY3D_BATCH_OP *op,
                                                  unsigned long long flags, CUstream hStream)
{
    return cushim__mock_Memcpy3DBatchAsync(1, op, NULL, flags, hStream);
}
