/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with few bits: f16, bf16 and the two of 8 bits. They are computed in double
 * precision, which holds sums and products of two of them well enough to be rounded once more.
 */
#include <math.h>

#include "src/mock/kernel/launch.h"

const struct ptx_small cushim__ptx_half = {10, 5, false}, cushim__ptx_bfloat = {7, 8, false},
                       cushim__ptx_e4m3 = {3, 4, true}, cushim__ptx_e5m2 = {2, 5, false};

double cushim__ptx_from_small(const struct ptx_small *kind, uint32_t bits)
{
    const int bias = (1 << (kind->exponent_bits - 1)) - 1;
    const uint32_t largest = (1u << kind->exponent_bits) - 1;
    const uint32_t fraction = bits & ((1u << kind->fraction) - 1);
    const uint32_t exponent = bits >> kind->fraction & largest;
    const bool minus = bits >> (kind->fraction + kind->exponent_bits) & 1;
    double value;

    if (exponent == largest && !kind->finite_only)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (kind->finite_only && (bits & 0x7f) == 0x7f)
        value = (double)NAN;
    else if (exponent == 0)
        value = ldexp((double)fraction, 1 - bias - kind->fraction);
    else
        value =
            ldexp((double)(fraction | 1u << kind->fraction), (int)exponent - bias - kind->fraction);
    return minus ? -value : value;
}

/* Whether to go up from the magnitude `kept`, of which `rest` of `unit` is missing. */
static bool rounds_up(uint64_t kept, uint64_t rest, uint64_t unit, bool minus,
                      enum ptx_rounding rounding)
{
    switch (rounding) {
    case ROUND_ZERO:
        return false;
    case ROUND_DOWN:
        return rest > 0 && minus;
    case ROUND_UP:
        return rest > 0 && !minus;
    case ROUND_AWAY:
        return rest >= unit / 2;
    default:
        return rest > unit / 2 || (rest == unit / 2 && kept & 1);
    }
}

uint32_t cushim__ptx_to_small(const struct ptx_small *kind, double value,
                              enum ptx_rounding rounding, bool saturate)
{
    const int least = 2 - (1 << (kind->exponent_bits - 1)); /* the exponent of normal numbers */
    const unsigned width = (unsigned)(kind->fraction + kind->exponent_bits);
    const uint64_t infinity =
        kind->finite_only ? (1u << width) - 1 : ((1u << kind->exponent_bits) - 1) << kind->fraction;
    const uint64_t bits = ptx_bits64(value);
    uint64_t mantissa, kept, rest;
    uint32_t sign;
    int exponent, shift;

    sign = (uint32_t)(bits >> 63) << width;
    if (value != value)
        return (1u << width) - 1;
    mantissa = bits & UINT64_C(0xfffffffffffff);
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent == 1024)
        return sign | (uint32_t)(saturate ? infinity - 1 : infinity);
    if (exponent == -1023)
        exponent = -1022;
    else
        mantissa |= UINT64_C(1) << 52;
    shift = 52 - kind->fraction + (exponent < least ? least - exponent : 0);
    if (shift > 60)
        shift = 60;
    kept = mantissa >> shift;
    rest = mantissa & ((UINT64_C(1) << shift) - 1);
    kept += rounds_up(kept, rest, UINT64_C(1) << shift, sign != 0, rounding);
    kept += (uint64_t)(exponent > least ? exponent - least : 0) << kind->fraction;
    if (kept >= infinity) {
        const bool away = rounding == ROUND_DEFAULT || rounding == ROUND_NEAREST ||
                          rounding == ROUND_AWAY || (rounding == ROUND_UP && !sign) ||
                          (rounding == ROUND_DOWN && sign);

        kept = away && !saturate ? infinity : infinity - 1;
    }
    return sign | (uint32_t)kept;
}

const struct ptx_half_name cushim__ptx_half_names[] = {
    [HALF_ADD] = {"add", 2},
    [HALF_SUB] = {"sub", 2},
    [HALF_MUL] = {"mul", 2},
    [HALF_FMA] = {"fma", 3},
    [HALF_NEG] = {"neg", 1},
    [HALF_ABS] = {"abs", 1},
    [HALF_MIN] = {"min", 2},
    [HALF_MAX] = {"max", 2},
    [HALF_MIN_NAN] = {"min.NaN", 2},
    [HALF_MAX_NAN] = {"max.NaN", 2},
    [HALF_MIN_SIGNS] = {"min.xorsign.abs", 2},
    [HALF_MAX_SIGNS] = {"max.xorsign.abs", 2},
    [HALF_MIN_NAN_SIGNS] = {"min.NaN.xorsign.abs", 2},
    [HALF_MAX_NAN_SIGNS] = {"max.NaN.xorsign.abs", 2},
    [HALF_EX2] = {"ex2.approx", 1},
    [HALF_TANH] = {"tanh.approx", 1},
    [HALF_OPERATIONS] = {NULL, 0},
};

