/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes by name. */
#ifndef CUSHIM_DRIVER_API_RESULT_H
#define CUSHIM_DRIVER_API_RESULT_H

#include <stdbool.h>

#include <cuda.h>

#include "src/base/text.h"

/* The name of a code, such as `CUDA_ERROR_OUT_OF_MEMORY`, and its meaning. NULL if unknown. */
const char *cushim__result_name(CUresult code);
const char *cushim__result_meaning(CUresult code);

/* The version of CUDA that introduced a code; 0 if that is 13.0 or older, or there is no such code. */
int cushim__result_since(CUresult code);

/* Whether a code means that the context is lost, so that later calls return it too. */
bool cushim__result_is_sticky(CUresult code);

/* The names by index from 0, each with its code; NULL after the last. */
const char *cushim__result_listed(size_t index, CUresult *code);

/* The name of a code, or its number if it has none. */
void cushim__result_add(struct cushim__text *text, CUresult code);

#endif
