/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of f32 and f64. The rounding mode is the host's, which the interpreter sets; it also
 * flushes subnormal numbers and saturates, where an instruction says so.
 *
 * What PTX calls approximate is computed in double precision and rounded once, which is more
 * exact than the documented error, except where the reference gives a result of its own.
 */
#include "src/mock/kernel/lanes.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static inline uint32_t bits32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t bits64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double float64(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#define QUIET UINT64_C(0x0008000000000000)

/*
 * In single precision there is one NaN. In double precision an operand's is kept: of two that of `a`,
 * which is the second operand of most instructions.
 */
static inline uint32_t single(float value)
{
    return value == value ? bits32(value) : 0x7fffffff;
}

static inline uint64_t wide(double value, double a, double b)
{
    if (value == value)
        return bits64(value);
    return a != a ? bits64(a) | QUIET : b != b ? bits64(b) | QUIET : UINT64_C(0xfff8000000000000);
}

/* The NaN of the second factor, of what is added, of the first factor. */
static inline uint64_t wide3(double value, double a, double b, double c)
{
    return value != value && b == b && c == c && a != a ? bits64(a) | QUIET : wide(value, b, c);
}

static inline uint64_t quiet(uint64_t bits)
{
    return bits << 1 > UINT64_C(0xffe0000000000000) ? bits | QUIET : 0;
}

/* The exact sum of a product and a number, of which the last bit says whether it is exact. */
double cushim__ptx_fma_odd(double a, double b, double c)
{
    const double product = a * b; /* exact: the operands have few bits */
    const double sum = product + c;
    const double shadow = sum - product;
    const double rest = (product - (sum - shadow)) + (c - shadow);
    uint64_t bits = bits64(sum);

    if (rest != 0 && !(bits & 1) && sum - sum == 0)
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
    return float64(bits);
}

LANES2(add_f32, u32, f32, f32, single(x + y))
LANES2(sub_f32, u32, f32, f32, single(x - y))
LANES2(mul_f32, u32, f32, f32, single(x *y))
/* The C library of Windows rounds twice. */
#if defined(_WIN32)
#define FMA32(x, y, z) (float)cushim__ptx_fma_odd((double)(x), (double)(y), (double)(z))
#else
#define FMA32 fmaf
#endif
LANES3(fma_f32, u32, f32, f32, f32, single(FMA32(x, y, z)))
LANES2(div_f32, u32, f32, f32, single(x / y))
LANES1(rcp_f32, u32, f32, single(1.0f / x))
LANES1(sqrt_f32, u32, f32, single(sqrtf(x)))
LANES2(add_f64, u64, f64, f64, wide(x + y, y, x))
LANES2(sub_f64, u64, f64, f64, wide(x - y, y, x))
LANES2(mul_f64, u64, f64, f64, wide(x *y, y, x))
LANES3(fma_f64, u64, f64, f64, f64, wide3(fma(x, y, z), x, y, z))
LANES2(div_f64, u64, f64, f64, wide(x / y, x, y))
LANES1(rcp_f64, u64, f64, wide(1.0 / x, x, x))
LANES1(sqrt_f64, u64, f64, wide(sqrt(x), x, x))

LANES1(neg_f32, u32, u32, x << 1 > 0xff000000 ? 0x7fffffff : x ^ 0x80000000)
LANES1(abs_f32, u32, u32, x << 1 > 0xff000000 ? 0x7fffffff : x & 0x7fffffff)
LANES1(neg_f64, u64, u64, quiet(x) ? quiet(x) : x ^ UINT64_C(0x8000000000000000))
LANES1(abs_f64, u64, u64, quiet(x) ? quiet(x) : x &UINT64_C(0x7fffffffffffffff))
LANES2(copysign_f32, u32, u32, u32, (x & 0x80000000) | (y & 0x7fffffff))
LANES2(copysign_f64, u64, u64, u64,
       (x & UINT64_C(0x8000000000000000)) | (y & UINT64_C(0x7fffffffffffffff)))

enum { WITH_NAN = 1, WITH_SIGNS = 2 };

/*
 * -0 is less than +0, and a number is preferred to a NaN, or not. With WITH_SIGNS, the lesser or
 * greater magnitude with the product of the signs.
 */
