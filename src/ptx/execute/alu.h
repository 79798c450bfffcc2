/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations without side effects: a row of a table for each opcode and type, and a function that
 * computes it for 32 lanes.
 */
#ifndef CUSHIM_PTX_EXECUTE_ALU_H
#define CUSHIM_PTX_EXECUTE_ALU_H

#include "src/ptx/code/code.h"

/* What an opcode may have besides its name. */
enum {
    MAY_FLUSH = FLAG_FTZ,
    MAY_SATURATE = FLAG_SAT,
    MAY_RELU = FLAG_RELU,
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

/* --- numbers --- */

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
