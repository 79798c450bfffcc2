/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations, as the watch feeds them. */
#ifndef CUSHIM_LAYER_EXPECTATION_H
#define CUSHIM_LAYER_EXPECTATION_H

#include <cushim/testing/recording.h>

#include "src/base/text.h"
#include "src/layer/abi_variant.h"
#include "src/layer/watch.h"

/* A call has ended with what the caller gets. Under the layer's lock. */
void cushim__expectation_judge(const struct cushim__call *call, CUresult answer);

/* The layer ends. */
void cushim__expectation_drop(void);

/* What did not come as expected. Under the layer's lock. */
void cushim__expectation_tell(struct cushim__text *text);

/* --- its parts --- */

enum { CUSHIM__NEAREST = 3, CUSHIM__CALL_TEXT = 320 };

/* A call that is told later, when its handles may be gone. */
struct cushim__told_call {
    unsigned differences; /* 0: there is none */
    char text[CUSHIM__CALL_TEXT];
};

struct cushim__expected {
    struct cushim__expected *next; /* made after this */
    struct cushim_expectation what;
    bool is_forbidden;
    bool is_pattern;
    unsigned slot;                                 /* of no pattern */
    uint8_t slots[(CUSHIM__SYMBOL_COUNT + 7) / 8]; /* a bit for each that it is about */
    uint64_t count, too_many;
    struct cushim__kin kin; /* calls of other ABIs that were expected by nobody */
    struct cushim__told_call extra, misplaced; /* the first that was too many, out of order */
    const struct cushim__expected *other; /* what it came before or after; NULL: it is in order */
    bool is_early;
    struct cushim__told_call nearest[CUSHIM__NEAREST];
};

static inline bool cushim__expected_is_about(const struct cushim__expected *expected, unsigned slot)
{
    return expected->slots[slot / 8] >> slot % 8 & 1;
}

/* Whether a slot is another ABI of the function that is named. */
static inline bool cushim__expected_has_kin(const struct cushim__expected *expected, unsigned slot)
{
    return !expected->is_pattern && cushim__is_kin(expected->slot, slot);
}

/* `call 3 of thread 1: cuEventRecord(...) = CUDA_SUCCESS`. */
void cushim__told_call(struct cushim__told_call *told, const struct cushim__call *call,
                       CUresult answer);

/* Find the slots that a name stands for, and check the matchers. False: `message` says why. */
bool cushim__expected_check(struct cushim__expected *expected, struct cushim__text *message);

/* In how many arguments a call differs, and in which first (beyond all: in its code). */
unsigned cushim__expected_compare(const struct cushim__expected *expected,
                                  const struct cushim__call *call, CUresult answer,
                                  unsigned *first);

/* What became of one. */
void cushim__expected_tell(struct cushim__text *text, const struct cushim__expected *expected);

/* Errors and their scopes: the answer of a call, what was wrong, and whether anything is asked. */
void cushim__errors_judge(const struct cushim__call *call, CUresult answer);
void cushim__errors_tell(struct cushim__text *text);
void cushim__errors_clear(void);
bool cushim__errors_are_asked(void);

/* What slots expectations need to be told of, after a change. False: no memory. */
bool cushim__expectations_watch(void);

#endif
