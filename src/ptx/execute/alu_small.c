/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small floating-point formats: f16, bf16 and the two of 8 bits. They are computed in double
 * precision, which is exact enough for a sum or product to be rounded a second time.
 */
#include <math.h>

#include "src/ptx/execute/launch_state.h"

const struct ptx_format cushim__ptx_formats[TYPE_TYPES] = {
    [TYPE_F16] = {10, 5, false},   [TYPE_F16X2] = {10, 5, false}, [TYPE_BF16] = {7, 8, false},
    [TYPE_BF16X2] = {7, 8, false}, [TYPE_F32] = {23, 8, false},   [TYPE_F64] = {52, 11, false},
    [TYPE_E4M3X2] = {3, 4, true},  [TYPE_E5M2X2] = {2, 5, false},
};

/* The magnitude of infinity, or of the value that a format has in its place. */
static uint64_t infinity_of(const struct ptx_format *format)
{
    const int width = format->fraction + format->exponent_bits;

    return (UINT64_C(1) << width) - (format->finite_only ? 1 : UINT64_C(1) << format->fraction);
}

double cushim__ptx_to_double(enum ptx_type from, uint32_t bits)
{
    const struct ptx_format *const format = &cushim__ptx_formats[from];
    const int least = 2 - (1 << (format->exponent_bits - 1)) - format->fraction;
    const uint32_t sign = 1u << (format->fraction + format->exponent_bits);
    const uint32_t magnitude = bits & (sign - 1), exponent = magnitude >> format->fraction;
    const uint32_t fraction = magnitude & ((1u << format->fraction) - 1);
    double value;

    if (magnitude >= infinity_of(format))
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, least);
    else
        value = ldexp((double)(fraction | 1u << format->fraction), (int)exponent - 1 + least);
    return bits & sign ? -value : value;
}

/* Whether to round the magnitude `kept` up. `rest` is what was cut off, as a part of `unit`. */
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

uint64_t cushim__ptx_rounded(enum ptx_type to, bool minus, uint64_t magnitude, int exponent,
                             enum ptx_rounding rounding, bool saturate)
{
    const struct ptx_format *const format = &cushim__ptx_formats[to];
    const int least = 2 - (1 << (format->exponent_bits - 1)); /* the least normal exponent */
    const uint64_t sign = (uint64_t)minus << (format->fraction + format->exponent_bits);
    const uint64_t infinity = infinity_of(format);
    uint64_t kept, unit;
    int shift;

    if (magnitude == 0)
        return sign;
    /* Shift the highest bit to bit 61. The last bit is set if a set bit was cut off. */
    if (magnitude >> 62) {
        magnitude = magnitude >> 2 | (magnitude & 3 ? 1 : 0);
        exponent += 2;
    }
    shift = __builtin_clzll(magnitude) - 2;
    magnitude <<= shift;
    exponent += 61 - shift;
    shift = 61 - format->fraction + (exponent < least ? least - exponent : 0);
    shift = shift < 63 ? shift : 63;
    unit = UINT64_C(1) << shift;
    kept = magnitude >> shift;
    kept += rounds_up(kept, magnitude & (unit - 1), unit, minus, rounding);
    kept += (uint64_t)(exponent > least ? exponent - least : 0) << format->fraction;
    if (kept >= infinity) {
        const bool away = rounding == ROUND_DEFAULT || rounding == ROUND_NEAREST ||
                          rounding == ROUND_AWAY || rounding == (minus ? ROUND_DOWN : ROUND_UP);

        kept = away && !saturate ? infinity : infinity - 1;
    }
    return sign | kept;
}

uint32_t cushim__ptx_from_double(enum ptx_type to, double value, enum ptx_rounding rounding,
                                 bool saturate)
{
    const struct ptx_format *const format = &cushim__ptx_formats[to];
    const uint32_t sign = 1u << (format->fraction + format->exponent_bits);
    const uint64_t bits = ptx_bits64(value), fraction = bits & UINT64_C(0xfffffffffffff);
    const int exponent = bits >> 52 & 0x7ff;

    if (value != value)
        return sign - 1;
    if (value - value != 0)
        return (bits >> 63 ? sign : 0) | (uint32_t)(infinity_of(format) - saturate);
    return (uint32_t)cushim__ptx_rounded(to, bits >> 63,
                                         exponent ? fraction | UINT64_C(1) << 52 : fraction,
                                         (exponent ? exponent : 1) - 1075, rounding, saturate);
}

/* --- arithmetic of f16 and bf16, alone or in pairs --- */

static uint32_t flushed(const struct ptx_instruction *at, uint32_t bits)
{
    const bool stays =
        !(at->flags & FLAG_FTZ) || bits & infinity_of(&cushim__ptx_formats[at->type]);

    return stays ? bits : bits & 0x8000;
}

static uint32_t result_of(const struct ptx_instruction *at, double value)
{
    const enum ptx_type type = (enum ptx_type)at->type;
    const uint32_t least = 1u << cushim__ptx_formats[type].fraction; /* the least normal number */
    uint32_t result;

    if (at->flags & FLAG_SAT)
        value = value > 0 ? value < 1 ? value : 1 : 0;
    if (at->flags & FLAG_RELU && value <= 0)
        value = 0;
    result = cushim__ptx_from_double(type, value, ROUND_NEAREST, false);
    /* A result is flushed if it is subnormal when only its fraction is rounded. */
    if (at->flags & FLAG_FTZ && (result & 0x7fff) == least) {
        const uint32_t up = cushim__ptx_from_double(type, value * 4, ROUND_NEAREST, false);

        return (up & 0x7fff) < 3 * least ? result & 0x8000 : result;
    }
    return flushed(at, result);
}

void cushim__ptx_compute_half(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const enum ptx_type type = (enum ptx_type)at->type;
    const unsigned end = type == TYPE_F16X2 || type == TYPE_BF16X2 ? 32 : 16;
    const uint32_t operands[] = {at->a, at->b, at->c};
    lane_u32 *const result = (lane_u32 *)step->result;
    lane_f64 values[PTX_LANES];

    for (unsigned low = 0; low < end; low += 16) {
        for (unsigned j = 0; j < 3 && operands[j] != PTX_UNUSED; j++) {
            const lane_u32 *const row = ptx_row(step, operands[j]);
            lane_f64 *const to = (lane_f64 *)step->sources[j];

            for (unsigned i = 0; i < PTX_LANES; i++)
                to[i] = cushim__ptx_to_double(type, flushed(at, row[i] >> low & 0xffff));
        }
        at->lanes(values, step->sources[0], step->sources[1], step->sources[2]);
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = (low ? result[i] : 0) | result_of(at, values[i]) << low;
    }
}
