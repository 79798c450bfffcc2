/* SPDX-License-Identifier: Apache-2.0 */
/* One rule of faults: where it applies, under which conditions, and what happens then. */
#ifndef CUSHIM_LAYER_FAULT_RULE_H
#define CUSHIM_LAYER_FAULT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

#include "src/base/key_values.h"
#include "src/driver_api/function_name.h"

enum {
    CUSHIM__FAULT_SITE = 96,   /* bytes of the name or pattern of a site, with its end */
    CUSHIM__FAULT_TEXT = 384,  /* bytes of a rule as it is shown, with its end */
    CUSHIM__FAULT_LINE = 640,  /* bytes of a rule and of what became of it */
    CUSHIM__FAULT_DEVICES = 64 /* numbers of devices are below this */
};

/* Probabilities are counted in parts of this, so that they can be written and read exactly. */
#define CUSHIM__FAULT_CERTAIN UINT32_C(1000000000)

/* What a rule consists of: where a message points. */
enum cushim__fault_part {
    CUSHIM__FAULT_OF_SITE,
    CUSHIM__FAULT_OF_DEVICE,
    CUSHIM__FAULT_OF_NTH, /* the conditions, in the order in which they are written */
    CUSHIM__FAULT_OF_AFTER,
    CUSHIM__FAULT_OF_EVERY,
    CUSHIM__FAULT_OF_PROBABILITY,
    CUSHIM__FAULT_OF_SEED,
    CUSHIM__FAULT_OF_TIMES,
    CUSHIM__FAULT_OF_PHASE,
    CUSHIM__FAULT_OF_EFFECT,
    CUSHIM__FAULT_OF_ARGUMENT,
    CUSHIM__FAULT_PARTS
};

/* When a call is met. */
enum cushim__fault_phase {
    CUSHIM__FAULT_BEFORE, /* in place of it: what answers in its stead, it does not do */
    CUSHIM__FAULT_AFTER,  /* it is made, and then its answer is replaced */
};

/* What a rule does. */
enum cushim__fault_effect {
    CUSHIM__FAULT_RETURN,  /* the call answers `code` */
    CUSHIM__FAULT_STICKY,  /* from now on calls answer `code`, as after a fault on the device */
    CUSHIM__FAULT_LOST,    /* the same, and functions that take a device answer it as well */
    CUSHIM__FAULT_DELAY,   /* it takes `delay_ns` longer */
    CUSHIM__FAULT_HANG,    /* it does not end before cushim_fault_resume() */
    CUSHIM__FAULT_MISSING, /* the driver has no such symbol */
    CUSHIM__FAULT_OLDER,   /* the driver is that of CUDA `version` */
};

struct cushim__fault_rule {
    char text[CUSHIM__FAULT_TEXT]; /* as it was given */
    char site[CUSHIM__FAULT_SITE]; /* without its device */
    bool is_operation;             /* the site is `op.` and a kind of operations */
    int device;                    /* -1: any */
    unsigned parts;                /* which conditions there are, by bits */
    uint64_t nth, after, every, times, seed;
    uint32_t probability;
    enum cushim__fault_phase phase;
    enum cushim__fault_effect effect;
    CUresult code;
    uint64_t delay_ns;
    int version;
};

/*
 * What a rule has come to. The counters may be read without the lock under which they are counted.
 */
struct cushim__fault_state {
    uint64_t matched, fired;
    uint64_t random; /* of `p` */
    struct cushim__variant_calls variants;
};

/* The names of conditions; NULL: the part is none. */
extern const char *const cushim__fault_conditions[CUSHIM__FAULT_PARTS];

/* The kinds of operations of a mock: the names of their classes. Ends with NULL. */
extern const char *const cushim__fault_operations[];

/* What the site of an operation begins with. */
#define CUSHIM__FAULT_OPERATION "op."

/*
 * Read a rule `SITE[@devN][:CONDITION,...] => EFFECT` from a part of the current line. On a refusal
 * the message of `lines` says where and why. CUDA_SUCCESS or INVALID_VALUE.
 */
CUresult cushim__fault_rule_parse(struct cushim__fault_rule *rule, const struct cushim__word *text,
                                  const struct cushim__lines *lines);

/* What contradicts itself in a rule whose parts are right, and where; NULL: nothing. */
const char *cushim__fault_contradiction(const struct cushim__fault_rule *rule,
                                        enum cushim__fault_part *where);

/* Count a match, and return whether the rule is due. The caller counts what fires then. */
bool cushim__fault_match(struct cushim__fault_state *state, const struct cushim__fault_rule *rule);

#endif
