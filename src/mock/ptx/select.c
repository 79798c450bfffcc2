/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic: from a statement to rows of the tables, and to what is no row of them. */
#include "src/mock/ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* --- rows of the tables --- */

static const struct ptx_alu *find_row(const struct ptx_names *names,
                                      const struct ptx_opcode *opcode)
{
    const struct ptx_alu *row = cushim__ptx_alu_find(names, opcode->name);
    static const struct {
        unsigned flag, may;
        const char *suffix;
    } suffixes[] = {
        {FLAG_SAT, MAY_SATURATE, ".sat"}, {FLAG_RELU, 0, ".relu"}, {FLAG_FTZ, MAY_FLUSH, ".ftz"}};

    for (size_t i = 0; row && i < 3; i++) {
        if (opcode->flags & suffixes[i].flag && !(row->modifiers & suffixes[i].may)) {
            char name[PTX_NAME + 8];

            snprintf(name, sizeof name, "%s%s", opcode->name, suffixes[i].suffix);
            row = cushim__ptx_alu_find(names, name);
        }
    }
    if (row && opcode->rounding > ROUND_NEAREST && !(row->modifiers & MAY_ROUND))
        return NULL;
    return row;
}

bool cushim__ptx_select_row(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const struct ptx_alu *row = find_row(parser->program->names, opcode);
    uint32_t sources[3] = {0, 0, 0}, result;
    struct ptx_instruction *made;
    enum ptx_row to;
    unsigned modifiers = 0;
    bool wide;

    if (!row)
        return false;
    cushim__ptx_count_operands(parser, statement, (unsigned)strlen(row->signature));
    for (unsigned i = 1; row->signature[i]; i++)
        sources[i - 1] = cushim__ptx_use(parser, statement, &statement->operands[i],
                                         (enum ptx_row)row->signature[i]);
    to = (enum ptx_row)row->signature[0];
    wide = ptx_is_wide(to);
    result = cushim__ptx_result(parser, &statement->operands[0], to);
    if (row->modifiers & MAY_FLUSH && opcode->flags & FLAG_FTZ)
        modifiers |= FLAG_FTZ;
    if (row->modifiers & MAY_SATURATE && opcode->flags & FLAG_SAT)
        modifiers |= FLAG_SAT;
    made = cushim__ptx_emit(parser, statement, wide ? DO_LANES64 : DO_LANES32);
    if (modifiers || opcode->rounding > ROUND_NEAREST)
        made->handler = wide ? DO_FLOAT64 : DO_FLOAT32;
    made->flags |= modifiers;
    for (unsigned i = 1; row->signature[i]; i++) {
        if (row->signature[i] == ROW_FLOAT)
            made->count |= (uint8_t)(1 << (i - 1));
    }
    if (to == ROW_FLOAT)
        made->flags |= FLAG_FLUSH_RESULT;
    made->rounding = (uint8_t)opcode->rounding;
    made->lanes = row->lanes;
    made->d = result;
    made->a = sources[0];
    made->b = row->signature[1] && row->signature[2] ? sources[1] : PTX_UNUSED;
    made->c = made->b != PTX_UNUSED && row->signature[3] ? sources[2] : PTX_UNUSED;
    cushim__ptx_finish(parser, statement, &statement->operands[0], result, to,
                       cushim__ptx_type_signed(opcode->types[0]), to == ROW_HALF ? 16 : 32);
    return true;
}

/* --- f16 and bf16 --- */

static bool select_half(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_type type = opcode->types[0];
    const struct ptx_half_name *found = cushim__ptx_half_names;
    const enum ptx_row row = cushim__ptx_type_row(type);
    char name[40];
    struct ptx_instruction *made;
    uint32_t sources[3] = {PTX_UNUSED, PTX_UNUSED, PTX_UNUSED};

    if (opcode->type_count != 1 ||
        (type != TYPE_F16 && type != TYPE_BF16 && type != TYPE_F16X2 && type != TYPE_BF16X2))
        return false;
    snprintf(name, sizeof name, "%.15s%.20s", opcode->base, opcode->words);
    while (found->name && strcmp(found->name, name) != 0)
        found++;
    if (!found->name || opcode->rounding > ROUND_NEAREST)
        return false;
    cushim__ptx_count_operands(parser, statement, found->sources + 1);
    for (unsigned i = 0; i < found->sources; i++)
        sources[i] = cushim__ptx_use(parser, statement, &statement->operands[i + 1], row);
    made = cushim__ptx_emit(parser, statement, DO_HALF);
    made->sub = (uint8_t)found->operation;
    made->type = (uint8_t)type;
    made->flags |= opcode->flags;
    made->a = sources[0];
    made->b = sources[1];
    made->c = sources[2];
    made->d = cushim__ptx_result(parser, &statement->operands[0], row);
    return true;
}

