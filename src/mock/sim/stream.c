/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how they join and leave a group, when they are freed, and what queues they wait in. */
#include <stdlib.h>

#include "src/mock/sim/internal.h"

void cushim__mock_group_begin(struct mock_stream_group *group, unsigned device)
{
    struct mock_sim *sim = cushim__mock_sim();

    group->device = device;
    group->previous = sim->last_group;
    *(sim->last_group ? &sim->last_group->next : &sim->groups) = group;
    sim->last_group = group;
}

/* The mock destroys the simulator before the contexts, so it may be gone here. */
void cushim__mock_group_end(struct mock_stream_group *group)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!sim)
        return;
    *(group->previous ? &group->previous->next : &sim->groups) = group->next;
    *(group->next ? &group->next->previous : &sim->last_group) = group->previous;
}

void cushim__mock_group_add(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;

    stream->race = (struct race_stream){
        .group = &group->race,
        .id = stream->id,
        .is_default = stream->kind == MOCK_LEGACY,
        .blocks = cushim__mock_stream_blocks(stream),
    };
    stream->previous = group->last_stream;
    *(group->last_stream ? &group->last_stream->next : &group->streams) = stream;
    group->last_stream = stream;
    stream->linked = true;
}

void cushim__mock_group_remove(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;

    if (!stream->linked)
        return;
    *(stream->previous ? &stream->previous->next : &group->streams) = stream->next;
    *(stream->next ? &stream->next->previous : &group->last_stream) = stream->previous;
    if (group->awaited == stream)
        group->awaited = stream->next;
    stream->next = stream->previous = NULL;
    stream->linked = false;
}

bool cushim__mock_stream_blocks(const struct mock_stream *stream)
{
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

void cushim__mock_stream_free(struct mock_stream *stream)
{
    if (stream->retain_count > 0 || stream->runnable)
        return;
    cushim__mock_group_remove(stream);
    free(stream);
}

void cushim__mock_stream_retain(struct mock_stream *stream)
{
    stream->retain_count++;
}

void cushim__mock_stream_release(struct mock_stream *stream)
{
    stream->retain_count--;
    if (stream->destroyed && !stream->head)
        cushim__mock_stream_free(stream);
}

void cushim__mock_stream_end(struct mock_stream *stream)
{
    stream->destroyed = true;
    cushim__race_stream_gone(&stream->race);
    if (!stream->head)
        cushim__mock_stream_free(stream);
}

/* Queued work is dropped after a sticky error, and when its stream or context ends. */

/* Take a stream out of what its head waits in. Returns false if a helper executes the head. */
static bool detach(struct mock_stream *stream)
{
    switch (stream->state) {
    case MOCK_RUNNING:
        cushim__mock_heap_remove(stream);
        break;
    case MOCK_POLLED:
        cushim__mock_queue_remove(&cushim__mock_sim()->polled, stream);
        break;
    case MOCK_ON_HOST:
        if (cushim__mock_helper_executes(stream))
            return false;
        cushim__mock_helper_forget(stream);
        break;
    default:
        break;
    }
    if (stream->head)
        cushim__mock_lane_leave(stream);
    stream->ordered = false;
    stream->state = MOCK_IDLE;
    return true;
}

/*
 * Drop queued work, except the head if the helper thread executes it, and, unless `all`, operations
 * that are executed in spite of an error.
 */
static void drop(struct mock_stream *stream, bool all)
{
    struct mock_sim *sim = cushim__mock_sim();
    bool busy = stream->head && !detach(stream);
    struct mock_operation *operation = busy ? stream->head->next : stream->head;
    struct mock_operation **link = busy ? &stream->head->next : &stream->head;

    if (!stream->head)
        return;
    stream->tail = busy ? stream->head : NULL;
    *link = NULL;
    stream->forced_last = NULL;
    while (operation) {
        struct mock_operation *next = operation->next;

        if (!all && operation->class->always) {
            *link = operation;
            link = &operation->next;
            *link = NULL;
            stream->tail = operation;
        } else {
            stream->pending--;
            sim->pending--;
            sim->pending_for_executor -= operation->needs_executor;
            cushim__mock_operation_destroy(operation);
        }
        operation = next;
    }
    if (!stream->head)
        sim->active--;
    else if (!busy)
        cushim__mock_run_make_runnable(stream);
}

void cushim__mock_sim_set_sticky_error(CUresult code)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (cushim__mock->sticky_error)
        return;
    cushim__mock->sticky_error = code;
    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (struct mock_stream *one = group->streams; one; one = one->next)
            drop(one, false);
    }
    cushim__mock_run_start();
    cushim__condition_broadcast(&sim->changed);
}

