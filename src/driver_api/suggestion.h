/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests the name that was probably meant by an unknown word. */
#ifndef CUSHIM_DRIVER_API_SUGGESTION_H
#define CUSHIM_DRIVER_API_SUGGESTION_H

#include "src/base/key_values.h"

struct cushim__suggestion {
    struct cushim__word word; /* what was written */
    const char *name;         /* the most similar name so far; NULL if none is similar */
    size_t distance;          /* number of letters that differ */
};

/* Offer names one after the other. Upper and lower case count as the same. */
void cushim__suggestion_begin(struct cushim__suggestion *suggestion,
                              const struct cushim__word *word);
void cushim__suggestion_offer(struct cushim__suggestion *suggestion, const char *name);

/* Offer the exported names of all functions. */
void cushim__suggestion_offer_functions(struct cushim__suggestion *suggestion);

/*
 * Refuse the word at its place: `there is no effect "retrun"; did you mean "return"?`. Returns
 * CUDA_ERROR_INVALID_VALUE.
 */
CUresult cushim__suggestion_refuse(const struct cushim__suggestion *suggestion,
                                   const struct cushim__lines *lines, const char *what);

#endif
