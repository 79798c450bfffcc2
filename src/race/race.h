/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race detector: it finds data races, which are operations on the same memory that nothing
 * orders. What a program with one lacks is a wait.
 *
 * Every operation gets a clock (clock.h) of what comes before it: in its stream, through records
 * that its stream waits for, through the legacy default stream, and through what the host has seen
 * to be finished when it was submitted. Two operations of which neither comes before the other and
 * of which one writes what the other reads or writes are a data race, in whatever order they
 * happen to be executed. So only what calls ask for counts here, and not when a device does it,
 * with two exceptions where nothing else is known: values in memory that are waited for, and host
 * functions.
 *
 * Where it cannot be known, two operations are taken to be ordered: a race that is reported is one.
 *
 * The detector knows no driver. Its host embeds the structs below in its own, and says what is
 * submitted, waited for and seen; it sees to it that one thread at a time does so. While there is
 * no detector each function does nothing but look at one pointer.
 */
#ifndef CUSHIM_RACE_RACE_H
#define CUSHIM_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/call_site.h"
#include "src/race/clock.h"

/* --- what the host keeps --- */

/* The streams of a context: the legacy default stream and those that it blocks are ordered. */
struct race_group {
    uint32_t default_timeline; /* of its legacy default stream; 0: none */
};

enum { RACE_NAME_SIZE = 48 };

struct race_stream {
    struct race_group *group;
    uint64_t id;
    char name[RACE_NAME_SIZE]; /* as reports name it, unless it is a default stream; empty: none */
    bool is_default;           /* it is the legacy default stream of its group */
    bool blocks;               /* the legacy default stream and it wait for each other */
    uint32_t timeline;         /* the detector's; 0: nothing was submitted to it */
};

/* An allocation. */
struct race_memory {
    uint64_t id; /* never given again */
    uint64_t start;
    size_t bytes;
};

/* Memory that is used: a row of bytes, or rows and layers of rows with gaps between them. */
struct race_region {
    uint64_t start;
    size_t width;         /* of a row, in bytes */
    size_t rows, pitch;   /* how many in a layer, and from one to the next */
    size_t layers, layer; /* how many, and from one to the next */
};

/* How an operation uses memory. */
enum race_use {
    RACE_READS,
    RACE_WRITES,
    RACE_MAY_WRITE, /* nobody has said what it does: two of these are no race */
    RACE_ATOMIC,    /* it reads and writes at once: two of these are no race */
    RACE_ALLOCATES,
    RACE_FREES,
};

struct race_access;

/* One side of a race: an operation, and what it does to an allocation. */
struct race_side {
    const struct race_access *access;
    enum race_use use;
};

/* What the detector asks of its host. */
struct race_host {
    /* The allocation that an address lies in. False: it lies in none. */
    bool (*find)(uint64_t address, struct race_memory *memory);
    /* How reports name an allocation. */
    void (*name)(const struct race_memory *memory, char *text, size_t size);
    void (*report)(const char *text); /* a race was found */
    /* Called instead, unless it is NULL: `text` is without the places of both. */
    void (*found)(const struct race_side *later, const struct race_side *earlier,
                  const struct race_memory *memory, const char *text);
    void (*log)(const char *text); /* not every race is found from now on, and why */
};

struct race_detector;

/*
 * The mock and the check of calls over any driver have a detector each, and a thread speaks to one
 * of them at a time.
 */
enum race_user { RACE_OF_MOCK, RACE_OF_CHECK, RACE_USERS };
extern struct race_detector *cushim__race_detectors[RACE_USERS];
extern _Thread_local enum race_user cushim__race_user;

/* The detector; NULL: nothing is looked for. */
#define cushim__race_detector (cushim__race_detectors[cushim__race_user])

/* Create the detector. False: out of memory; cushim__race_destroy() is called all the same. */
bool cushim__race_create(const struct race_host *host);
void cushim__race_destroy(void);

/* --- what is submitted --- */

/* An operation, as texts name it and others are compared with it. */
struct race_access {
    uint64_t number; /* 0: none */
    uint64_t stream; /* its id; of a graph: that of the one that it was launched on */
    uint64_t launch; /* of graphs, from 1; 0: it is in none */
    uint32_t timeline;
    bool on_default; /* that stream is the legacy default stream */
    const char *kind, *name, *call;
    char stream_name[RACE_NAME_SIZE]; /* empty: it has none */
    struct cushim__call_place place;  /* of the call; the host's to fill behind race_submit() */
    struct race_clock *before;
};