void cushim__mock_sim_forget(struct mock_stream *stream)
{
    stream->retain_count++; /* its context frees it, so the end of its work must not */
    drop(stream, true);
    while (stream->head)
        cushim__mock_wait_for_change();
    stream->retain_count--;
}

void cushim__mock_sim_forget_group(struct mock_stream_group *group)
{
    for (struct mock_stream *one = group->streams; one; one = one->next)
        cushim__mock_sim_forget(one);
    cushim__mock_run_start();
    cushim__mock_executor_wake();
}

/* Streams wait in two kinds of queues: first-in, first-out for a resource, and a heap by time. */

void cushim__mock_queue_add(struct mock_queue *queue, struct mock_stream *stream)
{
    stream->next_waiting = NULL;
    if (queue->last)
        queue->last->next_waiting = stream;
    else
        queue->first = stream;
    queue->last = stream;
}

struct mock_stream *cushim__mock_queue_take(struct mock_queue *queue)
{
    struct mock_stream *stream = queue->first;

    if (stream)
        cushim__mock_queue_remove(queue, stream);
    return stream;
}

void cushim__mock_queue_remove(struct mock_queue *queue, struct mock_stream *stream)
{
    struct mock_stream **link = &queue->first, *previous = NULL;

    while (*link && *link != stream) {
        previous = *link;
        link = &previous->next_waiting;
    }
    if (!*link)
        return;
    *link = stream->next_waiting;
    if (queue->last == stream)
        queue->last = previous;
    stream->next_waiting = NULL;
}

/* The binary heap orders streams by the time at which they are due, then by submission. */

static bool before(const struct mock_stream *one, const struct mock_stream *other)
{
    if (one->due_ns != other->due_ns)
        return one->due_ns < other->due_ns;
    return one->head->number < other->head->number;
}

static void put(size_t place, struct mock_stream *stream)
{
    cushim__mock_sim()->heap[place] = stream;
    stream->heap_place = place;
}

static void rise(size_t place)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream *stream = sim->heap[place];

    while (place > 0 && before(stream, sim->heap[(place - 1) / 2])) {
        put(place, sim->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, stream);
}

static void sink(size_t place)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream *stream = sim->heap[place];

    for (;;) {
        size_t child = 2 * place + 1;

        if (child >= sim->heap_size)
            break;
        if (child + 1 < sim->heap_size && before(sim->heap[child + 1], sim->heap[child]))
            child++;
        if (!before(sim->heap[child], stream))
            break;
        put(place, sim->heap[child]);
        place = child;
    }
    put(place, stream);
}

bool cushim__mock_heap_reserve(size_t room)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream **heap;
    size_t larger = sim->heap_room ? sim->heap_room : 32;

    if (room <= sim->heap_room)
        return true;
    while (larger < room)
        larger *= 2;
    heap = realloc(sim->heap, larger * sizeof *heap);
    if (!heap)
        return false;
    sim->heap = heap;
    sim->heap_room = larger;
    return true;
}

void cushim__mock_heap_push(struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();

    put(sim->heap_size++, stream);
    rise(stream->heap_place);
}

void cushim__mock_heap_moved(struct mock_stream *stream)
{
    rise(stream->heap_place);
    sink(stream->heap_place);
}

void cushim__mock_heap_remove(struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();
    size_t place = stream->heap_place;
    struct mock_stream *last = sim->heap[--sim->heap_size];

    if (last != stream) {
        put(place, last);
        cushim__mock_heap_moved(last);
    }
}

struct mock_stream *cushim__mock_heap_first(void)
{
    return cushim__mock_sim()->heap_size > 0 ? cushim__mock_sim()->heap[0] : NULL;
}
