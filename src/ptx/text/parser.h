/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From PTX text to the internal code: what the files of the translation share.
 *
 * An error ends the translation at once: cushim__ptx_fail() jumps back to cushim__ptx_add(), which
 * frees everything. All that is needed for one text only lies in a pool, which goes as a whole.
 */
#ifndef CUSHIM_PTX_TEXT_PARSER_H
#define CUSHIM_PTX_TEXT_PARSER_H

#include <setjmp.h>
#include <string.h>

#include "src/ptx/code/code.h"
#include "src/ptx/execute/alu.h"
#include "src/ptx/ptx.h"

/*
 * A word: a run of letters, digits and `_ $ % .` (and `::`), a number, a quoted text, or one other
 * character. At the end of the text it is empty.
 */
struct ptx_word {
    const char *start;
    size_t length;
};

enum { PTX_BUCKETS = 4096, PTX_OPERANDS = 8, PTX_ARGUMENTS = 64, PTX_NAME = 96 };

/* What a name stands for. */
struct ptx_symbol {
    struct ptx_symbol *next;  /* of the same bucket */
    struct ptx_symbol *older; /* the one that was added before */
    struct ptx_word name;
    enum ptx_symbol_kind kind;
    uint32_t index;  /* a global, shared variable, function, register, instruction (label) */
    uint32_t count;  /* of a family of registers, `%r<5>`: the name is without the number */
    uint32_t depth;  /* of the block that declares it */
    uint64_t offset; /* of a parameter or a local variable */
    bool of_call;    /* a .param that is declared in a body */
};

/* Symbols by their names, and memory that lasts as long as they do. Zeros are an empty table. */
struct ptx_names {
    struct ptx_symbol *buckets[PTX_BUCKETS], *newest;
    struct ptx_pool_block *pool;
};

/* A virtual register, before it has a place in the frame. */
struct ptx_register {
    uint8_t bytes;   /* of its row: 1 a predicate, 4 or 8 */
    uint8_t bits;    /* of its type */
    uint8_t vector;  /* elements; they follow each other */
    uint32_t offset; /* its place, once it has one */
};

/* Where a label is named that may come later. */
struct ptx_reference {
    struct ptx_word name;
    uint32_t depth, line;
    bool listed; /* `place` is in the program's lists, otherwise an instruction */
    uint32_t place;
};

enum ptx_operand_kind {
    OPERAND_REGISTER,
    OPERAND_INTEGER,
    OPERAND_REAL,    /* `real`; of 32 bits if `single` */
    OPERAND_SYMBOL,  /* its address; + integer */
    OPERAND_SPECIAL, /* a special register */
    OPERAND_ADDRESS, /* [symbol or register + integer]; these four are no elements of a vector */
    OPERAND_TEXTURE, /* the same with coordinates, [handle, {x, y}] */
    OPERAND_SAMPLED, /* and with a sampler before them */
    OPERAND_VECTOR,  /* {a, b, ...} */
    OPERAND_SINK,    /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    uint32_t reg; /* a register; PTX_UNUSED: an address without one */
    bool negated; /* !p */
    bool single;
    uint8_t special;
    uint32_t count; /* of a vector, or coordinates */
    uint64_t integer;
    double real;
    struct ptx_symbol *symbol; /* NULL: none */
    struct ptx_operand *elements;
};

/* What the words of an opcode are about. */
enum ptx_meaning {
    FLAG,
    ROUNDING,
    INTEGER_ROUNDING, /* to a whole number; ROUNDING is the same then */
    COMPARISON,       /* -1: none */
    LOGIC,            /* of setp, with another predicate; -1: none */
    SPACE,
    VECTOR, /* 1, 2, 4, 8 */
    GEOMETRY,
    OUTSIDE,
    PROPERTY, /* from 1 on */
    CHANNEL,
    MORE, /* operands that come last, and mean nothing to a texture of one level */
    UNFORMATTED,
    MEANINGS
};

/* An opcode, taken apart. */
struct ptx_opcode {
    char text[PTX_NAME];    /* as it stands */
    char base[24];          /* `add` */
    char name[PTX_NAME];    /* without modifiers: `mul.wide.s32` */
    char words[PTX_NAME];   /* the rest, without types, each after a dot: `.wide` */
    enum ptx_type types[4]; /* in their order */
    unsigned type_count;
    unsigned flags;
    int of[MEANINGS]; /* what the words that are known say */
};

