/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Stream memory operations: a stream that waits for a value in memory, or writes one.
 *
 * They order a stream against whoever else writes and reads that memory: the host, another
 * process, another device. The driver does not see an order made this way, so work that depends on
 * it should be ordered by events as well; otherwise the driver may order it the wrong way round and
 * the program stops for ever. cushim_device_supports_stream_memory_operations() tells whether a
 * device can (driver semantics, statement 59).
 *
 * Addresses are those of the device, aligned to the size of the value; for memory of the host they
 * come from cuMemHostGetDevicePointer. Managed memory cannot be waited for.
 */
#ifndef CUSHIM_STREAM_MEMORY_H
#define CUSHIM_STREAM_MEMORY_H

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Let all later work of a stream wait until 32 bits in memory compare with a value.
 *
 * @param stream   Stream that is to wait; not NULL.
 * @param address  Where the bits are.
 * @param value    Value to compare with.
 * @param flags    CUstreamWaitValue_flags: one of CU_STREAM_WAIT_VALUE_GEQ (0; cyclic: the signed
 *                 difference is not negative), _EQ, _AND (a common bit is set) and _NOR, or'ed with
 *                 CU_STREAM_WAIT_VALUE_FLUSH.
 *
 * @return CUDA_SUCCESS                           Later work waits.
 * @return CUDA_ERROR_INVALID_HANDLE              `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE               The driver does not like the address or the flags.
 * @return CUDA_ERROR_NOT_SUPPORTED               The device has no such operation.
 * @return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER  The driver is older than 11.7.
 * @return any other code                         cuStreamWaitValue32_v2's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamWaitValue32_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_wait_value32(struct cushim_stream *stream, CUdeviceptr address,
                                               cuuint32_t value, unsigned flags);

/**
 * Let all later work of a stream wait until 64 bits in memory compare with a value.
 *
 * @param stream   Stream that is to wait; not NULL.
 * @param address  Where the bits are.
 * @param value    Value to compare with.
 * @param flags    As for cushim_stream_wait_value32().
 *
 * @return As cushim_stream_wait_value32(), of cuStreamWaitValue64_v2. Some devices have the
 *         operation for 32 bits only: CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamWaitValue64_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_wait_value64(struct cushim_stream *stream, CUdeviceptr address,
                                               cuuint64_t value, unsigned flags);

/**
 * Let a stream write 32 bits to memory when it has done all its work until now.
 *
 * @param stream   Stream that is to write; not NULL.
 * @param address  Where to.
 * @param value    What to write.
 * @param flags    CUstreamWriteValue_flags: CU_STREAM_WRITE_VALUE_DEFAULT (0) makes earlier writes
 *                 of the stream visible first; CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER does not.
 *
 * @return CUDA_SUCCESS                           The write is queued.
 * @return CUDA_ERROR_INVALID_HANDLE              `stream` is NULL or closed.
 * @return CUDA_ERROR_INVALID_VALUE               The driver does not like the address or the flags.
 * @return CUDA_ERROR_NOT_SUPPORTED               The device has no such operation.
 * @return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER  The driver is older than 11.7.
 * @return any other code                         cuStreamWriteValue32_v2's, unchanged.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamWriteValue32_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_write_value32(struct cushim_stream *stream, CUdeviceptr address,
                                                cuuint32_t value, unsigned flags);

/**
 * Let a stream write 64 bits to memory when it has done all its work until now.
 *
 * @param stream   Stream that is to write; not NULL.
 * @param address  Where to.
 * @param value    What to write.
 * @param flags    As for cushim_stream_write_value32().
 *
 * @return As cushim_stream_write_value32(), of cuStreamWriteValue64_v2. Some devices have the
 *         operation for 32 bits only: CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS.
 *
 * Thread safety: any thread.
 * Context: needs none, but for a default stream (stream.h).
 * Driver calls: cuStreamWriteValue64_v2.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_stream_write_value64(struct cushim_stream *stream, CUdeviceptr address,
                                                cuuint64_t value, unsigned flags);

#ifdef __cplusplus
}
#endif

#endif
