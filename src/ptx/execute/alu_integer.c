/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic. */
#include "src/ptx/execute/lane_functions.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static int32_t clamp32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static uint32_t dot4(uint32_t x, bool x_signed, uint32_t y, bool y_signed, uint32_t sum)
{
    for (unsigned i = 0; i < 32; i += 8)
        sum += (uint32_t)(ptx_part(x, i, 8, x_signed) * ptx_part(y, i, 8, y_signed));
    return sum;
}

static uint32_t dot2(uint32_t x, bool x_signed, uint32_t y, bool y_signed, unsigned high,
                     uint32_t sum)
{
    for (unsigned i = 0; i < 2; i++)
        sum += (uint32_t)(ptx_part(x, i * 16, 16, x_signed) *
                          ptx_part(y, high * 16 + i * 8, 8, y_signed));
    return sum;
}

#define SIGNLESS2(F, name, op, expression) \
    WIDTHS2(F, name, op, u, u, expression) \
    F(0, name ".s16", "hhh", op##_u16, 0)  \
    F(0, name ".s32", "www", op##_u32, 0)  \
    F(0, name ".s64", "lll", op##_u64, 0)
#define BY_SIGN2(F, name, op, unsigned_expression, signed_expression) \
    WIDTHS2(F, name, op, u, u, unsigned_expression)                   \
    WIDTHS2(F, name, op, s, s, signed_expression)

/* Products, and sums of a product and a number: of the lower half, the upper half, or both. */
#define LOW(F, bits)                                                                             \
    F(3, "mad.lo.u" #bits, mad_lo_##bits, u##bits, u##bits, u##bits, u##bits, 0, 1u * x * y + z) \
    F(0, "mad.lo.s" #bits, LETTER_u##bits LETTER_u##bits LETTER_u##bits LETTER_u##bits,          \
      mad_lo_##bits, 0)
#define HIGH(F, sign, bits, wide)                                                                 \
    F(2, "mul.hi." #sign #bits, mul_hi_##sign##bits, sign##bits, sign##bits, sign##bits, 0,       \
      (wide)x *y >> bits)                                                                         \
    F(3, "mad.hi." #sign #bits, mad_hi_##sign##bits, u##bits, sign##bits, sign##bits, u##bits, 0, \
      (number_u##bits)((wide)x * y >> bits) + z)
#define WIDE(F, sign, bits, both)                                                                  \
    F(2, "mul.wide." #sign #bits, mul_wide_##sign##bits, sign##both, sign##bits, sign##bits, 0,    \
      (number_##sign##both)x *y)                                                                   \
    F(3, "mad.wide." #sign #bits, mad_wide_##sign##bits, u##both, sign##bits, sign##bits, u##both, \
      0, (number_u##both)((number_##sign##both)x * y) + z)

#define DISTANCE(F, sign, bits)                                                             \
    F(3, "sad." #sign #bits, sad_##sign##bits, u##bits, sign##bits, sign##bits, u##bits, 0, \
      (x > y ? (number_u##bits)x - (number_u##bits)y : (number_u##bits)y - (number_u##bits)x) + z)

#define DOTS(F, types, suffix, a_signed, b_signed)                                              \
    F(3, "dp4a" types, dp4a_##suffix, u32, u32, u32, u32, 0, dot4(x, a_signed, y, b_signed, z)) \
    F(3, "dp2a.lo" types, dp2a_lo_##suffix, u32, u32, u32, u32, 0,                              \
      dot2(x, a_signed, y, b_signed, 0, z))                                                     \
    F(3, "dp2a.hi" types, dp2a_hi_##suffix, u32, u32, u32, u32, 0,                              \
      dot2(x, a_signed, y, b_signed, 1, z))

/*
 * A quotient or remainder by zero has all bits set. The negation of the least number is that
 * number.
 */
#define INTEGERS(F)                                                                            \
    SIGNLESS2(F, "add", add, x + y)                                                            \
    SIGNLESS2(F, "sub", sub, x - y)                                                            \
    SIGNLESS2(F, "mul.lo", mul_lo, 1u * x * y)                                                 \
    LOW(F, 16)                                                                                 \
    LOW(F, 32)                                                                                 \
    LOW(F, 64)                                                                                 \
    HIGH(F, u, 16, uint32_t)                                                                   \
    HIGH(F, s, 16, int32_t)                                                                    \
    HIGH(F, u, 32, uint64_t)                                                                   \
    HIGH(F, s, 32, int64_t)                                                                    \
    HIGH(F, u, 64, u128)                                                                       \
    HIGH(F, s, 64, s128)                                                                       \
    WIDE(F, u, 16, 32)                                                                         \
    WIDE(F, s, 16, 32)                                                                         \
    WIDE(F, u, 32, 64)                                                                         \
    WIDE(F, s, 32, 64)                                                                         \
    F(3, "mad.hi.s32.sat", mad_hi_s32_sat, s32, s32, s32, s32, 0,                              \
      clamp32(((int64_t)x * y >> 32) + z))                                                     \
    F(2, "mul24.lo.u32", mul24_lo_u32, u32, u32, u32, 0,                                       \
      (uint64_t)(x & 0xffffff) * (y & 0xffffff))                                               \
    F(2, "mul24.lo.s32", mul24_lo_s32, u32, u32, u32, 0,                                       \
      (int64_t)ptx_part(x, 0, 24, true) * ptx_part(y, 0, 24, true))                            \
    F(2, "add.s32.sat", add_s32_sat, s32, s32, s32, 0, clamp32((int64_t)x + y))                \
    F(2, "sub.s32.sat", sub_s32_sat, s32, s32, s32, 0, clamp32((int64_t)x - y))                \
    DISTANCE(F, u, 16)                                                                         \
    DISTANCE(F, s, 16)                                                                         \
    DISTANCE(F, u, 32)                                                                         \
    DISTANCE(F, s, 32)                                                                         \
    DISTANCE(F, u, 64)                                                                         \
    DISTANCE(F, s, 64)                                                                         \
    BY_SIGN2(F, "div", div, y ? x / y : UINT64_MAX,                                            \
             y == 0    ? UINT64_MAX                                                            \
             : y == -1 ? -(uint64_t)x                                                          \
                       : (uint64_t)(x / y))                                                    \
    BY_SIGN2(F, "rem", rem, y ? x % y : UINT64_MAX, y == 0 ? -1 : y == -1 ? 0 : x % y)         \
    WIDTHS1(F, "neg", neg, s, u, -(uint64_t)x)                                                 \
    WIDTHS1(F, "abs", abs, s, s, x < 0 ? -(uint64_t)x : (uint64_t)x)                           \
    BY_SIGN2(F, "min", min, x < y ? x : y, x < y ? x : y)                                      \
    BY_SIGN2(F, "max", max, x > y ? x : y, x > y ? x : y)                                      \
    F(2, "min.s32.relu", min_s32_relu, s32, s32, s32, 0, x <= 0 || y <= 0 ? 0 : x < y ? x : y) \
    F(2, "max.s32.relu", max_s32_relu, s32, s32, s32, 0, x <= 0 && y <= 0 ? 0 : x > y ? x : y) \
    DOTS(F, ".u32.u32", uu, false, false)                                                      \
    DOTS(F, ".u32.s32", us, false, true)                                                       \
    DOTS(F, ".s32.u32", su, true, false)                                                       \
    DOTS(F, ".s32.s32", ss, true, true)

INTEGERS(FUNCTION)

const struct ptx_alu cushim__ptx_alu_integer[] = {INTEGERS(ROW){0}};