static inline uint32_t chosen(float x, float y, bool greater, unsigned how)
{
    const uint32_t sign = how & WITH_SIGNS ? (bits32(x) ^ bits32(y)) & 0x80000000 : 0;
    float value;

    if (how & WITH_NAN && (x != x || y != y))
        return 0x7fffffff;
    if (how & WITH_SIGNS) {
        x = fabsf(x);
        y = fabsf(y);
    }
    if (x != x || y != y)
        value = x != x ? y : x;
    else
        value = (greater ? x > y : x < y) || (x == y && bits32(x) >> 31 != greater) ? x : y;
    return value == value ? bits32(value) | sign : 0x7fffffff;
}

static inline double chosen64(double x, double y, bool greater)
{
    if (x != x || y != y)
        return x != x ? y : x;
    return (greater ? x > y : x < y) || (x == y && bits64(x) >> 63 != greater) ? x : y;
}

LANES2(min_f32, u32, f32, f32, chosen(x, y, false, 0))
LANES2(max_f32, u32, f32, f32, chosen(x, y, true, 0))
LANES2(min_nan_f32, u32, f32, f32, chosen(x, y, false, WITH_NAN))
LANES2(max_nan_f32, u32, f32, f32, chosen(x, y, true, WITH_NAN))
LANES2(min_sign_f32, u32, f32, f32, chosen(x, y, false, WITH_SIGNS))
LANES2(max_sign_f32, u32, f32, f32, chosen(x, y, true, WITH_SIGNS))
LANES2(min_nan_sign_f32, u32, f32, f32, chosen(x, y, false, WITH_NAN | WITH_SIGNS))
LANES2(max_nan_sign_f32, u32, f32, f32, chosen(x, y, true, WITH_NAN | WITH_SIGNS))
LANES2(min_f64, u64, f64, f64, wide(chosen64(x, y, false), y, x))
LANES2(max_f64, u64, f64, f64, wide(chosen64(x, y, true), y, x))

/* div.approx gives zero for divisors whose reciprocal is subnormal. */
static inline float approximate_quotient(float x, float y)
{
    return fabsf(y) > 0x1p126f && fabsf(y) <= 0x1.fffffep127f ? x * copysignf(0.0f, y) : x / y;
}

LANES2(div_approx_f32, u32, f32, f32, single(approximate_quotient(x, y)))
LANES1(rsqrt_f32, u32, f32, single((float)(1.0 / sqrt((double)x))))
LANES1(ex2_f32, u32, f32, single((float)exp2((double)x)))
LANES1(lg2_f32, u32, f32, single((float)log2((double)x)))

/* The angle in turns, cut to single precision as a GPU does it; of that the part of one turn. */
static inline double turned(float x)
{
    const double exact = (double)x * (double)0x1.45f306p-3f;
    float turns = (float)exact;

    if (fabs((double)turns) > fabs(exact))
        turns = nextafterf(turns, 0);
    return ((double)turns - rint((double)turns)) * 6.283185307179586;
}

LANES1(sin_f32, u32, f32, single((float)sin(turned(x))))
LANES1(cos_f32, u32, f32, single((float)cos(turned(x))))
LANES1(tanh_f32, u32, f32, single((float)tanh((double)x)))

/* These read and write the upper half of a double only, and flush subnormals. */
static inline double upper(double x)
{
    const uint64_t bits = bits64(x) & UINT64_C(0xffffffff00000000);

    return bits << 1 >> 53 == 0 ? float64(bits & UINT64_C(0x8000000000000000)) : float64(bits);
}

LANES1(rcp_approx_f64, u64, f64, bits64(upper(1.0 / upper(x))))
LANES1(rsqrt_approx_ftz_f64, u64, f64, bits64(upper(1.0 / sqrt(upper(x)))))
LANES1(rsqrt_f64, u64, f64, wide(1.0 / sqrt(x), x, x))

