/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several numbers in one word: the video instructions on two and four of them, by which the
 * intrinsics of CUDA for such words are made, and cvt.pack.
 */
#include "src/mock/kernel/lanes.h"

enum operation { ADD, SUB, AVERAGE, DIFFERENCE, MIN, MAX, EQ, NE, LT, LE, GT, GE };

enum result { CUTS, SATURATES, ADDS };

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

/* All but the numbers are constants, so that the compiler drops what is not needed. */
static inline uint32_t packed(enum operation operation, unsigned bits, bool is_signed,
                              enum result result, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint32_t word = 0, sum = z;

    for (unsigned at = 0; at < 32; at += bits) {
        const int32_t value = computed(operation, number_at(x, at, bits, is_signed),
                                       number_at(y, at, bits, is_signed));
        const int32_t kept = result == SATURATES ? limited(value, bits, is_signed) : value;

        word |= ((uint32_t)kept & mask) << at;
        sum += (uint32_t)kept;
    }
    return result == ADDS ? sum : word;
}

/*
 * The forms that clang's headers write for the intrinsics of CUDA, for two and for four numbers: a
 * name, the opcode before and after its number, and what it does with numbers that are signed or
 * not. SATURATES limits them, ADDS sums them up with the last operand.
 */
#define FORMS(X)                                                            \
    X(add_u, "vadd", ".u32.u32.u32", ADD, false, CUTS)                      \
    X(add_us, "vadd", ".u32.u32.u32.sat", ADD, false, SATURATES)            \
    X(add_ss, "vadd", ".s32.s32.s32.sat", ADD, true, SATURATES)             \
    X(sub_u, "vsub", ".u32.u32.u32", SUB, false, CUTS)                      \
    X(sub_us, "vsub", ".u32.u32.u32.sat", SUB, false, SATURATES)            \
    X(sub_ss, "vsub", ".s32.s32.s32.sat", SUB, true, SATURATES)             \
    X(mean_u, "vavrg", ".u32.u32.u32", AVERAGE, false, CUTS)                \
    X(mean_s, "vavrg", ".s32.s32.s32", AVERAGE, true, CUTS)                 \
    X(diff_u, "vabsdiff", ".u32.u32.u32", DIFFERENCE, false, CUTS)          \
    X(diff_ua, "vabsdiff", ".u32.u32.u32.add", DIFFERENCE, false, ADDS)     \
    X(diff_s, "vabsdiff", ".s32.s32.s32", DIFFERENCE, true, CUTS)           \
    X(diff_ss, "vabsdiff", ".s32.s32.s32.sat", DIFFERENCE, true, SATURATES) \
    X(diff_sa, "vabsdiff", ".s32.s32.s32.add", DIFFERENCE, true, ADDS)      \
    X(min_u, "vmin", ".u32.u32.u32", MIN, false, CUTS)                      \
    X(min_s, "vmin", ".s32.s32.s32", MIN, true, CUTS)                       \
    X(max_u, "vmax", ".u32.u32.u32", MAX, false, CUTS)                      \
    X(max_s, "vmax", ".s32.s32.s32", MAX, true, CUTS)                       \
    X(eq_u, "vset", ".u32.u32.eq", EQ, false, CUTS)                         \
    X(ne_u, "vset", ".u32.u32.ne", NE, false, CUTS)                         \
    X(lt_u, "vset", ".u32.u32.lt", LT, false, CUTS)                         \
    X(le_u, "vset", ".u32.u32.le", LE, false, CUTS)                         \
    X(gt_u, "vset", ".u32.u32.gt", GT, false, CUTS)                         \
    X(ge_u, "vset", ".u32.u32.ge", GE, false, CUTS)                         \
    X(lt_s, "vset", ".s32.s32.lt", LT, true, CUTS)                          \
    X(le_s, "vset", ".s32.s32.le", LE, true, CUTS)                          \
    X(gt_s, "vset", ".s32.s32.gt", GT, true, CUTS)                          \
    X(ge_s, "vset", ".s32.s32.ge", GE, true, CUTS)

#define FUNCTIONS(name, base, types, operation, is_signed, result)                         \
    LANES3(name##2, u32, u32, u32, u32, packed(operation, 16, is_signed, result, x, y, z)) \
    LANES3(name##4, u32, u32, u32, u32, packed(operation, 8, is_signed, result, x, y, z))
#define ROWS(name, base, types, operation, is_signed, result) \
    {base "2" types, "wwww", name##2, 0}, {base "4" types, "wwww", name##4, 0},

FORMS(FUNCTIONS)

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

const struct ptx_alu cushim__ptx_alu_packed[] = {
    FORMS(ROWS){"cvt.pack.u16.s32.sat", "www", pack_u16, 0},
    {"cvt.pack.s16.s32.sat", "www", pack_s16, 0},
    {"cvt.pack.u8.s32.b32.sat", "wwww", pack_u8, 0},
    {"cvt.pack.s8.s32.b32.sat", "wwww", pack_s8, 0},
    {NULL, NULL, NULL, 0},
};
