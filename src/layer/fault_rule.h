/* SPDX-License-Identifier: Apache-2.0 */
/* A rule of faults: where it applies, under which conditions, and what happens then. */
#ifndef CUSHIM_LAYER_FAULT_RULE_H
#define CUSHIM_LAYER_FAULT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/testing/layer.h>

#include "src/base/key_values.h"
#include "src/driver_api/function_name.h"

enum {
    CUSHIM__FAULT_SITE = 96,   /* bytes of the name or pattern of a site, with its NUL */
    CUSHIM__FAULT_TEXT = 384,  /* bytes of a rule in messages, with its NUL */
    CUSHIM__FAULT_LINE = 640,  /* bytes of a rule and of what became of it */
    CUSHIM__FAULT_DEVICES = 64 /* device numbers are below this */
};

/* The unit of probabilities is 1 / this, so that they can be written and read exactly. */
#define CUSHIM__FAULT_CERTAIN UINT32_C(1000000000)

/* The parts of a rule, at which messages point. */
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

/* When a rule affects a call. */
enum cushim__fault_phase {
    CUSHIM__FAULT_BEFORE, /* before the call, which is not made if the rule gives its result */
    CUSHIM__FAULT_AFTER,  /* the call is made, and then its result is replaced */
};

/* What a rule does. */
enum cushim__fault_effect {
    CUSHIM__FAULT_RETURN,  /* the call returns `code` */
    CUSHIM__FAULT_STICKY,  /* from now on calls return `code`, as after a fault on the device */
    CUSHIM__FAULT_LOST,    /* the same, and functions that take a device return it as well */
    CUSHIM__FAULT_DELAY,   /* the call takes `delay_ns` longer */
    CUSHIM__FAULT_HANG,    /* the call does not end before cushim_fault_resume() */
    CUSHIM__FAULT_MISSING, /* the driver has no such symbol */
    CUSHIM__FAULT_OLDER,   /* the driver is that of CUDA `version` */
};

struct cushim__fault_rule {
    char text[CUSHIM__FAULT_TEXT]; /* as the program wrote it */
    char site[CUSHIM__FAULT_SITE]; /* without its device */
    bool is_operation;             /* the site is `op.` and a kind of operations */
    int device;                    /* -1 for any */
    unsigned parts;                /* bits: the conditions that the rule has */
    uint64_t nth, after, every, times, seed;
    uint32_t probability;
    enum cushim__fault_phase phase;
    enum cushim__fault_effect effect;
    CUresult code;
    uint64_t delay_ns;
    int version;
};

/*
 * The state of a rule. The counters may be read without the lock under which they are counted.
 */
struct cushim__fault_state {
    uint64_t matched, fired;
    uint64_t random; /* state of the generator for `p` */
    struct cushim__variant_calls variants;
};

/* The names of conditions; NULL for parts that are not conditions. */
extern const char *const cushim__fault_conditions[CUSHIM__FAULT_PARTS];

/* The kinds of operations of a mock, by the names of their classes. Ends with NULL. */
extern const char *const cushim__fault_operations[];

/* The prefix of the site of an operation. */
#define CUSHIM__FAULT_OPERATION "op."

/*
 * Parse a rule `SITE[@devN][:CONDITION,...] => EFFECT` from a part of the current line. Returns
 * CUDA_SUCCESS, or INVALID_VALUE; then the message of `lines` says where and why.
 */
CUresult cushim__fault_rule_parse(struct cushim__fault_rule *rule, const struct cushim__word *text,
                                  const struct cushim__lines *lines);

/* Why the parts of a rule, each valid, exclude each other, and where; NULL if they do not. */
const char *cushim__fault_contradiction(const struct cushim__fault_rule *rule,
                                        enum cushim__fault_part *where);

/* Count a match, and return whether the rule is due. If it is, the caller counts that it fires. */
bool cushim__fault_match(struct cushim__fault_state *state, const struct cushim__fault_rule *rule);

#endif
