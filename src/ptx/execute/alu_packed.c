/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several numbers in one word: video instructions on two or four numbers, to which compilers
 * translate CUDA's SIMD intrinsics; u16x2 and s16x2; and cvt.pack.
 */
#include "src/ptx/execute/lane_functions.h"

enum result { CUTS, SATURATES, ADDS };

#define OPERATION(name, expression)                  \
    static inline int32_t name(int32_t a, int32_t b) \
    {                                                \
        return expression;                           \
    }
OPERATION(sum, a + b)
OPERATION(difference, a - b)
OPERATION(average, (a + b + (a + b >= 0 ? 1 : 0)) >> 1)
OPERATION(distance, a > b ? a - b : b - a)
OPERATION(lesser, a < b ? a : b)
OPERATION(greater, a > b ? a : b)
OPERATION(lesser_relu, a <= 0 || b <= 0 ? 0 : lesser(a, b))
OPERATION(greater_relu, a <= 0 && b <= 0 ? 0 : greater(a, b))
OPERATION(is_eq, a == b)
OPERATION(is_ne, a != b)
OPERATION(is_lt, a < b)
OPERATION(is_le, a <= b)
OPERATION(is_gt, a > b)
OPERATION(is_ge, a >= b)

static inline int32_t limited(int32_t value, unsigned bits, bool is_signed)
{
    const int32_t most = (1 << (bits - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;

    return value < least ? least : value > most ? most : value;
}

/* All arguments but the numbers are constants, so that the compiler removes what is not needed. */
static inline uint32_t packed(int32_t (*operation)(int32_t, int32_t), unsigned bits, bool is_signed,
                              enum result result, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint32_t word = 0, all = z;

    for (unsigned at = 0; at < 32; at += bits) {
        const int32_t value =
            operation(ptx_part(x, at, bits, is_signed), ptx_part(y, at, bits, is_signed));
        const int32_t kept = result == SATURATES ? limited(value, bits, is_signed) : value;

        word |= ((uint32_t)kept & mask) << at;
        all += (uint32_t)kept;
    }
    return result == ADDS ? all : word;
}

/* The second number is the lowest part, then comes the first number, and then the third operand. */
static inline uint32_t joined(unsigned bits, bool is_signed, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    const uint32_t high = (uint32_t)limited((int32_t)x, bits, is_signed) & mask;
    const uint32_t low = (uint32_t)limited((int32_t)y, bits, is_signed) & mask;

    return low | high << bits | (bits < 16 ? z << 2 * bits : 0);
}

/*
 * The forms that clang's headers write for CUDA's intrinsics, on two and on four numbers. The
 * arguments are the opcode before and after the 2 or 4, the name of the function, the operation,
 * whether the numbers are signed, and what happens to the results: SATURATES limits them, and ADDS
 * adds them to the last operand. gcc writes the two instructions on whole words.
 */
#define BOTH(F, base, types, name, operation, is_signed, result) \
    F(3, base "2" types, name##2, u32, u32, u32, u32, 0,         \
      packed(operation, 16, is_signed, result, x, y, z))         \
    F(3, base "4" types, name##4, u32, u32, u32, u32, 0,         \
      packed(operation, 8, is_signed, result, x, y, z))
#define PAIR(F, name, function, operation, is_signed) \
    F(2, name, function, u32, u32, u32, 0, packed(operation, 16, is_signed, CUTS, x, y, 0))
#define WORDS(F)                                                                               \
    BOTH(F, "vadd", ".u32.u32.u32", add_u, sum, false, CUTS)                                   \
    BOTH(F, "vadd", ".u32.u32.u32.sat", add_us, sum, false, SATURATES)                         \
    BOTH(F, "vadd", ".s32.s32.s32.sat", add_ss, sum, true, SATURATES)                          \
    BOTH(F, "vsub", ".u32.u32.u32", sub_u, difference, false, CUTS)                            \
    BOTH(F, "vsub", ".u32.u32.u32.sat", sub_us, difference, false, SATURATES)                  \
    BOTH(F, "vsub", ".s32.s32.s32.sat", sub_ss, difference, true, SATURATES)                   \
    BOTH(F, "vavrg", ".u32.u32.u32", mean_u, average, false, CUTS)                             \
    BOTH(F, "vavrg", ".s32.s32.s32", mean_s, average, true, CUTS)                              \
    BOTH(F, "vabsdiff", ".u32.u32.u32", diff_u, distance, false, CUTS)                         \
    BOTH(F, "vabsdiff", ".u32.u32.u32.add", diff_ua, distance, false, ADDS)                    \
    BOTH(F, "vabsdiff", ".s32.s32.s32", diff_s, distance, true, CUTS)                          \
    BOTH(F, "vabsdiff", ".s32.s32.s32.sat", diff_ss, distance, true, SATURATES)                \
    BOTH(F, "vabsdiff", ".s32.s32.s32.add", diff_sa, distance, true, ADDS)                     \
    BOTH(F, "vmin", ".u32.u32.u32", min_u, lesser, false, CUTS)                                \
    BOTH(F, "vmin", ".s32.s32.s32", min_s, lesser, true, CUTS)                                 \
    BOTH(F, "vmax", ".u32.u32.u32", max_u, greater, false, CUTS)                               \
    BOTH(F, "vmax", ".s32.s32.s32", max_s, greater, true, CUTS)                                \
    BOTH(F, "vset", ".u32.u32.eq", eq_u, is_eq, false, CUTS)                                   \
    BOTH(F, "vset", ".u32.u32.ne", ne_u, is_ne, false, CUTS)                                   \
    BOTH(F, "vset", ".u32.u32.lt", lt_u, is_lt, false, CUTS)                                   \
    BOTH(F, "vset", ".u32.u32.le", le_u, is_le, false, CUTS)                                   \
    BOTH(F, "vset", ".u32.u32.gt", gt_u, is_gt, false, CUTS)                                   \
    BOTH(F, "vset", ".u32.u32.ge", ge_u, is_ge, false, CUTS)                                   \
    BOTH(F, "vset", ".s32.s32.lt", lt_s, is_lt, true, CUTS)                                    \
    BOTH(F, "vset", ".s32.s32.le", le_s, is_le, true, CUTS)                                    \
    BOTH(F, "vset", ".s32.s32.gt", gt_s, is_gt, true, CUTS)                                    \
    BOTH(F, "vset", ".s32.s32.ge", ge_s, is_ge, true, CUTS)                                    \
    PAIR(F, "add.u16x2", add_x2, sum, false)                                                   \
    F(0, "add.s16x2", "www", add_x2, 0)                                                        \
    PAIR(F, "min.u16x2", min_u16x2, lesser, false)                                             \
    PAIR(F, "max.u16x2", max_u16x2, greater, false)                                            \
    PAIR(F, "min.s16x2", min_s16x2, lesser, true)                                              \
    PAIR(F, "max.s16x2", max_s16x2, greater, true)                                             \
    PAIR(F, "min.s16x2.relu", min_s16x2_relu, lesser_relu, true)                               \
    PAIR(F, "max.s16x2.relu", max_s16x2_relu, greater_relu, true)                              \
    F(3, "vadd.u32.u32.u32.add", add_word, u32, u32, u32, u32, 0, x + y + z)                   \
    F(3, "vsub.u32.u32.u32.add", sub_word, u32, u32, u32, u32, 0, x - y + z)                   \
    F(2, "cvt.pack.u16.s32.sat", pack_u16, u32, u32, u32, 0, joined(16, false, x, y, 0))       \
    F(2, "cvt.pack.s16.s32.sat", pack_s16, u32, u32, u32, 0, joined(16, true, x, y, 0))        \
    F(3, "cvt.pack.u8.s32.b32.sat", pack_u8, u32, u32, u32, u32, 0, joined(8, false, x, y, z)) \
    F(3, "cvt.pack.s8.s32.b32.sat", pack_s8, u32, u32, u32, u32, 0, joined(8, true, x, y, z))

WORDS(FUNCTION)

const struct ptx_alu cushim__ptx_alu_packed[] = {WORDS(ROW){0}};