/* --- instructions with four operands, carries --- */

static bool select_four(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool insert = strcmp(opcode->base, "bfi") == 0, wide = opcode->types[0] == TYPE_B64;
    const enum ptx_row row = wide ? ROW_LONG : ROW_WORD;
    struct ptx_instruction *made;
    uint32_t a, b, c, e = PTX_UNUSED;

    if (opcode->words[0] || (opcode->types[0] != TYPE_B32 && !(wide && insert)))
        return false;
    cushim__ptx_count_operands(parser, statement, 5);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], row);
    b = cushim__ptx_use(parser, statement, &statement->operands[2], row);
    c = cushim__ptx_use(parser, statement, &statement->operands[3], ROW_WORD);
    if (insert)
        e = cushim__ptx_use(parser, statement, &statement->operands[4], ROW_WORD);
    else if (statement->operands[4].kind != OPERAND_INTEGER)
        cushim__ptx_fail(parser, "the table of lop3 is not a constant");
    made = cushim__ptx_emit(parser, statement, insert ? DO_INSERT : DO_LOP3);
    made->count = (uint8_t)statement->operands[4].integer;
    made->bytes = wide ? 8 : 4;
    made->a = a;
    made->b = b;
    made->c = c;
    made->e = e;
    made->d = cushim__ptx_result(parser, &statement->operands[0], row);
    return true;
}

/* lop3.or d|p, a, b, c, table, q: p = d != 0 or q. */
static bool select_lop3_predicate(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const bool disjunction = strcmp(statement->opcode.words, ".or") == 0;
    struct ptx_statement plain = *statement;
    struct ptx_instruction *made;
    uint32_t sources[3], c, result;

    if (statement->opcode.types[0] != TYPE_B32 || !statement->has_pair ||
        (!disjunction && strcmp(statement->opcode.words, ".and") != 0))
        return false;
    plain.guard = PTX_UNUSED;
    cushim__ptx_count_operands(parser, statement, 6);
    for (unsigned i = 0; i < 3; i++)
        sources[i] = cushim__ptx_use(parser, statement, &statement->operands[i + 1], ROW_WORD);
    if (statement->operands[4].kind != OPERAND_INTEGER)
        cushim__ptx_fail(parser, "the table of lop3 is not a constant");
    c = cushim__ptx_use(parser, statement, &statement->operands[5], ROW_PREDICATE);
    result = cushim__ptx_register_new(parser, ROW_WORD);
    made = cushim__ptx_emit(parser, &plain, DO_LOP3);
    made->count = (uint8_t)statement->operands[4].integer;
    made->a = sources[0];
    made->b = sources[1];
    made->c = sources[2];
    made->d = result;
    if (statement->operands[0].kind != OPERAND_SINK)
        cushim__ptx_move(parser, statement,
                         cushim__ptx_result(parser, &statement->operands[0], ROW_WORD), result, 4);
    sources[0] = cushim__ptx_constant(parser, 0, ROW_WORD);
    made = cushim__ptx_emit(parser, statement, DO_COMPARE);
    made->compare = cushim__ptx_comparison(TYPE_U32, COMPARE_NE);
    made->sub = disjunction ? LOGIC_OR : LOGIC_AND;
    made->flags |= statement->operands[5].negated ? FLAG_NEGATED_SOURCE : 0;
    made->a = result;
    made->b = sources[0];
    made->c = c;
    made->d = cushim__ptx_result(parser, &statement->second, ROW_PREDICATE);
    return true;
}