bool cushim__ptx_is_tiny(ptx_lanes lanes, float x, float y, float z, int rounding)
{
    volatile double exact = 1; /* so that it is rounded in this mode */
    volatile float cut;

    if (lanes == mul_f32)
        exact = (double)x * (double)y;
    else if (lanes == fma_f32)
        exact = cushim__ptx_fma_odd((double)x, (double)y, (double)z);
    else if (lanes == div_f32)
        exact = (double)x / (double)y;
    else if (lanes == rcp_f32)
        exact = 1 / (double)x;
    fesetround(rounding);
    cut = (float)(exact * 0x1p64);
    fesetround(FE_TONEAREST);
    return fabsf(cut) < 0x1p-62f;
}

enum { ROUNDED = MAY_ROUND | MAY_FLUSH, FULL = MAY_ROUND | MAY_FLUSH | MAY_SATURATE };

const struct ptx_alu cushim__ptx_alu_float[] = {
    {"add.f32", "fff", add_f32, FULL},
    {"sub.f32", "fff", sub_f32, FULL},
    {"mul.f32", "fff", mul_f32, FULL},
    {"fma.f32", "ffff", fma_f32, FULL},
    {"mad.f32", "ffff", fma_f32, FULL},
    {"div.f32", "fff", div_f32, ROUNDED},
    {"div.full.f32", "fff", div_f32, MAY_FLUSH},
    {"div.approx.f32", "fff", div_approx_f32, MAY_FLUSH},
    {"rcp.f32", "ff", rcp_f32, ROUNDED},
    {"rcp.approx.f32", "ff", rcp_f32, MAY_FLUSH},
    {"sqrt.f32", "ff", sqrt_f32, ROUNDED},
    {"sqrt.approx.f32", "ff", sqrt_f32, MAY_FLUSH},
    {"rsqrt.approx.f32", "ff", rsqrt_f32, MAY_FLUSH},
    {"ex2.approx.f32", "ff", ex2_f32, MAY_FLUSH},
    {"lg2.approx.f32", "ff", lg2_f32, MAY_FLUSH},
    {"sin.approx.f32", "ff", sin_f32, MAY_FLUSH},
    {"cos.approx.f32", "ff", cos_f32, MAY_FLUSH},
    {"tanh.approx.f32", "ff", tanh_f32, 0},
    {"neg.f32", "ff", neg_f32, MAY_FLUSH},
    {"abs.f32", "ff", abs_f32, MAY_FLUSH},
    {"copysign.f32", "www", copysign_f32, 0},
    {"min.f32", "fff", min_f32, MAY_FLUSH},
    {"max.f32", "fff", max_f32, MAY_FLUSH},
    {"min.NaN.f32", "fff", min_nan_f32, MAY_FLUSH},
    {"max.NaN.f32", "fff", max_nan_f32, MAY_FLUSH},
    {"min.xorsign.abs.f32", "fff", min_sign_f32, MAY_FLUSH},
    {"max.xorsign.abs.f32", "fff", max_sign_f32, MAY_FLUSH},
    {"min.NaN.xorsign.abs.f32", "fff", min_nan_sign_f32, MAY_FLUSH},
    {"max.NaN.xorsign.abs.f32", "fff", max_nan_sign_f32, MAY_FLUSH},
    {"add.f64", "ddd", add_f64, MAY_ROUND},
    {"sub.f64", "ddd", sub_f64, MAY_ROUND},
    {"mul.f64", "ddd", mul_f64, MAY_ROUND},
    {"fma.f64", "dddd", fma_f64, MAY_ROUND},
    {"mad.f64", "dddd", fma_f64, MAY_ROUND},
    {"div.f64", "ddd", div_f64, MAY_ROUND},
    {"rcp.f64", "dd", rcp_f64, MAY_ROUND},
    {"sqrt.f64", "dd", sqrt_f64, MAY_ROUND},
    {"rcp.approx.f64", "dd", rcp_approx_f64, MAY_FLUSH},
    {"rsqrt.approx.f64", "dd", rsqrt_f64, 0},
    {"rsqrt.approx.f64.ftz", "dd", rsqrt_approx_ftz_f64, 0},
    {"neg.f64", "dd", neg_f64, 0},
    {"abs.f64", "dd", abs_f64, 0},
    {"copysign.f64", "ddd", copysign_f64, 0},
    {"min.f64", "ddd", min_f64, 0},
    {"max.f64", "ddd", max_f64, 0},
    {0},
};
