/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of integers. */
#include "src/mock/kernel/lanes.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* One expression for all widths whose numbers do not depend on the sign. */
#define SIGNLESS1(op, expression)          \
    LANES1(op##_u16, u16, u16, expression) \
    LANES1(op##_u32, u32, u32, expression) \
    LANES1(op##_u64, u64, u64, expression)
#define SIGNLESS2(op, expression)               \
    LANES2(op##_u16, u16, u16, u16, expression) \
    LANES2(op##_u32, u32, u32, u32, expression) \
    LANES2(op##_u64, u64, u64, u64, expression)
#define SIGNLESS3(op, expression)                    \
    LANES3(op##_u16, u16, u16, u16, u16, expression) \
    LANES3(op##_u32, u32, u32, u32, u32, expression) \
    LANES3(op##_u64, u64, u64, u64, u64, expression)
#define SIGNED1(op, expression)            \
    LANES1(op##_s16, s16, s16, expression) \
    LANES1(op##_s32, s32, s32, expression) \
    LANES1(op##_s64, s64, s64, expression)
#define SIGNED2(op, expression)                 \
    LANES2(op##_s16, s16, s16, s16, expression) \
    LANES2(op##_s32, s32, s32, s32, expression) \
    LANES2(op##_s64, s64, s64, s64, expression)

#define SIGNLESS_ROWS(op, name, h, w, l)                                                         \
    {name ".u16", h, op##_u16, 0}, {name ".s16", h, op##_u16, 0}, {name ".u32", w, op##_u32, 0}, \
        {name ".s32", w, op##_u32, 0}, {name ".u64", l, op##_u64, 0},                            \
    {                                                                                            \
        name ".s64", l, op##_u64, 0                                                              \
    }
#define SIGN_ROWS(op, name, h, w, l)                                                             \
    {name ".u16", h, op##_u16, 0}, {name ".s16", h, op##_s16, 0}, {name ".u32", w, op##_u32, 0}, \
        {name ".s32", w, op##_s32, 0}, {name ".u64", l, op##_u64, 0},                            \
    {                                                                                            \
        name ".s64", l, op##_s64, 0                                                              \
    }

SIGNLESS2(add, x + y)
SIGNLESS2(sub, x - y)
SIGNLESS2(mul_lo, 1u * x * y)
LANES2(mul_hi_u16, u16, u16, u16, (uint32_t)x *y >> 16)
LANES2(mul_hi_s16, s16, s16, s16, (int32_t)x *y >> 16)
LANES2(mul_hi_u32, u32, u32, u32, (uint64_t)x *y >> 32)
LANES2(mul_hi_s32, s32, s32, s32, (int64_t)x *y >> 32)
LANES2(mul_hi_u64, u64, u64, u64, (u128)x *y >> 64)
LANES2(mul_hi_s64, s64, s64, s64, (s128)x *y >> 64)
LANES2(mul_wide_u16, u32, u16, u16, (uint32_t)x *y)
LANES2(mul_wide_s16, s32, s16, s16, (int32_t)x *y)
LANES2(mul_wide_u32, u64, u32, u32, (uint64_t)x *y)
LANES2(mul_wide_s32, s64, s32, s32, (int64_t)x *y)

SIGNLESS3(mad_lo, 1u * x * y + z)
LANES3(mad_hi_u16, u16, u16, u16, u16, ((uint32_t)x * y >> 16) + z)
LANES3(mad_hi_s16, s16, s16, s16, s16, ((int32_t)x * y >> 16) + z)
LANES3(mad_hi_u32, u32, u32, u32, u32, (uint32_t)((uint64_t)x *y >> 32) + z)
LANES3(mad_hi_s32, u32, s32, s32, u32, (uint32_t)((int64_t)x *y >> 32) + z)
LANES3(mad_hi_u64, u64, u64, u64, u64, (uint64_t)((u128)x *y >> 64) + z)
LANES3(mad_hi_s64, u64, s64, s64, u64, (uint64_t)((s128)x *y >> 64) + z)
LANES3(mad_wide_u16, u32, u16, u16, u32, (uint32_t)x *y + z)
LANES3(mad_wide_s16, u32, s16, s16, u32, (uint32_t)((int32_t)x *y) + z)
LANES3(mad_wide_u32, u64, u32, u32, u64, (uint64_t)x *y + z)
LANES3(mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)x *y) + z)

static int64_t low24(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}

static int32_t clamp32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

LANES3(mad_hi_s32_sat, s32, s32, s32, s32, clamp32(((int64_t)x * y >> 32) + z))
LANES2(mul24_lo_u32, u32, u32, u32, (uint64_t)(x & 0xffffff) * (y & 0xffffff))
LANES2(mul24_lo_s32, u32, s32, s32, (uint64_t)(low24(x) * low24(y)))
LANES2(add_s32_sat, s32, s32, s32, clamp32((int64_t)x + y))
LANES2(sub_s32_sat, s32, s32, s32, clamp32((int64_t)x - y))

SIGNLESS3(sad, (x > y ? x - y : y - x) + z)
LANES3(sad_s16, s16, s16, s16, s16, (x > y ? x - y : y - x) + z)
LANES3(sad_s32, u32, s32, s32, u32,
       (x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x) + z)
LANES3(sad_s64, u64, s64, s64, u64,
       (x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) + z)

/* Division by zero has all bits set. The negation of the least number is the least number. */
SIGNLESS2(div, y ? x / y : UINT64_MAX)
SIGNLESS2(rem, y ? x % y : UINT64_MAX)
SIGNED2(div, y == 0 ? UINT64_MAX : y == -1 ? -(uint64_t)x : (uint64_t)(x / y))
SIGNED2(rem, y == 0 ? -1 : y == -1 ? 0 : x % y)

SIGNLESS1(neg, -(uint64_t)x)
SIGNED1(abs, x < 0 ? -(uint64_t)x : (uint64_t)x)
SIGNLESS2(min, x < y ? x : y)
SIGNLESS2(max, x > y ? x : y)
SIGNED2(min, x < y ? x : y)
SIGNED2(max, x > y ? x : y)
LANES2(min_s32_relu, s32, s32, s32, x <= 0 || y <= 0 ? 0 : x < y ? x : y)
LANES2(max_s32_relu, s32, s32, s32, x <= 0 && y <= 0 ? 0 : x > y ? x : y)

/* Two numbers of 16 bits in each row. */
#define PAIRS(op, number, expression)                        \
    static uint32_t op##_half(uint32_t left, uint32_t right) \
    {                                                        \
        const number x = (number)left, y = (number)right;    \
        return (uint16_t)(expression);                       \
    }                                                        \
    LANES2(op, u32, u32, u32, op##_half(x, y) | op##_half(x >> 16, y >> 16) << 16)

PAIRS(add_x2, uint16_t, x + y)
PAIRS(min_u16x2, uint16_t, x < y ? x : y)
PAIRS(max_u16x2, uint16_t, x > y ? x : y)
PAIRS(min_s16x2, int16_t, x < y ? x : y)
PAIRS(max_s16x2, int16_t, x > y ? x : y)
PAIRS(min_s16x2_relu, int16_t, x <= 0 || y <= 0 ? 0 : x < y ? x : y)
PAIRS(max_s16x2_relu, int16_t, x <= 0 && y <= 0 ? 0 : x > y ? x : y)

static uint32_t byte_of(uint32_t x, unsigned index, bool is_signed)
{
    const uint32_t byte = x >> index * 8 & 0xff;

    return is_signed && byte & 0x80 ? byte | 0xffffff00 : byte;
}

static uint32_t dot4(uint32_t x, bool x_signed, uint32_t y, bool y_signed, uint32_t sum)
{
    for (unsigned i = 0; i < 4; i++)
        sum += byte_of(x, i, x_signed) * byte_of(y, i, y_signed);
    return sum;
}

static uint32_t dot2(uint32_t x, bool x_signed, uint32_t y, bool y_signed, unsigned high,
                     uint32_t sum)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t half = x >> i * 16 & 0xffff;
        const uint32_t wide = x_signed && half & 0x8000 ? half | 0xffff0000 : half;

        sum += wide * byte_of(y, high * 2 + i, y_signed);
    }
    return sum;
}

#define DOTS(suffix, a_signed, b_signed)                                              \
    LANES3(dp4a##suffix, u32, u32, u32, u32, dot4(x, a_signed, y, b_signed, z))       \
    LANES3(dp2a_lo##suffix, u32, u32, u32, u32, dot2(x, a_signed, y, b_signed, 0, z)) \
    LANES3(dp2a_hi##suffix, u32, u32, u32, u32, dot2(x, a_signed, y, b_signed, 1, z))
DOTS(_uu, false, false)
DOTS(_us, false, true)
DOTS(_su, true, false)
DOTS(_ss, true, true)

#define DOT_ROWS(suffix, types)                                                             \
    {"dp4a" types, "wwww", dp4a##suffix, 0}, {"dp2a.lo" types, "wwww", dp2a_lo##suffix, 0}, \
    {                                                                                       \
        "dp2a.hi" types, "wwww", dp2a_hi##suffix, 0                                         \
    }

const struct ptx_alu cushim__ptx_alu_integer[] = {
    SIGNLESS_ROWS(add, "add", "hhh", "www", "lll"),
    SIGNLESS_ROWS(sub, "sub", "hhh", "www", "lll"),
    SIGNLESS_ROWS(mul_lo, "mul.lo", "hhh", "www", "lll"),
    SIGN_ROWS(mul_hi, "mul.hi", "hhh", "www", "lll"),
    {"mul.wide.u16", "whh", mul_wide_u16, 0},
    {"mul.wide.s16", "whh", mul_wide_s16, 0},
    {"mul.wide.u32", "lww", mul_wide_u32, 0},
    {"mul.wide.s32", "lww", mul_wide_s32, 0},
    SIGNLESS_ROWS(mad_lo, "mad.lo", "hhhh", "wwww", "llll"),
    SIGN_ROWS(mad_hi, "mad.hi", "hhhh", "wwww", "llll"),
    {"mad.wide.u16", "whhw", mad_wide_u16, 0},
    {"mad.wide.s16", "whhw", mad_wide_s16, 0},
    {"mad.wide.u32", "lwwl", mad_wide_u32, 0},
    {"mad.wide.s32", "lwwl", mad_wide_s32, 0},
    {"mad.hi.s32.sat", "wwww", mad_hi_s32_sat, 0},
    {"mul24.lo.u32", "www", mul24_lo_u32, 0},
    {"mul24.lo.s32", "www", mul24_lo_s32, 0},
    {"add.s32.sat", "www", add_s32_sat, 0},
    {"sub.s32.sat", "www", sub_s32_sat, 0},
    SIGN_ROWS(sad, "sad", "hhhh", "wwww", "llll"),
    SIGN_ROWS(div, "div", "hhh", "www", "lll"),
    SIGN_ROWS(rem, "rem", "hhh", "www", "lll"),
    {"neg.s16", "hh", neg_u16, 0},
    {"neg.s32", "ww", neg_u32, 0},
    {"neg.s64", "ll", neg_u64, 0},
    {"abs.s16", "hh", abs_s16, 0},
    {"abs.s32", "ww", abs_s32, 0},
    {"abs.s64", "ll", abs_s64, 0},
    SIGN_ROWS(min, "min", "hhh", "www", "lll"),
    SIGN_ROWS(max, "max", "hhh", "www", "lll"),
    {"min.s32.relu", "www", min_s32_relu, 0},
    {"max.s32.relu", "www", max_s32_relu, 0},
    {"add.u16x2", "www", add_x2, 0},
    {"add.s16x2", "www", add_x2, 0},
    {"min.u16x2", "www", min_u16x2, 0},
    {"max.u16x2", "www", max_u16x2, 0},
    {"min.s16x2", "www", min_s16x2, 0},
    {"max.s16x2", "www", max_s16x2, 0},
    {"min.s16x2.relu", "www", min_s16x2_relu, 0},
    {"max.s16x2.relu", "www", max_s16x2_relu, 0},
    DOT_ROWS(_uu, ".u32.u32"),
    DOT_ROWS(_us, ".u32.s32"),
    DOT_ROWS(_su, ".s32.u32"),
    DOT_ROWS(_ss, ".s32.s32"),
    {0},
};
