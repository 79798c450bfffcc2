/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search itself: what is submitted, and what the host has seen to be finished, which comes
 * before whatever is submitted later.
 */
#include <stdlib.h>

#include "src/race/internal.h"

enum { FIRST_ROOM = 16 };

struct race_search *cushim__race_search;

bool cushim__race_create(const struct race_host *host)
{
    cushim__race_search = calloc(1, sizeof *cushim__race_search);
    if (!cushim__race_search)
        return false;
    cushim__race_search->ask = *host;
    return cushim__race_histories_create() && cushim__race_report_create();
}

void cushim__race_destroy(void)
{
    if (!cushim__race_search)
        return;
    cushim__race_timelines_clear();
    cushim__race_histories_clear();
    cushim__race_report_clear();
    cushim__race_clock_release(cushim__race_search->host);
    free(cushim__race_search->awaiting);
    free(cushim__race_search);
    cushim__race_search = NULL;
}

void cushim__race_go_blind(void)
{
    if (!cushim__race_search->blind)
        cushim__race_search->ask.log("races: memory has run out; no more are looked for");
    cushim__race_search->blind = true;
}

bool cushim__race_submit(struct race_access *access, struct race_stream *stream, uint64_t number,
                         const char *kind, const char *call, bool waits)
{
    struct race_search *search = cushim__race_search;
    const bool in_graph = search && search->launch > 0;

    if (!search)
        return false;
    search->submitted = number;
    if (search->blind)
        return false;
    *access = (struct race_access){
        .number = number,
        .stream = in_graph ? search->launch_stream : stream->id,
        .stream_name = in_graph ? search->launch_stream_name : stream->name,
        .launch = search->launch,
        .on_default = in_graph ? search->launch_on_default : stream->is_default,
        .kind = kind,
        .call = call,
    };
    if (!cushim__race_timeline_add(stream, waits, access)) {
        cushim__race_go_blind();
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
    struct race_search *search = cushim__race_search;

    if (!search)
        return;
    search->launch = ++search->launches;
    search->launch_stream = stream->id;
    search->launch_stream_name = stream->name;
    search->launch_on_default = stream->is_default;
}

void cushim__race_launch_end(void)
{
    if (cushim__race_search)
        cushim__race_search->launch = 0;
}

/*
 * Waits for values in memory. Whoever writes the value may do so after anything that is submitted
 * until then, so behind such a wait everything is taken to come before.
 */

/* Whether an operation still waits for a value that was submitted up to a number. */
static bool is_awaiting(uint64_t number)
{
    const struct race_search *search = cushim__race_search;

    for (size_t i = 0; i < search->awaiting_count; i++) {
        if (search->awaiting[i] <= number)
            return true;
    }
    return false;
}

static bool add_awaiting(uint64_t number)
{
    struct race_search *search = cushim__race_search;

    if (search->awaiting_count >= search->awaiting_room) {
        const size_t room = search->awaiting_room > 0 ? search->awaiting_room * 2 : FIRST_ROOM;
        uint64_t *awaiting = realloc(search->awaiting, room * sizeof *awaiting);

        if (!awaiting)
            return false;
        search->awaiting = awaiting;
        search->awaiting_room = room;
    }
    search->awaiting[search->awaiting_count++] = number;
    return true;
}

/*
 * Raise a clock where those waits have ended: to all that was submitted until then. False: out of
 * memory.
 */
static bool close(struct race_clock **clock)
{
    if (!*clock || (*clock)->open == 0 || is_awaiting((*clock)->open))
        return true;
    return cushim__race_clock_raise(clock, cushim__race_search->released, 0);
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
    struct race_search *search = cushim__race_search;

    if (!search || number == 0)
        return;
    for (size_t i = 0; i < search->awaiting_count; i++) {
        if (search->awaiting[i] != number)
            continue;
        search->awaiting[i] = search->awaiting[--search->awaiting_count];
        search->released = search->submitted;
        return;
    }
}

/* The host's clock has changed: up to where has it seen the operations of all timelines? */
static bool update_floor(struct race_search *search)
{
    uint64_t floor = search->submitted;

    for (uint32_t i = 1; i < search->timeline_count; i++) {
        struct race_timeline *timeline = cushim__race_timeline_at(i);
        const uint64_t seen = cushim__race_clock_of(search->host, i);

        if (seen > timeline->seen)
            timeline->seen = seen;
        if (!cushim__race_timeline_is_seen(timeline) && floor > timeline->seen)
            floor = timeline->seen;
    }
    return cushim__race_clock_raise(&search->host, floor, search->host ? search->host->open : 0);
}

/* `clock` is borrowed. */
static void see(struct race_clock *clock)
{
    struct race_search *search = cushim__race_search;

    if (cushim__race_clock_covers(search->host, clock))
        return;
    search->host_version++;
    if (!cushim__race_clock_join(&search->host, clock) || !close(&search->host) ||
        !update_floor(search))
        cushim__race_go_blind();
}

void cushim__race_saw(struct race_clock *clock, bool finished)
{
    if (cushim__race_search && finished)
        see(clock);
    cushim__race_clock_release(clock);
}

void cushim__race_saw_operation(uint64_t number, uint32_t timeline, struct race_clock *before)
{
    struct race_clock *clock;

    if (!cushim__race_search || timeline == 0)
        return;
    clock = cushim__race_clock_retain(before);
    if (cushim__race_clock_advance(&clock, timeline, number))
        see(clock);
    else
        cushim__race_go_blind();
    cushim__race_clock_release(clock);
}

struct race_clock *cushim__race_everything(void)
{
    struct race_clock *clock = NULL;

    if (!cushim__race_clock_raise(&clock, cushim__race_search->submitted, 0))
        cushim__race_go_blind();
    return clock;
}

void cushim__race_saw_all(void)
{
    if (cushim__race_search)
        cushim__race_saw(cushim__race_everything(), true);
}
