/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race detector finds data races, which are operations on the same memory that nothing orders.
 * A program with a race lacks a wait.
 *
 * Every operation gets a clock (clock.h) of what comes before it: in its stream, through records
 * that its stream waits for, through the legacy default stream, and through what the host has seen
 * to be finished when it was submitted. Two operations are a data race if neither comes before the
 * other and one of them writes what the other reads or writes, in whatever order they happen to be
 * executed. So what calls ask for counts here, and not when a device does it. There are two
 * exceptions, for which nothing else is known: values in memory that are waited for, and host
 * functions.
 *
 * Two operations are taken to be ordered if this cannot be known, so every reported race is one.
 *
 * The detector knows no driver. Its user embeds the structs below in its own, and reports what is
 * submitted, waited for and seen, from one thread at a time. While there is no detector, each
 * function only looks at one pointer.
 */
#ifndef CUSHIM_RACE_RACE_H
#define CUSHIM_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/call_site.h"
#include "src/race/clock.h"

/* --- what the user keeps --- */

/* The streams of a context: the legacy default stream and those that it blocks are ordered. */
struct race_group {
    uint32_t default_timeline; /* of its legacy default stream; 0 if there is none */
};

enum { RACE_NAME_SIZE = 48 };

struct race_stream {
    struct race_group *group;
    uint64_t id;
    char name[RACE_NAME_SIZE]; /* for reports, unless it is a default stream; may be empty */
    bool is_default;           /* it is the legacy default stream of its group */
    bool blocks;               /* the legacy default stream and it wait for each other */
    uint32_t timeline;         /* set by the detector; 0 if nothing was submitted to the stream */
};

/* An allocation. */
struct race_memory {
    uint64_t id; /* never used again */
    uint64_t start;
    size_t bytes;
};

/* Memory that is used: a row of bytes, or rows and layers of rows with gaps between them. */
struct race_region {
    uint64_t start;
    size_t width;         /* of a row, in bytes */
    size_t rows, pitch;   /* how many in a layer, and the bytes from one to the next */
    size_t layers, layer; /* how many, and the bytes from one to the next */
};

/* How an operation uses memory. */
enum race_use {
    RACE_READS,
    RACE_WRITES,
    RACE_MAY_WRITE, /* it is not known what the operation does; two of these are no race */
    RACE_ATOMIC,    /* the operation reads and writes at once; two of these are no race */
    RACE_ALLOCATES,
    RACE_FREES,
};

struct race_access;

/* One side of a race: an operation, and what it does to an allocation. */
struct race_side {
    const struct race_access *access;
    enum race_use use;
};

/* What the detector asks of its user. */
struct race_callbacks {
    /* Find the allocation that an address lies in. Returns false if it lies in none. */
    bool (*find)(uint64_t address, struct race_memory *memory);
    /* Write the name that an allocation has in reports. */
    void (*name)(const struct race_memory *memory, char *text, size_t size);
    /*
     * A race was found, with a text that lacks the places of both. `earlier` and `memory` are NULL
     * for a race that cushim__race_report_within() reports.
     */
    void (*found)(const struct race_side *later, const struct race_side *earlier,
                  const struct race_memory *memory, const char *text);
    void (*log)(const char *text); /* why not every race is found from now on */
};

struct race_detector;

/* The mock and the check over any driver have a detector each. A thread uses one at a time. */
enum race_user { RACE_OF_MOCK, RACE_OF_CHECK, RACE_USERS };
extern struct race_detector *cushim__race_detectors[RACE_USERS];
extern _Thread_local enum race_user cushim__race_user;

/* The detector that this thread uses; NULL if no races are looked for. */
#define cushim__race_detector (cushim__race_detectors[cushim__race_user])

/* Create the detector. Returns false if memory runs out; call cushim__race_destroy() even then. */
bool cushim__race_create(const struct race_callbacks *callbacks);
void cushim__race_destroy(void);

/* --- what is submitted --- */

/* An operation, as reports name it and as it is compared with others. */
struct race_access {
    uint64_t number; /* 0 if there is none */
    uint64_t stream; /* id of its stream; in a graph, of the stream that the graph is launched on */
    uint64_t launch; /* number of the launch of its graph, from 1; 0 if it is in none */
    uint32_t timeline;
    bool on_default; /* that stream is the legacy default stream */
    const char *kind, *name, *call;
    char stream_name[RACE_NAME_SIZE]; /* empty if it has none */
    struct cushim__call_place place;  /* of the call; set by the user after cushim__race_submit() */
    struct race_clock *before;
};

