/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector clock says which operations come before something, whatever the schedule. Operations are
 * numbered in the order of submission, and those of one timeline come one after the other, so one
 * number for each timeline is enough. A clock never changes, and many may refer to it.
 */
#ifndef CUSHIM_RACE_CLOCK_H
#define CUSHIM_RACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Operations of a timeline up to a number. */
struct race_tick {
    uint32_t timeline;
    uint64_t number;
};

/* NULL is the clock of something before which nothing comes. */
struct race_clock {
    unsigned references;
    unsigned count;
    uint64_t floor; /* operations of all timelines up to this number */
    /*
     * The last operation among them that waits for a value in memory that is written by something
     * unknown; 0 if there is none.
     */
    uint64_t open;
    struct race_tick ticks[]; /* beyond the floor, ascending by timeline */
};

/* NULL is a no-op. */
struct race_clock *cushim__race_clock_retain(struct race_clock *clock);
void cushim__race_clock_release(struct race_clock *clock);

/* The number up to which the operations of a timeline come before. */
uint64_t cushim__race_clock_of(const struct race_clock *clock, uint32_t timeline);

/* Whether a clock contains all that another one contains. */
bool cushim__race_clock_covers(const struct race_clock *clock, const struct race_clock *other);

/* Replace `*clock` by a clock that contains more. Returns false if memory runs out. */
bool cushim__race_clock_join(struct race_clock **clock, struct race_clock *more);
bool cushim__race_clock_advance(struct race_clock **clock, uint32_t timeline, uint64_t number);

/* The same for all timelines up to a number; also sets `open`. */
bool cushim__race_clock_raise(struct race_clock **clock, uint64_t floor, uint64_t open);

#endif
