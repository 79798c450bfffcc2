/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of one run of a sweep, as the watch tells of them, and which of them fail. */
#ifndef CUSHIM_LAYER_SWEEP_CALL_H
#define CUSHIM_LAYER_SWEEP_CALL_H

#include <setjmp.h>

#include <cushim/testing/sweep.h>

#include "src/layer/watch.h"

/* What is to fail in a run. */
struct cushim__sweep_order {
    const char *settings;  /* of the mock; NULL: none */
    const char *functions; /* a pattern; NULL: all */
    bool fails_releases;   /* else those that are named alone */
    enum cushim_sweep_kind kind;
    uint64_t nth;      /* 0: none */
    CUresult code;     /* CUDA_SUCCESS: what is usual for the function */
    uint64_t limit;    /* of calls */
    CUcontext current; /* when the body begins */
    void (*on_failure)(void *data, const char *run);
    void *data;
};

/* What has come of it. */
struct cushim__sweep_seen {
    uint64_t calls;       /* of all functions */
    uint64_t matched;     /* of those that are meant */
    const char *function; /* the first that failed; NULL: none has */
    CUresult code;        /* which it answered */
    const char *last;     /* the one that was called when the limit was passed; NULL: it was not */
    char wrong[200];      /* what the body said */
};

/*
 * The calls of the body begin, on this thread and on others; those behind three times the limit do
 * not come back on this one, but jump. Only while a layer exists that watches all slots, and one
 * run at a time.
 */
void cushim__sweep_begin(const struct cushim__sweep_order *order, jmp_buf *way_out);

/* They end: calls are made as they are from now on. */
void cushim__sweep_end(struct cushim__sweep_seen *seen);

/* The layer ends, and a run of a sweep with it. */
void cushim__sweep_drop(void);

/* What comes before a call. False: it is not made, and `*answer` is what it answers. */
bool cushim__sweep_before(struct cushim__call *call, CUresult *answer);

/* What a call that was made answers. */
CUresult cushim__sweep_after(struct cushim__call *call, CUresult answer);

#endif
