/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary heap of streams by when they are due. Ties go to the operation that was submitted first.
 */
#include <stdlib.h>

#include "src/mock/sim/internal.h"

static bool before(const struct cushim__stream *one, const struct cushim__stream *other)
{
    if (one->due_ns != other->due_ns)
        return one->due_ns < other->due_ns;
    return one->head->number < other->head->number;
}

static void put(size_t place, struct cushim__stream *stream)
{
    cushim__engine()->heap[place] = stream;
    stream->heap_place = place;
}

static void rise(size_t place)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *stream = engine->heap[place];

    while (place > 0 && before(stream, engine->heap[(place - 1) / 2])) {
        put(place, engine->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, stream);
}

static void sink(size_t place)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *stream = engine->heap[place];

    for (;;) {
        size_t child = 2 * place + 1;

        if (child >= engine->heap_size)
            break;
        if (child + 1 < engine->heap_size && before(engine->heap[child + 1], engine->heap[child]))
            child++;
        if (!before(engine->heap[child], stream))
            break;
        put(place, engine->heap[child]);
        place = child;
    }
    put(place, stream);
}

bool cushim__heap_reserve(size_t room)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream **heap;
    size_t larger = engine->heap_room ? engine->heap_room : 32;

    if (room <= engine->heap_room)
        return true;
    while (larger < room)
        larger *= 2;
    heap = realloc(engine->heap, larger * sizeof *heap);
    if (!heap)
        return false;
    engine->heap = heap;
    engine->heap_room = larger;
    return true;
}

void cushim__heap_push(struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();

    put(engine->heap_size++, stream);
    rise(stream->heap_place);
}

void cushim__heap_moved(struct cushim__stream *stream)
{
    rise(stream->heap_place);
    sink(stream->heap_place);
}

void cushim__heap_remove(struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();
    size_t place = stream->heap_place;
    struct cushim__stream *last = engine->heap[--engine->heap_size];

    if (last != stream) {
        put(place, last);
        cushim__heap_moved(last);
    }
}

struct cushim__stream *cushim__heap_first(void)
{
    return cushim__engine()->heap_size > 0 ? cushim__engine()->heap[0] : NULL;
}
