/* SPDX-License-Identifier: Apache-2.0 */
/* One loop, and the ways to reach the driver: LINKED to it, by HEADER, or through the table. */
#include "loop.h"

#ifdef LINKED
#include <cuda.h>
#define QUERY(event) cuEventQuery(event)
#elif defined(HEADER)
#include <cushim/cuda.h>
#define QUERY(event) cuEventQuery(event)
#else
#include <cushim/driver.h>
#define QUERY(event) cushim_driver()->EventQuery(event)
#endif

int loop(unsigned turns)
{
    CUevent event = 0;
    int failed = 0;

    for (unsigned i = 0; i < turns; i++)
        failed |= (int)QUERY(event);
    return failed;
}
