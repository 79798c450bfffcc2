/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of calls, as the watch feeds it. */
#ifndef CUSHIM_LAYER_RECORDING_H
#define CUSHIM_LAYER_RECORDING_H

#include "src/base/text.h"
#include "src/layer/watch.h"

/* A call begins, and ends with what the caller gets. Under the layer's lock. */
void cushim__recording_begin(struct cushim__call *call);
void cushim__recording_end(struct cushim__call *call, CUresult answer);

/* The layer ends. */
void cushim__recording_drop(void);

/*
 * Who wants to know the arguments of calls and what becomes of handles. While nobody does, nothing
 * of it is known, and the next begins afresh.
 */
enum cushim__seer {
    CUSHIM__SEEN_BY_RECORDING = 1,
    CUSHIM__SEEN_BY_EXPECTATION = 2,
    CUSHIM__SEEN_BY_TEST = 4
};

/* Under the layer's lock. False: no memory. */
bool cushim__seeing_begin(enum cushim__seer seer);
void cushim__seeing_end(enum cushim__seer seer);

/* A recorded call. */
struct cushim__record {
    uint64_t number;
    unsigned slot, thread;
    uint64_t began_ns;
    CUresult code;
    bool has_returned, is_injected;
    struct cushim__seen seen;
};

/* What is kept: those at 0 up to the count, in the order in which they began. */
size_t cushim__recording_count(void);
const struct cushim__record *cushim__recording_at(size_t index);

/* How many were lost, and of how many there is room. */
uint64_t cushim__recording_lost(void);
size_t cushim__recording_capacity(void);

/* Whether calls are lost that somebody wants: all, or by what was read. */
bool cushim__recording_is_short(void);

/* Somebody reads what is kept. */
void cushim__recording_read(void);

/*
 * cushim_recording_start(), not under the lock; `is_asked` says whether it is a failure that calls
 * are lost which nobody reads.
 */
CUresult cushim__recording_start(struct cushim_layer *layer, size_t capacity, bool is_asked);

/* A call as the recording's text tells it, without its number, thread and time. */
void cushim__record_add(struct cushim__text *text, unsigned slot, const struct cushim__seen *seen);

#endif
