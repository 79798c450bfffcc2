/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two rows: a bit for each lane. */
#include "src/mock/kernel/lanes.h"

#include <math.h>
#include <string.h>

#define COMPARISON(name, T, expression)                               \
    static uint32_t name(const void *a, const void *b)                \
    {                                                                 \
        uint32_t result = 0;                                          \
                                                                      \
        for (unsigned i = 0; i < PTX_LANES; i++) {                    \
            const number_##T x = (number_##T)((const row_##T *)a)[i]; \
            const number_##T y = (number_##T)((const row_##T *)b)[i]; \
            result |= (expression) ? cushim__ptx_lane_bits[i] : 0;    \
        }                                                             \
        return result;                                                \
    }

#define ORDERED(T)                \
    COMPARISON(lt_##T, T, x < y)  \
    COMPARISON(le_##T, T, x <= y) \
    COMPARISON(gt_##T, T, x > y)  \
    COMPARISON(ge_##T, T, x >= y)
#define EQUAL(T)                  \
    COMPARISON(eq_##T, T, x == y) \
    COMPARISON(ne_##T, T, x != y)
/* With the u at the end, a comparison with a NaN is true. */
#define UNORDERED(T)                          \
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

/* Of f16 and bf16 by their bits, as whole numbers in the order of the values. */
static bool small_is_nan(uint32_t bits, uint32_t infinity)
{
    return (bits & 0x7fff) > infinity;
}

static int small_order(uint32_t bits)
{
    return bits & 0x8000 ? -(int)(bits & 0x7fff) : (int)(bits & 0x7fff);
}

#define SMALL(T, infinity)                                                       \
    typedef uint32_t number_##T;                                                 \
    typedef lane_u32 row_##T;                                                    \
    static bool nan_of_##T(uint32_t x, uint32_t y)                               \
    {                                                                            \
        return small_is_nan(x, infinity) || small_is_nan(y, infinity);           \
    }                                                                            \
    COMPARISON(eq_##T, T, !nan_of_##T(x, y) && small_order(x) == small_order(y)) \
    COMPARISON(ne_##T, T, !nan_of_##T(x, y) && small_order(x) != small_order(y)) \
    COMPARISON(lt_##T, T, !nan_of_##T(x, y) && small_order(x) < small_order(y))  \
    COMPARISON(le_##T, T, !nan_of_##T(x, y) && small_order(x) <= small_order(y)) \
    COMPARISON(gt_##T, T, !nan_of_##T(x, y) && small_order(x) > small_order(y))  \
    COMPARISON(ge_##T, T, !nan_of_##T(x, y) && small_order(x) >= small_order(y)) \
    COMPARISON(equ_##T, T, nan_of_##T(x, y) || small_order(x) == small_order(y)) \
    COMPARISON(neu_##T, T, nan_of_##T(x, y) || small_order(x) != small_order(y)) \
    COMPARISON(ltu_##T, T, nan_of_##T(x, y) || small_order(x) < small_order(y))  \
    COMPARISON(leu_##T, T, nan_of_##T(x, y) || small_order(x) <= small_order(y)) \
    COMPARISON(gtu_##T, T, nan_of_##T(x, y) || small_order(x) > small_order(y))  \
    COMPARISON(geu_##T, T, nan_of_##T(x, y) || small_order(x) >= small_order(y)) \
    COMPARISON(num_##T, T, !nan_of_##T(x, y))                                    \
    COMPARISON(nan_##T, T, nan_of_##T(x, y))

EQUAL(u16)
EQUAL(u32)
EQUAL(u64)
ORDERED(u16)
ORDERED(s16)
ORDERED(u32)
ORDERED(s32)
ORDERED(u64)
ORDERED(s64)
UNORDERED(f32)
UNORDERED(f64)
ORDERED(f32)
ORDERED(f64)
SMALL(f16, 0x7c00)
SMALL(bf16, 0x7f80)

#define BITS_ROW(T)    \
    {                  \
        eq_##T, ne_##T \
    }
#define INTEGER_ROW(E, T)                              \
    {                                                  \
        eq_##E, ne_##E, lt_##T, le_##T, gt_##T, ge_##T \
    }
#define FLOAT_ROW(T)                                                                        \
    {                                                                                       \
        eq_##T, ne_##T, lt_##T, le_##T, gt_##T, ge_##T, equ_##T, neu_##T, ltu_##T, leu_##T, \
            gtu_##T, geu_##T, num_##T, nan_##T                                              \
    }

static const ptx_compare comparisons[TYPE_TYPES][COMPARE_COMPARISONS] = {
    [TYPE_B16] = BITS_ROW(u16),         [TYPE_B32] = BITS_ROW(u32),
    [TYPE_B64] = BITS_ROW(u64),         [TYPE_U16] = INTEGER_ROW(u16, u16),
    [TYPE_S16] = INTEGER_ROW(u16, s16), [TYPE_U32] = INTEGER_ROW(u32, u32),
    [TYPE_S32] = INTEGER_ROW(u32, s32), [TYPE_U64] = INTEGER_ROW(u64, u64),
    [TYPE_S64] = INTEGER_ROW(u64, s64), [TYPE_F32] = FLOAT_ROW(f32),
    [TYPE_F64] = FLOAT_ROW(f64),        [TYPE_F16] = FLOAT_ROW(f16),
    [TYPE_BF16] = FLOAT_ROW(bf16),
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
