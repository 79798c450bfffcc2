/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the one layer (fault_rules.c), and what they do to calls (fault.c).
 *
 * Rules are written under the layer's lock, and those of operations and symbols under the mock's
 * too, which reads them with its own lock alone. A rule that is there does not change; only its
 * counters do: those of operations under the mock's lock, all others under the layer's.
 */
#ifndef CUSHIM_LAYER_FAULT_H
#define CUSHIM_LAYER_FAULT_H

#include "src/layer/fault_rule.h"
#include "src/layer/layer.h"

struct cushim__faults {
    unsigned count;
    struct cushim__fault_rule rules[CUSHIM__FAULT_RULES];
    struct cushim__fault_state states[CUSHIM__FAULT_RULES];
    /* Sets of rules, by bits. Whether one is empty may be read without a lock. */
    uint64_t calls[CUSHIM__SYMBOL_COUNT];    /* that a call of this slot matches */
    uint64_t variants[CUSHIM__SYMBOL_COUNT]; /* that name another ABI of its function */
    uint64_t hidden[CUSHIM__SYMBOL_COUNT];   /* that make this symbol missing */
    uint64_t phases[2];                      /* that calls match in a phase */
    uint64_t devices;                        /* that are of one device */
    uint64_t operations;                     /* that operations match */
};
extern struct cushim__faults cushim__faults;

/* The number of the first rule of a set that is not empty. */
static inline unsigned cushim__fault_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* A rule has taken effect. */
void cushim__fault_fired(unsigned rule);

/* Subscribe to the functions that take a device, as it may be lost. */
void cushim__fault_subscribe_devices(void);

/* Sticky errors and lost devices are forgotten. */
void cushim__fault_repair(void);

/* Let calls go on that hang at this moment. Not under the layer's lock. */
void cushim__fault_release_calls(void);

#endif
