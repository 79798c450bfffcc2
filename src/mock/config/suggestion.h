/* SPDX-License-Identifier: Apache-2.0 */
/* The name that was probably meant. */
#ifndef CUSHIM_MOCK_SETTINGS_NEAREST_H
#define CUSHIM_MOCK_SETTINGS_NEAREST_H

#include "src/mock/config/lines.h"

struct cushim__suggestion {
    struct cushim__word word; /* what was written */
    const char *name;         /* the nearest so far; NULL: none is near */
    size_t distance;
};

/* Letters of either case count as the same. */
void cushim__suggestion_begin(struct cushim__suggestion *nearest, const struct cushim__word *word);
void cushim__suggestion_offer(struct cushim__suggestion *nearest, const char *name);

#endif
