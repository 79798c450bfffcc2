/* SPDX-License-Identifier: Apache-2.0 */
#include "figure.h"

void figure_add(struct figure *figure, double sample)
{
    if (figure->count < FIGURE_SAMPLES)
        figure->samples[figure->count++] = sample;
}

static double mean(const double *samples, unsigned count)
{
    double sum = 0;

    /* As distances to the first: equal samples then have it as their mean to the last bit. */
    for (unsigned i = 0; i < count; i++)
        sum += samples[i] - samples[0];
    return samples[0] + sum / count;
}

double figure_growth(const struct figure *figure)
{
    const unsigned count = figure->count;
    double above = 0, below = 0;

    if (count < 2)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        const double x = i - (count - 1) / 2.0;

        above += x * (figure->samples[i] - mean(figure->samples, count));
        below += x * x;
    }
    return above / below * (count - 1);
}

double figure_thirds(const struct figure *figure)
{
    const unsigned third = figure->count / 3;

    if (third == 0)
        return 0;
    return mean(figure->samples + figure->count - third, third) - mean(figure->samples, third);
}

bool figure_is_flat(const struct figure *figure)
{
    if (figure->is_told_only)
        return true;
    return figure->count > 0 && figure_growth(figure) <= figure->allowance &&
           figure_thirds(figure) <= figure->allowance;
}