/* A function that is being translated. */
struct ptx_body {
    uint32_t function; /* index in the program */
    struct ptx_instruction *code;
    uint32_t count;
    struct ptx_register *registers;
    uint32_t register_count;
    struct ptx_reference *references;
    uint32_t reference_count;
    struct ptx_parameter *parameters; /* until the kernel or the function has them */
    size_t parameter_count, parameter_bytes;
    bool has_register_parameters;       /* .reg, which are not implemented */
    uint32_t depth;                     /* of the block that is being read; 0: the text */
    uint64_t local_bytes, shared_bytes; /* of the variables that it declares */
    struct ptx_kernel *kernel;          /* NULL: a function */
};

struct ptx_parser {
    jmp_buf failed;
    struct ptx_error *error;
    struct ptx_program *program;
    const char *at, *end;
    struct ptx_word word;
    unsigned line, part;
    const char *statement; /* where the current one begins, and its line */
    unsigned statement_line;
    unsigned depth;         /* of the operand that is read, in others */
    struct ptx_names names; /* of the text */
    struct ptx_body body;
};

/* --- parser.c: words --- */

_Noreturn void cushim__ptx_fail(struct ptx_parser *parser, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(__printf__, 2, 3)))
#endif
    ;
/* What is defined in `part` is defined once more. Of two texts a weak definition gives way. */
void cushim__ptx_twice(struct ptx_parser *parser, const char *name, unsigned part, bool weak);
_Noreturn void cushim__ptx_expected(struct ptx_parser *parser, const char *what);

/* Kernels that reach the function that is being read cannot be executed. */
void cushim__ptx_refuse_function(struct ptx_parser *parser, const char *why);

_Noreturn void cushim__ptx_no_memory(struct ptx_parser *parser);

/* Memory that lasts as long as the parser, zeroed. */
void *cushim__ptx_pool(struct ptx_parser *parser, size_t bytes);

/* Room for one more element of an array from malloc(), which has grown by one each time. */
void *cushim__ptx_grow(struct ptx_parser *parser, void *array, size_t count, size_t element);
#define PTX_GROW(parser, array, count) \
    ((array) = cushim__ptx_grow(parser, array, count, sizeof *(array)))

void cushim__ptx_next(struct ptx_parser *parser);

/* Inline, so that the compiler knows the text and its length. */
static inline bool ptx_equal(struct ptx_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.start, text, strlen(text)) == 0;
}

/* A name in a message: "%.*s" of so many bytes, and its start. */
static inline int ptx_shown(struct ptx_word name)
{
    return name.length > 80 ? 80 : (int)name.length;
}

static inline bool ptx_is(const struct ptx_parser *parser, const char *word)
{
    return ptx_equal(parser->word, word);
}

/* If the word is this one, go on. */
static inline bool ptx_skip(struct ptx_parser *parser, const char *word)
{
    if (!ptx_is(parser, word))
        return false;
    cushim__ptx_next(parser);
    return true;
}

void cushim__ptx_expect(struct ptx_parser *parser, const char *word);
/* To a word or the end of the block, past the line; or to the end. */
void cushim__ptx_skip_until(struct ptx_parser *parser, const char *word);
void cushim__ptx_skip_line(struct ptx_parser *parser);
struct ptx_word cushim__ptx_name(struct ptx_parser *parser);
bool cushim__ptx_is_number(const struct ptx_parser *parser);
/* A number of the text, with a sign, without operators: an integer or a real. */
void cushim__ptx_number(struct ptx_parser *parser, struct ptx_operand *operand);
uint64_t cushim__ptx_integer(struct ptx_parser *parser);
char *cushim__ptx_copy(struct ptx_parser *parser, struct ptx_word word); /* from malloc() */

/* --- parser.c: names --- */
/* Instructions: `add.u32`, and the first part alone. */
enum { PTX_ANY_KIND = -1, PTX_ROW_NAME = SYMBOL_REGISTER + 1, PTX_BASE_NAME };

