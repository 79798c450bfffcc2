/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several numbers in one word: the video instructions on two and four of them, by which the
 * intrinsics of CUDA for such words are made, and cvt.pack.
 */
#include "src/mock/kernel/lanes.h"

enum operation { ADD, SUB, AVERAGE, DIFFERENCE, MIN, MAX, EQ, NE, LT, LE, GT, GE };

/* What an instruction does with each number; a constant, so that the compiler drops the rest. */
struct form {
    enum operation operation;
    unsigned bits;
    bool a_signed, b_signed, d_signed, saturates, adds;
};

static int32_t number_at(uint32_t word, unsigned at, unsigned bits, bool is_signed)
{
    const uint32_t value = word << (32 - bits - at);

    return is_signed ? (int32_t)value >> (32 - bits) : (int32_t)(value >> (32 - bits));
}

static inline int32_t computed(enum operation operation, int32_t a, int32_t b)
{
    switch (operation) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case AVERAGE:
        return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case DIFFERENCE:
        return a > b ? a - b : b - a;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LT:
        return a < b;
    case LE:
        return a <= b;
    case GT:
        return a > b;
    default:
        return a >= b;
    }
}

static inline int32_t limited(int32_t value, unsigned bits, bool is_signed)
{
    const int32_t most = (1 << (bits - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;

    return value < least ? least : value > most ? most : value;
}

static inline uint32_t packed(struct form form, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t mask = (UINT32_C(1) << form.bits) - 1;
    uint32_t word = 0, sum = z;

    for (unsigned at = 0; at < 32; at += form.bits) {
        const int32_t value = computed(form.operation, number_at(x, at, form.bits, form.a_signed),
                                       number_at(y, at, form.bits, form.b_signed));
        const int32_t kept = form.saturates ? limited(value, form.bits, form.d_signed) : value;

        word |= ((uint32_t)kept & mask) << at;
        sum += (uint32_t)kept;
    }
    return form.adds ? sum : word;
}

/* Numbers that are all signed or none: `sat` limits them, `add` sums them up with the last operand. */
#define FORM(function, operation, bits, is_signed, saturates, adds)                              \
    LANES3(                                                                                      \
        function, u32, u32, u32, u32,                                                            \
        packed((struct form){operation, bits, is_signed, is_signed, is_signed, saturates, adds}, \
               x, y, z))
#define FORMS(name, operation, bits, is_signed)               \
    FORM(name, operation, bits, is_signed, false, false)      \
    FORM(name##_sat, operation, bits, is_signed, true, false) \
    FORM(name##_add, operation, bits, is_signed, false, true)
#define SIGNS(name, operation)             \
    FORMS(name##2_u, operation, 16, false) \
    FORMS(name##2_s, operation, 16, true)  \
    FORMS(name##4_u, operation, 8, false)  \
    FORMS(name##4_s, operation, 8, true)

SIGNS(vadd, ADD)
SIGNS(vsub, SUB)
SIGNS(vavrg, AVERAGE)
SIGNS(vabsdiff, DIFFERENCE)
SIGNS(vmin, MIN)
SIGNS(vmax, MAX)

#define TRUTHS(name, operation, bits, is_signed)         \
    FORM(name, operation, bits, is_signed, false, false) \
    FORM(name##_add, operation, bits, is_signed, false, true)
#define COMPARISONS(name, operation)        \
    TRUTHS(name##2_u, operation, 16, false) \
    TRUTHS(name##2_s, operation, 16, true)  \
    TRUTHS(name##4_u, operation, 8, false)  \
    TRUTHS(name##4_s, operation, 8, true)

COMPARISONS(vset_eq, EQ)
COMPARISONS(vset_ne, NE)
COMPARISONS(vset_lt, LT)
COMPARISONS(vset_le, LE)
COMPARISONS(vset_gt, GT)
COMPARISONS(vset_ge, GE)

/* Whole words, of which `add` adds the last operand. */
LANES2(vadd_word, u32, u32, u32, x + y)
LANES2(vsub_word, u32, u32, u32, x - y)
LANES3(vadd_word_add, u32, u32, u32, u32, x + y + z)
LANES3(vsub_word_add, u32, u32, u32, u32, x - y + z)

/* The second number is the lowest, then the first, and then what the third operand has. */
#define PACK(function, bits, is_signed)                                                         \
    LANES3(function, u32, u32, u32, u32,                                                        \
           ((uint32_t)limited((int32_t)y, bits, is_signed) & ((UINT32_C(1) << (bits)) - 1)) |   \
               ((uint32_t)limited((int32_t)x, bits, is_signed) & ((UINT32_C(1) << (bits)) - 1)) \
                   << (bits) |                                                                  \
               ((bits) < 16 ? z << (2 * (bits)) % 32 : 0))

PACK(pack_u16, 16, false)
PACK(pack_s16, 16, true)
PACK(pack_u8, 8, false)
PACK(pack_s8, 8, true)

#define TYPE_ROWS(base, function, types)                                               \
    {base types, "wwww", function, 0}, {base types ".sat", "wwww", function##_sat, 0}, \
    {                                                                                  \
        base types ".add", "wwww", function##_add, 0                                   \
    }
/* Signed results of unsigned numbers have the same bits, unless they are limited or added. */
#define ROWS(text, name)                                \
    TYPE_ROWS(text "2", name##2_u, ".u32.u32.u32"),     \
        TYPE_ROWS(text "2", name##2_s, ".s32.s32.s32"), \
        TYPE_ROWS(text "4", name##4_u, ".u32.u32.u32"), \
        TYPE_ROWS(text "4", name##4_s, ".s32.s32.s32")
#define WORD_ROWS(base, function, types)             \
    {base types, "www", function, 0},                \
    {                                                \
        base types ".add", "wwww", function##_add, 0 \
    }
#define WORDS(base, function)                                                                 \
    WORD_ROWS(base, function, ".u32.u32.u32"), WORD_ROWS(base, function, ".u32.u32.s32"),     \
        WORD_ROWS(base, function, ".u32.s32.u32"), WORD_ROWS(base, function, ".u32.s32.s32"), \
        WORD_ROWS(base, function, ".s32.u32.u32"), WORD_ROWS(base, function, ".s32.u32.s32"), \
        WORD_ROWS(base, function, ".s32.s32.u32"), WORD_ROWS(base, function, ".s32.s32.s32")
#define SET_ROWS(word, name)                                                                    \
    {"vset2.u32.u32" word, "wwww", name##2_u, 0}, {"vset2.s32.s32" word, "wwww", name##2_s, 0}, \
        {"vset4.u32.u32" word, "wwww", name##4_u, 0},                                           \
        {"vset4.s32.s32" word, "wwww", name##4_s, 0},                                           \
        {"vset2.u32.u32" word ".add", "wwww", name##2_u_add, 0},                                \
        {"vset2.s32.s32" word ".add", "wwww", name##2_s_add, 0},                                \
        {"vset4.u32.u32" word ".add", "wwww", name##4_u_add, 0},                                \
    {                                                                                           \
        "vset4.s32.s32" word ".add", "wwww", name##4_s_add, 0                                   \
    }

const struct ptx_alu cushim__ptx_alu_packed[] = {
    WORDS("vadd", vadd_word),
    WORDS("vsub", vsub_word),
    ROWS("vadd", vadd),
    ROWS("vsub", vsub),
    ROWS("vavrg", vavrg),
    ROWS("vabsdiff", vabsdiff),
    ROWS("vmin", vmin),
    ROWS("vmax", vmax),
    SET_ROWS(".eq", vset_eq),
    SET_ROWS(".ne", vset_ne),
    SET_ROWS(".lt", vset_lt),
    SET_ROWS(".le", vset_le),
    SET_ROWS(".gt", vset_gt),
    SET_ROWS(".ge", vset_ge),
    {"cvt.pack.u16.s32", "www", pack_u16, 0},
    {"cvt.pack.u16.s32.sat", "www", pack_u16, 0},
    {"cvt.pack.s16.s32", "www", pack_s16, 0},
    {"cvt.pack.s16.s32.sat", "www", pack_s16, 0},
    {"cvt.pack.u8.s32.b32", "wwww", pack_u8, 0},
    {"cvt.pack.u8.s32.b32.sat", "wwww", pack_u8, 0},
    {"cvt.pack.s8.s32.b32", "wwww", pack_s8, 0},
    {"cvt.pack.s8.s32.b32.sat", "wwww", pack_s8, 0},
    {NULL, NULL, NULL, 0},
};
