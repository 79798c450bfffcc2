/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes move when a copy is submitted, not when the stream comes to it. */
#include "wrong.h"

static CUresult CUDAAPI host_to_device(CUdeviceptr to, const void *from, size_t bytes,
                                       CUstream stream)
{
    (void)stream;
    return right->MemcpyHtoD_v2(to, from, bytes);
}

static CUresult CUDAAPI device_to_host(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return right->MemcpyDtoH_v2(to, from, bytes);
}

static CUresult CUDAAPI set(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    (void)stream;
    return right->MemsetD8_v2(to, value, count);
}

void wrong_patch(struct cushim_table *table)
{
    table->MemcpyHtoDAsync_v2 = host_to_device;
    table->MemcpyDtoHAsync_v2 = device_to_host;
    table->MemsetD8Async = set;
}
