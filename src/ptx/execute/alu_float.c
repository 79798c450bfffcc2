/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point arithmetic. These functions round in the current mode of the processor. compute.c
 * sets that mode, flushes subnormal numbers and saturates, where an instruction says so.
 *
 * Instructions that PTX calls approximate are computed in double precision and rounded once. This
 * is more exact than the documented error. Where the reference gives a particular result, that is
 * computed instead.
 */
#include "src/ptx/execute/lane_functions.h"

#include <math.h>

#define QUIET UINT64_C(0x0008000000000000)

/*
 * In single precision there is one NaN. In double precision the NaN of an operand is kept; of two,
 * it is that of `a`, which is the second operand of most instructions.
 */
static inline uint32_t single(float value)
{
    return value == value ? ptx_bits32(value) : 0x7fffffff;
}

static inline uint64_t wide(double value, double a, double b)
{
    if (value == value)
        return ptx_bits64(value);
    return a != a   ? ptx_bits64(a) | QUIET
           : b != b ? ptx_bits64(b) | QUIET
                    : UINT64_C(0xfff8000000000000);
}

/*
 * Of several NaNs, that of the second factor `b` is kept, then that of the addend, then that of the
 * first factor.
 */
static inline uint64_t wide3(double value, double a, double b, double c)
{
    return value != value && b == b && c == c && a != a ? ptx_bits64(a) | QUIET : wide(value, b, c);
}

static inline uint64_t quiet(uint64_t bits)
{
    return bits << 1 > UINT64_C(0xffe0000000000000) ? bits | QUIET : 0;
}

/* Rounds to odd: the last bit of the result is set if the result is not exact. */
double cushim__ptx_fma_odd(double a, double b, double c)
{
    const double product = a * b; /* exact: the operands have few bits */
    const double sum = product + c;
    const double shadow = sum - product;
    const double rest = (product - (sum - shadow)) + (c - shadow);
    uint64_t bits = ptx_bits64(sum);

    if (rest != 0 && !(bits & 1) && sum - sum == 0)
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
    return ptx_float64(bits);
}

/* fmaf() of the C library of Windows rounds twice. */
#if defined(_WIN32)
#define FMA32(x, y, z) (float)cushim__ptx_fma_odd((double)(x), (double)(y), (double)(z))
#else
#define FMA32 fmaf
#endif
enum { WITH_NAN = 1, WITH_SIGNS = 2 };

/*
 * The lesser or greater of two numbers, where -0 is less than +0. A number is preferred to a NaN,
 * unless WITH_NAN is set. WITH_SIGNS compares magnitudes, and multiplies the signs.
 */
static inline double chosen(double x, double y, bool greater, unsigned how)
{
    const bool minus = how & WITH_SIGNS && (ptx_bits64(x) ^ ptx_bits64(y)) >> 63;
    double value;

    if (how & WITH_NAN && (x != x || y != y))
        return (double)NAN;
    if (how & WITH_SIGNS) {
        x = fabs(x);
        y = fabs(y);
    }
    if (x != x || y != y)
        value = x != x ? y : x;
    else
        value = (greater ? x > y : x < y) || (x == y && ptx_bits64(x) >> 63 != greater) ? x : y;
    return minus ? -value : value;
}

/* div.approx returns zero for divisors whose reciprocal is subnormal. */
static inline float approximate_quotient(float x, float y)
{
    return fabsf(y) > 0x1p126f && fabsf(y) <= 0x1.fffffep127f ? x * copysignf(0.0f, y) : x / y;
}

/*
 * Reduce an angle to one turn. It is converted to turns and truncated to single precision, as a GPU
 * does.
 */
static inline double turned(float x)
{
    const double exact = (double)x * (double)0x1.45f306p-3f;
    float turns = (float)exact;

    if (fabs((double)turns) > fabs(exact))
        turns = nextafterf(turns, 0);
    return ((double)turns - rint((double)turns)) * 6.283185307179586;
}

/*
 * The instructions that use this read and write only the upper half of a double, and flush
 * subnormal numbers.
 */
static inline double upper(double x)
{
    const uint64_t bits = ptx_bits64(x) & UINT64_C(0xffffffff00000000);

    return bits << 1 >> 53 == 0 ? ptx_float64(bits & UINT64_C(0x8000000000000000))
                                : ptx_float64(bits);
}

enum {
    ROUNDED = MAY_ROUND | MAY_FLUSH,
    FULL = MAY_ROUND | MAY_FLUSH | MAY_SATURATE,
    OF_HALVES = MAY_FLUSH | MAY_SATURATE | MAY_RELU,
};

