/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector itself: what is submitted, and what the host has seen to be finished, which comes
 * before whatever is submitted later. history.c compares accesses, report.c reports the races.
 */
#include <stdlib.h>
#include <string.h>

#include "src/race/internal.h"

enum { FIRST_ROOM = 16 };

struct race_detector *cushim__race_detectors[RACE_USERS];
_Thread_local enum race_user cushim__race_user;

bool cushim__race_create(const struct race_callbacks *callbacks)
{
    cushim__race_detector = calloc(1, sizeof *cushim__race_detector);
    if (!cushim__race_detector)
        return false;
    cushim__race_detector->ask = *callbacks;
    return cushim__race_histories_create() && cushim__race_report_create();
}

void cushim__race_destroy(void)
{
    if (!cushim__race_detector)
        return;
    cushim__race_timelines_clear();
    cushim__race_histories_clear();
    cushim__race_report_clear();
    cushim__race_clock_release(cushim__race_detector->host);
    free(cushim__race_detector->awaiting);
    free(cushim__race_detector);
    cushim__race_detector = NULL;
}

void cushim__race_disable(void)
{
    if (!cushim__race_detector->is_disabled)
        cushim__race_detector->ask.log("races: memory has run out; no more are looked for");
    cushim__race_detector->is_disabled = true;
}

bool cushim__race_submit(struct race_access *access, struct race_stream *stream, uint64_t number,
                         const char *kind, const char *call, bool waits)
{
    struct race_detector *detector = cushim__race_detector;
    const bool in_graph = detector && detector->launch > 0;

    if (!detector)
        return false;
    detector->submitted = number;
    if (detector->is_disabled)
        return false;
    *access = (struct race_access){
        .number = number,
        .stream = in_graph ? detector->launch_stream : stream->id,
        .launch = detector->launch,
        .on_default = in_graph ? detector->launch_on_default : stream->is_default,
        .kind = kind,
        .call = call,
    };
    memcpy(access->stream_name, in_graph ? detector->launch_stream_name : stream->name,
           sizeof access->stream_name);
    if (!cushim__race_timeline_add(stream, waits, access)) {
        cushim__race_disable();
        return false;
    }
    return true;
}

void cushim__race_submitted(const struct race_access *access)
{
    cushim__race_access_keep(access);
}

void cushim__race_launch_begin(const struct race_stream *stream)
{
    struct race_detector *detector = cushim__race_detector;

    if (!detector)
        return;
    detector->launch = ++detector->launches;
    detector->launch_stream = stream->id;
    memcpy(detector->launch_stream_name, stream->name, sizeof stream->name);
    detector->launch_on_default = stream->is_default;
}

void cushim__race_launch_end(void)
{
    if (cushim__race_detector)
        cushim__race_detector->launch = 0;
}

/*
 * Waits for values in memory. The value may be written after anything that is submitted until then,
 * so everything is taken to come before what follows such a wait.
 */

/* Whether an operation up to this number still waits for a value. */
static bool is_awaiting(uint64_t number)
{
    const struct race_detector *detector = cushim__race_detector;

    for (size_t i = 0; i < detector->awaiting_count; i++) {
        if (detector->awaiting[i] <= number)
            return true;
    }
    return false;
}

static bool add_awaiting(uint64_t number)
{
    struct race_detector *detector = cushim__race_detector;

    if (detector->awaiting_count >= detector->awaiting_room) {
        const size_t room = detector->awaiting_room > 0 ? detector->awaiting_room * 2 : FIRST_ROOM;
        uint64_t *awaiting = realloc(detector->awaiting, room * sizeof *awaiting);

        if (!awaiting)
            return false;
        detector->awaiting = awaiting;
        detector->awaiting_room = room;
    }
    detector->awaiting[detector->awaiting_count++] = number;
    return true;
}

/*
 * If the waits that a clock contains have ended, raise the clock to all that was submitted until
 * then. Returns false if memory runs out.
 */
static bool close(struct race_clock **clock)
{
    if (!*clock || (*clock)->open == 0 || is_awaiting((*clock)->open))
        return true;
    return cushim__race_clock_raise(clock, cushim__race_detector->released, 0);
}

bool cushim__race_follow_values(struct race_clock **before, uint64_t number, bool waits)
{
    if (waits)
        return add_awaiting(number) && cushim__race_clock_raise(before, number - 1, number);
    if (!close(before))
        return false;
    return !*before || (*before)->open == 0 ||
           cushim__race_clock_raise(before, number - 1, (*before)->open);
}

void cushim__race_released(uint64_t number)
{
    struct race_detector *detector = cushim__race_detector;

    if (!detector || number == 0)
        return;
    for (size_t i = 0; i < detector->awaiting_count; i++) {
        if (detector->awaiting[i] != number)
            continue;
        detector->awaiting[i] = detector->awaiting[--detector->awaiting_count];
        detector->released = detector->submitted;
        return;
    }
}

/* The host's clock has changed. Raise it to where it has seen the operations of all timelines. */
static bool update_floor(struct race_detector *detector)
{
    uint64_t floor = detector->submitted;

    for (uint32_t i = 1; i < detector->timeline_count; i++) {
        struct race_timeline *timeline = cushim__race_timeline_at(i);
        const uint64_t seen = cushim__race_clock_of(detector->host, i);

        if (seen > timeline->seen)
            timeline->seen = seen;
        if (!cushim__race_timeline_is_seen(timeline) && floor > timeline->seen)
            floor = timeline->seen;
    }
    return cushim__race_clock_raise(&detector->host, floor,
                                    detector->host ? detector->host->open : 0);
}

/* `clock` is borrowed. */
static void see(struct race_clock *clock)
{
    struct race_detector *detector = cushim__race_detector;

    if (cushim__race_clock_covers(detector->host, clock))
        return;
    detector->host_version++;
    if (!cushim__race_clock_join(&detector->host, clock) || !close(&detector->host) ||
        !update_floor(detector))
        cushim__race_disable();
}

void cushim__race_saw(struct race_clock *clock, bool finished)
{
    if (cushim__race_detector && finished)
        see(clock);
    cushim__race_clock_release(clock);
}

void cushim__race_saw_operation(uint64_t number, uint32_t timeline, struct race_clock *before)
{
    struct race_clock *clock;

    if (!cushim__race_detector || timeline == 0)
        return;
    clock = cushim__race_clock_retain(before);
    if (cushim__race_clock_advance(&clock, timeline, number))
        see(clock);
    else
        cushim__race_disable();
    cushim__race_clock_release(clock);
}

struct race_clock *cushim__race_everything(void)
{
    struct race_clock *clock = NULL;

    if (!cushim__race_clock_raise(&clock, cushim__race_detector->submitted, 0))
        cushim__race_disable();
    return clock;
}

void cushim__race_saw_all(void)
{
    if (cushim__race_detector)
        cushim__race_saw(cushim__race_everything(), true);
}
