/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the search for missing waits share. */
#ifndef CUSHIM_MOCK_RACES_STATE_H
#define CUSHIM_MOCK_RACES_STATE_H

#include "src/mock/core/state.h"
#include "src/race/clock.h"
#include "src/race/race_search.h"

enum {
    CUSHIM__MARKS_KEPT = 4096,    /* operations that can be asked for: docs/mock.md */
    CUSHIM__ACCESSES_KEPT = 1024, /* of one allocation */
    CUSHIM__RACES_KEPT = 64,      /* texts */
    CUSHIM__RACE_TEXT = 720,
    CUSHIM__RACE_PLACES = 1024, /* pairs of places that are told from each other */
};

/* An operation, as texts name it and others are compared with it. */
struct cushim__mark {
    uint64_t number; /* 0: none */
    uint64_t stream; /* as the trace has it; of a graph: the one that it was launched on */
    uint64_t launch; /* of graphs, from 1; 0: it is in none */
    uint32_t strand;
    bool on_default; /* that stream is the legacy default stream */
    const char *kind, *name, *call;
    struct cushim__clock *before;
};

/* What is under way: an operation that tells what it does. */
struct cushim__submission {
    struct cushim__mark mark;
};

struct cushim__strand;
struct cushim__history;
struct cushim__name;

struct cushim__races {
    /* strand.c */
    struct cushim__strand *strands; /* the first is none */
    uint32_t strand_count, strand_room;

    /* host.c */
    struct cushim__clock *host; /* what the host has seen to be finished */
    uint64_t host_version;      /* how often that has changed */

    /* value.c */
    uint64_t *awaiting; /* operations that wait for a value in memory */
    size_t awaiting_count, awaiting_room;
    uint64_t released; /* what was submitted when the last of them ended */

    /* mark.c */
    struct cushim__mark *marks; /* the last ones, each at its number */
    struct cushim__name *names;
    uint64_t launch, launches; /* the launch under way, 0: none; and how many there were */
    uint64_t launch_stream;
    bool launch_on_default;

    /* history.c */
    struct cushim__history **histories;
    size_t forgotten; /* uses that are not kept, as there were too many */

    /* race.c */
    size_t count;
    char (*texts)[CUSHIM__RACE_TEXT];
    uint64_t *places;
    size_t place_count;

    bool blind; /* memory ran out: nothing is looked for any more */
};

static inline struct cushim__races *cushim__races(void)
{
    return cushim__world->races;
}

/* Memory has run out: say so, and look for nothing any more, since what is known is not all. */
void cushim__races_go_blind(void);

/* strand.c: an operation at the end of a stream; fills strand and clock. False: out of memory. */
bool cushim__strand_add(struct cushim__stream *stream, uint64_t number, bool waits,
                        struct cushim__mark *mark);
void cushim__strands_clear(void);

/* host.c: a clock of all that is submitted so far. */
struct cushim__clock *cushim__races_everything(void);

/*
 * value.c: what comes before an operation, if it, or one before it, waits for a value in memory;
 * and a clock where those waits have ended: all that was submitted until then. False: out of
 * memory.
 */
bool cushim__value_follow(struct cushim__clock **before, uint64_t number, bool waits);
bool cushim__value_close(struct cushim__clock **clock);

/* mark.c */
bool cushim__marks_create(void);
void cushim__marks_clear(void);
void cushim__mark_begin(struct cushim__mark *mark, const struct cushim__stream *stream,
                        const struct cushim__operation *operation);
void cushim__mark_keep(const struct cushim__mark *mark);
const struct cushim__mark *cushim__mark_find(uint64_t number); /* NULL: it is not kept */

/* Whether one comes before another that was submitted later. */
bool cushim__mark_precedes(const struct cushim__mark *one, const struct cushim__mark *later);

/* `copy (operation 12, stream 2, cuMemcpyHtoDAsync_v2)`. */
void cushim__mark_describe(const struct cushim__mark *mark, char *text, size_t size);

/* history.c */
bool cushim__histories_create(void);
void cushim__histories_clear(void);
/* Look for races with what was done before, and keep what is done. */
void cushim__history_add(const struct cushim__allocation *allocation,
                         const struct cushim__mark *mark, const struct cushim__region *region,
                         enum cushim__use use);

/* race.c: one side of a race, and what both do to an allocation. */
struct cushim__race_side {
    const struct cushim__mark *mark;
    enum cushim__use use;
};
bool cushim__race_create(void);
void cushim__race_clear(void);
void cushim__race_report(const struct cushim__race_side *later,
                         const struct cushim__race_side *earlier,
                         const struct cushim__allocation *allocation, uint64_t first, uint64_t end);

#endif
