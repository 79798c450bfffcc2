/* SPDX-License-Identifier: Apache-2.0 */
/* What a function is to a sweep, by its exported name. */
#ifndef CUSHIM_LAYER_SWEEP_SORT_H
#define CUSHIM_LAYER_SWEEP_SORT_H

#include <stdbool.h>

#include <cuda.h>

/* Whether a sweep of `pattern` fails this function; `*` stands for any letters, NULL for all. */
bool cushim__sweep_is_meant(const char *function, const char *pattern);

/* Whether there is a function that a sweep of `pattern` fails; `spares`: but for releases. */
bool cushim__sweep_means_any(const char *pattern, bool spares);

/* Whether it gives something back, so that it is made although it fails. */
bool cushim__sweep_gives_back(const char *function);

/*
 * Whether a sweep of `pattern` leaves it out, if releases are not to fail: it gives something back,
 * answers nothing but whether it did, and is not named without a star.
 */
bool cushim__sweep_is_spared(const char *function, const char *pattern);

/* What it answers if nobody has said a code. */
CUresult cushim__sweep_usual_code(const char *function);

#endif
