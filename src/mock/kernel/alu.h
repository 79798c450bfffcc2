/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations without side effects: a row of a table for each opcode and type, and a function that
 * computes it for 32 lanes.
 */
#ifndef CUSHIM_MOCK_KERNEL_ALU_H
#define CUSHIM_MOCK_KERNEL_ALU_H

#include "src/mock/kernel/code.h"

/* What an opcode may have besides its name. */
enum {
    MAY_FLUSH = FLAG_FTZ,
    MAY_SATURATE = FLAG_SAT,
    MAY_ROUND = 1 << 2,
};

struct ptx_alu {
    const char *name;      /* with its types, without modifiers: `mul.wide.s32` */
    const char *signature; /* rows: destination, then sources */
    ptx_lanes lanes;
    unsigned modifiers;
    enum ptx_handler handler; /* 0: it is executed by `lanes` */
    unsigned sub;             /* of the handler */
};

/* The tables, each ended by a NULL name. */
extern const struct ptx_alu cushim__ptx_alu_integer[], cushim__ptx_alu_bits[],
    cushim__ptx_alu_float[], cushim__ptx_alu_convert[], cushim__ptx_alu_packed[];

/* The row of a name, which instructions.c knows. NULL: there is none. */
struct ptx_names;
const struct ptx_alu *cushim__ptx_alu_find(const struct ptx_names *names, const char *name);

enum ptx_comparison {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN,
    COMPARE_COMPARISONS
};

/* The comparison of two rows of a type. NULL: the type has none such. */
ptx_compare cushim__ptx_comparison(enum ptx_type type, enum ptx_comparison comparison);

/* What testp asks of a number, by its word: `finite`. NULL: nothing that is known. */
ptx_compare cushim__ptx_class(const char *word, bool wide);

/* Arithmetic of f16 and bf16, alone or in pairs: each operation, its name, and its sources. */
#define PTX_HALVES(F)                                                                      \
    F(HALF_ADD, "add", 2)                                                                  \
    F(HALF_SUB, "sub", 2)                                                                  \
    F(HALF_MUL, "mul", 2)                                                                  \
    F(HALF_FMA, "fma", 3)                                                                  \
    F(HALF_NEG, "neg", 1)                                                                  \
    F(HALF_ABS, "abs", 1)                                                                  \
    F(HALF_MIN, "min", 2)                                                                  \
    F(HALF_MAX, "max", 2)                                                                  \
    F(HALF_MIN_NAN, "min.NaN", 2)                                                          \
    F(HALF_MAX_NAN, "max.NaN", 2)                                                          \
    F(HALF_MIN_SIGNS, "min.xorsign.abs", 2) /* of magnitudes, with the product of signs */ \
    F(HALF_MAX_SIGNS, "max.xorsign.abs", 2)                                                \
    F(HALF_MIN_NAN_SIGNS, "min.NaN.xorsign.abs", 2)                                        \
    F(HALF_MAX_NAN_SIGNS, "max.NaN.xorsign.abs", 2)                                        \
    F(HALF_EX2, "ex2.approx", 1)                                                           \
    F(HALF_TANH, "tanh.approx", 1)
#define PTX_HALF(operation, name, sources) operation,

enum ptx_half_operation { PTX_HALVES(PTX_HALF) HALF_OPERATIONS };

struct ptx_half_name {
    const char *name; /* NULL: of HALF_OPERATIONS, the end */
    unsigned sources;
};
extern const struct ptx_half_name cushim__ptx_half_names[]; /* by the operation */

/* Of one value, or of two in a word. */
uint32_t cushim__ptx_half_of(enum ptx_half_operation operation, enum ptx_type type, unsigned flags,
                             uint32_t x, uint32_t y, uint32_t z);

/* --- numbers --- */

/* The lesser or greater: -0 is less than +0, and a number is preferred to a NaN. */
static inline double ptx_chosen(double x, double y, bool greater)
{
    if (x != x || y != y)
        return x != x ? y : x;
    return (greater ? x > y : x < y) || (x == y && ptx_bits64(x) >> 63 != greater) ? x : y;
}

/*
 * Whether a result of f32 that came out as the least normal number would be less if exponents had
 * no end: .ftz flushes it then.
 */
bool cushim__ptx_is_tiny(ptx_lanes lanes, float x, float y, float z, enum ptx_rounding rounding);

/* How a type of real numbers holds them, alone or in pairs; without a fraction: it is no such type. */
struct ptx_format {
    int fraction, exponent_bits;
    bool finite_only; /* e4m3: no infinity */
};
extern const struct ptx_format cushim__ptx_formats[TYPE_TYPES];

/* Of all types but f32 and f64, which the host has. */
double cushim__ptx_to_double(enum ptx_type from, uint32_t bits);
/* The bits of a number in a type: of a double, in all types but f64, or of magnitude * 2^exponent. */
uint32_t cushim__ptx_from_double(enum ptx_type to, double value, enum ptx_rounding rounding,
                                 bool saturate);
uint64_t cushim__ptx_rounded(enum ptx_type to, bool minus, uint64_t magnitude, int exponent,
                             enum ptx_rounding rounding, bool saturate);
/* a * b + c as a double that rounds to fewer bits as the exact value would. */
double cushim__ptx_fma_odd(double a, double b, double c);

/* An atomic operation on a value of a type. */
uint64_t cushim__ptx_atomic(enum ptx_atomic operation, enum ptx_type type, uint64_t old,
                            uint64_t operand, uint64_t compared, bool shared);

#endif
