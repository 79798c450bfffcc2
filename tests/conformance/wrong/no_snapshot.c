/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that waits for an event follows its newest record, not the one that it found. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrong.h"

enum { MOST_WAITS = 256 };

/* A stream that waits for `word`, which is written when the event is done. */
static struct wait {
    CUevent event;
    volatile uint32_t *word;
} waits[MOST_WAITS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *follow(void *data)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        for (unsigned i = 0; i < count; i++) {
            if (*waits[i].word == 0 && right->EventQuery(waits[i].event) != CUDA_ERROR_NOT_READY)
                *waits[i].word = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return data;
}

/* A word of page-locked memory of the stream's context, 0. */
static bool make_word(CUstream stream, void **word, CUdeviceptr *address)
{
    CUcontext context = NULL, popped;
    bool made;

    if (right->StreamGetCtx(stream, &context) != CUDA_SUCCESS ||
        right->CtxPushCurrent_v2(context) != CUDA_SUCCESS)
        return false;
    made = right->MemAllocHost_v2(word, 64) == CUDA_SUCCESS &&
           right->MemHostGetDevicePointer_v2(address, *word, 0) == CUDA_SUCCESS;
    right->CtxPopCurrent_v2(&popped);
    return made;
}

static CUresult CUDAAPI wait_event(CUstream stream, CUevent event, unsigned flags)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUdeviceptr address = 0;
    void *word = NULL;
    pthread_t thread;
    CUresult code;

    if (flags != 0 || right->StreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
        status != CU_STREAM_CAPTURE_STATUS_NONE ||
        right->EventQuery(event) != CUDA_ERROR_NOT_READY || count == MOST_WAITS ||
        !make_word(stream, &word, &address))
        return right->StreamWaitEvent(stream, event, flags);
    *(volatile uint32_t *)word = 0;
    code = right->StreamWaitValue32_v2(stream, address, 1, CU_STREAM_WAIT_VALUE_EQ);
    pthread_mutex_lock(&lock);
    waits[count++] = (struct wait){event, word};
    pthread_mutex_unlock(&lock);
    if (count == 1 && pthread_create(&thread, NULL, follow, NULL) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return code;
}

void wrong_patch(struct cushim_table *table)
{
    table->StreamWaitEvent = wait_event;
}
