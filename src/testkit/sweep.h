/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sweep: which calls fail, one run, and the text of what was wrong. */
#ifndef CUSHIM_TESTKIT_SWEEP_H
#define CUSHIM_TESTKIT_SWEEP_H

#include <setjmp.h>
#include <stdbool.h>

#include <cushim/testing/sweep.h>

#include "src/layer/layer.h"

enum { CUSHIM__SWEEP_FINDINGS = 1200 /* bytes of what was wrong in a run */ };

/* What is to fail in a run. */
struct cushim__sweep_order {
    const char *settings;  /* of the mock; NULL: none */
    const char *functions; /* a pattern; NULL: all */
    bool fails_releases;   /* else releases fail only where `functions` has no star */
    enum cushim_sweep_kind kind;
    uint64_t nth;      /* 0: none */
    CUresult code;     /* CUDA_SUCCESS: what is usual for the function */
    uint64_t limit;    /* of calls */
    CUcontext current; /* when the body begins */
    void (*on_failure)(void *data, const char *run);
    void *data;
};

/* What the calls of a run have come to. */
struct cushim__sweep_outcome {
    uint64_t calls;       /* of all functions */
    uint64_t matched;     /* of those that are meant */
    const char *function; /* the first that failed; NULL: none has */
    uint64_t call;        /* its number, as that of the calls that leaks name */
    unsigned thread;
    CUresult code;    /* which it answered */
    const char *last; /* the one that was called when the limit was passed; NULL: it was not */
    char wrong[200];  /* the claim of the body that did not hold */
};

/* What all runs of a sweep have in common. */
struct cushim__sweep {
    struct cushim_sweep_options options;
    int (*body)(void *data);
    void *data;
};

struct cushim__sweep_run {
    struct cushim__sweep_order order;
    struct cushim__sweep_outcome outcome;
    int verdict;                           /* what the body returned */
    char findings[CUSHIM__SWEEP_FINDINGS]; /* what was wrong; empty: nothing */
};

/* --- sweep_calls.c --- */

/*
 * The calls of the body begin, on this thread and on others; those behind three times the limit do
 * not return on this one, but jump. There must be a layer, and one run at a time.
 */
void cushim__sweep_begin(const struct cushim__sweep_order *order, jmp_buf *way_out);

/* Sees the calls of the body, and those that pin contexts. */
extern const struct cushim__subscriber cushim__sweep_subscriber;

/* They end: from now on calls are made unchanged. */
void cushim__sweep_end(struct cushim__sweep_outcome *outcome);

/* Whether a sweep of `pattern`, or of a name, fails the function of this slot; NULL: of all. */
bool cushim__sweep_is_meant(unsigned slot, const char *pattern);

/* Whether there is a function that a sweep of `pattern` fails; `spares`: but for releases. */
bool cushim__sweep_means_any(const char *pattern, bool spares);

/* Whether it releases something, so that it is made although it fails. */
bool cushim__sweep_releases(const char *function);

/*
 * Whether a sweep of `pattern` leaves it out, if releases are not to fail: it releases something,
 * returns nothing but whether it did, and is not named without a star.
 */
bool cushim__sweep_is_spared(const char *function, const char *pattern);

/* What it answers if the options name no code. */
CUresult cushim__sweep_usual_code(const char *function);

/* --- sweep_run.c --- */

/*
 * Do a run. CUDA_SUCCESS: it was done, and has findings or none. Any other code: there is no mock
 * or no layer for it, and `findings` says why, where that is more than the code.
 */
CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run);

/*
 * Primary contexts are pinned while a body runs: else what it leaks in one would be destroyed with
 * it, and nobody would know. The tracker counts the pins until pins_ignore() takes them out.
 */
void cushim__pins_begin(void);
void cushim__pins_call_ended(const struct cushim__call *call, CUresult answer);
void cushim__pins_ignore(void);
void cushim__pins_end(void);

/* --- sweep.c --- */

/*
 * What cushim_sweep_running() returns: a run begins, a call has failed in it for the first time, it
 * has ended.
 */
void cushim__sweep_progress_begin(const struct cushim__sweep_order *order);
void cushim__sweep_progress_fails(const struct cushim__sweep_order *order,
                                  const struct cushim__sweep_outcome *outcome);
void cushim__sweep_progress_end(void);

#endif
