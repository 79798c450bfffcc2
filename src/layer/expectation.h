/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of calls and errors (expectation.c), and one expected call (expected_call.c). */
#ifndef CUSHIM_LAYER_EXPECTATION_H
#define CUSHIM_LAYER_EXPECTATION_H

#include <cushim/testing/recording.h>

#include "src/base/text.h"
#include "src/driver_api/function_name.h"
#include "src/layer/layer.h"

/* Print the expectations that were not met; or only those of errors. Under the layer's lock. */
void cushim__expectations_print(struct cushim__text *text);
void cushim__errors_print(struct cushim__text *text);

/* Whether a scope is open that expects errors. Under the layer's lock. */
bool cushim__errors_are_expected(void);

enum { CUSHIM__SIMILAR_CALLS = 3, CUSHIM__CALL_TEXT = 320 };

/* The text of a call, made now because its handles may be destroyed when it is printed. */
struct cushim__call_text {
    unsigned differences; /* from what is expected; 0 if there is no such call */
    char text[CUSHIM__CALL_TEXT];
};

struct cushim__expected {
    struct cushim__expected *next; /* in the order in which the program added them */
    struct cushim_expectation what;
    bool is_forbidden;
    bool is_pattern;
    unsigned slot; /* the newest ABI that the name means, unless it is a pattern */
    uint8_t slots[(CUSHIM__SYMBOL_COUNT + 7) / 8]; /* bits: the slots that the name means */
    uint64_t count, too_many;
    struct cushim__variant_calls variants;     /* calls of other ABIs that nothing expected */
    struct cushim__call_text extra, misplaced; /* the first call too many, the first out of order */
    const struct cushim__expected *other; /* came on the wrong side of this one; NULL if in order */
    bool is_early;
    struct cushim__call_text similar[CUSHIM__SIMILAR_CALLS];
};

static inline bool cushim__expected_is_about(const struct cushim__expected *expected, unsigned slot)
{
    return expected->slots[slot / 8] >> slot % 8 & 1;
}

/* Find the slots that the name means, and check the matchers. If false, `message` says why. */
bool cushim__expected_check(struct cushim__expected *expected, struct cushim__text *message);

/*
 * Count the arguments in which a call differs from what is expected; the result code counts as the
 * last one. `*first` is the index of the first that differs.
 */
unsigned cushim__expected_compare(const struct cushim__expected *expected,
                                  const struct cushim__call *call, CUresult answer,
                                  unsigned *first);

/* Print how an expectation was not met, if it was not. */
void cushim__expected_print(struct cushim__text *text, const struct cushim__expected *expected);

#endif
