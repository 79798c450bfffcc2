/* SPDX-License-Identifier: Apache-2.0 */
/* A stream has the priority that was asked for, whatever the range. */
#include "wrong.h"

enum { MOST_STREAMS = 256 };

static struct {
    CUstream stream;
    int priority;
} streams[MOST_STREAMS];
static unsigned count;

static CUresult CUDAAPI create(CUstream *stream, unsigned flags, int priority)
{
    CUresult code = right->StreamCreateWithPriority(stream, flags, priority);

    if (code == CUDA_SUCCESS && count < MOST_STREAMS) {
        streams[count].stream = *stream;
        streams[count++].priority = priority;
    }
    return code;
}

static CUresult CUDAAPI get(CUstream stream, int *priority)
{
    for (unsigned i = count; i-- > 0;) {
        if (streams[i].stream == stream) {
            *priority = streams[i].priority;
            return CUDA_SUCCESS;
        }
    }
    return right->StreamGetPriority(stream, priority);
}

void wrong_patch(struct cushim_table *table)
{
    table->StreamCreateWithPriority = create;
    table->StreamGetPriority = get;
}
