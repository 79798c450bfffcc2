/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cvt: a row for each pair that is frequent, and one function for all others. Atomic operations,
 * which are arithmetic on one value of a type.
 */
#include "src/mock/kernel/lanes.h"
#include "src/mock/kernel/launch.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/*
 * No number here is converted as an unsigned one. A compiler may do that by way of a difference,
 * 0x1p52 + x - 0x1p52, which is -0 where 0 is rounded down. The halves of a word are exact, so only
 * their sum is rounded.
 */
#define WORD_TO(real, x) ((real)(int32_t)((x) >> 16) * 65536 + (real)(int32_t)((x)&0xffff))

/* To more bits, the sign of the source counts; to as many or fewer, none does. */
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
    F(1, "cvt.f32.s32", cvt_f32_s32, f32, s32, MAY_ROUND | MAY_FLUSH, (float)x)          \
    F(1, "cvt.f32.u32", cvt_f32_u32, f32, u32, MAY_ROUND | MAY_FLUSH, WORD_TO(float, x)) \
    F(1, "cvt.f64.s32", cvt_f64_s32, f64, s32, MAY_ROUND, x)                             \
    F(1, "cvt.f64.u32", cvt_f64_u32, f64, u32, MAY_ROUND, WORD_TO(double, x))

CONVERSIONS(FUNCTION)

const struct ptx_alu cushim__ptx_alu_convert[] = {CONVERSIONS(ROW){0}};

/* --- any pair --- */

/* A number on its way: an integer with its sign, or a double. */
struct number {
    bool real, minus;
    uint64_t magnitude;
    double value;
};

static bool is_real(enum ptx_type type)
{
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 || type == TYPE_F64;
}

static unsigned width_of(enum ptx_type type)
{
    return type <= TYPE_S8 ? 8 : type <= TYPE_BF16 ? 16 : type <= TYPE_TF32 ? 32 : 64;
}

static bool is_signed(enum ptx_type type)
{
    return type == TYPE_S8 || type == TYPE_S16 || type == TYPE_S32 || type == TYPE_S64;
}

static struct number read(const void *row, unsigned lane, enum ptx_type type, bool flush)
{
    const unsigned width = width_of(type);
    const uint64_t bits = ptx_number(row, lane, width == 64);
    const uint64_t low = width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
    struct number number = {.real = is_real(type), .magnitude = low};

    if (type == TYPE_F32) {
        float single = ((const lane_f32 *)row)[lane];

        if (flush && fpclassify(single) == FP_SUBNORMAL)
            single = copysignf(0, single);
        number.value = (double)single;
    } else if (type == TYPE_F64) {
        number.value = ((const lane_f64 *)row)[lane];
    } else if (number.real) {
        number.value = cushim__ptx_from_small(
            type == TYPE_F16 ? &cushim__ptx_half : &cushim__ptx_bfloat, (uint32_t)low);
    } else if (is_signed(type) && low >> (width - 1)) {
        number.minus = true;
        number.magnitude = (0 - low) & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
    }
    return number;
}

static double rounded(double value, enum ptx_rounding rounding)
{
    double whole = trunc(value);

    switch (rounding) {
    case ROUND_ZERO:
        return whole;
    case ROUND_DOWN:
        return floor(value);
    case ROUND_UP:
        return ceil(value);
    default:
        if (fabs(value - whole) > 0.5 || (fabs(value - whole) == 0.5 && fmod(whole, 2) != 0))
            whole += value < 0 ? -1 : 1;
        return copysign(whole, value);
    }
}

static uint64_t to_integer(struct number number, enum ptx_type to, enum ptx_type from,
                           enum ptx_rounding rounding, bool saturate)
{
    const unsigned width = width_of(to);
    const uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const uint64_t most = is_signed(to) ? all >> 1 : all;
    const uint64_t least = is_signed(to) ? (all >> 1) + 1 : 0; /* its magnitude */

    if (number.real) {
        if (number.value != number.value)
            return from == TYPE_F64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
        number.value = rounded(number.value, rounding);
        number.minus = number.value < 0;
        number.value = fabs(number.value);
        number.magnitude = number.value >= 0x1p64 ? UINT64_MAX : (uint64_t)number.value;
        saturate = true;
    }
    if (saturate && number.minus && number.magnitude > least)
        number.magnitude = least;
    else if (saturate && !number.minus && number.magnitude > most)
        number.magnitude = most;
    return (number.minus ? 0 - number.magnitude : number.magnitude) & all;
}

