/* SPDX-License-Identifier: Apache-2.0 */
/* A library that knows nothing of cushim: it is linked to libcuda.so.1. */
#include <cuda.h>

#include "calls.h"

int other_call(void)
{
    return (int)cuCtxSynchronize();
}
