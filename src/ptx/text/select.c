/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction selection: all known instructions, and arithmetic by rows of the tables. */
#include "src/ptx/text/parser.h"

#include <stdio.h>
#include <string.h>

/* --- rows of the tables --- */

static const struct ptx_alu *find_row(const struct ptx_names *names,
                                      const struct ptx_opcode *opcode)
{
    const struct ptx_alu *row = cushim__ptx_alu_find(names, opcode->name);
    static const struct {
        unsigned flag;
        const char *suffix;
    } suffixes[] = {{FLAG_SAT, ".sat"}, {FLAG_RELU, ".relu"}, {FLAG_FTZ, ".ftz"}};

    for (size_t i = 0; i < 3; i++) {
        if (opcode->flags & suffixes[i].flag && !(row && row->modifiers & suffixes[i].flag)) {
            char name[PTX_NAME + 8];

            snprintf(name, sizeof name, "%s%s", opcode->name, suffixes[i].suffix);
            row = cushim__ptx_alu_find(names, name);
        }
    }
    if (row && opcode->of[ROUNDING] > ROUND_NEAREST && !(row->modifiers & MAY_ROUND))
        return NULL;
    return row;
}

static bool select_row(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const struct ptx_alu *row = find_row(statement->parser->program->names, opcode);
    struct ptx_instruction *made;
    enum ptx_row to;
    unsigned modifiers;

    if (!row)
        return false;
    to = (enum ptx_row)row->signature[0];
    modifiers = opcode->flags & row->modifiers & (FLAG_FTZ | FLAG_SAT | FLAG_RELU);
    made =
        cushim__ptx_emit_rows(statement, ptx_is_wide(to) ? DO_LANES64 : DO_LANES32, row->signature);
    if (row->handler)
        made->handler = (uint8_t)row->handler;
    else if (modifiers || opcode->of[ROUNDING] > ROUND_NEAREST)
        made->handler = DO_FLOAT;
    made->sub = (uint8_t)row->sub;
    made->type = (uint8_t)opcode->types[0];
    made->flags |= modifiers | (to == ROW_FLOAT ? FLAG_FLUSH_RESULT : 0);
    for (unsigned i = 1; row->signature[i]; i++) {
        if (row->signature[i] == ROW_FLOAT)
            made->count |= (uint8_t)(1 << (i - 1));
    }
    made->rounding = (uint8_t)opcode->of[ROUNDING];
    made->lanes = row->lanes;
    cushim__ptx_finish(statement, &statement->operands[0], made->d, to,
                       cushim__ptx_types[opcode->types[0]].is_signed, to == ROW_HALF ? 16 : 32);
    return true;
}

/* --- carries --- */

/* Select add, addc, sub, subc, mad and madc with `.cc` or a final `c`. */
static bool select_carry(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_row row = cushim__ptx_types[opcode->types[0]].row;
    const char rows[] = {(char)row, (char)row, (char)row, '\0'};
    const bool mad = strncmp(opcode->base, "mad", 3) == 0;
    struct ptx_statement sum = *statement;
    struct ptx_instruction *made;

    if (row != ROW_WORD && row != ROW_LONG)
        return false;
    cushim__ptx_count_operands(statement, mad ? 4 : 3);
    if (mad) {
        struct ptx_statement product = *statement;
        const struct ptx_alu *multiply;
        char name[24];

        snprintf(name, sizeof name, "mul.%s%s", cushim__ptx_has(opcode->words, "hi") ? "hi" : "lo",
                 strrchr(opcode->name, '.'));
        multiply = cushim__ptx_alu_find(statement->parser->program->names, name);
        if (!multiply)
            return false;
        product.operands[0] = (struct ptx_operand){
            .kind = OPERAND_REGISTER,
            .reg = cushim__ptx_register_new(statement, row),
        };
        sum.operands[1] = product.operands[0];
        sum.operands[2] = statement->operands[3];
        sum.operand_count = product.operand_count = 3;
        made = cushim__ptx_emit_rows(&product, row == ROW_LONG ? DO_LANES64 : DO_LANES32, rows);
        made->lanes = multiply->lanes;
    }
    made = cushim__ptx_emit_rows(&sum, DO_CARRY, rows);
    made->sub = opcode->base[0] == 's';
    made->flags |= opcode->base[strlen(opcode->base) - 1] == 'c' ? FLAG_CARRY_IN : 0;
    made->flags |= cushim__ptx_has(opcode->words, "cc") ? FLAG_CARRY_OUT : 0;
    return true;
}

