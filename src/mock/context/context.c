/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What handles of contexts mean, and which context is current: each thread has a stack of them
 * (driver-semantics.md #13 to #16).
 */
#include <stdlib.h>

#include "src/base/lock.h"
#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"

bool cushim__mock_context_flags_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return flags < 0x100 && (schedule & (schedule - 1)) == 0;
}

bool cushim__mock_context_syncs(void)
{
    const struct mock_context *context = cushim__mock_context_top();

    return context && context->flags & CU_CTX_SYNC_MEMOPS;
}

bool cushim__mock_context_reaches(const struct mock_context *context,
                                  const struct mock_allocation *memory)
{
    return memory->origin != MOCK_BY_ALLOC || memory->device == context->device ||
           context->peers[memory->device->ordinal];
}

CUresult cushim__mock_context_find(const void *handle, struct mock_context **context)
{
    if (!handle)
        return CUDA_ERROR_INVALID_CONTEXT;
    return cushim__mock_object_find(handle, MOCK_CONTEXT, context);
}

CUresult cushim__mock_green_find(const void *handle, struct mock_context **context)
{
    CUresult code = cushim__mock_context_find(handle, context);

    return code == CUDA_SUCCESS && !(*context)->base ? CUDA_ERROR_INVALID_CONTEXT : code;
}

CUresult cushim__mock_context_current(struct mock_context **context)
{
    const struct mock_thread *thread = cushim__mock_thread_get();

    if (cushim__mock_call.refusal)
        return cushim__mock_call.refusal;
    /* This refuses default streams where created ones are allowed (driver-semantics.md #57). */
    if (cushim__mock_call.in_host_function)
        return CUDA_ERROR_NOT_PERMITTED;
    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (thread->depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    *context = thread->stack[thread->depth - 1];
    return (*context)->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cushim__mock_memory_context(struct mock_context **context)
{
    CUresult code = cushim__mock_context_current(context);

    if (code == CUDA_SUCCESS && (*context)->api_version < MOCK_WIDE_ABI)
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (code == CUDA_SUCCESS)
        *context = cushim__mock_context_space(*context);
    return code;
}

CUresult cushim__mock_context_find_or_current(CUcontext handle, struct mock_context **context)
{
    return handle ? cushim__mock_context_find(handle, context)
                  : cushim__mock_context_current(context);
}

CUresult cushim__mock_context_reserve(void)
{
    struct mock_thread *thread = cushim__mock_thread_get();

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (thread->depth == thread->room) {
        size_t room = thread->room ? 2 * thread->room : 8;
        struct mock_context **stack = realloc(thread->stack, room * sizeof(*stack));

        if (!stack)
            return CUDA_ERROR_OUT_OF_MEMORY;
        thread->stack = stack;
        thread->room = room;
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_context_push(struct mock_context *context)
{
    CUresult code = cushim__mock_context_reserve();
    struct mock_thread *thread;

    if (code != CUDA_SUCCESS)
        return code;
    thread = cushim__mock_thread_get();
    thread->stack[thread->depth++] = context;
    return CUDA_SUCCESS;
}

struct mock_context *cushim__mock_context_top(void)
{
    const struct mock_thread *thread = cushim__mock_thread_get();

    return thread && thread->depth > 0 ? thread->stack[thread->depth - 1] : NULL;
}

struct mock_context *cushim__mock_context_pop(void)
{
    struct mock_thread *thread = cushim__mock_thread_get();

    return thread && thread->depth > 0 ? thread->stack[--thread->depth] : NULL;
}

bool cushim__mock_context_is_on_a_stack(const struct mock_context *context)
{
    for (const struct mock_thread *thread = cushim__mock->threads; thread; thread = thread->next) {
        for (size_t i = 0; i < thread->depth; i++) {
            if (thread->stack[i] == context)
                return true;
        }
    }
    return false;
}

/*
 * What the mock knows of each thread that has called it. It is not notified when a thread ends,
 * because that takes a destructor in a shared library that may be unloaded. So it looks for threads
 * that have ended from time to time.
 */

enum { LIMIT = 64 };

/* The calling thread's entry, and the serial number of the mock that it belongs to. */
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
    thread->id = cushim__system_thread_id();
    thread->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    thread->next = cushim__mock->threads;
    cushim__mock->threads = thread;
    cushim__mock->thread_count++;
    own.thread = thread;
    own.serial = cushim__mock->serial;
    return thread;
}

/* End the streams of ended threads after their work. A thread whose stream is captured is kept. */
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
        thread->ended = cushim__system_thread_ended(thread->id);
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
