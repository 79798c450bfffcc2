/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do the same act over and over, and stand still between two acts when asked to. */
#ifndef CUSHIM_TESTS_SOAK_GANG_H
#define CUSHIM_TESTS_SOAK_GANG_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

enum { GANG_MOST = 64 };

/* One of its threads. */
struct worker {
    unsigned number; /* from 0 */
    uint64_t turn;   /* acts that it has done */
    void *own;       /* what worker_begin() of the program has made */
};

/* What the threads do. Each function tells what it does by worker_did(). */
struct gang_work {
    void (*begin)(struct worker *worker);
    void (*act)(struct worker *worker);
    void (*end)(struct worker *worker);
};

/*
 * In a thread of the gang: an operation was done, and answered this. Returns whether that was what
 * was wanted; if not, it is counted, and the first one kept with its name (static).
 */
bool worker_did(struct worker *worker, const char *name, CUresult code, CUresult wanted);

/* Start so many threads. False: they cannot be had. */
bool gang_start(const struct gang_work *work, unsigned threads);

/* Let all stand between two acts, which is so when this returns; and let them go on. */
void gang_pause(void);
void gang_resume(void);

/* End them all. */
void gang_stop(void);

/* Operations since gang_start(), and how many of them failed. */
uint64_t gang_operations(void);
uint64_t gang_failures(void);

/* The first that failed since the program began, as `EventQuery: 700`; empty: none. */
const char *gang_first_failure(void);

#endif
