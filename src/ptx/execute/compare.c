/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two rows, which return one bit for each lane. */
#include "src/ptx/execute/lane_functions.h"

#include <math.h>
#include <string.h>

#define COMPARISON(name, T, expression)                            \
    static uint32_t name(const void *a, const void *b)             \
    {                                                              \
        uint32_t result = 0;                                       \
                                                                   \
        for (unsigned i = 0; i < PTX_LANES; i++) {                 \
            OPERAND(T, x, a);                                      \
            OPERAND(T, y, b);                                      \
            result |= (expression) ? cushim__ptx_lane_bits[i] : 0; \
        }                                                          \
        return result;                                             \
    }

#define EQUAL(T)                  \
    COMPARISON(eq_##T, T, x == y) \
    COMPARISON(ne_##T, T, x != y)
#define ORDERED(T, x, y)          \
    COMPARISON(lt_##T, T, x < y)  \
    COMPARISON(le_##T, T, x <= y) \
    COMPARISON(gt_##T, T, x > y)  \
    COMPARISON(ge_##T, T, x >= y)
/* With a final u, a comparison with a NaN is true. */
#define FLOATING(T, x, y)                     \
    ORDERED(T, x, y)                          \
    COMPARISON(ne_##T, T, x<y || x> y)        \
    COMPARISON(eq_##T, T, x == y)             \
    COMPARISON(equ_##T, T, !(x < y || x > y)) \
    COMPARISON(neu_##T, T, x != y)            \
    COMPARISON(ltu_##T, T, !(x >= y))         \
    COMPARISON(leu_##T, T, !(x > y))          \
    COMPARISON(gtu_##T, T, !(x <= y))         \
    COMPARISON(geu_##T, T, !(x < y))          \
    COMPARISON(num_##T, T, x == x && y == y)  \
    COMPARISON(nan_##T, T, x != x || y != y)

/* The bits of an f16 or bf16 as a number that is ordered as their values are. */
static inline float ordered(uint32_t bits, uint32_t infinity)
{
    const uint32_t magnitude = bits & 0x7fff;
    const float number = magnitude > infinity ? NAN : (float)magnitude;

    return bits & 0x8000 ? -number : number;
}

typedef uint32_t number_f16, number_bf16;
typedef lane_u32 row_f16, row_bf16;

EQUAL(u16)
EQUAL(u32)
EQUAL(u64)
ORDERED(u16, x, y)
ORDERED(s16, x, y)
ORDERED(u32, x, y)
ORDERED(s32, x, y)
ORDERED(u64, x, y)
ORDERED(s64, x, y)
FLOATING(f32, x, y)
FLOATING(f64, x, y)
FLOATING(f16, ordered(x, 0x7c00), ordered(y, 0x7c00))
FLOATING(bf16, ordered(x, 0x7f80), ordered(y, 0x7f80))

#define BITS_ROW(T) eq_##T, ne_##T
#define INTEGER_ROW(E, T) eq_##E, ne_##E, lt_##T, le_##T, gt_##T, ge_##T
#define FLOAT_ROW(T)                                                                             \
    eq_##T, ne_##T, lt_##T, le_##T, gt_##T, ge_##T, equ_##T, neu_##T, ltu_##T, leu_##T, gtu_##T, \
        geu_##T, num_##T, nan_##T

static const ptx_compare comparisons[TYPE_TYPES][COMPARE_COMPARISONS] = {
    [TYPE_B16] = {BITS_ROW(u16)},         [TYPE_B32] = {BITS_ROW(u32)},
    [TYPE_B64] = {BITS_ROW(u64)},         [TYPE_U16] = {INTEGER_ROW(u16, u16)},
    [TYPE_S16] = {INTEGER_ROW(u16, s16)}, [TYPE_U32] = {INTEGER_ROW(u32, u32)},
    [TYPE_S32] = {INTEGER_ROW(u32, s32)}, [TYPE_U64] = {INTEGER_ROW(u64, u64)},
    [TYPE_S64] = {INTEGER_ROW(u64, s64)}, [TYPE_F32] = {FLOAT_ROW(f32)},
    [TYPE_F64] = {FLOAT_ROW(f64)},        [TYPE_F16] = {FLOAT_ROW(f16)},
    [TYPE_BF16] = {FLOAT_ROW(bf16)},
};

ptx_compare cushim__ptx_comparison(enum ptx_type type, enum ptx_comparison comparison)
{
    return comparisons[type][comparison];
}

#define CLASSES(T)                                                             \
    COMPARISON(finite_##T, T, ((void)y, isfinite(x) != 0))                     \
    COMPARISON(infinite_##T, T, ((void)y, isinf(x) != 0))                      \
    COMPARISON(number_is_##T, T, ((void)y, x == x))                            \
    COMPARISON(notanumber_##T, T, ((void)y, x != x))                           \
    COMPARISON(normal_##T, T, ((void)y, fpclassify(x) == FP_NORMAL || x == 0)) \
    COMPARISON(subnormal_##T, T, ((void)y, fpclassify(x) == FP_SUBNORMAL))
CLASSES(f32)
CLASSES(f64)

static const struct {
    const char *word;
    ptx_compare single, wide;
} classes[] = {
    {"finite", finite_f32, finite_f64},       {"infinite", infinite_f32, infinite_f64},
    {"number", number_is_f32, number_is_f64}, {"notanumber", notanumber_f32, notanumber_f64},
    {"normal", normal_f32, normal_f64},       {"subnormal", subnormal_f32, subnormal_f64},
};

ptx_compare cushim__ptx_class(const char *word, bool wide)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strcmp(word, classes[i].word) == 0)
            return wide ? classes[i].wide : classes[i].single;
    }
    return NULL;
}
