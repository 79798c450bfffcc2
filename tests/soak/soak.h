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

/* --- figures: samples of a value that must not grow, and their evaluation --- */

enum { FIGURE_SAMPLES = 20 };

struct figure {
    const char *name;
    double allowance;     /* permitted growth over all samples, in the figure's unit */
    bool is_printed_only; /* printed, but not judged */
    unsigned count;
    double samples[FIGURE_SAMPLES];
};

/* The state of a mock. Returns false, and leaves `state` unchanged, if the driver is not a mock. */
bool soak_mock_state(struct cushim_mock_state *state);

/* --- the gang (gang.c): threads that can pause between two acts --- */

enum { GANG_MOST = 64 };

/* A thread of the gang. */
struct worker {
    unsigned number; /* from 0 */
    uint64_t turn;   /* the number of its acts */
    void *own;       /* what worker_begin() of the program has created */
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

/* Start threads, which wait for gang_resume(). Returns false if the system refuses. */
bool gang_start(const struct gang_work *work, unsigned threads);

/* Pause all threads between two acts, and wait until they have paused; let them continue. */
void gang_pause(void);
void gang_resume(void);

/*
 * Let the threads do this many operations since gang_start(), in equal parts, and wait until they
 * have paused. Like gang_pause(), but at a count instead of a time, so that the machine's speed
 * does not matter.
 */
void gang_pause_after(uint64_t operations);

/* End all threads. */
void gang_stop(void);

/* The number of operations since gang_start(), and of failed ones. */
uint64_t gang_operations(void);
uint64_t gang_failures(void);

/* The first failure since the program began, such as `EventQuery: 700`; empty: none. */
const char *gang_first_failure(void);

/* --- soaks --- */

/* The options of the command line. */
struct soak_options {
    unsigned threads;    /* 0: the program's default */
    double seconds;      /* duration of a round's measurement; 0: until `operations` are done */
    uint64_t operations; /* operations of a round's measurement; 0: for `seconds` */
    unsigned leak;       /* leak one in this many events, to test the detection; 0: none */
    bool counts_only;    /* do not judge host memory, because a sanitizer keeps freed memory */
    bool json;
};

/*
 * Read the command line; these are the defaults. Returns -1 to continue, or the exit status after a
 * message on standard output or error.
 */
int soak_options_read(struct soak_options *options, int count, char **arguments,
                      const char *description);

/* The most figures of a program's own. */
enum { SOAK_OWN_FIGURES = 6 };

/* A program's soak. */
struct soak {
    const char *name;
    struct gang_work work;
    /*
     * Figures of the program's own, up to one without a name, and a function that reads them or
     * prepares a sample, or NULL. It is called while all threads have paused and the device is
     * idle.
     */
    struct figure figures[SOAK_OWN_FIGURES + 1];
    void (*sample)(double *own);
};

/* The result of a round. */
struct soak_round {
    unsigned threads;
    uint64_t operations, failures; /* of the whole round, including the warm-up */
    double seconds;
    bool is_flat;
};

/*
 * Let threads work: a warm-up of a fifth of the duration, and then the whole duration with
 * FIGURE_SAMPLES samples. The calling thread has a current context. Returns false if the threads
 * cannot be started.
 */
bool soak_run(const struct soak *soak, const struct soak_options *options, unsigned threads,
              struct soak_round *round);

/*
 * Print a round with the figures of the last round, as text or as a JSON object without a newline.
 */
void soak_print(const struct soak_round *round);
void soak_print_json(const struct soak_round *round);

#endif
