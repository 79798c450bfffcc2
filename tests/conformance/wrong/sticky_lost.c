/* SPDX-License-Identifier: Apache-2.0 */
/* A fault is told once, and then all is well. */
#include <stdatomic.h>

#include "wrong.h"

static atomic_bool told;

static CUresult once(CUresult code)
{
    if (code != CUDA_ERROR_ILLEGAL_ADDRESS && code != CUDA_ERROR_LAUNCH_FAILED)
        return code;
    return atomic_exchange(&told, 1) ? CUDA_SUCCESS : code;
}

static CUresult CUDAAPI event_query(CUevent event)
{
    return once(right->EventQuery(event));
}

static CUresult CUDAAPI event_synchronize(CUevent event)
{
    return once(right->EventSynchronize(event));
}

static CUresult CUDAAPI stream_query(CUstream stream)
{
    return once(right->StreamQuery(stream));
}

static CUresult CUDAAPI stream_synchronize(CUstream stream)
{
    return once(right->StreamSynchronize(stream));
}

static CUresult CUDAAPI context_synchronize(void)
{
    return once(right->CtxSynchronize());
}

void wrong_patch(struct cushim_table *table)
{
    table->EventQuery = event_query;
    table->EventSynchronize = event_synchronize;
    table->StreamQuery = stream_query;
    table->StreamSynchronize = stream_synchronize;
    table->CtxSynchronize = context_synchronize;
}