#define CHOICES(F, words, suffix, how)                                    \
    F(2, "min." words "f32", min##suffix##_f32, n32, f32, f32, MAY_FLUSH, \
      single((float)chosen((double)x, (double)y, false, how)))            \
    F(2, "max." words "f32", max##suffix##_f32, n32, f32, f32, MAY_FLUSH, \
      single((float)chosen((double)x, (double)y, true, how)))

#define FLOATS(F)                                                                                  \
    F(2, "add.f32", add_f32, n32, f32, f32, FULL, single(x + y))                                   \
    F(2, "sub.f32", sub_f32, n32, f32, f32, FULL, single(x - y))                                   \
    F(2, "mul.f32", mul_f32, n32, f32, f32, FULL, single(x *y))                                    \
    F(3, "fma.f32", fma_f32, n32, f32, f32, f32, FULL, single(FMA32(x, y, z)))                     \
    F(0, "mad.f32", "ffff", fma_f32, FULL)                                                         \
    F(2, "div.f32", div_f32, n32, f32, f32, ROUNDED, single(x / y))                                \
    F(0, "div.full.f32", "fff", div_f32, MAY_FLUSH)                                                \
    F(2, "div.approx.f32", div_approx_f32, n32, f32, f32, MAY_FLUSH,                               \
      single(approximate_quotient(x, y)))                                                          \
    F(1, "rcp.f32", rcp_f32, n32, f32, ROUNDED, single(1.0f / x))                                  \
    F(0, "rcp.approx.f32", "ff", rcp_f32, MAY_FLUSH)                                               \
    F(1, "sqrt.f32", sqrt_f32, n32, f32, ROUNDED, single(sqrtf(x)))                                \
    F(0, "sqrt.approx.f32", "ff", sqrt_f32, MAY_FLUSH)                                             \
    F(1, "rsqrt.approx.f32", rsqrt_f32, n32, f32, MAY_FLUSH,                                       \
      single((float)(1.0 / sqrt((double)x))))                                                      \
    F(1, "ex2.approx.f32", ex2_f32, n32, f32, MAY_FLUSH, single((float)exp2((double)x)))           \
    F(1, "lg2.approx.f32", lg2_f32, n32, f32, MAY_FLUSH, single((float)log2((double)x)))           \
    F(1, "sin.approx.f32", sin_f32, n32, f32, MAY_FLUSH, single((float)sin(turned(x))))            \
    F(1, "cos.approx.f32", cos_f32, n32, f32, MAY_FLUSH, single((float)cos(turned(x))))            \
    F(1, "tanh.approx.f32", tanh_f32, n32, f32, 0, single((float)tanh((double)x)))                 \
    F(1, "neg.f32", neg_f32, n32, n32, MAY_FLUSH,                                                  \
      x << 1 > 0xff000000 ? 0x7fffffff : x ^ 0x80000000)                                           \
    F(1, "abs.f32", abs_f32, n32, n32, MAY_FLUSH,                                                  \
      x << 1 > 0xff000000 ? 0x7fffffff : x & 0x7fffffff)                                           \
    F(2, "copysign.f32", copysign_f32, u32, u32, u32, 0, (x & 0x80000000) | (y & 0x7fffffff))      \
    CHOICES(F, "", , 0)                                                                            \
    CHOICES(F, "NaN.", _nan, WITH_NAN)                                                             \
    CHOICES(F, "xorsign.abs.", _sign, WITH_SIGNS)                                                  \
    CHOICES(F, "NaN.xorsign.abs.", _nan_sign, WITH_NAN | WITH_SIGNS)                               \
    F(2, "add.f64", add_f64, n64, f64, f64, MAY_ROUND, wide(x + y, y, x))                          \
    F(2, "sub.f64", sub_f64, n64, f64, f64, MAY_ROUND, wide(x - y, y, x))                          \
    F(2, "mul.f64", mul_f64, n64, f64, f64, MAY_ROUND, wide(x *y, y, x))                           \
    F(3, "fma.f64", fma_f64, n64, f64, f64, f64, MAY_ROUND, wide3(fma(x, y, z), x, y, z))          \
    F(0, "mad.f64", "dddd", fma_f64, MAY_ROUND)                                                    \
    F(2, "div.f64", div_f64, n64, f64, f64, MAY_ROUND, wide(x / y, x, y))                          \
    F(1, "rcp.f64", rcp_f64, n64, f64, MAY_ROUND, wide(1.0 / x, x, x))                             \
    F(1, "sqrt.f64", sqrt_f64, n64, f64, MAY_ROUND, wide(sqrt(x), x, x))                           \
    F(1, "rcp.approx.f64", rcp_approx_f64, n64, f64, MAY_FLUSH, ptx_bits64(upper(1.0 / upper(x)))) \
    F(1, "rsqrt.approx.f64", rsqrt_f64, n64, f64, 0, wide(1.0 / sqrt(x), x, x))                    \
    F(1, "rsqrt.approx.f64.ftz", rsqrt_approx_ftz_f64, n64, f64, 0,                                \
      ptx_bits64(upper(1.0 / sqrt(upper(x)))))                                                     \
    F(1, "neg.f64", neg_f64, n64, n64, 0, quiet(x) ? quiet(x) : x ^ UINT64_C(0x8000000000000000))  \
    F(1, "abs.f64", abs_f64, n64, n64, 0, quiet(x) ? quiet(x) : x &UINT64_C(0x7fffffffffffffff))   \
    F(2, "copysign.f64", copysign_f64, n64, n64, n64, 0,                                           \
      (x & UINT64_C(0x8000000000000000)) | (y & UINT64_C(0x7fffffffffffffff)))                     \
    F(2, "min.f64", min_f64, n64, f64, f64, 0, wide(chosen(x, y, false, 0), y, x))                 \
    F(2, "max.f64", max_f64, n64, f64, f64, 0, wide(chosen(x, y, true, 0), y, x))

