/* SPDX-License-Identifier: Apache-2.0 */
#include "src/race/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/context.h"
#include "src/mock/sim/stream.h"

enum { FIRST_ROOM = 16 };

/* The same also of what it waits for. */
static bool is_settled(const struct race_timeline *strand)
{
    return cushim__race_timeline_is_seen(strand) &&
           cushim__race_clock_covers(cushim__race_search()->host, strand->before);
}

/*
 * Whether a strand may go on as that of a stream of which this clock is the beginning. Who waits
 * for the old stream through its context has to wait for the new one in the same way.
 */
static bool can_take(uint32_t index, const struct mock_stream *stream,
                     const struct race_clock *before)
{
    const struct race_timeline *strand = cushim__race_timeline_at(index);

    if (!strand->gone)
        return false;
    return is_settled(strand) || (strand->context == stream->object.context &&
                                  strand->blocks == cushim__mock_stream_blocks(stream) &&
                                  cushim__race_clock_of(before, index) >= strand->last &&
                                  cushim__race_clock_covers(before, strand->before));
}

/* One more place. 0: out of memory. */
static uint32_t grow(struct race_search *races)
{
    if (races->strand_count >= races->strand_room) {
        const uint32_t room = races->strand_room > 0 ? races->strand_room * 2 : FIRST_ROOM;
        struct race_timeline *strands = realloc(races->strands, room * sizeof *strands);

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
static bool begin(struct mock_stream *stream, struct race_clock *before)
{
    struct race_search *races = cushim__race_search();
    uint32_t index = 1;
    struct race_timeline *strand;

    while (index < races->strand_count && !can_take(index, stream, before))
        index++;
    if (index >= races->strand_count)
        index = grow(races);
    if (index == 0) {
        cushim__race_clock_release(before);
        return false;
    }
    strand = cushim__race_timeline_at(index);
    cushim__race_clock_release(strand->before);
    strand->before = before;
    strand->context = stream->object.context;
    strand->blocks = cushim__mock_stream_blocks(stream);
    strand->gone = false;
    strand->told = races->host_version;
    stream->strand = index;
    return true;
}

/* Besides what the stream's next operation comes after already, it comes after this. */
static bool follow(struct mock_stream *stream, struct race_clock *more)
{
    struct race_search *races = cushim__race_search();
    struct race_timeline *strand;

    if (stream->strand == 0) {
        struct race_clock *before = cushim__race_clock_retain(races->host);

        if (cushim__race_clock_join(&before, more))
            return begin(stream, before);
        cushim__race_clock_release(before);
        return false;
    }
    strand = cushim__race_timeline_at(stream->strand);
    if (strand->told != races->host_version &&
        !cushim__race_clock_join(&strand->before, races->host))
        return false;
    strand->told = races->host_version;
    return cushim__race_clock_join(&strand->before, more);
}

/* What a strand has come to, on top of a clock. */
static bool join_strand(struct race_clock **clock, uint32_t index)
{
    const struct race_timeline *strand = cushim__race_timeline_at(index);

    return cushim__race_clock_join(clock, strand->before) &&
           cushim__race_clock_advance(clock, index, strand->last);
}

/* All strands of a context, or those that the legacy default stream waits for. */
static bool join_context(struct race_clock **clock, const struct mock_context *context,
                         bool blocking_only)
{
    const struct race_search *races = cushim__race_search();
    bool joined = true;

    for (uint32_t i = 1; joined && i < races->strand_count; i++) {
        const struct race_timeline *strand = cushim__race_timeline_at(i);

        if (strand->context == context && !is_settled(strand) && (strand->blocks || !blocking_only))
            joined = join_strand(clock, i);
    }
    return joined;
}

/* The legacy default stream and those that block it come after each other. */
static bool follow_default(struct mock_stream *stream)
{
    const struct mock_context *context = stream->object.context;
    struct race_clock **before = &cushim__race_timeline_at(stream->strand)->before;

    if (!cushim__mock_stream_blocks(stream))
        return true;
    if (stream->kind == MOCK_LEGACY)
        return join_context(before, context, true);
    return !context->legacy || context->legacy->strand == 0 ||
           join_strand(before, context->legacy->strand);
}

bool cushim__race_timeline_add(struct mock_stream *stream, uint64_t number, bool waits,
                               struct race_access *mark)
{
    struct race_timeline *strand;

    if (!follow(stream, NULL) || !follow_default(stream))
        return false;
    strand = cushim__race_timeline_at(stream->strand);
    if (!cushim__race_value_follow(&strand->before, number, waits))
        return false;
    strand->last = number;
    mark->strand = stream->strand;
    mark->before = cushim__race_clock_retain(strand->before);
    return true;
}

void cushim__race_timelines_clear(void)
{
    struct race_search *races = cushim__race_search();

    for (uint32_t i = 0; i < races->strand_count; i++)
        cushim__race_clock_release(races->strands[i].before);
    cushim__race_clock_release(races->host);
    free(races->strands);
    free(races->awaiting);
}

void cushim__race_stream_gone(struct mock_stream *stream)
{
    if (!cushim__race_search() || stream->strand == 0)
        return;
    cushim__race_timeline_at(stream->strand)->gone = true;
    stream->strand = 0;
}

/* What a context has come to, or its strands that block. */
static struct race_clock *clock_of(const struct mock_context *context, bool blocking_only)
{
    struct race_clock *clock = NULL;

    if (!join_context(&clock, context, blocking_only))
        cushim__race_go_blind();
    return clock;
}

struct race_clock *cushim__race_last(const struct mock_stream *stream)
{
    struct race_clock *clock = NULL;

    if (cushim__race_search() && stream->strand > 0 && !join_strand(&clock, stream->strand))
        cushim__race_go_blind();
    return clock;
}

struct race_clock *cushim__race_stream(const struct mock_stream *stream)
{
    if (!cushim__race_search())
        return NULL;
    return stream->kind == MOCK_LEGACY ? clock_of(stream->object.context, true)
                                       : cushim__race_last(stream);
}

struct race_clock *cushim__race_context(const struct mock_context *context)
{
    return cushim__race_search() ? clock_of(context, false) : NULL;
}

void cushim__race_wait(struct mock_stream *stream, struct race_clock *clock)
{
    if (cushim__race_search() && clock && !(follow(stream, clock) && follow_default(stream)))
        cushim__race_go_blind();
}

void cushim__race_wait_all(struct mock_stream *stream)
{
    struct race_clock *clock;

    if (!cushim__race_search())
        return;
    clock = cushim__race_everything();
    cushim__race_wait(stream, clock);
    cushim__race_clock_release(clock);
}
