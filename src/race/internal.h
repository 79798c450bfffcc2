/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the race detector share. */
#ifndef CUSHIM_RACE_INTERNAL_H
#define CUSHIM_RACE_INTERNAL_H

#include "src/race/race.h"

enum {
    RACE_OPERATIONS_KEPT = 4096, /* operations whose order can be asked for (docs/mock.md) */
    RACE_ACCESSES_KEPT = 1024,   /* accesses of one allocation */
    RACE_PLACES = 1024,          /* pairs of places that are distinguished */
};

/*
 * Operations that come one after the other. A stream has a timeline from its first operation on.
 * The timeline stays when the stream is gone, because its operations still come before others. A
 * stream that begins after all of them takes over the timeline of one that is gone.
 */
struct race_timeline {
    struct race_clock *before; /* what comes before its next operation, other than its own */
    const struct race_group *group;
    uint64_t last;    /* number of its last operation; 0 if it had none */
    uint64_t seen;    /* number up to which the host has seen its operations to be finished */
    uint64_t version; /* version of the host's clock that `before` contains */
    bool blocks;      /* blocks the legacy default stream, and is blocked by it */
    bool gone;        /* no stream uses it any more */
};

struct race_deferred;
struct race_history;
struct race_name;

struct race_detector {
    struct race_callbacks ask;
    uint64_t submitted; /* number of the last operation */
    bool is_disabled;   /* memory ran out, so no more races are looked for */

    struct race_timeline *timelines; /* the first is unused */
    uint32_t timeline_count, timeline_room;

    struct race_clock *host; /* what the host has seen to be finished */
    uint64_t host_version;   /* how often `host` has changed */

    uint64_t *awaiting; /* operations that wait for a value in memory */
    size_t awaiting_count, awaiting_room;
    uint64_t released; /* `submitted` when one of them last ended */

    struct race_access *operations; /* a ring of the last ones, by number */
    struct race_name *names;
    uint64_t launch, launches; /* the launch under way, or 0; and how many there were */
    uint64_t launch_stream;
    char launch_stream_name[RACE_NAME_SIZE];
    bool launch_on_default;

    struct race_history **histories;
    struct race_deferred *deferred; /* in the order of submission */
    size_t forgotten;               /* uses that were dropped because there were too many */

    size_t count;
    uint64_t *places;
    size_t place_count;
};

/* detector.c: memory has run out. Look for no more races, because what is known is incomplete. */
void cushim__race_disable(void);

/*
 * detector.c: change what comes before an operation if it, or one before it, waits for a value in
 * memory. Returns false if memory runs out.
 */
bool cushim__race_follow_values(struct race_clock **before, uint64_t number, bool waits);

/* detector.c: a clock of all that was submitted so far. */
struct race_clock *cushim__race_everything(void);

/* timeline.c */
static inline struct race_timeline *cushim__race_timeline_at(uint32_t index)
{
    return &cushim__race_detector->timelines[index];
}

/* Whether the host has seen that all its operations are finished. */
static inline bool cushim__race_timeline_is_seen(const struct race_timeline *timeline)
{
    return timeline->last <= timeline->seen;
}

/* Add an operation to a stream; sets its timeline and clock. Returns false if memory runs out. */
bool cushim__race_timeline_add(struct race_stream *stream, bool waits, struct race_access *access);
void cushim__race_timelines_clear(void);

/* history.c */
bool cushim__race_histories_create(void);
void cushim__race_histories_clear(void);

/* report.c: the last operations, by number. */
bool cushim__race_report_create(void);
void cushim__race_report_clear(void);
void cushim__race_access_keep(const struct race_access *access);

/* Whether an operation comes before another that was submitted later. */
bool cushim__race_access_precedes(const struct race_access *one, const struct race_access *later);

/* report.c: report a race for the bytes from `first` to `end` of an allocation. */
void cushim__race_report(const struct race_side *later, const struct race_side *earlier,
                         const struct race_memory *memory, uint64_t first, uint64_t end);

/* region.c: a row of bytes. */
struct race_region cushim__race_region_row(uint64_t start, size_t bytes);

/* Join rows without gaps to one row. */
struct race_region cushim__race_region_joined(struct race_region region);

/* The end of the last byte. */
uint64_t cushim__race_region_end(const struct race_region *region);

/* Whether two regions have bytes in common, and from where to where the first such bytes are. */
bool cushim__race_region_overlap(const struct race_region *one, const struct race_region *other,
                                 uint64_t *first, uint64_t *end);

/* Whether `one` has all bytes of `other`. Also false if that would take long to find out. */
bool cushim__race_region_covers(const struct race_region *one, const struct race_region *other);

#endif