static double computed(enum ptx_half_operation operation, double x, double y, double z)
{
    switch (operation) {
    case HALF_ADD:
        return x + y;
    case HALF_SUB:
        return x - y;
    case HALF_MUL:
        return x * y;
    case HALF_FMA:
        return cushim__ptx_fma_odd(x, y, z);
    case HALF_MIN:
    case HALF_MAX:
        return ptx_chosen(x, y, operation == HALF_MAX);
    case HALF_MIN_NAN:
    case HALF_MAX_NAN:
        return x != x || y != y ? (double)NAN : ptx_chosen(x, y, operation == HALF_MAX_NAN);
    case HALF_EX2:
        return exp2(x);
    case HALF_TANH:
        return tanh(x);
    default:
        return x;
    }
}

static uint32_t flush(const struct ptx_small *kind, uint32_t bits)
{
    const uint32_t exponent = ((1u << kind->exponent_bits) - 1) << kind->fraction;

    return bits & exponent ? bits : bits & 0x8000;
}

static uint32_t one(const struct ptx_small *kind, enum ptx_half_operation operation, uint32_t x,
                    uint32_t y, uint32_t z, unsigned flags)
{
    uint32_t result, sign = 0;
    double value;

    if (operation >= HALF_MIN_SIGNS && operation <= HALF_MAX_NAN_SIGNS) {
        sign = (x ^ y) & 0x8000;
        x &= 0x7fff;
        y &= 0x7fff;
        operation = (enum ptx_half_operation)(operation - HALF_MIN_SIGNS + HALF_MIN);
    }
    if (flags & FLAG_FTZ) {
        x = flush(kind, x);
        y = flush(kind, y);
        z = flush(kind, z);
    }
    if (operation == HALF_NEG || operation == HALF_ABS) {
        if ((x & 0x7fff) > ((1u << kind->exponent_bits) - 1) << kind->fraction)
            return 0x7fff;
        return operation == HALF_NEG ? x ^ 0x8000 : x & 0x7fff;
    }
    value = computed(operation, cushim__ptx_from_small(kind, x), cushim__ptx_from_small(kind, y),
                     cushim__ptx_from_small(kind, z));
    if (flags & FLAG_SAT)
        value = value > 0 ? value < 1 ? value : 1 : 0;
    if (flags & FLAG_RELU && value <= 0)
        value = 0;
    result = cushim__ptx_to_small(kind, value, ROUND_NEAREST, false) | (value == value ? sign : 0);
    /* Flushed is what is subnormal when only its fraction is rounded. */
    if (flags & FLAG_FTZ && (result & 0x7fff) == 1u << kind->fraction) {
        const uint32_t up = cushim__ptx_to_small(kind, value * 4, ROUND_NEAREST, false);

        return (up & 0x7fff) < 3u << kind->fraction ? result & 0x8000 : result;
    }
    return flags & FLAG_FTZ ? flush(kind, result) : result;
}

uint32_t cushim__ptx_half_of(enum ptx_half_operation operation, enum ptx_type type, unsigned flags,
                             uint32_t x, uint32_t y, uint32_t z)
{
    const struct ptx_small *const kind =
        type == TYPE_F16 || type == TYPE_F16X2 ? &cushim__ptx_half : &cushim__ptx_bfloat;
    uint32_t result = one(kind, operation, x & 0xffff, y & 0xffff, z & 0xffff, flags);

    if (type == TYPE_F16X2 || type == TYPE_BF16X2)
        result |= one(kind, operation, x >> 16, y >> 16, z >> 16, flags) << 16;
    return result;
}

void cushim__ptx_compute_half(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *const x = ptx_row(step, at->a);
    const lane_u32 *const y = at->b == PTX_UNUSED ? x : ptx_row(step, at->b);
    const lane_u32 *const z = at->c == PTX_UNUSED ? x : ptx_row(step, at->c);

    for (unsigned i = 0; i < PTX_LANES; i++)
        ((lane_u32 *)step->result)[i] = cushim__ptx_half_of(
            (enum ptx_half_operation)at->sub, (enum ptx_type)at->type, at->flags, x[i], y[i], z[i]);
}
