/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation of PTX text to the internal code: what its files share.
 *
 * An error ends the translation at once: cushim__ptx_fail() jumps back to cushim__ptx_add(), which
 * frees everything. Memory that is needed for one text only lies in a pool, which is freed as a
 * whole.
 */
#ifndef CUSHIM_PTX_TEXT_PARSER_H
#define CUSHIM_PTX_TEXT_PARSER_H

#include <setjmp.h>
#include <string.h>

#include "src/ptx/code/code.h"
#include "src/ptx/execute/alu.h"
#include "src/ptx/ptx.h"

/*
 * A token, called a word: a run of letters, digits and `_ $ % .` (and `::`), a number, a string in
 * quotes, or one other character. It is empty at the end of the text.
 */
struct ptx_word {
    const char *start;
    size_t length;
};

enum { PTX_BUCKETS = 4096, PTX_OPERANDS = 8, PTX_ARGUMENTS = 64, PTX_NAME = 96 };

/* A name and what it stands for. */
struct ptx_symbol {
    struct ptx_symbol *next;  /* in the same bucket */
    struct ptx_symbol *older; /* the symbol that was added before this one */
    struct ptx_word name;
    enum ptx_symbol_kind kind;
    uint32_t index;  /* of a global, shared variable, function, register or instruction (label) */
    uint32_t count;  /* of a family of registers, `%r<5>`, whose name has no number */
    uint32_t depth;  /* of the block that declares it */
    uint64_t offset; /* of a parameter or local variable */
    bool of_call;    /* a .param variable that a body declares */
};

/*
 * A table of symbols by name, with a pool of memory that lives as long. Zeros are an empty table.
 */
struct ptx_names {
    struct ptx_symbol *buckets[PTX_BUCKETS], *newest;
    struct ptx_pool_block *pool;
};

/* A virtual register of PTX, which gets a place in the frame at the end of its function. */
struct ptx_register {
    uint8_t bytes;   /* of a value of its row: 4 or 8; 1 for a predicate */
    uint8_t bits;    /* of its type */
    uint8_t vector;  /* how many elements, which have consecutive numbers */
    uint32_t offset; /* its place in the frame, once it has one */
};

/* A use of a label that may come later in the text. */
struct ptx_reference {
    struct ptx_word name;
    uint32_t depth, line;
    bool listed; /* `place` is an index in the program's lists, not an instruction */
    uint32_t place;
};

enum ptx_operand_kind {
    OPERAND_REGISTER,
    OPERAND_INTEGER,
    OPERAND_REAL,    /* `real`, of 32 bits if `single` */
    OPERAND_SYMBOL,  /* the address of `symbol`, + `integer` */
    OPERAND_SPECIAL, /* a special register */
    OPERAND_ADDRESS, /* [symbol or register + integer]; no vector has this or the next three */
    OPERAND_TEXTURE, /* with coordinates: [handle, {x, y}] */
    OPERAND_SAMPLED, /* with a sampler, too: [handle, sampler, {x, y}] */
    OPERAND_VECTOR,  /* {a, b, ...} */
    OPERAND_SINK,    /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    uint32_t reg; /* PTX_UNUSED: an address without a register */
    bool negated; /* !p */
    bool single;
    uint8_t special;
    uint32_t count; /* elements of a vector, or coordinates */
    uint64_t integer;
    double real;
    struct ptx_symbol *symbol; /* NULL if there is none */
    struct ptx_operand *elements;
};

/* What a modifier of an opcode says. */
enum ptx_meaning {
    FLAG,
    ROUNDING,
    INTEGER_ROUNDING, /* to an integer; ROUNDING has the same value then */
    COMPARISON,       /* -1: none */
    LOGIC,            /* how setp combines with another predicate; -1: not at all */
    SPACE,
    VECTOR, /* 1, 2, 4, 8 */
    GEOMETRY,
    OUTSIDE,
    PROPERTY, /* the first one is 1 */
    CHANNEL,
    MORE, /* enum ptx_level, which is also the number of last operands that say the level */
    UNFORMATTED,
    MEANINGS
};

/* The parts of an opcode. */
struct ptx_opcode {
    char text[PTX_NAME];    /* as written in the text */
    char base[24];          /* `add` */
    char name[PTX_NAME];    /* without known modifiers: `mul.wide.s32` */
    char words[PTX_NAME];   /* words of the name that are no types: `.wide` */
    enum ptx_type types[4]; /* in the order of the text */
    unsigned type_count;
    unsigned flags;
    int of[MEANINGS]; /* the value of each known modifier */
};

