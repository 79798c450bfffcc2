/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the search for missing waits share. */
#ifndef CUSHIM_MOCK_RACES_STATE_H
#define CUSHIM_MOCK_RACES_STATE_H

#include "src/mock/core/state.h"
#include "src/race/clock.h"
#include "src/race/race_search.h"

enum {
    RACE_OPERATIONS_KEPT = 4096, /* operations that can be asked for: docs/mock.md */
    RACE_ACCESSES_KEPT = 1024,   /* of one allocation */
    RACE_TEXTS_KEPT = 64,        /* texts */
    RACE_TEXT_SIZE = 720,
    RACE_PLACES = 1024, /* pairs of places that are told from each other */
};

/* An operation, as texts name it and others are compared with it. */
struct race_access {
    uint64_t number; /* 0: none */
    uint64_t stream; /* as the trace has it; of a graph: the one that it was launched on */
    uint64_t launch; /* of graphs, from 1; 0: it is in none */
    uint32_t strand;
    bool on_default; /* that stream is the legacy default stream */
    const char *kind, *name, *call;
    struct race_clock *before;
};

/* What is under way: an operation that tells what it does. */
struct race_submission {
    struct race_access mark;
};

struct race_timeline;
struct race_history;
struct race_name;

struct race_search {
    /* strand.c */
    struct race_timeline *strands; /* the first is none */
    uint32_t strand_count, strand_room;

    /* host.c */
    struct race_clock *host; /* what the host has seen to be finished */
    uint64_t host_version;   /* how often that has changed */

    /* value.c */
    uint64_t *awaiting; /* operations that wait for a value in memory */
    size_t awaiting_count, awaiting_room;
    uint64_t released; /* what was submitted when the last of them ended */

    /* mark.c */
    struct race_access *marks; /* the last ones, each at its number */
    struct race_name *names;
    uint64_t launch, launches; /* the launch under way, 0: none; and how many there were */
    uint64_t launch_stream;
    bool launch_on_default;

    /* history.c */
    struct race_history **histories;
    size_t forgotten; /* uses that are not kept, as there were too many */

    /* race.c */
    size_t count;
    char (*texts)[RACE_TEXT_SIZE];
    uint64_t *places;
    size_t place_count;

    bool blind; /* memory ran out: nothing is looked for any more */
};

static inline struct race_search *cushim__race_search(void)
{
    return cushim__mock->races;
}

/* Memory has run out: say so, and look for nothing any more, since what is known is not all. */
void cushim__race_go_blind(void);

/* strand.c: an operation at the end of a stream; fills strand and clock. False: out of memory. */
bool cushim__race_timeline_add(struct mock_stream *stream, uint64_t number, bool waits,
                               struct race_access *mark);
void cushim__race_timelines_clear(void);

/* host.c: a clock of all that is submitted so far. */
struct race_clock *cushim__race_everything(void);

/*
 * value.c: what comes before an operation, if it, or one before it, waits for a value in memory;
 * and a clock where those waits have ended: all that was submitted until then. False: out of
 * memory.
 */
bool cushim__race_value_follow(struct race_clock **before, uint64_t number, bool waits);
bool cushim__race_value_close(struct race_clock **clock);

/* mark.c */
bool cushim__race_accesses_create(void);
void cushim__race_accesses_clear(void);
void cushim__race_access_begin(struct race_access *mark, const struct mock_stream *stream,
                               const struct mock_operation *operation);
void cushim__race_access_keep(const struct race_access *mark);
const struct race_access *cushim__race_access_find(uint64_t number); /* NULL: it is not kept */

/* Whether one comes before another that was submitted later. */
bool cushim__race_access_precedes(const struct race_access *one, const struct race_access *later);

/* `copy (operation 12, stream 2, cuMemcpyHtoDAsync_v2)`. */
void cushim__race_access_describe(const struct race_access *mark, char *text, size_t size);

/* history.c */
bool cushim__race_histories_create(void);
void cushim__race_histories_clear(void);
/* Look for races with what was done before, and keep what is done. */
void cushim__race_history_add(const struct mock_allocation *allocation,
                              const struct race_access *mark, const struct race_region *region,
                              enum race_use use);

/* race.c: one side of a race, and what both do to an allocation. */
struct race_side {
    const struct race_access *mark;
    enum race_use use;
};
bool cushim__race_texts_create(void);
void cushim__race_texts_clear(void);
void cushim__race_report(const struct race_side *later, const struct race_side *earlier,
                         const struct mock_allocation *allocation, uint64_t first, uint64_t end);

#endif
