/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes as text. */
#ifndef CUSHIM_LAYER_RESULT_H
#define CUSHIM_LAYER_RESULT_H

#include <cuda.h>

#include "src/base/text.h"

/* The name of a code, or its number if it has none. */
void cushim__result_add(struct cushim__text *text, CUresult code);

#endif
