/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending work, and what it makes unknown. Until its stream was waited for, work may execute at any
 * time, before or after the work of other streams. So a byte is unknown if two pieces of work write
 * to it, and so is the result of a copy while other work writes to its source. Work is identified
 * by its addresses, which may later belong to other memory.
 */
#include "tests/fuzz/calls.h"

static bool overlaps(uint64_t a, size_t a_bytes, uint64_t b, size_t b_bytes)
{
    return a && b && a < b + b_bytes && b < a + a_bytes;
}

static bool is_elsewhere(const struct calls_work *work, uint64_t stream)
{
    return !stream || work->stream != stream;
}

static void lose(struct calls *calls, uint64_t start, size_t bytes)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *memory = &calls->objects[CALLS_MEMORY][i];

        for (size_t at = 0; memory->state == CALLS_LIVE && at < CALLS_SHADOW; at++) {
            if (overlaps(memory->handle + at, 1, start, bytes))
                memory->is_known[at] = false;
        }
    }
}

/*
 * Work writes to memory: copies that read there on other streams have unknown results, and so has
 * everything that is made from those.
 */
static void spoil(struct calls *calls, uint64_t stream, uint64_t start, size_t bytes)
{
    bool is_lost[CALLS_STEPS] = {false};

    for (unsigned i = 0; i < calls->works; i++) {
        const struct calls_work *work = &calls->work[i];

        is_lost[i] = is_elsewhere(work, stream) && overlaps(work->from, work->bytes, start, bytes);
        for (unsigned before = 0; before < i && !is_lost[i]; before++) {
            is_lost[i] =
                is_lost[before] && overlaps(work->from, work->bytes, calls->work[before].to,
                                            calls->work[before].bytes);
        }
        if (is_lost[i])
            lose(calls, work->to, work->bytes);
    }
}

static uint64_t order_of(const struct calls *calls, const struct calls_object *stream)
{
    return calls->captures || !stream ? 0 : stream->handle;
}

void calls_queue(struct calls *calls, const struct calls_object *stream, uint64_t from, uint64_t to,
                 size_t bytes)
{
    const uint64_t order = order_of(calls, stream);

    if (bytes == 0)
        return;
    CLAIM(calls->works < CALLS_STEPS);
    spoil(calls, order, to, bytes);
    calls->work[calls->works++] = (struct calls_work){
        .stream = order,
        .context = calls->captures ? NULL
                   : stream        ? stream->context
                                   : calls_current(calls),
        .from = from,
        .to = to,
        .bytes = bytes,
    };
}

bool calls_is_known(const struct calls *calls, const struct calls_object *stream, uint64_t address)
{
    const uint64_t order = order_of(calls, stream);

    for (unsigned i = 0; i < calls->works; i++) {
        const struct calls_work *work = &calls->work[i];

        if (is_elsewhere(work, order) && overlaps(work->to, work->bytes, address, 1))
            return false;
    }
    return true;
}

void calls_wait_stream(struct calls *calls, uint64_t stream)
{
    unsigned left = 0;

    for (unsigned i = 0; i < calls->works; i++) {
        if (!stream || calls->work[i].stream != stream)
            calls->work[left++] = calls->work[i];
    }
    calls->works = left;
}

void calls_wait_context(struct calls *calls, const struct calls_object *context)
{
    unsigned left = 0;

    for (unsigned i = 0; i < calls->works; i++) {
        if (!context || calls->work[i].context != context)
            calls->work[left++] = calls->work[i];
    }
    calls->works = left;
}

void calls_drop_work(struct calls *calls, const struct calls_object *context)
{
    for (unsigned i = 0; i < calls->works; i++) {
        if (calls->work[i].context == context)
            lose(calls, calls->work[i].to, calls->work[i].bytes);
    }
    calls_wait_context(calls, context);
}

/* The next owner of the memory comes after the work of a stream (0: all streams) that uses it. */
static void mark_freed(struct calls *calls, const struct calls_object *memory, uint64_t stream)
{
    for (unsigned i = 0; i < calls->works; i++) {
        struct calls_work *work = &calls->work[i];

        if (!work->context || (stream && work->stream != stream))
            continue;
        work->is_from_freed |= overlaps(work->from, work->bytes, memory->handle, memory->bytes);
        work->is_to_freed |= overlaps(work->to, work->bytes, memory->handle, memory->bytes);
    }
}

void calls_take_memory(struct calls *calls, const struct calls_object *memory,
                       const struct calls_object *stream)
{
    for (unsigned i = 0; i < calls->works; i++) {
        struct calls_work *work = &calls->work[i];

        if (!is_elsewhere(work, stream ? stream->handle : 0))
            continue;
        if (work->is_from_freed && overlaps(work->from, work->bytes, memory->handle, memory->bytes))
            work->from = 0;
        if (work->is_to_freed && overlaps(work->to, work->bytes, memory->handle, memory->bytes))
            work->to = 0;
    }
}

void calls_free_memory(struct calls *calls, const struct calls_object *memory)
{
    if (memory->is_pooled) {
        mark_freed(calls, memory, 0);
        return;
    }
    calls_wait_context(calls, memory->context);
    spoil(calls, 0, memory->handle, memory->bytes);
}

void calls_free_memory_async(struct calls *calls, const struct calls_object *memory,
                             const struct calls_object *stream)
{
    calls_queue(calls, stream, 0, memory->handle, memory->bytes);
    if (order_of(calls, stream))
        mark_freed(calls, memory, order_of(calls, stream));
}

void calls_lose_memory(struct calls *calls, const struct calls_object *memory)
{
    spoil(calls, 0, memory->handle, memory->bytes);
}
