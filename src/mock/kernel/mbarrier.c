/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: barriers that are objects in shared memory. Nothing here waits: threads ask whether a
 * phase is over, and arrivals count down what it lacks. How the 8 bytes hold that is not defined.
 */
#include <string.h>

#include "src/mock/kernel/launch.h"

struct state {
    uint32_t expected, pending, phase;
};

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1 };

static struct state unpack(uint64_t word)
{
    return (struct state){
        .expected = word & COUNT_MASK,
        .pending = word >> COUNT_BITS & COUNT_MASK,
        .phase = word >> 2 * COUNT_BITS & 1,
    };
}

static uint64_t pack(struct state state)
{
    return (state.expected & COUNT_MASK) | (uint64_t)(state.pending & COUNT_MASK) << COUNT_BITS |
           (uint64_t)state.phase << 2 * COUNT_BITS;
}

/* The phase ends with the last arrival. */
static uint64_t settled(struct state state)
{
    if (state.pending == 0) {
        state.phase ^= 1;
        state.pending = state.expected;
    }
    return pack(state);
}

/* What an operation makes of a barrier; `*result` is what it returns. */
static uint64_t applied(enum ptx_mbarrier operation, uint64_t word, uint64_t operand,
                        uint64_t *result)
{
    struct state state = unpack(word);
    const uint32_t count = (uint32_t)operand;

    *result = word;
    switch (operation) {
    case MBARRIER_INIT:
        return pack((struct state){.expected = count, .pending = count});
    case MBARRIER_ARRIVE:
    case MBARRIER_COPIES_ARRIVE:
        state.pending -= count;
        return settled(state);
    case MBARRIER_DROP:
        state.expected -= count;
        state.pending -= count;
        return settled(state);
    case MBARRIER_WAIT:
        *result = unpack(operand).phase != state.phase;
        return word;
    case MBARRIER_WAIT_PARITY:
        *result = (operand & 1) != state.phase;
        return word;
    default:
        return word;
    }
}

static uint64_t address_of(const struct ptx_step *step, unsigned lane)
{
    const struct ptx_instruction *at = step->at;
    const bool wide = at->other & ADDRESS_WIDE;

    return (uint64_t)at->immediate +
           (at->a == PTX_UNUSED ? 0 : ptx_number(ptx_row(step, at->a), lane, wide));
}

void cushim__ptx_mbarrier(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const enum ptx_mbarrier operation = (enum ptx_mbarrier)at->type;
    const bool waits = operation == MBARRIER_WAIT || operation == MBARRIER_WAIT_PARITY;
    const bool has_state = operation == MBARRIER_WAIT || operation == MBARRIER_PENDING;
    uint32_t bits = 0;

    /* It may be asked again and again whether others have come. */
    step->left -= step->left < PTX_SPINNING ? step->left : PTX_SPINNING;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint64_t operand = ptx_number(ptx_row(step, at->b), lane, has_state);
        uint64_t result = unpack(operand).pending;

        if (operation != MBARRIER_PENDING) {
            unsigned char *place = cushim__ptx_bytes(step, lane, (enum ptx_space)at->sub,
                                                     address_of(step, lane), 8, PTX_ATOMIC);
            uint64_t word;

            if (!place)
                return;
            memcpy(&word, place, sizeof word);
            word = applied(operation, word, operand, &result);
            memcpy(place, &word, sizeof word);
            if (step->launch->racecheck)
                cushim__ptx_racecheck_mbarrier(step, place, waits, waits && result);
        }
        bits |= waits ? (uint32_t)result << lane : 0;
        if (!waits && at->d != PTX_UNUSED)
            ptx_set_number(step->frame + at->d, lane, operation != MBARRIER_PENDING, result);
    }
    if (waits)
        ptx_put_bits(step, at->d, bits);
}