static double saturated(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
}

/* An integer, or its half if that is as much as fits; the last bit says whether one was cut off. */
static int64_t as_signed(struct number number, bool *halved)
{
    *halved = !number.minus && number.magnitude >> 63;
    if (*halved)
        return (int64_t)(number.magnitude >> 1 | (number.magnitude & 1));
    return (int64_t)(number.minus ? 0 - number.magnitude : number.magnitude);
}

static double to_double(struct number number)
{
    bool halved;
    const double value = (double)as_signed(number, &halved);

    return number.real ? number.value : halved ? 2 * value : value;
}

static float to_single(struct number number)
{
    bool halved;
    const float value = (float)as_signed(number, &halved);

    return halved ? 2 * value : value;
}

/* An integer as a double that rounds further, to a few bits, as the integer would. */
static double to_real(struct number number)
{
    const unsigned shift = 11;
    const bool sticky = number.magnitude & ((UINT64_C(1) << shift) - 1);

    if (number.magnitude >> 53)
        number.magnitude = (number.magnitude >> shift | sticky) << shift;
    return to_double(number);
}

/* The mode of the host is the instruction's, so what is cut here is rounded as it says. */
static void write_real(void *row, unsigned lane, struct number number, enum ptx_type to,
                       enum ptx_rounding rounding, unsigned flags)
{
    double value = to == TYPE_F64 ? to_double(number) : to_real(number);
    float single;

    if (flags & FLAG_SAT && to <= TYPE_F32)
        value = saturated(value);
    if (flags & FLAG_RELU && value <= 0)
        value = 0;
    if (to == TYPE_F64) {
        if (flags & FLAG_SAT)
            value = saturated(value);
        ((lane_f64 *)row)[lane] = value;
    } else if (to == TYPE_F32) {
        single = number.real ? (float)value : to_single(number);
        if (flags & FLAG_SAT)
            single = (float)saturated((double)single);
        if (flags & FLAG_FTZ && fpclassify(single) == FP_SUBNORMAL)
            single = copysignf(0, single);
        ((lane_f32 *)row)[lane] = single;
        if (single != single)
            ((lane_u32 *)row)[lane] = 0x7fffffff;
    } else {
        ((lane_u32 *)row)[lane] = cushim__ptx_to_small(
            to == TYPE_F16 ? &cushim__ptx_half : &cushim__ptx_bfloat, value, rounding, false);
    }
}

/* A NaN that keeps what its sign and fraction were. False: the result is the NaN of its type. */
static bool write_nan(void *row, unsigned lane, const void *a, enum ptx_type to, enum ptx_type from,
                      bool integer_rounding, unsigned flags)
{
    const unsigned fraction = from == TYPE_F64   ? 52
                              : from == TYPE_F32 ? 23
                              : from == TYPE_F16 ? 10
                                                 : 7;
    const unsigned width = width_of(from);
    const uint64_t bits = ptx_number(a, lane, width == 64);
    const uint64_t sign = bits >> (width - 1) & 1;
    const uint64_t rest = (bits & ((UINT64_C(1) << fraction) - 1)) << (52 - fraction);

    if (to == TYPE_F64) {
        ((lane_u64 *)row)[lane] = from == TYPE_F32 && flags & FLAG_FTZ
                                      ? UINT64_C(0x7fffffffe0000000)
                                  : from == TYPE_F64 && !integer_rounding
                                      ? bits
                                      : sign << 63 | UINT64_C(0x7ff8000000000000) | rest;
        return true;
    }
    if (from == TYPE_F64) {
        ((lane_u32 *)row)[lane] = (uint32_t)(to == TYPE_F32   ? sign << 31 | 0x7fc00000 | rest >> 29
                                             : to == TYPE_F16 ? sign << 15 | 0x7e00 | rest >> 42
                                                              : sign << 15 | 0x7fc0 | rest >> 45);
        return true;
    }
    if (to == TYPE_F32 && from == TYPE_BF16)
        ((lane_u32 *)row)[lane] = (uint32_t)(bits & 0xffff) << 16;
    else if (to == TYPE_F32 && from == TYPE_F32 && !integer_rounding && !(flags & FLAG_FTZ))
        ((lane_u32 *)row)[lane] = (uint32_t)bits;
    else
        return false;
    return true;
}