void *cushim__ptx_names_pool(struct ptx_parser *parser, struct ptx_names *names, size_t bytes);
void cushim__ptx_names_clear(struct ptx_names *names); /* of its memory */
struct ptx_symbol *cushim__ptx_names_find(const struct ptx_names *names, int kind,
                                          struct ptx_word name);
/* The name itself has to last. */
struct ptx_symbol *cushim__ptx_names_add(struct ptx_parser *parser, struct ptx_names *names,
                                         int kind, struct ptx_word name, uint32_t index);
/* Find a name as the current block sees it, or add one to it. */
struct ptx_symbol *cushim__ptx_symbol_find(struct ptx_parser *parser, struct ptx_word name);
struct ptx_symbol *cushim__ptx_symbol_add(struct ptx_parser *parser, struct ptx_word name,
                                          enum ptx_symbol_kind kind, uint32_t index);
void cushim__ptx_scope_open(struct ptx_parser *parser);
void cushim__ptx_scope_close(struct ptx_parser *parser);

/* --- declare.c: variables --- */

/* What no device has: a bound that keeps sums of sizes from overflowing. */
#define PTX_BYTES_MAX (UINT64_C(1) << 40)

/* `.align 16 .v2 .b8 name[2][3]`. */
struct ptx_declared {
    struct ptx_word name;
    enum ptx_type type;
    size_t scalar, element, bytes; /* of a number, of a vector of them, of all */
    unsigned vector;
    size_t alignment;
    size_t step;    /* bytes of an element of `a[]`, which may be an array */
    bool unsized;   /* `a[]`: it has no bytes yet */
    bool reference; /* .texref, .samplerref, .surfref */
    bool managed;
    unsigned repeated; /* `%r<5>`: 5; otherwise 0 */
};

enum ptx_type cushim__ptx_type(struct ptx_word word); /* `.u32`, or without the dot */
/* The next variable of a list, the first if `declared` is zero. False: there is only the `;`. */
bool cushim__ptx_declared(struct ptx_parser *parser, struct ptx_declared *declared);
uint64_t cushim__ptx_align(struct ptx_parser *parser, uint64_t offset, uint64_t alignment);

/* A statement that declares variables of .global, .const or .shared. False: it is another one. */
bool cushim__ptx_variables(struct ptx_parser *parser, enum ptx_linkage linkage);
/* The function with this name that texts share, or that is this text's own. */
uint32_t cushim__ptx_function_named(struct ptx_parser *parser, struct ptx_word name,
                                    enum ptx_linkage linkage);

/* The first of the registers that are declared. */
uint32_t cushim__ptx_registers_add(struct ptx_parser *parser, const struct ptx_declared *declared);
/* `(.param .b32 a, .reg .b64 b)`, or none of it: of a kernel, or local variables of a function. */
void cushim__ptx_parameters(struct ptx_parser *parser, enum ptx_symbol_kind kind);

/* --- initial.c --- */

/* An initial value, after the `=`. A variable without a size gets one. SIZE_MAX: of none. */
void cushim__ptx_initial(struct ptx_parser *parser, struct ptx_declared *declared, size_t global);
/* `+4-1` after an address, or nothing. */
uint64_t cushim__ptx_offset(struct ptx_parser *parser);

/* --- body.c: the statements of a function --- */
void cushim__ptx_body(struct ptx_parser *parser);
/* The name of a label comes; when it is known, the place is filled in. */
void cushim__ptx_refer(struct ptx_parser *parser, bool listed, uint32_t place);
void cushim__ptx_operand(struct ptx_parser *parser, struct ptx_operand *operand);

/* --- opcode.c --- */

extern const struct ptx_type_facts {
    char name[8];
    uint8_t bytes;
    enum ptx_row row; /* that a register of the type has */
    bool is_signed;
} cushim__ptx_types[TYPE_TYPES];

void cushim__ptx_opcode_read(struct ptx_parser *parser, struct ptx_word word,
                             struct ptx_opcode *opcode);
/* Whether a word is in a list, each of which comes after a dot. */
bool cushim__ptx_has(const char *words, const char *word);

/* --- select*.c: instructions --- */

