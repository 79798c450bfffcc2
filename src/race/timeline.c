/* SPDX-License-Identifier: Apache-2.0 */
#include "src/race/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/context.h"
#include "src/mock/sim/stream.h"

enum { FIRST_ROOM = 16 };

/* The same also of what it waits for. */
static bool is_settled(const struct cushim__strand *strand)
{
    return cushim__strand_is_seen(strand) &&
           cushim__clock_covers(cushim__races()->host, strand->before);
}

/*
 * Whether a strand may go on as that of a stream of which this clock is the beginning. Who waits
 * for the old stream through its context has to wait for the new one in the same way.
 */
static bool can_take(uint32_t index, const struct cushim__stream *stream,
                     const struct cushim__clock *before)
{
    const struct cushim__strand *strand = cushim__strand_at(index);

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
    strand = cushim__strand_at(index);
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
    strand = cushim__strand_at(stream->strand);
    if (strand->told != races->host_version && !cushim__clock_join(&strand->before, races->host))
        return false;
    strand->told = races->host_version;
    return cushim__clock_join(&strand->before, more);
}

/* What a strand has come to, on top of a clock. */
static bool join_strand(struct cushim__clock **clock, uint32_t index)
{
    const struct cushim__strand *strand = cushim__strand_at(index);

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
        const struct cushim__strand *strand = cushim__strand_at(i);

        if (strand->context == context && !is_settled(strand) && (strand->blocks || !blocking_only))
            joined = join_strand(clock, i);
    }
    return joined;
}

/* The legacy default stream and those that block it come after each other. */
static bool follow_default(struct cushim__stream *stream)
{
    const struct cushim__context *context = stream->object.context;
    struct cushim__clock **before = &cushim__strand_at(stream->strand)->before;

    if (!cushim__stream_blocks(stream))
        return true;
    if (stream->kind == CUSHIM__LEGACY)
        return join_context(before, context, true);
    return !context->legacy || context->legacy->strand == 0 ||
           join_strand(before, context->legacy->strand);
}

bool cushim__strand_add(struct cushim__stream *stream, uint64_t number, bool waits,
                        struct cushim__mark *mark)
{
    struct cushim__strand *strand;

    if (!follow(stream, NULL) || !follow_default(stream))
        return false;
    strand = cushim__strand_at(stream->strand);
    if (!cushim__value_follow(&strand->before, number, waits))
        return false;
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
    cushim__strand_at(stream->strand)->gone = true;
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
    clock = cushim__races_everything();
    cushim__races_wait(stream, clock);
    cushim__clock_release(clock);
}
