/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks: which operations come before something, whatever the schedule. Operations are
 * numbered in the order of submission; those of one timeline come one after the other, so
 * a number for each timeline says it all. A clock never changes, and many refer to it.
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

/* NULL is the clock of what nothing comes before. */
struct race_clock {
    unsigned references;
    unsigned count;
    uint64_t floor; /* operations of all timelines up to this number */
    /*
     * The last operation among them that waits for a value in memory, of which it is not known what
     * writes it; 0: there is none.
     */
    uint64_t open;
    struct race_tick ticks[]; /* beyond the floor, ascending by timeline */
};

/* NULL is a no-op. */
struct race_clock *cushim__race_clock_retain(struct race_clock *clock);
void cushim__race_clock_release(struct race_clock *clock);

/* Up to which number the operations of a timeline come before. */
uint64_t cushim__race_clock_of(const struct race_clock *clock, uint32_t timeline);

/* Whether a clock says all that another one says. */
bool cushim__race_clock_covers(const struct race_clock *clock, const struct race_clock *other);

/* Put a clock that says more in the place of `*clock`. False: out of memory. */
bool cushim__race_clock_join(struct race_clock **clock, struct race_clock *more);
bool cushim__race_clock_advance(struct race_clock **clock, uint32_t timeline, uint64_t number);

/* The same with all timelines up to a number, and with this `open`. */
bool cushim__race_clock_raise(struct race_clock **clock, uint64_t floor, uint64_t open);

#endif
