/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions for 32 lanes from one expression of x, y and z, the operands of a lane. D is the type
 * of the result; X, Y and Z are those of the operands, which lie in rows of 4 or 8 bytes. The
 * compiler makes vector instructions of them.
 */
#ifndef CUSHIM_MOCK_KERNEL_LANES_H
#define CUSHIM_MOCK_KERNEL_LANES_H

#include "src/mock/kernel/alu.h"

typedef lane_u32 row_u8, row_s8, row_u16, row_s16, row_u32;
typedef lane_s32 row_s32;
typedef lane_u64 row_u64;
typedef lane_s64 row_s64;
typedef lane_f32 row_f32;
typedef lane_f64 row_f64;
typedef uint8_t number_u8;
typedef int8_t number_s8;
typedef uint16_t number_u16;
typedef int16_t number_s16;
typedef uint32_t number_u32;
typedef int32_t number_s32;
typedef uint64_t number_u64;
typedef int64_t number_s64;
typedef float number_f32, result_f32;
typedef double number_f64, result_f64;
/* What is stored has no bits above those of its type. */
typedef uint8_t result_u8, result_s8;
typedef uint16_t result_u16, result_s16;
typedef uint32_t result_u32;
typedef int32_t result_s32;
typedef uint64_t result_u64;
typedef int64_t result_s64;

#define LANES1(function, D, X, expression)                                              \
    static void function(void *restrict d, const void *a, const void *b, const void *c) \
    {                                                                                   \
        (void)b, (void)c;                                                               \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                      \
            const number_##X x = (number_##X)((const row_##X *)a)[i];                   \
            ((row_##D *)d)[i] = (result_##D)(expression);                               \
        }                                                                               \
    }

#define LANES2(function, D, X, Y, expression)                                           \
    static void function(void *restrict d, const void *a, const void *b, const void *c) \
    {                                                                                   \
        (void)c;                                                                        \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                      \
            const number_##X x = (number_##X)((const row_##X *)a)[i];                   \
            const number_##Y y = (number_##Y)((const row_##Y *)b)[i];                   \
            ((row_##D *)d)[i] = (result_##D)(expression);                               \
        }                                                                               \
    }

#define LANES3(function, D, X, Y, Z, expression)                                        \
    static void function(void *restrict d, const void *a, const void *b, const void *c) \
    {                                                                                   \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                      \
            const number_##X x = (number_##X)((const row_##X *)a)[i];                   \
            const number_##Y y = (number_##Y)((const row_##Y *)b)[i];                   \
            const number_##Z z = (number_##Z)((const row_##Z *)c)[i];                   \
            ((row_##D *)d)[i] = (result_##D)(expression);                               \
        }                                                                               \
    }

/* Whether all lanes have one value: usually so of what a number is shifted by. */
static inline bool ptx_uniform(const void *row)
{
    const lane_u32 *const values = row;
    uint32_t differs = 0;

    for (unsigned i = 0; i < PTX_LANES; i++)
        differs |= values[i] ^ values[0];
    return differs == 0;
}

#endif
