/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/races/strand.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/calls/context/context.h"
#include "src/mock/engine/engine.h"
#include "src/mock/engine/stream.h"

enum { FIRST_ROOM = 16 };

static struct cushim__strand *strand_at(uint32_t index)
{
    return &cushim__races()->strands[index];
}

static bool is_seen(const struct cushim__strand *strand)
{
    return strand->last <= strand->seen;
}

/* The same also of what it waits for. */
static bool is_settled(const struct cushim__strand *strand)
{
    return is_seen(strand) && cushim__clock_covers(cushim__races()->host, strand->before);
}

/*
 * Whether a strand may go on as that of a stream of which this clock is the beginning. Who waits
 * for the old stream through its context has to wait for the new one in the same way.
 */
static bool can_take(uint32_t index, const struct cushim__stream *stream,
                     const struct cushim__clock *before)
{
    const struct cushim__strand *strand = strand_at(index);

    if (!strand->gone)
        return false;
    return is_settled(strand) || (strand->context == stream->object.context &&
                                  strand->blocks == cushim__stream_blocks(stream) &&
                                  cushim__clock_of(before, index) >= strand->last &&
                                  cushim__clock_covers(before, strand->before));
}

/* One more place. 0: out of memory. */
static uint32_t grow(struct cushim__races *races)
{
    if (races->strand_count >= races->strand_room) {
        const uint32_t room = races->strand_room > 0 ? races->strand_room * 2 : FIRST_ROOM;
        struct cushim__strand *strands = realloc(races->strands, room * sizeof *strands);

        if (!strands)
            return 0;
        memset(strands + races->strand_room, 0, (room - races->strand_room) * sizeof *strands);
        races->strands = strands;
        races->strand_room = room;
        if (races->strand_count == 0)
            races->strand_count = 1; /* the first is none */
    }
    return races->strand_count++;
}

/* The strand of a stream that has none yet; `before` is taken over. False: out of memory. */
static bool begin(struct cushim__stream *stream, struct cushim__clock *before)
{
    struct cushim__races *races = cushim__races();
    uint32_t index = 1;
    struct cushim__strand *strand;

    while (index < races->strand_count && !can_take(index, stream, before))
        index++;
    if (index >= races->strand_count)
        index = grow(races);
    if (index == 0) {
        cushim__clock_release(before);
        return false;
    }
    strand = strand_at(index);
    cushim__clock_release(strand->before);
    strand->before = before;
    strand->context = stream->object.context;
    strand->blocks = cushim__stream_blocks(stream);
    strand->gone = false;
    strand->told = races->host_version;
    stream->strand = index;
    return true;
}

/* Besides what the stream's next operation comes after already, it comes after this. */
static bool follow(struct cushim__stream *stream, struct cushim__clock *more)
{
    struct cushim__races *races = cushim__races();
    struct cushim__strand *strand;

    if (stream->strand == 0) {
        struct cushim__clock *before = cushim__clock_retain(races->host);

        if (cushim__clock_join(&before, more))
            return begin(stream, before);
        cushim__clock_release(before);
        return false;
    }
    strand = strand_at(stream->strand);
    if (strand->told != races->host_version && !cushim__clock_join(&strand->before, races->host))
        return false;
    strand->told = races->host_version;
    return cushim__clock_join(&strand->before, more);
}

/* What a strand has come to, on top of a clock. */
static bool join_strand(struct cushim__clock **clock, uint32_t index)
{
    const struct cushim__strand *strand = strand_at(index);

    return cushim__clock_join(clock, strand->before) &&
           cushim__clock_advance(clock, index, strand->last);
}

/* All strands of a context, or those that the legacy default stream waits for. */
static bool join_context(struct cushim__clock **clock, const struct cushim__context *context,
                         bool blocking_only)
{
    const struct cushim__races *races = cushim__races();
    bool joined = true;

    for (uint32_t i = 1; joined && i < races->strand_count; i++) {
        const struct cushim__strand *strand = strand_at(i);

        if (strand->context == context && !is_settled(strand) && (strand->blocks || !blocking_only))
            joined = join_strand(clock, i);
    }
    return joined;
}

/* The legacy default stream and those that block it come after each other. */
static bool follow_default(struct cushim__stream *stream)
{
    const struct cushim__context *context = stream->object.context;
    struct cushim__clock **before = &strand_at(stream->strand)->before;

    if (!cushim__stream_blocks(stream))
        return true;
    if (stream->kind == CUSHIM__LEGACY)
        return join_context(before, context, true);
    return !context->legacy || context->legacy->strand == 0 ||
           join_strand(before, context->legacy->strand);
}

/* Whether an operation still waits for a value that was submitted up to a number. */
static bool is_awaiting(uint64_t number)
{
    const struct cushim__races *races = cushim__races();

    for (size_t i = 0; i < races->awaiting_count; i++) {
        if (races->awaiting[i] <= number)
            return true;
    }
    return false;
}

static bool add_awaiting(uint64_t number)
{
    struct cushim__races *races = cushim__races();

    if (races->awaiting_count >= races->awaiting_room) {
        const size_t room = races->awaiting_room > 0 ? races->awaiting_room * 2 : FIRST_ROOM;
        uint64_t *awaiting = realloc(races->awaiting, room * sizeof *awaiting);

        if (!awaiting)
            return false;
        races->awaiting = awaiting;
        races->awaiting_room = room;
    }
    races->awaiting[races->awaiting_count++] = number;
    return true;
}

