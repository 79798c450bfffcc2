/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the one layer.
 *
 * They are written under the layer's lock, and those of operations and symbols under the mock's
 * too, which reads them with its own lock alone. A rule that is there does not change; only what it
 * has come to does: of operations under the mock's lock, of all others under the layer's.
 */
#ifndef CUSHIM_LAYER_FAULT_RULES_H
#define CUSHIM_LAYER_FAULT_RULES_H

#include "loader/symbols.h"
#include "src/base/layer_host.h"
#include "src/layer/fault/rule.h"

struct cushim__faults {
    unsigned count;
    uint64_t seed;
    struct cushim__fault_rule rules[CUSHIM__FAULT_RULES];
    struct cushim__fault_state states[CUSHIM__FAULT_RULES];
    char texts[CUSHIM__FAULT_RULES][CUSHIM__FAULT_TEXT];
    /* Sets of rules, by bits. Who has no lock may look whether there are any. */
    uint64_t calls[CUSHIM__SYMBOL_COUNT];  /* that a call of this slot meets */
    uint64_t kin[CUSHIM__SYMBOL_COUNT];    /* that name another ABI of its function */
    uint64_t hidden[CUSHIM__SYMBOL_COUNT]; /* that make this symbol missing */
    uint64_t phases[2];                    /* that calls meet in a phase */
    uint64_t devices;                      /* that are of one device */
    uint64_t operations;                   /* that operations meet */
};
extern struct cushim__faults cushim__faults;

/* The number of the first rule of a set that is not empty. */
static inline unsigned cushim__fault_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* A rule has taken effect. */
void cushim__fault_fired(unsigned rule);

/* A rule that never fired, in words. */
void cushim__fault_describe(unsigned rule, char *line, size_t size);

/* An operation of the mock begins: what it meets. Under the mock's lock. */
void cushim__faults_of_operation(struct cushim__operation_fault *fault, const char *kind,
                                 int device);

#endif
