/* SPDX-License-Identifier: Apache-2.0 */
#include "latch.h"

#include "backend.h"
#include "check.h"

enum { MOST_LATCHES = 64 };

static struct latch made[MOST_LATCHES];
static size_t count;

struct latch begin_latch(void)
{
    struct latch latch = {0};
    void *memory = NULL;

    MUST(cu->MemAllocHost_v2(&memory, 64));
    MUST(cu->MemHostGetDevicePointer_v2(&latch.device, memory, 0));
    latch.host = memory;
    *latch.host = 0;
    if (count == MOST_LATCHES)
        fail("too many latches");
    made[count++] = latch;
    return latch;
}

struct latch latch_shut(CUstream stream)
{
    struct latch latch = begin_latch();

    MUST(cu->StreamWaitValue32_v2(stream, latch.device, 1, CU_STREAM_WAIT_VALUE_EQ));
    return latch;
}

void latch_open(const struct latch *latch)
{
    *latch->host = 1;
}

void latch_open_all(void)
{
    for (size_t i = 0; i < count; i++)
        latch_open(&made[i]);
}
