/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros that define a function for 32 lanes by one expression of x, y and z, the operands of a
 * lane. D is the type of the result. X, Y and Z are the types of the operands, whose rows have
 * values of 4 or 8 bytes. The compiler vectorises these functions.
 */
#ifndef CUSHIM_PTX_EXECUTE_LANE_FUNCTIONS_H
#define CUSHIM_PTX_EXECUTE_LANE_FUNCTIONS_H

#include "src/ptx/execute/alu.h"

/* n32 and n64 are the bits of a floating-point number. */
typedef lane_u32 row_u8, row_s8, row_u16, row_s16, row_u32, row_n32;
typedef lane_s32 row_s32;
typedef lane_u64 row_u64, row_n64;
typedef lane_s64 row_s64;
typedef lane_f32 row_f32;
typedef lane_f64 row_f64;
typedef uint8_t number_u8;
typedef int8_t number_s8;
typedef uint16_t number_u16;
typedef int16_t number_s16;
typedef uint32_t number_u32, number_n32;
typedef int32_t number_s32;
typedef uint64_t number_u64, number_n64;
typedef int64_t number_s64;
typedef float number_f32, result_f32;
typedef double number_f64, result_f64;
/* A stored result has no bits above those of its type. */
typedef uint8_t result_u8, result_s8;
typedef uint16_t result_u16, result_s16;
typedef uint32_t result_u32, result_n32;
typedef int32_t result_s32;
typedef uint64_t result_u64, result_n64;
typedef int64_t result_s64;

#define OPERAND(T, name, row) const number_##T name = (number_##T)((const row_##T *)(row))[i]
#define LANES(function, D, operands, expression)                                        \
    static void function(void *restrict d, const void *a, const void *b, const void *c) \
    {                                                                                   \
        (void)b, (void)c;                                                               \
        for (unsigned i = 0; i < PTX_LANES; i++) {                                      \
            operands;                                                                   \
            ((row_##D *)d)[i] = (result_##D)(expression);                               \
        }                                                                               \
    }
#define LANES1(function, D, X, expression) LANES(function, D, OPERAND(X, x, a), expression)
#define LANES2(function, D, X, Y, expression) \
    LANES(function, D, OPERAND(X, x, a); OPERAND(Y, y, b), expression)
#define LANES3(function, D, X, Y, Z, expression) \
    LANES(function, D, OPERAND(X, x, a); OPERAND(Y, y, b); OPERAND(Z, z, c), expression)

/*
 * A file lists its instructions once, in a macro LIST(F): LIST(FUNCTION) defines their functions,
 * and LIST(ROW) the rows of the table. F(2, "add.f32", add_f32, n32, f32, f32, MAY_ROUND, x + y) is
 * an instruction with two sources; F(0, name, signature, function, modifiers) is one whose function
 * is defined already.
 */
#define FUNCTION(sources, ...) FUNCTION##sources(__VA_ARGS__)
#define FUNCTION0(name, signature, function, modifiers)
#define FUNCTION1(name, function, D, X, modifiers, expression) LANES1(function, D, X, expression)
#define FUNCTION2(name, function, D, X, Y, modifiers, expression) \
    LANES2(function, D, X, Y, expression)
#define FUNCTION3(name, function, D, X, Y, Z, modifiers, expression) \
    LANES3(function, D, X, Y, Z, expression)

#define ROW(sources, ...) ROW##sources(__VA_ARGS__)
#define ROW0(name, signature, function, modifiers) {name, signature, function, modifiers, 0, 0},
#define ROW1(name, function, D, X, modifiers, expression) \
    {name, LETTER_##D LETTER_##X, function, modifiers, 0, 0},
#define ROW2(name, function, D, X, Y, modifiers, expression) \
    {name, LETTER_##D LETTER_##X LETTER_##Y, function, modifiers, 0, 0},
#define ROW3(name, function, D, X, Y, Z, modifiers, expression) \
    {name, LETTER_##D LETTER_##X LETTER_##Y LETTER_##Z, function, modifiers, 0, 0},

/*
 * One expression for all widths of a type. `letter` is the type in the name, such as b, and `T` the
 * type of the operands, such as u.
 */
#define WIDTHS1(F, name, op, letter, T, expression)                             \
    F(1, name "." #letter "16", op##_##letter##16, T##16, T##16, 0, expression) \
    F(1, name "." #letter "32", op##_##letter##32, T##32, T##32, 0, expression) \
    F(1, name "." #letter "64", op##_##letter##64, T##64, T##64, 0, expression)
#define WIDTHS2(F, name, op, letter, T, expression)                                    \
    F(2, name "." #letter "16", op##_##letter##16, T##16, T##16, T##16, 0, expression) \
    F(2, name "." #letter "32", op##_##letter##32, T##32, T##32, T##32, 0, expression) \
    F(2, name "." #letter "64", op##_##letter##64, T##64, T##64, T##64, 0, expression)

/* The letter of each type's row in signatures. */
#define LETTER_u8 "h"
#define LETTER_s8 "h"
#define LETTER_u16 "h"
#define LETTER_s16 "h"
#define LETTER_u32 "w"
#define LETTER_s32 "w"
#define LETTER_f32 "f"
#define LETTER_n32 "f"
#define LETTER_u64 "l"
#define LETTER_s64 "l"
#define LETTER_f64 "d"
#define LETTER_n64 "d"

/* Extract bits of a word as a number. */
static inline int32_t ptx_part(uint32_t word, unsigned at, unsigned bits, bool is_signed)
{
    const uint32_t value = word << (32 - bits - at);

    return is_signed ? (int32_t)value >> (32 - bits) : (int32_t)(value >> (32 - bits));
}

/* Whether all lanes have the same value, as they usually have if it is the distance of a shift. */
static inline bool ptx_uniform(const void *row)
{
    const lane_u32 *const values = row;
    uint32_t differs = 0;

    for (unsigned i = 0; i < PTX_LANES; i++)
        differs |= values[i] ^ values[0];
    return differs == 0;
}

#endif
