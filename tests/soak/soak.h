/* SPDX-License-Identifier: Apache-2.0 */
/* A soak: threads at work for a long time, while figures of the process are to stay flat. */
#ifndef CUSHIM_TESTS_SOAK_SOAK_H
#define CUSHIM_TESTS_SOAK_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include "figure.h"
#include "gang.h"

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

/* Tell a round and the figures of the last one: text, or an object of JSON without a newline. */
void soak_tell(const struct soak_round *round);
void soak_tell_json(const struct soak_round *round);

#endif