/* add, addc, sub, subc, mad and madc with `.cc` or a `c` at their end. */
static bool select_carry(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_row row = cushim__ptx_type_row(opcode->types[0]);
    const bool wide = row == ROW_LONG, mad = strncmp(opcode->base, "mad", 3) == 0;
    struct ptx_instruction *made;
    uint32_t a, b;

    if (row != ROW_WORD && row != ROW_LONG)
        return false;
    cushim__ptx_count_operands(parser, statement, mad ? 4 : 3);
    if (mad) {
        char name[24];
        const struct ptx_alu *product;
        const uint32_t x = cushim__ptx_use(parser, statement, &statement->operands[1], row);
        const uint32_t y = cushim__ptx_use(parser, statement, &statement->operands[2], row);

        snprintf(name, sizeof name, "mul.%s%s", cushim__ptx_opcode_has(opcode, "hi") ? "hi" : "lo",
                 strrchr(opcode->name, '.'));
        product = cushim__ptx_alu_find(parser->program->names, name);
        if (!product)
            return false;
        a = cushim__ptx_register_new(parser, row);
        made = cushim__ptx_emit(parser, statement, wide ? DO_LANES64 : DO_LANES32);
        made->lanes = product->lanes;
        made->d = a;
        made->a = x;
        made->b = y;
        b = cushim__ptx_use(parser, statement, &statement->operands[3], row);
    } else {
        a = cushim__ptx_use(parser, statement, &statement->operands[1], row);
        b = cushim__ptx_use(parser, statement, &statement->operands[2], row);
    }
    made = cushim__ptx_emit(parser, statement, wide ? DO_CARRY64 : DO_CARRY32);
    made->sub = opcode->base[0] == 's';
    made->flags |= opcode->base[strlen(opcode->base) - 1] == 'c' ? FLAG_CARRY_IN : 0;
    made->flags |= cushim__ptx_opcode_has(opcode, "cc") ? FLAG_CARRY_OUT : 0;
    made->a = a;
    made->b = b;
    made->d = cushim__ptx_result(parser, &statement->operands[0], row);
    return true;
}

/* vadd and vsub of whole words: `vadd.u32.u32.u32.add d, a, b, c` is (a + b) + c. */
static bool select_video(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool adds = strcmp(opcode->words, ".add") == 0;
    struct ptx_names *names = parser->program->names;
    struct ptx_instruction *made;
    uint32_t sources[3] = {0, 0, 0}, sum, result;

    if ((opcode->words[0] && !adds) || opcode->flags & FLAG_SAT || opcode->type_count != 3)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        if (opcode->types[i] != TYPE_U32 && opcode->types[i] != TYPE_S32)
            return false;
    }
    cushim__ptx_count_operands(parser, statement, adds ? 4 : 3);
    for (unsigned i = 1; i < statement->operand_count; i++)
        sources[i - 1] = cushim__ptx_use(parser, statement, &statement->operands[i], ROW_WORD);
    result = cushim__ptx_result(parser, &statement->operands[0], ROW_WORD);
    sum = adds ? cushim__ptx_register_new(parser, ROW_WORD) : result;
    made = cushim__ptx_emit(parser, statement, DO_LANES32);
    made->lanes =
        cushim__ptx_alu_find(names, strcmp(opcode->base, "vadd") == 0 ? "add.s32" : "sub.s32")
            ->lanes;
    made->a = sources[0];
    made->b = sources[1];
    made->d = sum;
    if (!adds)
        return true;
    made = cushim__ptx_emit(parser, statement, DO_LANES32);
    made->lanes = cushim__ptx_alu_find(names, "add.s32")->lanes;
    made->a = sum;
    made->b = sources[2];
    made->d = result;
    return true;
}

/* --- all of them --- */

static bool select_logic_table(struct ptx_parser *parser, struct ptx_statement *statement)
{
    return statement->opcode.words[0] ? select_lop3_predicate(parser, statement)
                                      : select_four(parser, statement);
}

const struct ptx_selector cushim__ptx_select_arithmetic[] = {
    {"lop3", select_logic_table, 0}, {"bfi", select_four, 0},
    {"addc", select_carry, 0},       {"subc", select_carry, 0},
    {"madc", select_carry, 0},       {"vadd", select_video, 0},
    {"vsub", select_video, 0},       {0},
};

static bool select_other(struct ptx_parser *parser, struct ptx_statement *statement)
{
    return cushim__ptx_opcode_has(&statement->opcode, "cc")
               ? select_carry(parser, statement)
               : cushim__ptx_select_row(parser, statement) || select_half(parser, statement);
}

void cushim__ptx_select(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_selector *selector =
        cushim__ptx_selector_find(parser->program->names, statement->opcode.base);

    if (selector && !selector->select)
        cushim__ptx_emit(parser, statement, selector->handler);
    else if (!(selector && selector->select(parser, statement)) && !select_other(parser, statement))
        cushim__ptx_refuse(parser, statement, "");
}
