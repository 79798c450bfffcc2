/* SPDX-License-Identifier: Apache-2.0 */
/* Copies with attributes, and batches of them (driver-semantics.md #146). */
#include <stddef.h>

#include "src/mock/copy/copy.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/stream.h"

/* The values of CUmemcpySrcAccessOrder and CUmemcpyFlags, which older headers lack. */
enum { ORDER_STREAM = 1, ORDER_DURING_API_CALL = 2, ORDER_ANY = 3 };
enum { FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1 };

static bool is_legacy(CUstream stream)
{
    return stream == CU_STREAM_LEGACY || (!stream && !cushim__mock_call.per_thread);
}

static bool are_valid(const cushim_CUmemcpyAttributes *attributes)
{
    return (int)attributes->srcAccessOrder >= ORDER_STREAM &&
           (int)attributes->srcAccessOrder <= ORDER_ANY &&
           attributes->flags <= FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

/* A capture refuses these copies, and stays active (driver-semantics.md #146). */
static CUresult check_uncaptured(CUstream handle)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_memory_stream(handle, true, &stream);

    return code == CUDA_SUCCESS && stream->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : code;
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
        code = copy_with(&attrs[next - 1], dsts[i], srcs[i], sizes[i], hStream);
        if (code != CUDA_SUCCESS)
            failed = i;
    }
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_OUT_OF_MEMORY && failIdx)
        *failIdx = failed;
    return code;
}
