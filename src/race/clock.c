/* SPDX-License-Identifier: Apache-2.0 */
#include "src/race/clock.h"

#include <stddef.h>
#include <stdlib.h>

/* The content of a clock, wherever it is stored. */
struct content {
    uint64_t floor, open;
    const struct race_tick *ticks;
    unsigned count;
};

static struct content content_of(const struct race_clock *clock)
{
    if (!clock)
        return (struct content){0};
    return (struct content){clock->floor, clock->open, clock->ticks, clock->count};
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

struct race_clock *cushim__race_clock_retain(struct race_clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void cushim__race_clock_release(struct race_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

uint64_t cushim__race_clock_of(const struct race_clock *clock, uint32_t timeline)
{
    unsigned low = 0, high = clock ? clock->count : 0;

    while (low < high) {
        const unsigned middle = low + (high - low) / 2;

        if (clock->ticks[middle].timeline < timeline)
            low = middle + 1;
        else
            high = middle;
    }
    if (clock && low < clock->count && clock->ticks[low].timeline == timeline)
        return clock->ticks[low].number;
    return clock ? clock->floor : 0;
}

static bool covers(const struct race_clock *clock, const struct content *other)
{
    const struct content own = content_of(clock);

    if (own.floor < other->floor || own.open < other->open)
        return false;
    for (unsigned i = 0; i < other->count; i++) {
        if (cushim__race_clock_of(clock, other->ticks[i].timeline) < other->ticks[i].number)
            return false;
    }
    return true;
}

bool cushim__race_clock_covers(const struct race_clock *clock, const struct race_clock *other)
{
    const struct content content = content_of(other);

    return covers(clock, &content);
}

/* Take the next tick from two ascending lists, the later one if both have the timeline. */
static struct race_tick next_tick(struct content *one, struct content *other)
{
    const bool from_one =
        one->count > 0 && (other->count == 0 || one->ticks->timeline <= other->ticks->timeline);
    const bool from_other =
        other->count > 0 && (one->count == 0 || other->ticks->timeline <= one->ticks->timeline);
    struct race_tick tick = from_one ? *one->ticks : *other->ticks;

    if (from_one && from_other)
        tick.number = later(tick.number, other->ticks->number);
    if (from_one) {
        one->ticks++;
        one->count--;
    }
    if (from_other) {
        other->ticks++;
        other->count--;
    }
    return tick;
}

/* Returns NULL if memory runs out. */
static struct race_clock *merge(struct content one, struct content other)
{
    struct race_clock *made =
        malloc(sizeof *made + ((size_t)one.count + other.count) * sizeof *made->ticks);

    if (!made)
        return NULL;
    made->references = 1;
    made->count = 0;
    made->floor = later(one.floor, other.floor);
    made->open = later(one.open, other.open);
    while (one.count > 0 || other.count > 0) {
        const struct race_tick tick = next_tick(&one, &other);

        if (tick.number > made->floor)
            made->ticks[made->count++] = tick;
    }
    return made;
}

static bool replace(struct race_clock **clock, struct race_clock *made)
{
    if (!made)
        return false;
    cushim__race_clock_release(*clock);
    *clock = made;
    return true;
}

bool cushim__race_clock_join(struct race_clock **clock, struct race_clock *more)
{
    if (cushim__race_clock_covers(*clock, more))
        return true;
    if (cushim__race_clock_covers(more, *clock))
        return replace(clock, cushim__race_clock_retain(more));
    return replace(clock, merge(content_of(*clock), content_of(more)));
}

bool cushim__race_clock_advance(struct race_clock **clock, uint32_t timeline, uint64_t number)
{
    const struct race_tick tick = {timeline, number};
    const struct content more = {.ticks = &tick, .count = 1};

    return covers(*clock, &more) || replace(clock, merge(content_of(*clock), more));
}

bool cushim__race_clock_raise(struct race_clock **clock, uint64_t floor, uint64_t open)
{
    struct race_clock *made = merge(content_of(*clock), (struct content){.floor = floor});

    if (made)
        made->open = open;
    return replace(clock, made);
}
