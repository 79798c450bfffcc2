/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the one layer (fault_rules.c), and what they do to calls (fault.c).
 *
 * Rules are written under the layer's lock. Those of operations and symbols are also written under
 * the lock of the mock, which reads them under that lock alone. Once added, a rule does not change,
 * but its counters do: those of operations under the mock's lock, all others under the layer's.
 */
#ifndef CUSHIM_LAYER_FAULT_H
#define CUSHIM_LAYER_FAULT_H

#include "src/layer/fault_rule.h"
#include "src/layer/layer.h"

struct cushim__faults {
    unsigned count;
    struct cushim__fault_rule rules[CUSHIM__FAULT_RULES];
    struct cushim__fault_state states[CUSHIM__FAULT_RULES];
    /* Sets of rules, a bit for each. Whether a set is empty may be read without a lock. */
    uint64_t calls[CUSHIM__SYMBOL_COUNT];    /* that calls of this slot match */
    uint64_t variants[CUSHIM__SYMBOL_COUNT]; /* that name another ABI of its function */
    uint64_t hidden[CUSHIM__SYMBOL_COUNT];   /* that make this symbol missing */
    uint64_t phases[2];                      /* that calls match in a phase */
    uint64_t devices;                        /* that name a device */
    uint64_t operations;                     /* that operations match */
};
extern struct cushim__faults cushim__faults;

/* The number of the first rule of a set, which must not be empty. */
static inline unsigned cushim__fault_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* Count that a rule has taken effect. */
void cushim__fault_fired(unsigned rule);

/* Subscribe to the functions that take a device, because a device may be lost. */
void cushim__fault_subscribe_devices(void);

/* Forget sticky errors and lost devices. */
void cushim__fault_repair(void);

/* Let the calls that hang at this moment continue. Not under the layer's lock. */
void cushim__fault_release_calls(void);

#endif
