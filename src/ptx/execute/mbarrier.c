/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: barriers that are objects in shared memory. None of these instructions waits: threads
 * test whether a phase is over, and each arrival decrements the number of pending ones. PTX does
 * not define the contents of the 8 bytes.
 */
#include <string.h>

#include "src/ptx/execute/launch_state.h"

union state {
    uint64_t word;
    struct {
        uint32_t expected;
        uint32_t pending : 31, phase : 1;
    };
};

/*
 * Apply an operation to a barrier and return its new contents. `*result` is what the instruction
 * returns.
 */
static uint64_t applied(enum ptx_mbarrier operation, uint64_t word, uint64_t operand,
                        uint64_t *result)
{
    union state state = {.word = word};
    const union state former = {.word = operand};
    const uint32_t count = (uint32_t)operand;

    *result = word;
    switch (operation) {
    case MBARRIER_INIT:
        state.expected = state.pending = count;
        state.phase = 0;
        break;
    case MBARRIER_ARRIVE:
    case MBARRIER_COPIES_ARRIVE:
    case MBARRIER_DROP:
        state.expected -= operation == MBARRIER_DROP ? count : 0;
        state.pending -= count;
        /* The last arrival ends the phase. */
        if (state.pending == 0) {
            state.phase ^= 1;
            state.pending = state.expected;
        }
        break;
    case MBARRIER_WAIT:
        *result = former.phase != state.phase;
        break;
    case MBARRIER_WAIT_PARITY:
        *result = (operand & 1) != state.phase;
        break;
    case MBARRIER_PENDING:
        *result = former.pending;
        break;
    default:
        break;
    }
    return state.word;
}

void cushim__ptx_mbarrier(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const enum ptx_mbarrier operation = (enum ptx_mbarrier)at->type;
    const bool waits = operation == MBARRIER_WAIT || operation == MBARRIER_WAIT_PARITY;
    const bool has_state = operation == MBARRIER_WAIT || operation == MBARRIER_PENDING;
    const void *const row = at->a == PTX_UNUSED ? NULL : ptx_row(step, at->a);
    uint32_t bits = 0;

    /* The instruction may be in a loop that waits for other threads. */
    step->left -= step->left < PTX_SPINNING ? step->left : PTX_SPINNING;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint64_t operand = ptx_number(ptx_row(step, at->b), lane, has_state);
        uint64_t word = 0, result;
        unsigned char *place = NULL;

        if (operation != MBARRIER_PENDING) {
            const uint64_t base = row ? ptx_number(row, lane, at->other & ADDRESS_WIDE) : 0;

            place = cushim__ptx_bytes(step, lane, (enum ptx_space)at->sub,
                                      base + (uint64_t)at->immediate, 8, PTX_ATOMIC);
            if (!place)
                return;
            memcpy(&word, place, sizeof word);
        }
        word = applied(operation, word, operand, &result);
        if (place)
            memcpy(place, &word, sizeof word);
        if (place && step->launch->racecheck)
            cushim__ptx_racecheck_mbarrier(step, place, waits, waits && result);
        bits |= waits ? (uint32_t)result << lane : 0;
        if (!waits && at->d != PTX_UNUSED)
            ptx_set_number(step->frame + at->d, lane, operation != MBARRIER_PENDING, result);
    }
    if (waits)
        ptx_put_bits(step, at->d, bits);
}
