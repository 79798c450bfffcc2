/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations without side effects. Each opcode and type is a row of a table, with a function that
 * computes all 32 lanes.
 */
#ifndef CUSHIM_PTX_EXECUTE_ALU_H
#define CUSHIM_PTX_EXECUTE_ALU_H

#include "src/ptx/code/code.h"

/* The modifiers that an opcode may have. */
enum {
    MAY_FLUSH = FLAG_FTZ,
    MAY_SATURATE = FLAG_SAT,
    MAY_RELU = FLAG_RELU,
    MAY_ROUND = 1 << 2,
};

struct ptx_alu {
    const char *name;      /* with its types, without modifiers: `mul.wide.s32` */
    const char *signature; /* the row of the destination, then those of the sources */
    ptx_lanes lanes;
    unsigned modifiers;
    enum ptx_handler handler; /* 0: `lanes` executes the operation */
    unsigned sub;             /* for the handler */
};

/* The tables. Each ends with a NULL name. */
extern const struct ptx_alu cushim__ptx_alu_integer[], cushim__ptx_alu_bits[],
    cushim__ptx_alu_float[], cushim__ptx_alu_convert[], cushim__ptx_alu_packed[];

/* Find the row of a name, which text/select.c knows. Returns NULL if there is none. */
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

/* Return the comparison of two rows of a type, or NULL if the type has no such comparison. */
ptx_compare cushim__ptx_comparison(enum ptx_type type, enum ptx_comparison comparison);

/* Return the test of testp for a word, such as `finite`, or NULL if the word is not known. */
ptx_compare cushim__ptx_class(const char *word, bool wide);

/* --- numbers --- */

/*
 * Whether an f32 result that was rounded to the least normal number would be below it if exponents
 * had no limit. In this case .ftz flushes the result.
 */
bool cushim__ptx_is_tiny(ptx_lanes lanes, float x, float y, float z, enum ptx_rounding rounding);

/*
 * The format of a floating-point type, or of one number of a pair. Other types have 0 bits of
 * fraction.
 */
struct ptx_format {
    int fraction, exponent_bits;
    bool finite_only; /* e4m3: no infinity */
};
extern const struct ptx_format cushim__ptx_formats[TYPE_TYPES];

/* Convert from any type but f32 and f64, which the host converts. */
double cushim__ptx_to_double(enum ptx_type from, uint32_t bits);
/* Round to the bits of a type: a double, to any type but f64; or magnitude * 2^exponent. */
uint32_t cushim__ptx_from_double(enum ptx_type to, double value, enum ptx_rounding rounding,
                                 bool saturate);
uint64_t cushim__ptx_rounded(enum ptx_type to, bool minus, uint64_t magnitude, int exponent,
                             enum ptx_rounding rounding, bool saturate);
/* a * b + c as a double that gives the same as the exact value when it is rounded to fewer bits. */
double cushim__ptx_fma_odd(double a, double b, double c);

/* Compute the result of an atomic operation on a value of a type. */
uint64_t cushim__ptx_atomic(enum ptx_atomic operation, enum ptx_type type, uint64_t old,
                            uint64_t operand, uint64_t compared, bool shared);

#endif