/* What is behind waits that have ended: all that was submitted until then. */
static bool close_clock(struct cushim__clock **clock)
{
    if (!*clock || (*clock)->open == 0 || is_awaiting((*clock)->open))
        return true;
    return cushim__clock_raise(clock, cushim__races()->released, 0);
}

/*
 * Whoever writes the value may do so after anything that is submitted until then, so behind the wait
 * everything is taken to come before.
 */
static bool follow_values(struct cushim__strand *strand, uint64_t number, bool waits)
{
    if (waits)
        return add_awaiting(number) && cushim__clock_raise(&strand->before, number - 1, number);
    if (!close_clock(&strand->before))
        return false;
    return !strand->before || strand->before->open == 0 ||
           cushim__clock_raise(&strand->before, number - 1, strand->before->open);
}

bool cushim__strand_add(struct cushim__stream *stream, uint64_t number, bool waits,
                        struct cushim__mark *mark)
{
    struct cushim__strand *strand;

    if (!follow(stream, NULL) || !follow_default(stream))
        return false;
    strand = strand_at(stream->strand);
    if (!follow_values(strand, number, waits))
        return false;
    if (is_seen(strand))
        strand->first = number;
    strand->last = number;
    mark->strand = stream->strand;
    mark->before = cushim__clock_retain(strand->before);
    return true;
}

void cushim__strands_clear(void)
{
    struct cushim__races *races = cushim__races();

    for (uint32_t i = 0; i < races->strand_count; i++)
        cushim__clock_release(races->strands[i].before);
    cushim__clock_release(races->host);
    free(races->strands);
    free(races->awaiting);
}

void cushim__races_stream_gone(struct cushim__stream *stream)
{
    if (!cushim__races() || stream->strand == 0)
        return;
    strand_at(stream->strand)->gone = true;
    stream->strand = 0;
}

/* What a context has come to, or its strands that block. */
static struct cushim__clock *clock_of(const struct cushim__context *context, bool blocking_only)
{
    struct cushim__clock *clock = NULL;

    if (!join_context(&clock, context, blocking_only))
        cushim__races_go_blind();
    return clock;
}

struct cushim__clock *cushim__races_last(const struct cushim__stream *stream)
{
    struct cushim__clock *clock = NULL;

    if (cushim__races() && stream->strand > 0 && !join_strand(&clock, stream->strand))
        cushim__races_go_blind();
    return clock;
}

struct cushim__clock *cushim__races_stream(const struct cushim__stream *stream)
{
    if (!cushim__races())
        return NULL;
    return stream->kind == CUSHIM__LEGACY ? clock_of(stream->object.context, true)
                                          : cushim__races_last(stream);
}

struct cushim__clock *cushim__races_context(const struct cushim__context *context)
{
    return cushim__races() ? clock_of(context, false) : NULL;
}

/* The host's clock has changed: which operations it has not seen begin later now. */
static bool update_floor(struct cushim__races *races)
{
    uint64_t floor = cushim__engine_submitted();

    for (uint32_t i = 1; i < races->strand_count; i++) {
        struct cushim__strand *strand = strand_at(i);
        const uint64_t seen = cushim__clock_of(races->host, i);

        if (seen > strand->seen)
            strand->seen = seen;
        if (is_seen(strand))
            continue;
        if (strand->first <= strand->seen)
            strand->first = strand->seen + 1;
        if (floor >= strand->first)
            floor = strand->first - 1;
    }
    return cushim__clock_raise(&races->host, floor, races->host ? races->host->open : 0);
}

/* `clock` is borrowed. */
static void see(struct cushim__clock *clock)
{
    struct cushim__races *races = cushim__races();

    if (cushim__clock_covers(races->host, clock))
        return;
    races->host_version++;
    if (!cushim__clock_join(&races->host, clock) || !close_clock(&races->host) ||
        !update_floor(races))
        cushim__races_go_blind();
}

void cushim__races_saw(struct cushim__clock *clock, bool finished)
{
    if (cushim__races() && finished)
        see(clock);
    cushim__clock_release(clock);
}

void cushim__races_saw_operation(const struct cushim__operation *operation)
{
    struct cushim__clock *clock;

    if (!cushim__races() || operation->strand == 0)
        return;
    clock = cushim__clock_retain(operation->before);
    if (cushim__clock_advance(&clock, operation->strand, operation->number))
        see(clock);
    else
        cushim__races_go_blind();
    cushim__clock_release(clock);
}

/* The clock of all that is submitted so far. */
static struct cushim__clock *everything(void)
{
    struct cushim__clock *clock = NULL;

    if (!cushim__clock_raise(&clock, cushim__engine_submitted(), 0))
        cushim__races_go_blind();
    return clock;
}

void cushim__races_saw_all(void)
{
    if (cushim__races())
        cushim__races_saw(everything(), true);
}

void cushim__races_wait(struct cushim__stream *stream, struct cushim__clock *clock)
{
    if (cushim__races() && clock && !(follow(stream, clock) && follow_default(stream)))
        cushim__races_go_blind();
}

void cushim__races_wait_all(struct cushim__stream *stream)
{
    struct cushim__clock *clock;

    if (!cushim__races())
        return;
    clock = everything();
    cushim__races_wait(stream, clock);
    cushim__clock_release(clock);
}

void cushim__races_released(const struct cushim__operation *operation)
{
    struct cushim__races *races = cushim__races();

    if (!races || operation->number == 0)
        return;
    for (size_t i = 0; i < races->awaiting_count; i++) {
        if (races->awaiting[i] != operation->number)
            continue;
        races->awaiting[i] = races->awaiting[--races->awaiting_count];
        races->released = cushim__engine_submitted();
        return;
    }
}
