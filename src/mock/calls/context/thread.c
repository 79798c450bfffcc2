/* SPDX-License-Identifier: Apache-2.0 */
/* What the mock knows of each thread that has called it. */
#include <stdlib.h>

#include "src/mock/calls/context/context.h"
#include "src/mock/world.h"

/* This thread's, and of which mock. */
static _Thread_local struct {
    struct cushim__thread *thread;
    uint64_t serial;
} own;

struct cushim__thread *cushim__thread_get(void)
{
    struct cushim__thread *thread;

    if (own.thread && own.serial == cushim__world->serial)
        return own.thread;
    thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->number = ++cushim__world->threads_made;
    thread->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    thread->next = cushim__world->threads;
    cushim__world->threads = thread;
    own.thread = thread;
    own.serial = cushim__world->serial;
    return thread;
}

void cushim__threads_clear(void)
{
    while (cushim__world->threads) {
        struct cushim__thread *thread = cushim__world->threads;

        cushim__world->threads = thread->next;
        free(thread->stack);
        free(thread);
    }
}
