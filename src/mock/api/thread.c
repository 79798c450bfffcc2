/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock knows of each thread that has called it. Nobody is told that a thread ends, for
 * that would be a destructor in a library that may be unloaded: so those that have are looked for
 * now and then.
 */
#include <stdlib.h>

#include "src/mock/api/context.h"
#include "src/mock/core/state.h"
#include "src/mock/lock.h"
#include "src/mock/sim/stream.h"

enum { LIMIT = 64 };

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
    thread->id = cushim__runner_id();
    thread->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    thread->next = cushim__world->threads;
    cushim__world->threads = thread;
    cushim__world->thread_count++;
    own.thread = thread;
    own.serial = cushim__world->serial;
    return thread;
}

/* Their streams end when their work is done. A capture goes on, and so its thread is known. */
static void end_streams(struct cushim__context *context)
{
    struct cushim__stream **link = &context->per_thread;

    while (*link) {
        struct cushim__stream *stream = *link;

        if (stream->capture)
            stream->owner->ended = false;
        if (!stream->owner->ended) {
            link = &stream->next_default;
            continue;
        }
        *link = stream->next_default;
        cushim__stream_end(stream);
    }
}

static void forget(struct cushim__thread **link)
{
    struct cushim__thread *thread = *link;

    *link = thread->next;
    free(thread->stack);
    free(thread);
    cushim__world->thread_count--;
}

void cushim__threads_sweep(void)
{
    struct cushim__context *context = NULL;
    struct cushim__thread **link = &cushim__world->threads;

    if (cushim__world->threads_stay)
        return;
    for (struct cushim__thread *thread = *link; thread; thread = thread->next)
        thread->ended = cushim__runner_ended(thread->id);
    while ((context = cushim__object_next(CUSHIM__CONTEXT, context)))
        end_streams(context);
    while (*link) {
        if ((*link)->ended)
            forget(link);
        else
            link = &(*link)->next;
    }
    cushim__world->thread_limit = 2 * cushim__world->thread_count + LIMIT;
}

void cushim__threads_clear(void)
{
    while (cushim__world->threads)
        forget(&cushim__world->threads);
}