/* The function that is being translated. */
struct ptx_body {
    uint32_t function; /* index in the program */
    struct ptx_instruction *code;
    uint32_t count;
    struct ptx_register *registers;
    uint32_t register_count;
    struct ptx_reference *references;
    uint32_t reference_count;
    struct ptx_parameter *parameters; /* owned until the kernel or function takes them over */
    size_t parameter_count, parameter_bytes;
    bool has_register_parameters;       /* .reg parameters, which are not implemented */
    uint32_t depth;                     /* nesting of the current block; 0 outside of functions */
    uint64_t local_bytes, shared_bytes; /* of the variables that the body declares */
    struct ptx_kernel *kernel;          /* NULL if it is not a kernel */
};

struct ptx_parser {
    jmp_buf failed;
    struct ptx_error *error;
    struct ptx_program *program;
    const char *at, *end;
    struct ptx_word word;
    unsigned line, part, version; /* of the text: 83 for 8.3 */
    const char *statement;        /* the start of the current statement, and its line */
    unsigned statement_line;
    unsigned depth;         /* nesting of the operand that is being read */
    struct ptx_names names; /* names of the text */
    struct ptx_body body;
};

/* Whether a word that is no known instruction or directive is an error: newer PTX may have it. */
static inline bool ptx_names_are_known(const struct ptx_parser *parser)
{
    return parser->version <= 90;
}

/* --- parser.c: words --- */

_Noreturn void cushim__ptx_fail(struct ptx_parser *parser, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(__printf__, 2, 3)))
#endif
    ;
/*
 * Report a second definition of a name that `part` defines. Between two texts, a weak definition
 * gives way, which is no error.
 */
void cushim__ptx_twice(struct ptx_parser *parser, const char *name, unsigned part, bool weak);
_Noreturn void cushim__ptx_expected(struct ptx_parser *parser, const char *what);

/* Refuse the current function, and so every kernel that calls it, directly or not. */
void cushim__ptx_refuse_function(struct ptx_parser *parser, const char *why);

_Noreturn void cushim__ptx_no_memory(struct ptx_parser *parser);

/* Zeroed memory that lives as long as the parser. */
void *cushim__ptx_pool(struct ptx_parser *parser, size_t bytes);

/* Make room for one more element in an array from malloc() that grows by one element each time. */
void *cushim__ptx_grow(struct ptx_parser *parser, void *array, size_t count, size_t element);
#define PTX_GROW(parser, array, count) \
    ((array) = cushim__ptx_grow(parser, array, count, sizeof *(array)))

void cushim__ptx_next(struct ptx_parser *parser);

/* Inline, so that the compiler knows the text and its length at each call. */
static inline bool ptx_equal(struct ptx_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.start, text, strlen(text)) == 0;
}

/* The number of bytes for "%.*s" when a message shows a name. */
static inline int ptx_shown(struct ptx_word name)
{
    return name.length > 80 ? 80 : (int)name.length;
}

static inline bool ptx_is(const struct ptx_parser *parser, const char *word)
{
    return ptx_equal(parser->word, word);
}

/* Go on if the current word is this one, and return whether it is. */
static inline bool ptx_skip(struct ptx_parser *parser, const char *word)
{
    if (!ptx_is(parser, word))
        return false;
    cushim__ptx_next(parser);
    return true;
}

void cushim__ptx_expect(struct ptx_parser *parser, const char *word);
/* Skip to a word or to the end of the block, past the current line, or to the end of the text. */
void cushim__ptx_skip_until(struct ptx_parser *parser, const char *word);
void cushim__ptx_skip_line(struct ptx_parser *parser);
struct ptx_word cushim__ptx_name(struct ptx_parser *parser);
bool cushim__ptx_is_number(const struct ptx_parser *parser);
/* Read a number: an integer or a real, with a sign but without operators. */
void cushim__ptx_number(struct ptx_parser *parser, struct ptx_operand *operand);
uint64_t cushim__ptx_integer(struct ptx_parser *parser);
char *cushim__ptx_copy(struct ptx_parser *parser, struct ptx_word word); /* from malloc() */

/* --- parser.c: names --- */
/* Kinds of symbols for instructions: names as `add.u32`, and their first part alone. */
enum { PTX_ANY_KIND = -1, PTX_ROW_NAME = SYMBOL_REGISTER + 1, PTX_BASE_NAME };

