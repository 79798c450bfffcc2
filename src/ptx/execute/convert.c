/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions: a row of the table for each frequent pair of types, and one function for all others.
 * Also atomic operations, which compute with one value of any type.
 */
#include "src/ptx/execute/lane_functions.h"
#include "src/ptx/execute/launch_state.h"

#include <math.h>
#include <string.h>

/*
 * Numbers are converted from signed integers only. A compiler may convert an unsigned one by the
 * difference 0x1p52 + x - 0x1p52, which is -0 for 0 if it rounds down. The halves of a word are
 * exact, so only their sum is rounded.
 */
#define WORD_TO(real, x) ((real)(int32_t)((x) >> 16) * 65536 + (real)(int32_t)((x)&0xffff))

/* To more bits, the signedness of the source matters; to as many or fewer, no signedness does. */
#define EXTENDS(F, to, from)                                                          \
    F(1, "cvt.u" #to ".u" #from, cvt_u##to##_u##from, u##to, u##from, 0, x)           \
    F(0, "cvt.s" #to ".u" #from, LETTER_u##to LETTER_u##from, cvt_u##to##_u##from, 0) \
    F(1, "cvt.s" #to ".s" #from, cvt_s##to##_s##from, s##to, s##from, 0, x)           \
    F(0, "cvt.u" #to ".s" #from, LETTER_u##to LETTER_u##from, cvt_s##to##_s##from, 0)
#define CUTS_UNSIGNED(F, to, from)                                          \
    F(1, "cvt.u" #to ".u" #from, cvt_u##to##_u##from, u##to, u##from, 0, x) \
    F(0, "cvt.u" #to ".s" #from, LETTER_u##to LETTER_u##from, cvt_u##to##_u##from, 0)
#define CUTS(F, to, from)                                                             \
    CUTS_UNSIGNED(F, to, from)                                                        \
    F(0, "cvt.s" #to ".u" #from, LETTER_u##to LETTER_u##from, cvt_u##to##_u##from, 0) \
    F(0, "cvt.s" #to ".s" #from, LETTER_u##to LETTER_u##from, cvt_u##to##_u##from, 0)

#define CONVERSIONS(F)                                                                   \
    EXTENDS(F, 32, 8)                                                                    \
    EXTENDS(F, 32, 16)                                                                   \
    EXTENDS(F, 64, 16)                                                                   \
    EXTENDS(F, 64, 32)                                                                   \
    F(1, "cvt.u16.u8", cvt_u16_u8, u16, u8, 0, x)                                        \
    F(0, "cvt.s16.u8", "hh", cvt_u16_u8, 0)                                              \
    F(1, "cvt.u16.s8", cvt_u16_s8, s16, s8, 0, x)                                        \
    CUTS_UNSIGNED(F, 16, 32)                                                             \
    CUTS_UNSIGNED(F, 16, 64)                                                             \
    CUTS(F, 32, 32)                                                                      \
    CUTS(F, 32, 64)                                                                      \
    CUTS(F, 64, 64)                                                                      \
    F(1, "cvt.f32.s16", cvt_f32_s16, f32, s16, MAY_ROUND | MAY_FLUSH, x)                 \
    F(1, "cvt.f32.u16", cvt_f32_u16, f32, u16, MAY_ROUND | MAY_FLUSH, x)                 \
    F(1, "cvt.f32.s32", cvt_f32_s32, f32, s32, MAY_ROUND | MAY_FLUSH, (float)x)          \
    F(1, "cvt.f32.u32", cvt_f32_u32, f32, u32, MAY_ROUND | MAY_FLUSH, WORD_TO(float, x)) \
    F(1, "cvt.f64.s32", cvt_f64_s32, f64, s32, MAY_ROUND, x)                             \
    F(1, "cvt.f64.u32", cvt_f64_u32, f64, u32, MAY_ROUND, WORD_TO(double, x))

CONVERSIONS(FUNCTION)

const struct ptx_alu cushim__ptx_alu_convert[] = {CONVERSIONS(ROW){0}};

/* --- any pair --- */

/* A number between its two types: an integer with its sign, or a double. */
struct number {
    bool real, minus;
    uint64_t magnitude;
    double value;
};

static bool is_real(enum ptx_type type)
{
    return cushim__ptx_formats[type].fraction > 0;
}

static unsigned width_of(enum ptx_type type)
{
    return type <= TYPE_S8 ? 8 : type <= TYPE_BF16 ? 16 : type <= TYPE_TF32 ? 32 : 64;
}

static bool is_signed(enum ptx_type type)
{
    return type == TYPE_S8 || type == TYPE_S16 || type == TYPE_S32 || type == TYPE_S64;
}

static uint64_t flushed(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static struct number read(const void *row, unsigned lane, enum ptx_type type, bool flush)
{
    const unsigned width = width_of(type);
    const uint64_t bits = ptx_number(row, lane, width == 64);
    const uint64_t all = UINT64_MAX >> (64 - width), low = bits & all;
    struct number number = {.real = is_real(type), .magnitude = low};

    if (type == TYPE_F32) {
        number.value = (double)ptx_float32((uint32_t)(flush ? flushed(low) : low));
    } else if (type == TYPE_F64) {
        number.value = ((const lane_f64 *)row)[lane];
    } else if (number.real) {
        number.value = cushim__ptx_to_double(type, (uint32_t)low);
    } else if (is_signed(type) && low >> (width - 1)) {
        number.minus = true;
        number.magnitude = (0 - low) & all;
    }
    return number;
}

static double rounded(double value, enum ptx_rounding rounding)
{
    return rounding == ROUND_ZERO   ? trunc(value)
           : rounding == ROUND_DOWN ? floor(value)
           : rounding == ROUND_UP   ? ceil(value)
                                    : rint(value);
}

static uint64_t to_integer(struct number number, const struct ptx_instruction *at)
{
    const enum ptx_type to = (enum ptx_type)at->type;
    const unsigned width = width_of(to);
    const uint64_t all = UINT64_MAX >> (64 - width);
    const uint64_t most = is_signed(to) ? all >> 1 : all;
    const uint64_t least = is_signed(to) ? (all >> 1) + 1 : 0; /* its magnitude */
    const bool saturates = number.real || at->flags & FLAG_SAT;

    if (number.real) {
        if (number.value != number.value)
            return at->sub == TYPE_F64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
        number.minus = number.value < 0;
        number.value = fabs(number.value);
        number.magnitude = number.value >= 0x1p64 ? UINT64_MAX : (uint64_t)number.value;
    }
    if (saturates && number.magnitude > (number.minus ? least : most))
        number.magnitude = number.minus ? least : most;
    return (number.minus ? 0 - number.magnitude : number.magnitude) & all;
}

static void write_real(void *row, unsigned lane, struct number number,
                       const struct ptx_instruction *at)
{
    const enum ptx_type to = (enum ptx_type)at->type;
    const enum ptx_rounding rounding = (enum ptx_rounding)at->rounding;
    uint64_t bits;

    if (at->flags & FLAG_SAT) {
        number.value = number.value > 0 ? number.value < 1 ? number.value : 1 : 0;
        number.magnitude = !number.minus && number.magnitude > 0;
        number.minus = false;
    }
    if (at->flags & FLAG_RELU && number.value <= 0)
        number.value = 0;
    if (!number.real)
        bits = cushim__ptx_rounded(to, number.minus, number.magnitude, 0, rounding, false);
    else if (to == TYPE_F64)
        bits = ptx_bits64(number.value);
    else
        bits = cushim__ptx_from_double(to, number.value, rounding, false);
    if (to == TYPE_F32 && at->flags & FLAG_FTZ)
        bits = flushed(bits);
    ptx_set_number(row, lane, to == TYPE_F64, bits);
}

/*
 * Write a NaN that keeps its sign and fraction. Returns false if the result is the type's own NaN.
 */
static bool write_nan(void *row, unsigned lane, uint64_t bits, const struct ptx_instruction *at)
{
    const enum ptx_type to = (enum ptx_type)at->type, from = (enum ptx_type)at->sub;
    const struct ptx_format format = cushim__ptx_formats[to];
    const int fraction = cushim__ptx_formats[from].fraction;
    const uint64_t sign = bits >> (width_of(from) - 1) & 1;
    const uint64_t rest = (bits & ((UINT64_C(1) << fraction) - 1)) << (52 - fraction);
    const bool flushes = at->flags & FLAG_FTZ && from == TYPE_F32;

    if (to == TYPE_F64 && flushes)
        bits = UINT64_C(0x7fffffffe0000000);
    else if (to == TYPE_F64 ? from != TYPE_F64 || at->count : from == TYPE_F64)
        bits = sign << (format.fraction + format.exponent_bits) | rest >> (52 - format.fraction) |
               ((UINT64_C(2) << format.exponent_bits) - 1) << (format.fraction - 1);
    else if (to == TYPE_F32 && from == TYPE_BF16)
        bits = (bits & 0xffff) << 16;
    else if (from != to || from == TYPE_F16 || from == TYPE_BF16 || flushes ||
             (from == TYPE_F32 && at->count))
        return false;
    ptx_set_number(row, lane, to == TYPE_F64, bits);
    return true;
}

static void convert_row(void *restrict d, const void *a, const struct ptx_instruction *at)
{
    const enum ptx_type to = (enum ptx_type)at->type, from = (enum ptx_type)at->sub;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        /* In a conversion to f16, .ftz has no effect. */
        struct number number = read(a, i, from, at->flags & FLAG_FTZ && to != TYPE_F16);

        if (number.value != number.value && is_real(to) && !(at->flags & FLAG_SAT) &&
            write_nan(d, i, number.magnitude, at))
            continue;
        if (number.real && (at->count || !is_real(to)))
            number.value = rounded(number.value, (enum ptx_rounding)at->rounding);
        if (is_real(to))
            write_real(d, i, number, at);
        else
            ptx_set_number(d, i, width_of(to) == 64, to_integer(number, at));
    }
}

/*
 * Convert two numbers to two of 8 or 16 bits each. The sources are two f32, of which the first
 * becomes the upper half, or the halves of a word.
 */
void cushim__ptx_compute_pair(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const enum ptx_type to = (enum ptx_type)at->type, from = (enum ptx_type)at->sub;
    const unsigned width = to < TYPE_E4M3X2 ? 16 : 8, from_width = from < TYPE_E4M3X2 ? 16 : 8;
    const lane_u32 *const a = ptx_row(step, at->a);
    const lane_u32 *const b = at->b == PTX_UNUSED ? NULL : ptx_row(step, at->b);

    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint32_t result = 0;

        for (unsigned half = 0; half < 2; half++) {
            const uint32_t mask = (UINT32_C(1) << from_width) - 1;
            double value = b ? (double)ptx_float32(half ? a[i] : b[i])
                             : cushim__ptx_to_double(from, a[i] >> half * from_width & mask);

            if (at->flags & FLAG_RELU && value <= 0)
                value = 0;
            result |= cushim__ptx_from_double(to, value, (enum ptx_rounding)at->rounding,
                                              at->flags & FLAG_SAT)
                      << half * width;
        }
        ((lane_u32 *)step->result)[i] = result;
    }
}

void cushim__ptx_compute_conversion(struct ptx_step *step)
{
    if (step->at->type == TYPE_F16X2 || step->at->sub == TYPE_F16X2)
        cushim__ptx_compute_pair(step);
    else
        convert_row(step->result, ptx_row(step, step->at->a), step->at);
}

/* --- atomic operations --- */

/* In global memory, a subnormal f32 is flushed, and an f64 NaN stays unchanged. */
static uint64_t add_real(enum ptx_type type, uint64_t old, uint64_t operand, bool shared)
{
    uint32_t sums = 0;

    if (type == TYPE_F32) {
        const float x = ptx_float32((uint32_t)(shared ? old : flushed(old)));
        const float sum = x + ptx_float32((uint32_t)(shared ? operand : flushed(operand)));

        if (sum != sum)
            return 0x7fffffff;
        return shared ? ptx_bits32(sum) : flushed(ptx_bits32(sum));
    }
    if (type == TYPE_F64) {
        const double x = ptx_float64(old), y = ptx_float64(operand), sum = x + y;

        if (x != x || y != y)
            return shared ? (x != x ? old : operand) | UINT64_C(0x0008000000000000)
                          : (y != y ? operand : old);
        return sum == sum ? ptx_bits64(sum) : UINT64_C(0xfff8000000000000);
    }
    for (unsigned low = 0; low < (type == TYPE_F16X2 || type == TYPE_BF16X2 ? 32 : 16); low += 16)
        sums |= cushim__ptx_from_double(type,
                                        cushim__ptx_to_double(type, old >> low & 0xffff) +
                                            cushim__ptx_to_double(type, operand >> low & 0xffff),
                                        ROUND_NEAREST, false)
                << low;
    return sums;
}

static bool less(enum ptx_type type, uint64_t a, uint64_t b)
{
    if (type == TYPE_S32)
        return (int32_t)a < (int32_t)b;
    return type == TYPE_S64 ? (int64_t)a < (int64_t)b : a < b;
}

uint64_t cushim__ptx_atomic(enum ptx_atomic operation, enum ptx_type type, uint64_t old,
                            uint64_t operand, uint64_t compared, bool shared)
{
    switch (operation) {
    case ATOMIC_ADD:
        return is_real(type) ? add_real(type, old, operand, shared) : old + operand;
    case ATOMIC_MIN:
        return less(type, operand, old) ? operand : old;
    case ATOMIC_MAX:
        return less(type, old, operand) ? operand : old;
    case ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    case ATOMIC_AND:
        return old & operand;
    case ATOMIC_OR:
        return old | operand;
    case ATOMIC_XOR:
        return old ^ operand;
    case ATOMIC_EXCH:
        return operand;
    case ATOMIC_CAS:
        return old == operand ? compared : old;
    }
    return old;
}
