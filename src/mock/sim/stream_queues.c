/* SPDX-License-Identifier: Apache-2.0 */
/* Streams wait in two kinds of queues: first-in, first-out for a resource, and a heap by time. */
#include <stdlib.h>

#include "src/mock/sim/internal.h"

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