void *cushim__ptx_names_pool(struct ptx_parser *parser, struct ptx_names *names, size_t bytes);
void cushim__ptx_names_clear(struct ptx_names *names); /* frees the memory, not the table */
struct ptx_symbol *cushim__ptx_names_find(const struct ptx_names *names, int kind,
                                          struct ptx_word name);
/* The text of the name must live as long as the table. */
struct ptx_symbol *cushim__ptx_names_add(struct ptx_parser *parser, struct ptx_names *names,
                                         int kind, struct ptx_word name, uint32_t index);
/* Find a name that is visible in the current block, or add one to the block. */
struct ptx_symbol *cushim__ptx_symbol_find(struct ptx_parser *parser, struct ptx_word name);
struct ptx_symbol *cushim__ptx_symbol_add(struct ptx_parser *parser, struct ptx_word name,
                                          enum ptx_symbol_kind kind, uint32_t index);
void cushim__ptx_scope_open(struct ptx_parser *parser);
void cushim__ptx_scope_close(struct ptx_parser *parser);

/* --- declare.c: variables --- */

/* More memory than any device has. The limit keeps sums of sizes from overflowing. */
#define PTX_BYTES_MAX (UINT64_C(1) << 40)

/* A declaration such as `.align 16 .v2 .b8 name[2][3]`. */
struct ptx_declared {
    struct ptx_word name;
    enum ptx_type type;
    size_t scalar, element, bytes; /* bytes of a number, of a vector of numbers, of everything */
    unsigned vector;
    size_t alignment;
    size_t step;    /* bytes of an element of `a[]`, which may itself be an array */
    bool unsized;   /* `a[]`, whose size is not known yet */
    bool reference; /* .texref, .samplerref, .surfref */
    bool managed;
    unsigned repeated; /* `%r<5>`: 5; otherwise 0 */
};

enum ptx_type cushim__ptx_type(struct ptx_word word); /* `.u32` or `u32` */
/*
 * Read the next variable of a list, the first one if `declared` is zero. Returns false at the `;`.
 */
bool cushim__ptx_declared(struct ptx_parser *parser, struct ptx_declared *declared);
uint64_t cushim__ptx_align(struct ptx_parser *parser, uint64_t offset, uint64_t alignment);

/*
 * Read a statement that declares .global, .const or .shared variables. Returns false if it is
 * another statement.
 */
bool cushim__ptx_variables(struct ptx_parser *parser, enum ptx_linkage linkage);
/* Return the function with this name: the text's own, or the one that all texts share. */
uint32_t cushim__ptx_function_named(struct ptx_parser *parser, struct ptx_word name,
                                    enum ptx_linkage linkage);

/* Add the declared registers, and return the first one. */
uint32_t cushim__ptx_registers_add(struct ptx_parser *parser, const struct ptx_declared *declared);
/*
 * Read `(.param .b32 a, .reg .b64 b)`, if it is there: parameters of a kernel, or those of a
 * function, which are local variables.
 */
void cushim__ptx_parameters(struct ptx_parser *parser, enum ptx_symbol_kind kind);

/* --- initial.c --- */

/*
 * Read an initial value, after the `=`. Gives a size to a variable without one. If `global` is
 * SIZE_MAX, the value is discarded.
 */
void cushim__ptx_initial(struct ptx_parser *parser, struct ptx_declared *declared, size_t global);
/* Read `+4-1` after an address, if it is there. */
uint64_t cushim__ptx_offset(struct ptx_parser *parser);

/* --- body.c: the statements of a function --- */
void cushim__ptx_body(struct ptx_parser *parser);
/* Read the name of a label. The place is filled in when the position of the label is known. */
void cushim__ptx_refer(struct ptx_parser *parser, bool listed, uint32_t place);
void cushim__ptx_operand(struct ptx_parser *parser, struct ptx_operand *operand);

/* --- opcode.c --- */

extern const struct ptx_type_facts {
    char name[8];
    uint8_t bytes;
    enum ptx_row row; /* the row of a register of this type */
    bool is_signed;
} cushim__ptx_types[TYPE_TYPES];

void cushim__ptx_opcode_read(struct ptx_parser *parser, struct ptx_word word,
                             struct ptx_opcode *opcode);
/* Whether a word is in a list of words that each follow a dot. */
bool cushim__ptx_has(const char *words, const char *word);

/* --- select*.c: instructions --- */

