/* SPDX-License-Identifier: Apache-2.0 */
/* A library with nothing of a driver in it that needs FAKE_LIBRARY, as some systems ship one. */
#include <cuda.h>

CUresult fake_wrapper(void);
CUresult fake_wrapper(void)
{
    return cuInit(0);
}
