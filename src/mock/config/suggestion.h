/* SPDX-License-Identifier: Apache-2.0 */
/* The name that was probably meant. */
#ifndef CUSHIM_MOCK_SETTINGS_NEAREST_H
#define CUSHIM_MOCK_SETTINGS_NEAREST_H

#include "src/mock/config/lines.h"

struct cushim__nearest {
    struct cushim__word word; /* what was written */
    const char *name;         /* the nearest so far; NULL: none is near */
    size_t distance;
};

/* Letters of either case count as the same. */
void cushim__nearest_begin(struct cushim__nearest *nearest, const struct cushim__word *word);
void cushim__nearest_offer(struct cushim__nearest *nearest, const char *name);

#endif