/*
 * Submit an operation to a stream. `number` is greater than those of all before it, `kind` and
 * `call` are texts that stay, and `waits` says whether it waits for a value in memory. Returns
 * false if no races are looked for. Otherwise the user keeps `access->before`, a reference, and
 * `access->timeline` with the operation. Then come its uses of memory, and
 * cushim__race_submitted().
 */
bool cushim__race_submit(struct race_access *access, struct race_stream *stream, uint64_t number,
                         const char *kind, const char *call, bool waits);
void cushim__race_submitted(const struct race_access *access);

/* The operation uses memory. What is in no allocation does not count. */
void cushim__race_use(const struct race_access *access, const struct race_region *region,
                      enum race_use use);

/* The operation uses `bytes` from an address on; 0 means up to the end of the allocation. */
void cushim__race_use_from(const struct race_access *access, uint64_t address, size_t bytes,
                           enum race_use use);

/* The operation uses all of an allocation. */
void cushim__race_use_all(const struct race_access *access, const struct race_memory *memory,
                          enum race_use use);

/*
 * For an operation whose uses of memory are not known until it is executed, such as a kernel. Call
 * cushim__race_defer() after cushim__race_submit(), then the others with the number of the
 * operation: its uses, and its end. Until then, what it may race with is kept, and its clock is
 * borrowed.
 */
void cushim__race_defer(const struct race_access *access);
void cushim__race_use_deferred(uint64_t number, const struct race_region *region,
                               enum race_use use);
void cushim__race_deferred_end(uint64_t number);

/* Set the name of a stream in reports, from its next operation on. The name is copied. */
void cushim__race_name_stream(struct race_stream *stream, const char *name);

/* Set which one of its kind an operation is: the name of a kernel. The name is copied. */
void cushim__race_set_name(struct race_access *access, const char *name);

/* What is submitted until the end belongs to a graph that is launched on a stream. */
void cushim__race_launch_begin(const struct race_stream *stream);
void cushim__race_launch_end(void);

/* Nothing is submitted to a stream any more. */
void cushim__race_stream_gone(struct race_stream *stream);

/* Forget the allocation with this id: its memory is used for something else, or not at all. */
void cushim__race_forget(uint64_t id);

/*
 * Find the last use of an allocation, other than the allocation itself, that the host has not seen
 * to be finished. `access` receives it, without a clock. Returns false if no such use is known.
 */
bool cushim__race_is_used(uint64_t id, struct race_access *access);

/* --- what is waited for --- */

/*
 * What was submitted so far: to a stream, with those that block it if it is the legacy default
 * stream; to a stream alone, up to its last operation; to a group. cushim__race_saw() releases the
 * clock.
 */
struct race_clock *cushim__race_stream(const struct race_stream *stream);
struct race_clock *cushim__race_last(const struct race_stream *stream);
struct race_clock *cushim__race_group(const struct race_group *group);

/* The host has seen that all of this is finished, or has not if not `finished`. */
void cushim__race_saw(struct race_clock *clock, bool finished);

/*
 * The same for an operation under way, and for everything. The latter is for cases in which it is
 * not known what was waited for, and for the time around copies between contexts, of which it was
 * not measured what they wait for.
 */
void cushim__race_saw_operation(uint64_t number, uint32_t timeline, struct race_clock *before);
void cushim__race_saw_all(void);

/* A stream waits for what a clock contains, or for all that was submitted so far. */
void cushim__race_wait(struct race_stream *stream, struct race_clock *clock);
void cushim__race_wait_all(struct race_stream *stream);

/* An operation that waited for a value in memory is executed or dropped. */
void cushim__race_released(uint64_t number);

/* --- what was found --- */

/*
 * The user has found a race within one operation, such as between threads of a kernel. `place`
 * distinguishes it from others of the same kernel, and `what` describes it. A race that is known is
 * not reported again. There must be a detector.
 */
void cushim__race_report_within(uint64_t number, uint64_t place, const char *what);

/* How many races were found. */
size_t cushim__race_count(void);

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