static const struct ptx_selector select_arithmetic[] = {
    {"addc", select_carry, 0},
    {"subc", select_carry, 0},
    {"madc", select_carry, 0},
    {0},
};

/* --- the names of all instructions --- */

/* Rows that have a handler instead of a function for lanes. */
static const struct ptx_alu others[] = {
    {"lop3.b32", "wwww=", NULL, 0, DO_LOP3, 0},
    {"bfi.b32", "wwwww", NULL, 0, DO_INSERT, 0},
    {"bfi.b64", "lllww", NULL, 0, DO_INSERT, 0},
    {"and.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_AND},
    {"or.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_OR},
    {"xor.pred", "ppp", NULL, 0, DO_LOGIC, LOGIC_XOR},
    {"not.pred", "pp", NULL, 0, DO_LOGIC, LOGIC_NOT},
    {"activemask.b32", "w", NULL, 0, DO_ACTIVE_MASK, 0},
    {0},
};

static const struct ptx_alu *const tables[] = {
    cushim__ptx_alu_integer, cushim__ptx_alu_bits,   cushim__ptx_alu_float,
    cushim__ptx_alu_convert, cushim__ptx_alu_packed, others,
};

static const struct ptx_selector *const selectors[] = {
    cushim__ptx_select_memory,
    cushim__ptx_select_control,
    cushim__ptx_select_move,
    select_arithmetic,
};

/* The module's names map the name of a row to its table and its index there. */
enum { TABLES = sizeof tables / sizeof *tables, SELECTORS = sizeof selectors / sizeof *selectors };
enum { TABLE_ROWS = 1 << 10 };

const char *cushim__ptx_opcode(size_t index)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct ptx_alu *row = tables[i]; row->name; row++) {
            if (index-- == 0)
                return row->name;
        }
    }
    for (size_t i = 0; i < SELECTORS; i++) {
        for (const struct ptx_selector *row = selectors[i]; row->base; row++) {
            if (index-- == 0)
                return row->base;
        }
    }
    return NULL;
}

static struct ptx_word word_of(const char *name)
{
    return (struct ptx_word){name, strlen(name)};
}

void cushim__ptx_instructions_add(struct ptx_parser *parser)
{
    struct ptx_names *names = parser->program->names;

    for (uint32_t i = 0; i < SELECTORS; i++) {
        for (uint32_t row = 0; selectors[i][row].base; row++)
            cushim__ptx_names_add(parser, names, PTX_BASE_NAME, word_of(selectors[i][row].base),
                                  i * TABLE_ROWS + row);
    }
    for (uint32_t i = 0; i < TABLES; i++) {
        for (uint32_t row = 0; tables[i][row].name; row++) {
            const char *const name = tables[i][row].name;
            const struct ptx_word base = {name, strcspn(name, ".")};

            cushim__ptx_names_add(parser, names, PTX_ROW_NAME, word_of(name), i * TABLE_ROWS + row);
            if (!cushim__ptx_names_find(names, PTX_BASE_NAME, base))
                cushim__ptx_names_add(parser, names, PTX_BASE_NAME, base, UINT32_MAX);
        }
    }
}