struct ptx_statement {
    struct ptx_parser *parser;
    struct ptx_opcode opcode;
    struct ptx_operand operands[PTX_OPERANDS];
    unsigned operand_count;
    struct ptx_operand second;    /* `q` of `p|q` */
    uint32_t guard;               /* a register; PTX_UNUSED if there is no guard */
    bool guard_negated, has_pair; /* has_pair: there is a `second` */
};

/* Add the names of all instructions to the names of the module, before its first text. */
void cushim__ptx_instructions_add(struct ptx_parser *parser);
/*
 * Read the operands, up to the `;`, and append the instructions. A statement that is not known or
 * cannot be executed becomes DO_REFUSED.
 */
void cushim__ptx_select(struct ptx_statement *statement);

/* How to translate instructions that are no rows of a table, by the first part of their names. */
struct ptx_selector {
    const char *base;
    /* Returns false if it refuses the statement. NULL: the statement becomes `handler` alone. */
    bool (*select)(struct ptx_statement *statement);
    enum ptx_handler handler; /* not 0 beside `select`: it reads the operands */
};

/* Each ends with a row without a name. */
extern const struct ptx_selector cushim__ptx_select_memory[], cushim__ptx_select_control[],
    cushim__ptx_select_move[];

/* --- emit.c --- */

static inline bool ptx_is_wide(enum ptx_row row)
{
    return row == ROW_LONG || row == ROW_DOUBLE;
}

/* Append an instruction. The pointer is valid until the next one is appended. */
struct ptx_instruction *cushim__ptx_emit(const struct ptx_statement *statement,
                                         enum ptx_handler handler);
struct ptx_instruction *cushim__ptx_emit_on(const struct ptx_statement *statement,
                                            enum ptx_handler handler, uint32_t d, uint32_t a,
                                            uint32_t b);
/* The address of an access: a row or none, and an offset that is added to it. */
struct ptx_place {
    uint32_t base;
    int64_t offset;
    enum ptx_space space;
    uint8_t how; /* ADDRESS_... */
};

/*
 * Read the place of an operand in brackets. Then append the instruction, whose first source is the
 * base.
 */
struct ptx_place cushim__ptx_place(const struct ptx_statement *statement,
                                   const struct ptx_operand *operand, enum ptx_space space);
struct ptx_instruction *cushim__ptx_emit_at(const struct ptx_statement *statement,
                                            enum ptx_handler handler, struct ptx_place place);

/* The letters of signatures that are no rows. */
enum {
    ROW_NO_RESULT = '-', /* in place of the result */
    ROW_ADDRESS = 'a',   /* in brackets, in the space of the opcode; always the first source */
    ROW_MASK = 'm',      /* a mask of lanes, the first element of the list */
};

/*
 * Append an instruction whose operands are rows of these kinds, as in signatures: the result, then
 * a, b, c and e. If the register of the result has another size, cushim__ptx_finish() must follow.
 */
struct ptx_instruction *cushim__ptx_emit_rows(const struct ptx_statement *statement,
                                              enum ptx_handler handler, const char *rows);
/* Set the elements of a vector, or the operand itself, and return how many there are. */
uint32_t cushim__ptx_elements(const struct ptx_operand *operand,
                              const struct ptx_operand **elements);
/* Return the register or constant that has the operand's value, as a row of this kind. */
uint32_t cushim__ptx_use(const struct ptx_statement *statement, const struct ptx_operand *operand,
                         enum ptx_row row);
/*
 * Return a register of this kind of row for a result. After the instruction, cushim__ptx_finish()
 * moves the result to its operand.
 */
uint32_t cushim__ptx_result(const struct ptx_statement *statement,
                            const struct ptx_operand *operand, enum ptx_row row);
void cushim__ptx_finish(const struct ptx_statement *statement, const struct ptx_operand *operand,
                        uint32_t result, enum ptx_row row, bool is_signed, unsigned bits);
uint32_t cushim__ptx_register_new(const struct ptx_statement *statement, enum ptx_row row);
uint32_t cushim__ptx_constant(const struct ptx_statement *statement, uint64_t value,
                              enum ptx_row row);
uint32_t cushim__ptx_list_add(struct ptx_parser *parser, uint32_t value);
/* Add a function that is called, or a shared variable that is used, to a list, once. */
void cushim__ptx_note(struct ptx_parser *parser, uint32_t **list, uint32_t *count, uint32_t value);
void cushim__ptx_count_operands(const struct ptx_statement *statement, unsigned count);

/* --- registers.c --- */
/* Give each register a place in the frame, and append the instructions to the program's. */
void cushim__ptx_registers_place(struct ptx_parser *parser);

#endif
