/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of rows that needs more than a function of a table. */
#include <fenv.h>

#include "src/ptx/execute/launch_state.h"

/* --- floating point --- */

/* Replace subnormal numbers with zeros of the same sign. */
static void flush(lane_u32 *to, const void *row, uint32_t exponent, uint32_t sign)
{
    const lane_u32 *from = row;

    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = from[i] & exponent ? from[i] : from[i] & sign;
}

static const void *flushed(struct ptx_step *step, uint32_t operand, unsigned index)
{
    const void *row = ptx_row(step, operand);

    if (!(step->at->flags & FLAG_FTZ) || !(step->at->count >> index & 1))
        return row;
    flush((lane_u32 *)step->sources[index], row, 0x7f800000, 0x80000000);
    return step->sources[index];
}

/* Flush results that are below the normal numbers when only their fraction is rounded. */
static void flush_tiny(struct ptx_step *step, const lane_f32 *a, const lane_f32 *b,
                       const lane_f32 *c)
{
    lane_u32 *const result = (lane_u32 *)step->result;

    flush(result, step->result, 0x7f800000, 0x80000000);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        if ((result[i] & 0x7fffffff) == 0x00800000 &&
            cushim__ptx_is_tiny(step->at->lanes, a[i], step->at->b == PTX_UNUSED ? 0 : b[i],
                                step->at->c == PTX_UNUSED ? 0 : c[i],
                                (enum ptx_rounding)step->at->rounding))
            result[i] &= 0x80000000;
    }
}

/* Execute an operation with a rounding mode, flushing or saturation. */
void cushim__ptx_compute_float(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = flushed(step, at->a, 0), *b = flushed(step, at->b, 1),
               *c = flushed(step, at->c, 2);
    lane_f32 *const result = (lane_f32 *)step->result;
    static const int modes[] = {[ROUND_ZERO] = FE_TOWARDZERO,
                                [ROUND_DOWN] = FE_DOWNWARD,
                                [ROUND_UP] = FE_UPWARD,
                                [ROUND_AWAY] = FE_TONEAREST};
    const bool rounds = at->rounding > ROUND_NEAREST;

    if (rounds)
        fesetround(modes[at->rounding]);
    at->lanes(step->result, a, b, c);
    if (rounds)
        fesetround(FE_TONEAREST);
    if (at->flags & FLAG_FTZ && at->flags & FLAG_FLUSH_RESULT)
        flush_tiny(step, a, b, c);
    if (at->flags & FLAG_SAT) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = result[i] > 0 ? result[i] < 1 ? result[i] : 1 : 0;
    }
}

/* --- predicates --- */

static uint32_t predicate(const struct ptx_step *step, uint32_t operand)
{
    const lane_u32 *word = ptx_row(step, operand);

    return step->at->flags & FLAG_NEGATED_SOURCE ? ~*word : *word;
}

static uint32_t combined(enum ptx_logic logic, uint32_t a, uint32_t b)
{
    return logic == LOGIC_AND   ? a & b
           : logic == LOGIC_OR  ? a | b
           : logic == LOGIC_XOR ? a ^ b
           : logic == LOGIC_NOT ? ~a
                                : a;
}

static uint32_t compare(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);

    if (at->flags & FLAG_FTZ) {
        const uint32_t exponent = at->count ? 0x7c00 : 0x7f800000;
        const uint32_t sign = at->count ? 0x8000 : 0x80000000;

        flush((lane_u32 *)step->sources[0], a, exponent, sign);
        flush((lane_u32 *)step->sources[1], b, exponent, sign);
        a = step->sources[0];
        b = step->sources[1];
    }
    return at->compare(a, b);
}

void cushim__ptx_compute_comparison(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t result = compare(step);
    const uint32_t other = at->sub == LOGIC_MOVE ? 0 : predicate(step, at->c);

    ptx_put_bits(step, at->d, combined((enum ptx_logic)at->sub, result, other));
    ptx_put_bits(step, at->e, combined((enum ptx_logic)at->sub, ~result, other));
}

void cushim__ptx_compute_logic(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *a = ptx_row(step, at->a);
    const lane_u32 *b = at->b == PTX_UNUSED ? a : ptx_row(step, at->b);

    ptx_put_bits(step, at->d, combined((enum ptx_logic)at->sub, *a, *b));
}

void cushim__ptx_compute_set(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    uint32_t result = compare(step), yes = PTX_ALL_LANES;
    lane_u32 *const to = (lane_u32 *)step->result;

    if (at->sub != LOGIC_MOVE)
        result = combined((enum ptx_logic)at->sub, result, predicate(step, at->c));
    if (cushim__ptx_formats[at->type].fraction > 0)
        yes = cushim__ptx_from_double((enum ptx_type)at->type, 1, ROUND_NEAREST, false);
    else if (at->type < TYPE_B32)
        yes = 0xffff;
    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = ptx_choose(result, i, yes, 0);
}

void cushim__ptx_compute_choice(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t which = predicate(step, at->c);
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);
    lane_u64 *const restrict to64 = step->result;
    lane_u32 *const restrict to32 = (lane_u32 *)step->result;

    if (at->bytes == 8) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to64[i] = ((const lane_u64 *)(ptx_in(which, i) ? a : b))[i];
    } else {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to32[i] = ptx_choose(which, i, ((const lane_u32 *)a)[i], ((const lane_u32 *)b)[i]);
    }
}

/* --- integers --- */

/*
 * add.cc and the like. Each lane has its own carry. After a subtraction, the carry is the inverse
 * of the borrow.
 */
void cushim__ptx_compute_carry(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const bool wide = at->bytes == 8;
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);
    uint32_t out = 0;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint64_t flag = (step->warp->carry >> i & 1) != at->sub;
        const uint64_t in = at->flags & FLAG_CARRY_IN ? flag : 0;
        const uint64_t x = ptx_number(a, i, wide), y = ptx_number(b, i, wide);
        const uint64_t result = at->sub ? x - y - in : x + y + in;
        bool over;

        if (!wide)
            over = result >> 32 & 1;
        else if (at->sub)
            over = x < y || (x == y && in);
        else
            over = result < x || (result == x && in);
        out |= (uint32_t)(over != at->sub) << i;
        ptx_set_number(step->result, i, wide, result);
    }
    if (at->flags & FLAG_CARRY_OUT)
        step->warp->carry = (step->warp->carry & ~step->mask) | (out & step->mask);
}

/* --- parts of rows --- */

void cushim__ptx_compute_combined(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *a = ptx_row(step, at->a);
    const lane_u32 *b = ptx_row(step, at->b);
    const uint32_t mask = UINT32_MAX >> (32 - at->count);

    for (unsigned i = 0; i < PTX_LANES; i++)
        ptx_set_number(step->result, i, at->count == 32,
                       (uint64_t)b[i] << at->count | (a[i] & mask));
}

void cushim__ptx_compute_part(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = ptx_row(step, at->a);
    const uint32_t mask = UINT32_MAX >> (32 - at->count);
    const uint32_t sign = at->flags & FLAG_SIGNED ? UINT32_C(1) << (at->count - 1) : 0;
    lane_u32 *const restrict to = (lane_u32 *)step->result;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint64_t x = ptx_number(a, i, at->flags & FLAG_WIDE_PART);
        const uint32_t low = (uint32_t)(x >> at->sub) & mask;

        to[i] = low & sign ? low | ~mask : low;
    }
}