struct ptx_statement {
    struct ptx_parser *parser;
    struct ptx_opcode opcode;
    struct ptx_operand operands[PTX_OPERANDS];
    unsigned operand_count;
    struct ptx_operand second;    /* of `p|q` */
    uint32_t guard;               /* a register; PTX_UNUSED: none */
    bool guard_negated, has_pair; /* has_pair: `second` is there */
};

/* To the names of the module, before its first text. */
void cushim__ptx_instructions_add(struct ptx_parser *parser);
/* Read the operands, to the `;`. What is not known, or cannot be executed, becomes DO_REFUSED. */
void cushim__ptx_select(struct ptx_statement *statement);

/* What instructions without a row of their own become, by the first part of their names. */
struct ptx_selector {
    const char *base;
    /* False: it is refused. NULL: it becomes `handler` alone. */
    bool (*select)(struct ptx_statement *statement);
    enum ptx_handler handler; /* with `select`, not 0: `select` reads the operands, too */
};

/* To a row without a name. */
extern const struct ptx_selector cushim__ptx_select_memory[], cushim__ptx_select_control[],
    cushim__ptx_select_move[];

/* --- emit.c --- */

static inline bool ptx_is_wide(enum ptx_row row)
{
    return row == ROW_LONG || row == ROW_DOUBLE;
}

/* Append an instruction. The pointer is valid until the next. */
struct ptx_instruction *cushim__ptx_emit(const struct ptx_statement *statement,
                                         enum ptx_handler handler);
struct ptx_instruction *cushim__ptx_emit_on(const struct ptx_statement *statement,
                                            enum ptx_handler handler, uint32_t d, uint32_t a,
                                            uint32_t b);
/* Where an access goes: a row with an address, or none, and what is added to it. */
struct ptx_place {
    uint32_t base;
    int64_t offset;
    enum ptx_space space;
    uint8_t how; /* ADDRESS_... */
};

/* An operand in brackets, and then the instruction, whose first source is the base. */
struct ptx_place cushim__ptx_place(const struct ptx_statement *statement,
                                   const struct ptx_operand *operand, enum ptx_space space);
struct ptx_instruction *cushim__ptx_emit_at(const struct ptx_statement *statement,
                                            enum ptx_handler handler, struct ptx_place place);

/* What the signatures of instructions have besides rows. */
enum {
    ROW_NO_RESULT = '-', /* in its place */
    ROW_ADDRESS = 'a',   /* in brackets, of the opcode's space: always the first source */
    ROW_MASK = 'm',      /* of lanes: the first element of the list */
};

/*
 * Append one whose operands are rows of these kinds: the result's and those of a, b, c and e, as in
 * signatures. A result in a register of another size has to be finished.
 */
struct ptx_instruction *cushim__ptx_emit_rows(const struct ptx_statement *statement,
                                              enum ptx_handler handler, const char *rows);
/* The elements of a vector, or the one operand: how many there are. */
uint32_t cushim__ptx_elements(const struct ptx_operand *operand,
                              const struct ptx_operand **elements);
/* An operand as a register or a constant, in a row of a kind. */
uint32_t cushim__ptx_use(const struct ptx_statement *statement, const struct ptx_operand *operand,
                         enum ptx_row row);
/* Where a result of a row goes: a register of that row. Then, after the instruction: */
uint32_t cushim__ptx_result(const struct ptx_statement *statement,
                            const struct ptx_operand *operand, enum ptx_row row);
void cushim__ptx_finish(const struct ptx_statement *statement, const struct ptx_operand *operand,
                        uint32_t result, enum ptx_row row, bool is_signed, unsigned bits);
uint32_t cushim__ptx_register_new(const struct ptx_statement *statement, enum ptx_row row);
uint32_t cushim__ptx_constant(const struct ptx_statement *statement, uint64_t value,
                              enum ptx_row row);
uint32_t cushim__ptx_list_add(struct ptx_parser *parser, uint32_t value);
/* Functions that are called, shared variables that are named. */
void cushim__ptx_note(struct ptx_parser *parser, uint32_t **list, uint32_t *count, uint32_t value);
void cushim__ptx_count_operands(const struct ptx_statement *statement, unsigned count);

/* --- registers.c --- */
/* Give each register a place in the frame, and append the instructions to the program's. */
void cushim__ptx_registers_place(struct ptx_parser *parser);

#endif
