/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of names, in which `*` stands for any letters or none. */
#ifndef CUSHIM_LAYER_PATTERN_H
#define CUSHIM_LAYER_PATTERN_H

#include <stdbool.h>

bool cushim__pattern_fits(const char *pattern, const char *text);

#endif