static const struct ptx_small *small_of(enum ptx_type type)
{
    return type == TYPE_F16X2    ? &cushim__ptx_half
           : type == TYPE_BF16X2 ? &cushim__ptx_bfloat
           : type == TYPE_E4M3X2 ? &cushim__ptx_e4m3
                                 : &cushim__ptx_e5m2;
}

/* Two numbers as two small ones, the first as the lower half. */
static uint32_t small_pair(const struct ptx_instruction *at, const double values[2])
{
    const enum ptx_type to = (enum ptx_type)at->type;
    const unsigned width = to == TYPE_F16X2 || to == TYPE_BF16X2 ? 16 : 8;
    uint32_t result = 0;

    for (unsigned half = 0; half < 2; half++) {
        const bool cut = at->flags & FLAG_RELU && values[half] <= 0;

        result |= cushim__ptx_to_small(small_of(to), cut ? 0 : values[half],
                                       (enum ptx_rounding)at->rounding, at->flags & FLAG_SAT)
                  << half * width;
    }
    return result;
}

/* Two numbers of 8 bits from two of f16, or the other way. */
static void convert_eight(lane_u32 *d, const lane_u32 *a, const struct ptx_instruction *at)
{
    const unsigned width = at->sub == TYPE_F16X2 ? 16 : 8;
    const struct ptx_small *const kind = small_of((enum ptx_type)at->sub);

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint32_t mask = (UINT32_C(1) << width) - 1;
        const double values[2] = {cushim__ptx_from_small(kind, a[i] & mask),
                                  cushim__ptx_from_small(kind, a[i] >> width & mask)};

        d[i] = small_pair(at, values);
    }
}

static void convert_row(void *restrict d, const void *a, enum ptx_type to, enum ptx_type from,
                        enum ptx_rounding rounding, bool integer_rounding, unsigned flags)
{
    for (unsigned i = 0; i < PTX_LANES; i++) {
        /* To f16, ftz has no effect. */
        struct number number = read(a, i, from, flags & FLAG_FTZ && to != TYPE_F16);
        uint64_t bits;

        if (number.real && number.value != number.value && is_real(to) && !(flags & FLAG_SAT) &&
            write_nan(d, i, a, to, from, integer_rounding, flags))
            continue;
        if (integer_rounding && number.real && is_real(to) && number.value - number.value == 0)
            number.value = rounded(number.value, rounding);
        if (is_real(to)) {
            write_real(d, i, number, to, rounding, flags);
            continue;
        }
        bits = to_integer(number, to, from, rounding, flags & FLAG_SAT);
        ptx_set_number(d, i, width_of(to) == 64, bits);
    }
}

void cushim__ptx_compute_conversion(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *const row = ptx_row(step, at->a);
    const bool rounds = !at->count && at->rounding > ROUND_NEAREST &&
                        (at->type == TYPE_F32 || at->type == TYPE_F64);

    if (at->type == TYPE_F16X2 || at->sub == TYPE_F16X2) {
        convert_eight((lane_u32 *)step->result, row, at);
        return;
    }
    if (rounds)
        fesetround(cushim__ptx_host_rounding(at->rounding));
    convert_row(step->result, row, (enum ptx_type)at->type, (enum ptx_type)at->sub,
                (enum ptx_rounding)at->rounding, at->count, at->flags);
    if (rounds)
        fesetround(FE_TONEAREST);
}

/* Two f32 as two small numbers: the first is the upper half. */
void cushim__ptx_compute_pair(struct ptx_step *step)
{
    const lane_f32 *const high = ptx_row(step, step->at->a), *const low =
                                                                 ptx_row(step, step->at->b);

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const double values[2] = {(double)low[i], (double)high[i]};

        ((lane_u32 *)step->result)[i] = small_pair(step->at, values);
    }
}

/* --- atomic operations --- */

static uint64_t flushed(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* In global memory subnormal f32 are flushed, and a NaN in double precision stays unchanged. */
static uint64_t add_real(enum ptx_type type, uint64_t old, uint64_t operand, bool shared)
{
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
    return cushim__ptx_half_of(HALF_ADD, type, 0, (uint32_t)old, (uint32_t)operand, 0);
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
        if (is_real(type) || type == TYPE_F16X2 || type == TYPE_BF16X2)
            return add_real(type, old, operand, shared);
        return old + operand;
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
