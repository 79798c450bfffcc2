/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A soak: a gang of threads that do the same act over and over for a long time, while figures of the
 * process are to stay flat.
 */
#ifndef CUSHIM_TESTS_SOAK_SOAK_H
#define CUSHIM_TESTS_SOAK_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/testing/mock.h>

/* --- figures: samples of what is to stay flat, and what follows from them --- */

enum { FIGURE_SAMPLES = 20 };

struct figure {
    const char *name;
    double allowance;     /* growth over all samples that is no leak, in the figure's unit */
    bool is_printed_only; /* printed, and never judged */
    unsigned count;
    double samples[FIGURE_SAMPLES];
};

/* One more sample, as long after the one before as all others; those behind the last are lost. */
void figure_add(struct figure *figure, double sample);

/* Growth from the first sample to the last by the straight line of least squares. */
double figure_growth(const struct figure *figure);

/* Mean of the last third of the samples less the mean of the first third. */
double figure_thirds(const struct figure *figure);

/* Whether neither exceeds the allowance. What shrinks is flat; no samples are not. */
bool figure_is_flat(const struct figure *figure);

/* What the mock says of itself. False: the driver is no mock, and `state` is as it was. */
bool soak_mock_state(struct cushim_mock_state *state);

/* --- the gang, gang.c: threads that stand still between two acts when asked to --- */

enum { GANG_MOST = 64 };

/* One of its threads. */
struct worker {
    unsigned number; /* from 0 */
    uint64_t turn;   /* acts that it has done */
    void *own;       /* what worker_begin() of the program has made */
};

/* What the threads do. Each function reports what it does by worker_did(). */
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

/* Start so many threads, which wait for gang_resume(). False: they cannot be had. */
bool gang_start(const struct gang_work *work, unsigned threads);

/* Let all stand between two acts, which is so when this returns; and let them go on. */
void gang_pause(void);
void gang_resume(void);

/*
 * Let the threads do so many operations since gang_start() between them, an equal part each, and
 * stand then, which is so when this returns. It is what gang_pause() is, at a count in place of a
 * moment: how fast the machine is has no say in it.
 */
void gang_pause_after(uint64_t operations);

/* End them all. */
void gang_stop(void);

/* Operations since gang_start(), and how many of them failed. */
uint64_t gang_operations(void);
uint64_t gang_failures(void);

/* The first that failed since the program began, as `EventQuery: 700`; empty: none. */
const char *gang_first_failure(void);

/* --- soaks --- */

/* What the command line asks for. */
struct soak_options {
    unsigned threads;    /* 0: what the program thinks best */
    double seconds;      /* how long a round is measured; 0: until `operations` are done */
    uint64_t operations; /* how many operations a round is measured for; 0: as long as `seconds` */
    unsigned leak;       /* forget every so many-th event, to see that it is found; 0: none */
    bool counts_only;    /* do not judge memory of the host: a sanitizer keeps what is freed */
    bool json;
};

/*
 * Read the command line over these defaults. Returns -1 to go on, or the status to exit with, after
 * words on standard output or error.
 */
int soak_options_read(struct soak_options *options, int count, char **arguments,
                      const char *description);

/* Most figures of a program's own. */
enum { SOAK_OWN_FIGURES = 6 };

/* What a program soaks. */
struct soak {
    const char *name;
    struct gang_work work;
    /*
     * Figures of the program's own, up to one without a name, and what reads them or prepares a
     * sample; NULL: nothing. It is called while all threads stand and the device is idle.
     */
    struct figure figures[SOAK_OWN_FIGURES + 1];
    void (*sample)(double *own);
};

/* What came of a round. */
struct soak_round {
    unsigned threads;
    uint64_t operations, failures; /* of the whole round, its warm-up too */
    double seconds;
    bool is_flat;
};

/*
 * Let threads work, for a warm-up of a fifth of what is asked and then for that, with
 * FIGURE_SAMPLES samples. The calling thread has a context current. False: threads cannot be had.
 */
bool soak_run(const struct soak *soak, const struct soak_options *options, unsigned threads,
              struct soak_round *round);

/* Print a round and the figures of the last one: text, or an object of JSON without a newline. */
void soak_print(const struct soak_round *round);
void soak_print_json(const struct soak_round *round);

#endif
