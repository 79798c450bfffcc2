/* SPDX-License-Identifier: Apache-2.0 */
/* What the program has made and not given back, told. */
#ifndef CUSHIM_LAYER_LEFT_H
#define CUSHIM_LAYER_LEFT_H

#include <stdint.h>

#include "src/base/text.h"

/* Not under the layer's lock, and while no call is under way. */
void cushim__left_tell(struct cushim__text *text);

/* The same, of what calls behind this number have made. */
void cushim__left_tell_since(struct cushim__text *text, uint64_t call);

/* A text that did not fit ends in `...`. */
void cushim__left_cut(struct cushim__text *text);

#endif