/*
 * An operation goes to a stream: `number` is greater than that of all before it, `kind` and `call`
 * are texts that stay, `waits` says whether it waits for a value in memory. False: nothing is
 * looked for. Otherwise `access->before`, a reference, and `access->timeline` are the host's to
 * keep with the operation; the uses of memory follow, and then the end.
 */
bool cushim__race_submit(struct race_access *access, struct race_stream *stream, uint64_t number,
                         const char *kind, const char *call, bool waits);
void cushim__race_submitted(const struct race_access *access);

/* It uses memory that an address leads to; what is in no allocation does not count. */
void cushim__race_use(const struct race_access *access, const struct race_region *region,
                      enum race_use use);

/* It uses so many bytes from an address, 0: up to the end of the allocation. */
void cushim__race_use_from(const struct race_access *access, uint64_t address, size_t bytes,
                           enum race_use use);

/* It uses all of an allocation. */
void cushim__race_use_all(const struct race_access *access, const struct race_memory *memory,
                          enum race_use use);

/*
 * An operation of which nobody knows what memory it uses until it is executed, as that of a kernel:
 * to be said behind cushim__race_submit(). What it may race with is kept until its end, which comes
 * after its uses; the number is the operation's. Its clock is borrowed meanwhile.
 */
void cushim__race_defer(const struct race_access *access);
void cushim__race_use_deferred(uint64_t number, const struct race_region *region,
                               enum race_use use);
void cushim__race_deferred_end(uint64_t number);

/* How reports name a stream, from the next operation on; copied. */
void cushim__race_name_stream(struct race_stream *stream, const char *name);

/* Which one of its kind it is: the name of a kernel; copied. */
void cushim__race_set_name(struct race_access *access, const char *name);

/* What is submitted until the end belongs to a graph that is launched on this stream. */
void cushim__race_launch_begin(const struct race_stream *stream);
void cushim__race_launch_end(void);

/* Nobody submits to a stream any more. */
void cushim__race_stream_gone(struct race_stream *stream);

/* Memory gets another use, or none: `id` is an allocation's. */
void cushim__race_forget(uint64_t id);

/*
 * The last use of an allocation, but for the allocation itself, that the host has not seen to be
 * finished; `access` receives it, without a clock. False: there is none that is known of.
 */
bool cushim__race_is_used(uint64_t id, struct race_access *access);

/* --- what is waited for --- */

/*
 * What is submitted so far: of the stream, with those that block it if it is the legacy default
 * stream; of the stream up to its last operation; of a group. To be released by race_saw().
 */
struct race_clock *cushim__race_stream(const struct race_stream *stream);
struct race_clock *cushim__race_last(const struct race_stream *stream);
struct race_clock *cushim__race_group(const struct race_group *group);

/* The host has seen that all of this is finished, or, if not `finished`, it has not. */
void cushim__race_saw(struct race_clock *clock, bool finished);

/*
 * The same of an operation under way, and of everything: where it is not known what was waited for,
 * and around copies between contexts, of which it was not measured what they wait for.
 */
void cushim__race_saw_operation(uint64_t number, uint32_t timeline, struct race_clock *before);
void cushim__race_saw_all(void);

/* A stream waits for this, or for all that is submitted so far. */
void cushim__race_wait(struct race_stream *stream, struct race_clock *clock);
void cushim__race_wait_all(struct race_stream *stream);

/* An operation that waited for a value in memory is executed or dropped. */
void cushim__race_released(uint64_t number);

/* --- what was found --- */

/*
 * The host has found a race within one operation, as between threads of a kernel: `place` distinguishes
 * it from others of the same kernel, and `what` says what it is. A race that is known is not reported
 * again. There has to be a detector.
 */
void cushim__race_report_within(uint64_t number, uint64_t place, const char *what);

/* How many races, and the text of one by number from 0; NULL: it is not kept. */
size_t cushim__race_count(void);
const char *cushim__race_text(size_t index);

enum race_order {
    RACE_ORDER_NONE, /* nothing orders them */
    RACE_ORDER_BEFORE,
    RACE_ORDER_AFTER,
    RACE_ORDER_UNKNOWN, /* it depends on who writes a value that a stream waits for */
    RACE_ORDER_LOST,    /* one of them was not submitted, or is too old to be known */
};

/* Whether anything orders two operations. */
enum race_order cushim__race_order(uint64_t first, uint64_t second);

#endif
