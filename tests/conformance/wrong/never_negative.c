/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed time has no sign. */
#include "wrong.h"

static CUresult without_sign(CUresult code, float *ms)
{
    if (code == CUDA_SUCCESS && *ms < 0)
        *ms = -*ms;
    return code;
}

static CUresult CUDAAPI elapsed(float *ms, CUevent start, CUevent end)
{
    return without_sign(right->EventElapsedTime(ms, start, end), ms);
}

static CUresult CUDAAPI elapsed_v2(float *ms, CUevent start, CUevent end)
{
    return without_sign(right->EventElapsedTime_v2(ms, start, end), ms);
}

void wrong_patch(struct cushim_table *table)
{
    table->EventElapsedTime = elapsed;
    table->EventElapsedTime_v2 = elapsed_v2;
}
