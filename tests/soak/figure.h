/* SPDX-License-Identifier: Apache-2.0 */
/* A figure that is to stay flat while a program works: its samples, and what they tell. */
#ifndef CUSHIM_TESTS_SOAK_FIGURE_H
#define CUSHIM_TESTS_SOAK_FIGURE_H

#include <stdbool.h>

enum { FIGURE_SAMPLES = 20 };

struct figure {
    const char *name;
    double allowance;  /* growth over all samples that is no leak, in the figure's unit */
    bool is_told_only; /* printed, and never judged */
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

#endif
