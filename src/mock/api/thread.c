/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock knows of each thread that has called it. Nobody is told that a thread ends, for
 * that would be a destructor in a library that may be unloaded: so those that have are looked for
 * now and then.
 */
#include <stdlib.h>

#include "src/base/lock.h"
#include "src/mock/api/context.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"

enum { LIMIT = 64 };

/* This thread's, and of which mock. */
static _Thread_local struct {
    struct mock_thread *thread;
    uint64_t serial;
} own;

struct mock_thread *cushim__mock_thread_get(void)
{
    struct mock_thread *thread;

    if (own.thread && own.serial == cushim__mock->serial)
        return own.thread;
    thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->number = ++cushim__mock->threads_made;
    thread->id = cushim__runner_id();
    thread->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    thread->next = cushim__mock->threads;
    cushim__mock->threads = thread;
    cushim__mock->thread_count++;
    own.thread = thread;
    own.serial = cushim__mock->serial;
    return thread;
}

/* Their streams end when their work is done. A capture goes on, and so its thread is known. */
static void end_streams(struct mock_context *context)
{
    struct mock_stream **link = &context->per_thread;

    while (*link) {
        struct mock_stream *stream = *link;

        if (stream->capture)
            stream->owner->ended = false;
        if (!stream->owner->ended) {
            link = &stream->next_default;
            continue;
        }
        *link = stream->next_default;
        cushim__mock_stream_end(stream);
    }
}

static void forget(struct mock_thread **link)
{
    struct mock_thread *thread = *link;

    *link = thread->next;
    free(thread->stack);
    free(thread);
    cushim__mock->thread_count--;
}

void cushim__mock_threads_sweep(void)
{
    struct mock_context *context = NULL;
    struct mock_thread **link = &cushim__mock->threads;

    if (cushim__mock->threads_stay)
        return;
    for (struct mock_thread *thread = *link; thread; thread = thread->next)
        thread->ended = cushim__runner_ended(thread->id);
    while ((context = cushim__mock_object_next(MOCK_CONTEXT, context)))
        end_streams(context);
    while (*link) {
        if ((*link)->ended)
            forget(link);
        else
            link = &(*link)->next;
    }
    cushim__mock->thread_limit = 2 * cushim__mock->thread_count + LIMIT;
}

void cushim__mock_threads_clear(void)
{
    while (cushim__mock->threads)
        forget(&cushim__mock->threads);
}
