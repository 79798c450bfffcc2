/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A soak: a gang of threads repeats the same acts for a long time, while figures of the process
 * must not grow.
 */
#ifndef CUSHIM_TESTS_SOAK_SOAK_H
#define CUSHIM_TESTS_SOAK_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/testing/mock.h>

/* --- the gang (gang.c): threads that can pause between two acts --- */

enum { GANG_MOST = 64 };

/* A thread of the gang. */
struct worker {
    unsigned number; /* from 0 */
    uint64_t turn;   /* the number of its acts */
    void *own;       /* what begin() has created */
};

/* The functions of the threads. Each reports its operations with worker_did(). */
struct gang_work {
    void (*begin)(struct worker *worker);
    void (*act)(struct worker *worker);
    void (*end)(struct worker *worker);
};

/*
 * Report an operation and its result. Returns whether the result was as expected. Otherwise it is
 * counted, and the first such result is kept with its name (a static text).
 */
bool worker_did(struct worker *worker, const char *name, CUresult code, CUresult wanted);

/*
 * Start threads that together do `operations` operations, after a warm-up of a fifth of them. They
 * pause `pauses` times, at equal intervals. Returns false if the system refuses.
 */
bool gang_start(const struct gang_work *work, unsigned threads, uint64_t operations,
                unsigned pauses);

/* Wait until all threads have paused between two acts; let them continue. */
void gang_pause(void);
void gang_resume(void);

/* Wait for the end of all threads, after the last pause. */
void gang_join(void);

/* The number of operations since gang_start(), and of failed ones. */
uint64_t gang_operations(void);
uint64_t gang_failures(void);

/* The first failure since the program began, such as `EventQuery: 700`; empty: none. */
const char *gang_first_failure(void);

/* --- the acts (acts.c) --- */

/* The options of the command line. */
struct soak_options {
    uint64_t threads;    /* 0: the default */
    uint64_t operations; /* operations of the measurement */
    uint64_t leak;       /* leak one in this many events, to test the detection; 0: none */
    bool counts_only;    /* do not judge host memory, because a sanitizer keeps freed memory */
};

/* Each act creates, uses and destroys objects of one kind. */
extern const struct gang_work acts;

/*
 * Before the gang starts: make the primary context current on this thread, and fill the pool of
 * events, which all acts use; after it has stopped: release them. Only a mock gets all acts, since
 * the memory of other drivers is not flat under some of them.
 */
CUresult acts_prepare(const struct soak_options *options, bool is_mock);
CUresult acts_end(void);

struct acts_state {
    size_t pooled, out_of_pool; /* events of the pool; those that are acquired */
    size_t device_bytes;        /* in use */
};

/*
 * While all threads have paused: make the device's pool release unused memory, and read the state.
 */
void acts_settle(struct acts_state *state);

#endif
