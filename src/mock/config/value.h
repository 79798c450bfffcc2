/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of settings: words that are numbers, with or without a unit. False: it is none of these.
 */
#ifndef CUSHIM_MOCK_SETTINGS_VALUE_H
#define CUSHIM_MOCK_SETTINGS_VALUE_H

#include <stdint.h>

#include "src/mock/config/lines.h"

/* Digits. */
bool cushim__value_number(const struct cushim__word *word, uint64_t *number);

/* The same with an optional minus in front, within int. */
bool cushim__value_integer(const struct cushim__word *word, int *integer);

/* Bytes: a number, or one with KiB, MiB, GiB or TiB. */
bool cushim__value_size(const struct cushim__word *word, uint64_t *bytes);

/* Nanoseconds: a number, or one with ns, us, ms or s. */
bool cushim__value_duration(const struct cushim__word *word, uint64_t *ns);

/* A version of CUDA, 12.8 or 12080: as cuDriverGetVersion counts. */
bool cushim__value_version(const struct cushim__word *word, int *version);

#endif