const struct ptx_alu *cushim__ptx_alu_find(const struct ptx_names *names, const char *name)
{
    const struct ptx_symbol *found = cushim__ptx_names_find(names, PTX_ROW_NAME, word_of(name));

    return found ? &tables[found->index / TABLE_ROWS][found->index % TABLE_ROWS] : NULL;
}

/*
 * Find the selector for the first part of a name, `add`. Returns false if it is not known. The
 * selector is NULL if the instruction has only rows.
 */
static bool find_selector(const struct ptx_names *names, const char *base,
                          const struct ptx_selector **selector)
{
    const struct ptx_symbol *found = cushim__ptx_names_find(names, PTX_BASE_NAME, word_of(base));

    *selector = found && found->index != UINT32_MAX
                    ? &selectors[found->index / TABLE_ROWS][found->index % TABLE_ROWS]
                    : NULL;
    return found != NULL;
}

/* --- statements --- */

/* Whether operands of a video instruction select parts of a word, as in `%r1.b0`. */
static bool has_selectors(const struct ptx_parser *parser, const struct ptx_opcode *opcode)
{
    const char *at = parser->word.start;

    if (opcode->base[0] != 'v' || strcmp(opcode->base, "vote") == 0)
        return false;
    while (at < parser->end && *at != ';' && *at != '.')
        at++;
    return at < parser->end && *at == '.';
}

/* Returns false at an expression of constants. Compilers write its value instead. */
static bool read_operands(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;

    while (!ptx_is(parser, ";")) {
        if (statement->operand_count == PTX_OPERANDS)
            cushim__ptx_fail(parser, "the instruction has too many operands");
        if (ptx_is(parser, "(") || ptx_is(parser, "~"))
            return false;
        cushim__ptx_operand(parser, &statement->operands[statement->operand_count]);
        if (ptx_skip(parser, "|")) {
            cushim__ptx_operand(parser, &statement->second);
            statement->has_pair = true;
        }
        statement->operand_count++;
        if (!ptx_skip(parser, ",") && !ptx_is(parser, ";"))
            cushim__ptx_expected(parser, "',' or ';'");
    }
    return true;
}

/*
 * The instructions of PTX 9.0 of which no form is implemented. With those that are, these are all
 * that the reference has.
 */
static const char unimplemented[] =
    ".alloca.clusterlaunchcontrol.getctarank.istypep.ldmatrix.mad24.mapa.mma.movmatrix.multimem"
    ".stackrestore.stacksave.stmatrix.sured.szext.tcgen05.tensormap.vabsdiff.vmad.vmax.vmin.vset"
    ".vshl.vshr.wgmma.wmma";

static void check_is_instruction(const struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;

    if (ptx_names_are_known(statement->parser) && !cushim__ptx_has(unimplemented, opcode->base))
        cushim__ptx_fail(statement->parser, "'%s' is not the name of an instruction",
                         opcode->base[0] ? opcode->base : opcode->text);
}

static bool translate(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const struct ptx_selector *selector;
    const bool is_known = find_selector(statement->parser->program->names, opcode->base, &selector);

    if (!is_known)
        check_is_instruction(statement);
    if (selector && selector->select && selector->handler)
        return selector->select(statement);
    if (!is_known || has_selectors(statement->parser, opcode) ||
        (strcmp(opcode->base, "cp") == 0 &&
         (strstr(opcode->words, ".bulk") || strncmp(opcode->words, ".async", 6) != 0)) ||
        !read_operands(statement))
        return false;
    if (selector && !selector->select) {
        cushim__ptx_emit(statement, selector->handler);
        return true;
    }
    return select_row(statement) || (selector && selector->select(statement)) ||
           (cushim__ptx_has(opcode->words, "cc") && select_carry(statement));
}

void cushim__ptx_select(struct ptx_statement *statement)
{
    if (translate(statement))
        return;
    cushim__ptx_refuse_function(statement->parser, statement->opcode.text);
    cushim__ptx_emit(statement, DO_REFUSED);
    cushim__ptx_skip_until(statement->parser, ";");
}
