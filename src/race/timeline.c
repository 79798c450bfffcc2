/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: what comes before the next operation of a stream. */
#include <stdlib.h>
#include <string.h>

#include "src/race/internal.h"

enum { FIRST_ROOM = 16 };

/* Whether the host has seen that all its operations, and what they wait for, are finished. */
static bool is_settled(const struct race_timeline *timeline)
{
    return cushim__race_timeline_is_seen(timeline) &&
           cushim__race_clock_covers(cushim__race_detector->host, timeline->before);
}

/*
 * Whether a stream that begins with the clock `before` may take over a timeline. What waits for the
 * old stream through its group has to wait for the new one in the same way.
 */
static bool can_take(uint32_t index, const struct race_stream *stream,
                     const struct race_clock *before)
{
    const struct race_timeline *timeline = cushim__race_timeline_at(index);

    if (!timeline->gone)
        return false;
    return is_settled(timeline) ||
           (timeline->group == stream->group && timeline->blocks == stream->blocks &&
            cushim__race_clock_of(before, index) >= timeline->last &&
            cushim__race_clock_covers(before, timeline->before));
}

/* Add a timeline. Returns its index, or 0 if memory runs out. */
static uint32_t grow(struct race_detector *detector)
{
    if (detector->timeline_count >= detector->timeline_room) {
        const uint32_t room =
            detector->timeline_room > 0 ? detector->timeline_room * 2 : FIRST_ROOM;
        struct race_timeline *timelines = realloc(detector->timelines, room * sizeof *timelines);

        if (!timelines)
            return 0;
        memset(timelines + detector->timeline_room, 0,
               (room - detector->timeline_room) * sizeof *timelines);
        detector->timelines = timelines;
        detector->timeline_room = room;
        if (detector->timeline_count == 0)
            detector->timeline_count = 1; /* the first is unused */
    }
    return detector->timeline_count++;
}

/* Give a timeline to a stream that has none yet. Takes over `before`. False if memory runs out. */
static bool begin(struct race_stream *stream, struct race_clock *before)
{
    struct race_detector *detector = cushim__race_detector;
    uint32_t index = 1;
    struct race_timeline *timeline;

    while (index < detector->timeline_count && !can_take(index, stream, before))
        index++;
    if (index >= detector->timeline_count)
        index = grow(detector);
    if (index == 0) {
        cushim__race_clock_release(before);
        return false;
    }
    timeline = cushim__race_timeline_at(index);
    cushim__race_clock_release(timeline->before);
    timeline->before = before;
    timeline->group = stream->group;
    timeline->blocks = stream->blocks;
    timeline->gone = false;
    timeline->version = detector->host_version;
    stream->timeline = index;
    if (stream->is_default)
        stream->group->default_timeline = index;
    return true;
}

/* From now on, the stream's next operation also comes after `more`. */
static bool follow(struct race_stream *stream, struct race_clock *more)
{
    struct race_detector *detector = cushim__race_detector;
    struct race_timeline *timeline;

    if (stream->timeline == 0) {
        struct race_clock *before = cushim__race_clock_retain(detector->host);

        if (cushim__race_clock_join(&before, more))
            return begin(stream, before);
        cushim__race_clock_release(before);
        return false;
    }
    timeline = cushim__race_timeline_at(stream->timeline);
    if (timeline->version != detector->host_version &&
        !cushim__race_clock_join(&timeline->before, detector->host))
        return false;
    timeline->version = detector->host_version;
    return cushim__race_clock_join(&timeline->before, more);
}

/* Add the operations of a timeline, and what they wait for, to a clock. */
static bool join_timeline(struct race_clock **clock, uint32_t index)
{
    const struct race_timeline *timeline = cushim__race_timeline_at(index);

    return cushim__race_clock_join(clock, timeline->before) &&
           cushim__race_clock_advance(clock, index, timeline->last);
}

/* Add all timelines of a group to a clock, or those that the legacy default stream waits for. */
static bool join_group(struct race_clock **clock, const struct race_group *group,
                       bool blocking_only)
{
    const struct race_detector *detector = cushim__race_detector;
    bool joined = true;

    for (uint32_t i = 1; joined && i < detector->timeline_count; i++) {
        const struct race_timeline *timeline = cushim__race_timeline_at(i);

        if (timeline->group == group && !is_settled(timeline) &&
            (timeline->blocks || !blocking_only))
            joined = join_timeline(clock, i);
    }
    return joined;
}

/* The legacy default stream and those that block it wait for each other. */
static bool follow_default(struct race_stream *stream)
{
    const struct race_group *group = stream->group;
    struct race_clock **before = &cushim__race_timeline_at(stream->timeline)->before;

    if (!stream->blocks)
        return true;
    if (stream->is_default)
        return join_group(before, group, true);
    return group->default_timeline == 0 || join_timeline(before, group->default_timeline);
}

bool cushim__race_timeline_add(struct race_stream *stream, bool waits, struct race_access *access)
{
    struct race_timeline *timeline;

    if (!follow(stream, NULL) || !follow_default(stream))
        return false;
    timeline = cushim__race_timeline_at(stream->timeline);
    if (!cushim__race_follow_values(&timeline->before, access->number, waits))
        return false;
    timeline->last = access->number;
    access->timeline = stream->timeline;
    access->before = cushim__race_clock_retain(timeline->before);
    return true;
}

void cushim__race_timelines_clear(void)
{
    struct race_detector *detector = cushim__race_detector;

    for (uint32_t i = 0; i < detector->timeline_count; i++)
        cushim__race_clock_release(detector->timelines[i].before);
    free(detector->timelines);
}

void cushim__race_stream_gone(struct race_stream *stream)
{
    if (!cushim__race_detector || stream->timeline == 0)
        return;
    cushim__race_timeline_at(stream->timeline)->gone = true;
    stream->timeline = 0;
    if (stream->is_default)
        stream->group->default_timeline = 0;
}

/* A clock of all timelines of a group, or of those that block. */
static struct race_clock *clock_of(const struct race_group *group, bool blocking_only)
{
    struct race_clock *clock = NULL;

    if (!join_group(&clock, group, blocking_only))
        cushim__race_disable();
    return clock;
}

struct race_clock *cushim__race_last(const struct race_stream *stream)
{
    struct race_clock *clock = NULL;

    if (cushim__race_detector && stream->timeline > 0 && !join_timeline(&clock, stream->timeline))
        cushim__race_disable();
    return clock;
}

struct race_clock *cushim__race_stream(const struct race_stream *stream)
{
    if (!cushim__race_detector)
        return NULL;
    return stream->is_default ? clock_of(stream->group, true) : cushim__race_last(stream);
}

struct race_clock *cushim__race_group(const struct race_group *group)
{
    return cushim__race_detector ? clock_of(group, false) : NULL;
}

void cushim__race_wait(struct race_stream *stream, struct race_clock *clock)
{
    if (cushim__race_detector && clock && !(follow(stream, clock) && follow_default(stream)))
        cushim__race_disable();
}

void cushim__race_wait_all(struct race_stream *stream)
{
    struct race_clock *clock;

    if (!cushim__race_detector)
        return;
    clock = cushim__race_everything();
    cushim__race_wait(stream, clock);
    cushim__race_clock_release(clock);
}
