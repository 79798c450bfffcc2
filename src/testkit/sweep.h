/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sweep: which calls fail, one run, and the text about what was wrong. */
#ifndef CUSHIM_TESTKIT_SWEEP_H
#define CUSHIM_TESTKIT_SWEEP_H

#include <setjmp.h>
#include <stdbool.h>

#include <cushim/testing/sweep.h>

#include "src/layer/layer.h"

enum { CUSHIM__SWEEP_FINDINGS = 1200 /* bytes of the text about what was wrong in a run */ };

/* What is to fail in a run. */
struct cushim__sweep_order {
    const char *settings;  /* of the mock, or NULL */
    const char *functions; /* a pattern; NULL for all */
    bool fails_releases;   /* else releases fail only if `functions` has no star */
    enum cushim_sweep_kind kind;
    uint64_t nth;      /* the call that fails; 0 for none */
    CUresult code;     /* CUDA_SUCCESS for the usual code of the function */
    uint64_t limit;    /* of calls */
    CUcontext current; /* current when the body begins */
    void (*on_failure)(void *data, const char *run);
    void *data;
};

/* The outcome of the calls of a run. */
struct cushim__sweep_outcome {
    uint64_t calls;       /* of all functions */
    uint64_t matched;     /* of the functions that are meant */
    const char *function; /* the first that failed, or NULL */
    uint64_t call;        /* its number, counted as in reports of leaks */
    unsigned thread;
    CUresult code;    /* what it answered */
    const char *last; /* the function that was called when the limit was passed, or NULL */
    /* The first call to which the driver returned an error by itself; `function` NULL: none. */
    struct {
        const char *function;
        uint64_t call;
        unsigned thread;
        CUresult code;
    } error;
    char wrong[200]; /* the claim of the body that did not hold */
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
    char findings[CUSHIM__SWEEP_FINDINGS]; /* what was wrong; empty if nothing was */
};

/* --- sweep_calls.c --- */

/*
 * When the calls of the body begin, on this thread and on others. On this thread, a call beyond
 * three times the limit does not return, but jumps. There must be a layer, and only one run at a
 * time.
 */
void cushim__sweep_begin(const struct cushim__sweep_order *order, jmp_buf *way_out);

/* Sees the calls of the body, and those that pin contexts. */
extern const struct cushim__subscriber cushim__sweep_subscriber;

/* When the calls of the body have ended: from now on calls are made unchanged. */
void cushim__sweep_end(struct cushim__sweep_outcome *outcome);

/* Whether a sweep of a pattern, or of a name, fails the function of this slot. NULL means all. */
bool cushim__sweep_is_meant(unsigned slot, const char *pattern);

/* Whether there is a function that a sweep of `pattern` fails; if `spares`, not a release. */
bool cushim__sweep_means_any(const char *pattern, bool spares);

/* Whether a function releases something, so that it is called even if it is to fail. */
bool cushim__sweep_releases(unsigned slot);

/*
 * Whether a sweep of `pattern` leaves a function out if releases are not to fail: it releases
 * something, returns nothing but whether it did, and is not named without a star.
 */
bool cushim__sweep_is_spared(unsigned slot, const char *pattern);

/* What a function answers if the options name no code. */
CUresult cushim__sweep_usual_code(unsigned slot);

/* --- sweep_run.c --- */

/*
 * Do a run. Returns CUDA_SUCCESS if it was done, with or without findings. Any other code means
 * that there is no mock or no layer for it; `findings` says why, if that is more than the code.
 */
CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run);

/*
 * Primary contexts are pinned while a body runs. Otherwise, what it leaks in one would be destroyed
 * with the context, and not be noticed. The tracker counts the pins until cushim__pins_ignore().
 */
void cushim__pins_begin(void);
void cushim__pins_call_ended(const struct cushim__call *call, CUresult answer);
void cushim__pins_ignore(void);
void cushim__pins_end(void);

/* --- sweep.c --- */

/*
 * Set what cushim_sweep_running() returns: when a run begins, when a call has failed in it for the
 * first time, and when it has ended.
 */
void cushim__sweep_progress_begin(const struct cushim__sweep_order *order);
void cushim__sweep_progress_fails(const struct cushim__sweep_order *order,
                                  const struct cushim__sweep_outcome *outcome);
void cushim__sweep_progress_end(void);

/* test.c: add what a part of the program has leaked to what check has found. */
struct cushim__check_part;
void cushim__test_add_leaks(const struct cushim__check_part *part);

#endif