FLOATS(FUNCTION)

/*
 * f16 and bf16, alone or in pairs, are computed by functions for f64: by these, and by those above,
 * whose NaN does not matter here.
 */
#define HALF_CHOICES(suffix, how)                                       \
    LANES2(min##suffix##_half, f64, f64, f64, chosen(x, y, false, how)) \
    LANES2(max##suffix##_half, f64, f64, f64, chosen(x, y, true, how))
HALF_CHOICES(_nan, WITH_NAN)
HALF_CHOICES(_sign, WITH_SIGNS)
HALF_CHOICES(_nan_sign, WITH_NAN | WITH_SIGNS)
LANES3(fma_half, f64, f64, f64, f64, cushim__ptx_fma_odd(x, y, z))
LANES1(ex2_half, f64, f64, exp2(x))
LANES1(tanh_half, f64, f64, tanh(x))

#define HALF(name, letters, sources, function) \
    {name, &letters[3 - (sources)], function, OF_HALVES, DO_HALF, 0},
#define HALVES(name, sources, function)            \
    HALF(name ".f16", "hhhh", sources, function)   \
    HALF(name ".bf16", "hhhh", sources, function)  \
    HALF(name ".f16x2", "wwww", sources, function) \
    HALF(name ".bf16x2", "wwww", sources, function)
#define HALF_ROWS(F)                               \
    F("add", 2, add_f64)                           \
    F("sub", 2, sub_f64)                           \
    F("mul", 2, mul_f64)                           \
    F("fma", 3, fma_half)                          \
    F("neg", 1, neg_f64)                           \
    F("abs", 1, abs_f64)                           \
    F("min", 2, min_f64)                           \
    F("max", 2, max_f64)                           \
    F("min.NaN", 2, min_nan_half)                  \
    F("max.NaN", 2, max_nan_half)                  \
    F("min.xorsign.abs", 2, min_sign_half)         \
    F("max.xorsign.abs", 2, max_sign_half)         \
    F("min.NaN.xorsign.abs", 2, min_nan_sign_half) \
    F("max.NaN.xorsign.abs", 2, max_nan_sign_half) \
    F("ex2.approx", 1, ex2_half)                   \
    F("tanh.approx", 1, tanh_half)

const struct ptx_alu cushim__ptx_alu_float[] = {FLOATS(ROW) HALF_ROWS(HALVES){0}};

bool cushim__ptx_is_tiny(ptx_lanes lanes, float x, float y, float z, enum ptx_rounding rounding)
{
    double exact = 1;

    if (lanes == mul_f32)
        exact = (double)x * (double)y;
    else if (lanes == fma_f32)
        exact = cushim__ptx_fma_odd((double)x, (double)y, (double)z);
    else if (lanes == div_f32)
        exact = (double)x / (double)y;
    else if (lanes == rcp_f32)
        exact = 1 / (double)x;
    return (cushim__ptx_from_double(TYPE_F32, exact * 0x1p64, rounding, false) & 0x7fffffff) <
           ptx_bits32(0x1p-62f);
}
