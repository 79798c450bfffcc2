/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose object file was made to be linked to libcuda.so.1; it is linked to the stubs. */
#include <cuda.h>

#include "calls.h"

int plugin_call(void)
{
    return (int)cuCtxSynchronize();
}
