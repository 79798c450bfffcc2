/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that compute: from a statement to the internal code. */
#include "src/mock/kernel/parser.h"

#include <stdio.h>
#include <string.h>

/* --- what all of them use --- */

struct ptx_instruction *cushim__ptx_emit(struct ptx_parser *parser,
                                         const struct ptx_statement *statement,
                                         enum ptx_handler handler)
{
    struct ptx_body *body = &parser->body;
    struct ptx_instruction *made;

    body->code = cushim__ptx_grow(parser, body->code, &body->room, body->count, sizeof *body->code);
    made = &body->code[body->count++];
    *made = (struct ptx_instruction){
        .handler = (uint8_t)handler,
        .guard = statement->guard,
        .guarded = statement->guard != PTX_UNUSED,
        .flags = statement->guard != PTX_UNUSED && statement->guard_negated ? FLAG_NEGATED : 0,
        .d = PTX_UNUSED,
        .e = PTX_UNUSED,
        .a = PTX_UNUSED,
        .b = PTX_UNUSED,
        .c = PTX_UNUSED,
        .line = statement->line,
    };
    return made;
}

uint32_t cushim__ptx_list_add(struct ptx_parser *parser, uint32_t value)
{
    struct ptx_program *program = parser->program;

    program->lists = cushim__ptx_grow(parser, program->lists, &program->list_room,
                                      program->list_count, sizeof *program->lists);
    program->lists[program->list_count] = value;
    return program->list_count++;
}

void cushim__ptx_note(struct ptx_parser *parser, uint32_t **list, uint32_t *count, uint32_t *room,
                      uint32_t value)
{
    size_t size = *room;

    for (uint32_t i = 0; i < *count; i++) {
        if ((*list)[i] == value)
            return;
    }
    *list = cushim__ptx_grow(parser, *list, &size, *count, sizeof **list);
    *room = (uint32_t)size;
    (*list)[(*count)++] = value;
}

void cushim__ptx_refuse(struct ptx_parser *parser, const struct ptx_statement *statement,
                        const char *why)
{
    struct ptx_function *function = &parser->program->functions[parser->body.function];
    char text[PTX_NAME + 80];

    snprintf(text, sizeof text, "%s%s%s", statement->opcode.text, why[0] ? ": " : "", why);
    if (!function->refused) {
        function->refused = cushim__ptx_copy(parser, (struct ptx_word){text, strlen(text)});
        function->refused_line = statement->line;
    }
    cushim__ptx_emit(parser, statement, DO_REFUSED);
}

static bool is_wide(enum ptx_row row)
{
    return row == ROW_LONG || row == ROW_DOUBLE;
}

/* The pool has no two equal constants among the last ones. */
uint32_t cushim__ptx_constant(struct ptx_parser *parser, uint64_t value, enum ptx_row row)
{
    struct ptx_program *program = parser->program;
    const uint32_t size = row == ROW_PREDICATE ? PTX_ROW : is_wide(row) ? PTX_WIDE_ROW : PTX_ROW;
    const uint32_t limit = program->constant_bytes > 64 * PTX_WIDE_ROW
                               ? program->constant_bytes - 64 * PTX_WIDE_ROW
                               : 0;
    uint32_t at;

    if (row == ROW_HALF)
        value &= 0xffff;
    else if (!is_wide(row))
        value &= UINT32_MAX;
    if (row == ROW_PREDICATE)
        value = value ? PTX_ALL_LANES : 0;
    for (at = limit; at + size <= program->constant_bytes; at += PTX_ROW) {
        if (is_wide(row) ? ((lane_u64 *)(program->constants + at))[0] == value &&
                               ((lane_u64 *)(program->constants + at))[PTX_LANES - 1] == value &&
                               ((lane_u64 *)(program->constants + at))[1] == value
                         : ((lane_u32 *)(program->constants + at))[0] == value &&
                               ((lane_u32 *)(program->constants + at))[1] == value &&
                               ((lane_u32 *)(program->constants + at))[PTX_LANES - 1] == value)
            return PTX_CONSTANT | at;
    }
    while (program->constant_room < program->constant_bytes + (size_t)size)
        program->constants = cushim__ptx_grow(parser, program->constants, &program->constant_room,
                                              program->constant_room, 1);
    at = program->constant_bytes;
    if (at > PTX_CONSTANT / 2)
        cushim__ptx_no_memory(parser);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        if (is_wide(row))
            ((lane_u64 *)(program->constants + at))[i] = value;
        else
            ((lane_u32 *)(program->constants + at))[i] = (uint32_t)value;
    }
    program->constant_bytes += size;
    return PTX_CONSTANT | at;
}

void cushim__ptx_move(struct ptx_parser *parser, const struct ptx_statement *statement, uint32_t to,
                      uint32_t from, unsigned bytes)
{
    struct ptx_instruction *move =
        cushim__ptx_emit(parser, statement, bytes == 8 ? DO_MOVE64 : DO_MOVE32);

    move->d = to;
    move->a = from;
}

static uint64_t literal(const struct ptx_operand *operand, enum ptx_row row)
{
    const float single = (float)operand->real;
    uint32_t bits32;
    uint64_t bits64;

    memcpy(&bits32, &single, sizeof bits32);
    memcpy(&bits64, &operand->real, sizeof bits64);
    if (operand->kind == OPERAND_INTEGER) {
        const double value = (double)(int64_t)operand->integer;
        const float narrow = (float)value;

        if (row == ROW_FLOAT)
            memcpy(&bits32, &narrow, sizeof bits32);
        else if (row == ROW_DOUBLE)
            memcpy(&bits64, &value, sizeof bits64);
        return row == ROW_FLOAT ? bits32 : row == ROW_DOUBLE ? bits64 : operand->integer;
    }
    if (row == ROW_DOUBLE)
        return operand->single ? operand->integer : bits64;
    if (row == ROW_LONG)
        return operand->single ? operand->integer : bits64;
    return operand->single ? operand->integer : bits32;
}

/* The address of a symbol, in a wide row or one of 4 bytes. */
static uint32_t address_of(struct ptx_parser *parser, const struct ptx_statement *statement,
                           const struct ptx_operand *operand, enum ptx_row row)
{
    struct ptx_program *program = parser->program;
    const struct ptx_symbol *symbol = operand->symbol;
    const uint32_t result = cushim__ptx_register_new(parser, is_wide(row) ? ROW_LONG : ROW_WORD);
    struct ptx_function *function = &program->functions[parser->body.function];
    struct ptx_instruction *made = cushim__ptx_emit(parser, statement, DO_ADDRESS);

    if (symbol->kind == SYMBOL_FUNCTION)
        program->functions[symbol->index].address_taken = true;

    made->d = result;
    made->sub = (uint8_t)symbol->kind;
    made->bytes = is_wide(row) ? 8 : 4;
    made->target = symbol->index;
    made->immediate = (int64_t)(operand->integer + symbol->offset);
    made->guarded = false;
    made->guard = PTX_UNUSED;
    if (symbol->kind == SYMBOL_SHARED)
        cushim__ptx_note(parser, &function->shared, &function->shared_count, &function->shared_room,
                         symbol->index);
    else if (symbol->kind == SYMBOL_FUNCTION)
        made->immediate = (int64_t)(ptx_function_address(symbol->index) + operand->integer);
    else if (symbol->kind != SYMBOL_GLOBAL && symbol->kind != SYMBOL_LOCAL &&
             symbol->kind != SYMBOL_PARAM)
        cushim__ptx_fail(parser, "'%.*s' has no address",
                         (int)(symbol->name.length > 80 ? 80 : symbol->name.length),
                         symbol->name.start);
    return result;
}

uint32_t cushim__ptx_use(struct ptx_parser *parser, const struct ptx_statement *statement,
                         const struct ptx_operand *operand, enum ptx_row row)
{
    struct ptx_instruction *made;
    uint32_t from = operand->reg, result;
    unsigned bytes;

    switch (operand->kind) {
    case OPERAND_INTEGER:
    case OPERAND_REAL:
        return cushim__ptx_constant(parser, literal(operand, row), row);
    case OPERAND_SYMBOL:
        return address_of(parser, statement, operand, row);
    case OPERAND_SPECIAL:
        bytes = operand->special >= SPECIAL_WIDE ? 8 : 4;
        from = cushim__ptx_register_new(parser, bytes == 8 ? ROW_LONG : ROW_WORD);
        made = cushim__ptx_emit(parser, statement, DO_SPECIAL);
        made->d = from;
        made->sub = operand->special;
        made->bytes = (uint8_t)bytes;
        break;
    case OPERAND_REGISTER:
        bytes = parser->body.registers[from].bytes;
        break;
    default:
        cushim__ptx_fail(parser, "an operand has another kind than the instruction needs");
    }
    if ((row == ROW_PREDICATE) != (bytes == 1))
        cushim__ptx_fail(parser, "an operand has another type than the instruction");
    if (bytes == 1 || (bytes == 8) == is_wide(row))
        return from;
    result = cushim__ptx_register_new(parser, bytes == 8 ? ROW_WORD : ROW_LONG);
    made = cushim__ptx_emit(parser, statement, bytes == 8 ? DO_NARROW : DO_EXTEND);
    made->d = result;
    made->a = from;
    return result;
}

uint32_t cushim__ptx_result(struct ptx_parser *parser, const struct ptx_operand *operand,
                            enum ptx_row row)
{
    const unsigned bytes = row == ROW_PREDICATE ? 1 : is_wide(row) ? 8 : 4;

    if (operand->kind == OPERAND_SINK)
        return PTX_UNUSED;
    if (operand->kind != OPERAND_REGISTER)
        cushim__ptx_fail(parser, "the destination is not a register");
    if ((bytes == 1) != (parser->body.registers[operand->reg].bytes == 1))
        cushim__ptx_fail(parser, "the destination has another type than the instruction");
    if (parser->body.registers[operand->reg].bytes == bytes)
        return operand->reg;
    return cushim__ptx_register_new(parser, row);
}

/* A result in a register of another size is extended or cut, and 16 bits have no others above. */
void cushim__ptx_finish(struct ptx_parser *parser, const struct ptx_statement *statement,
                        const struct ptx_operand *operand, uint32_t result, enum ptx_row row,
                        bool is_signed, unsigned bits)
{
    const struct ptx_register *to;
    struct ptx_instruction *made;

    if (operand->kind == OPERAND_SINK || row == ROW_PREDICATE)
        return;
    to = &parser->body.registers[operand->reg];
    if (result != operand->reg) {
        made = cushim__ptx_emit(parser, statement, to->bytes == 8 ? DO_EXTEND : DO_NARROW);
        made->d = operand->reg;
        made->a = result;
        made->flags |= is_signed ? FLAG_SIGNED : 0;
    }
    if (to->bytes == 4 && to->bits < 32 && to->bits < bits) {
        const uint32_t mask = cushim__ptx_constant(parser, (UINT64_C(1) << to->bits) - 1, ROW_WORD);

        made = cushim__ptx_emit(parser, statement, DO_LANES32);
        made->lanes = cushim__ptx_alu_find(parser->program->names, "and.b32")->lanes;
        made->d = operand->reg;
        made->a = operand->reg;
        made->b = mask;
    }
}

static void count_operands(struct ptx_parser *parser, const struct ptx_statement *statement,
                           unsigned count)
{
    if (statement->operand_count != count)
        cushim__ptx_fail(parser, "%s has %u operands", statement->opcode.base, count);
}

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

static bool select_row(struct ptx_parser *parser, struct ptx_statement *statement)
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
    count_operands(parser, statement, (unsigned)strlen(row->signature));
    for (unsigned i = 1; row->signature[i]; i++)
        sources[i - 1] = cushim__ptx_use(parser, statement, &statement->operands[i],
                                         (enum ptx_row)row->signature[i]);
    to = (enum ptx_row)row->signature[0];
    wide = is_wide(to);
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
    count_operands(parser, statement, found->sources + 1);
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

static void combine(struct ptx_parser *parser, const struct ptx_statement *statement, uint32_t to,
                    uint32_t low, uint32_t high, unsigned bits)
{
    struct ptx_instruction *made = cushim__ptx_emit(parser, statement, DO_COMBINE);

    made->d = to;
    made->a = low;
    made->b = high;
    made->count = (uint8_t)bits;
}

static void part(struct ptx_parser *parser, const struct ptx_statement *statement, uint32_t to,
                 uint32_t from, unsigned shift, unsigned bits, bool wide)
{
    struct ptx_instruction *made = cushim__ptx_emit(parser, statement, DO_PART);

    made->d = to;
    made->a = from;
    made->sub = (uint8_t)shift;
    made->count = (uint8_t)bits;
    made->flags |= wide ? FLAG_WIDE_PART : 0;
}

/* --- comparisons and choices --- */

static bool select_compare(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool sets = strcmp(opcode->base, "set") == 0;
    const enum ptx_type type = opcode->types[sets ? 1 : 0];
    const enum ptx_row row = cushim__ptx_type_row(type);
    const ptx_compare compare =
        opcode->comparison < 0
            ? NULL
            : cushim__ptx_comparison(type, (enum ptx_comparison)opcode->comparison);
    struct ptx_instruction *made;
    uint32_t a, b, c = PTX_UNUSED;

    if (!compare || opcode->words[0] || (sets && opcode->type_count != 2))
        return false;
    if (statement->has_pair && (type == TYPE_F16 || type == TYPE_BF16))
        cushim__ptx_fail(parser, "setp of one f16 or bf16 has one result");
    count_operands(parser, statement, opcode->logic >= 0 ? 4 : 3);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], row);
    b = cushim__ptx_use(parser, statement, &statement->operands[2], row);
    if (opcode->logic >= 0)
        c = cushim__ptx_use(parser, statement, &statement->operands[3], ROW_PREDICATE);
    made = cushim__ptx_emit(parser, statement, sets ? DO_SET : DO_COMPARE);
    made->compare = compare;
    made->sub = (uint8_t)(opcode->logic < 0 ? LOGIC_MOVE : opcode->logic);
    made->flags |=
        opcode->flags & FLAG_FTZ && (type == TYPE_F32 || type == TYPE_F16) ? FLAG_FTZ : 0;
    made->count = type == TYPE_F16;
    made->flags |= opcode->logic >= 0 && statement->operands[3].negated ? FLAG_NEGATED_SOURCE : 0;
    made->a = a;
    made->b = b;
    made->c = c;
    if (!sets) {
        made->d = cushim__ptx_result(parser, &statement->operands[0], ROW_PREDICATE);
        if (statement->has_pair)
            made->e = cushim__ptx_result(parser, &statement->second, ROW_PREDICATE);
        return true;
    }
    made->type = (uint8_t)opcode->types[0];
    made->d = cushim__ptx_result(parser, &statement->operands[0], ROW_WORD);
    return cushim__ptx_type_bytes(opcode->types[0]) <= 4 && made->d == statement->operands[0].reg;
}

/* A result of the statement, and what it is computed from without its guard. */
static void move_predicate(struct ptx_parser *parser, const struct ptx_statement *statement,
                           const struct ptx_operand *to, uint32_t from)
{
    struct ptx_instruction *made;
    const uint32_t d = cushim__ptx_result(parser, to, ROW_PREDICATE);

    made = cushim__ptx_emit(parser, statement, DO_LOGIC);
    made->sub = LOGIC_MOVE;
    made->a = from;
    made->d = d;
}

/* setp and set of two f16 or bf16: each half by itself, without the guard until the results. */
static bool select_compare_pair(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool sets = strcmp(opcode->base, "set") == 0;
    const enum ptx_type pair = opcode->types[sets ? 1 : 0];
    const enum ptx_type type = pair == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    const ptx_compare compare =
        opcode->comparison < 0
            ? NULL
            : cushim__ptx_comparison(type, (enum ptx_comparison)opcode->comparison);
    struct ptx_statement plain = *statement;
    uint32_t sources[2], c = PTX_UNUSED, results[2];

    if (!compare || opcode->words[0] || (sets ? opcode->types[0] != pair : !statement->has_pair))
        return false;
    plain.guard = PTX_UNUSED;
    count_operands(parser, statement, opcode->logic >= 0 ? 4 : 3);
    if (opcode->logic >= 0)
        c = cushim__ptx_use(parser, &plain, &statement->operands[3], ROW_PREDICATE);
    for (unsigned i = 0; i < 2; i++)
        sources[i] = cushim__ptx_use(parser, &plain, &statement->operands[i + 1], ROW_WORD);
    for (unsigned half = 0; half < 2; half++) {
        uint32_t halves[2];
        struct ptx_instruction *made;

        for (unsigned i = 0; i < 2; i++) {
            halves[i] = cushim__ptx_register_new(parser, ROW_WORD);
            part(parser, &plain, halves[i], sources[i], 16 * half, 16, false);
        }
        results[half] = cushim__ptx_register_new(parser, sets ? ROW_WORD : ROW_PREDICATE);
        made = cushim__ptx_emit(parser, &plain, sets ? DO_SET : DO_COMPARE);
        made->compare = compare;
        made->sub = (uint8_t)(opcode->logic < 0 ? LOGIC_MOVE : opcode->logic);
        made->flags |= type == TYPE_F16 ? opcode->flags & FLAG_FTZ : 0;
        made->flags |=
            opcode->logic >= 0 && statement->operands[3].negated ? FLAG_NEGATED_SOURCE : 0;
        made->count = type == TYPE_F16;
        made->type = (uint8_t)type;
        made->a = halves[0];
        made->b = halves[1];
        made->c = c;
        made->d = results[half];
    }
    if (sets) {
        combine(parser, statement, cushim__ptx_result(parser, &statement->operands[0], ROW_WORD),
                results[0], results[1], 16);
    } else {
        /* The guard may be one of the results, which is written last then. */
        const bool first = statement->operands[0].kind == OPERAND_REGISTER &&
                           statement->operands[0].reg == statement->guard;

        move_predicate(parser, statement, first ? &statement->second : &statement->operands[0],
                       results[first]);
        move_predicate(parser, statement, first ? &statement->operands[0] : &statement->second,
                       results[!first]);
    }
    return true;
}

static bool select_testp(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const ptx_compare compare =
        opcode->words[0] ? cushim__ptx_class(opcode->words + 1, opcode->types[0] == TYPE_F64)
                         : NULL;
    struct ptx_instruction *made;
    uint32_t a;

    if (!compare)
        return false;
    count_operands(parser, statement, 2);
    a = cushim__ptx_use(parser, statement, &statement->operands[1],
                        cushim__ptx_type_row(opcode->types[0]));
    made = cushim__ptx_emit(parser, statement, DO_COMPARE);
    made->compare = compare;
    made->sub = LOGIC_MOVE;
    made->a = made->b = a;
    made->d = cushim__ptx_result(parser, &statement->operands[0], ROW_PREDICATE);
    return true;
}

static bool select_selp(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const enum ptx_row row = cushim__ptx_type_row(statement->opcode.types[0]);
    struct ptx_instruction *made;
    uint32_t a, b, c;

    if (row == ROW_NONE || row == ROW_PREDICATE)
        return false;
    count_operands(parser, statement, 4);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], row);
    b = cushim__ptx_use(parser, statement, &statement->operands[2], row);
    c = cushim__ptx_use(parser, statement, &statement->operands[3], ROW_PREDICATE);
    made = cushim__ptx_emit(parser, statement, is_wide(row) ? DO_SELECT64 : DO_SELECT32);
    made->flags |= statement->operands[3].negated ? FLAG_NEGATED_SOURCE : 0;
    made->a = a;
    made->b = b;
    made->c = c;
    made->d = cushim__ptx_result(parser, &statement->operands[0], row);
    return true;
}

static bool select_logic(struct ptx_parser *parser, struct ptx_statement *statement,
                         enum ptx_logic logic)
{
    const bool unary = logic == LOGIC_NOT || logic == LOGIC_MOVE;
    struct ptx_instruction *made;
    uint32_t a, b = PTX_UNUSED;

    count_operands(parser, statement, unary ? 2 : 3);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], ROW_PREDICATE);
    if (!unary)
        b = cushim__ptx_use(parser, statement, &statement->operands[2], ROW_PREDICATE);
    made = cushim__ptx_emit(parser, statement, DO_LOGIC);
    made->sub = (uint8_t)logic;
    made->a = a;
    made->b = b;
    made->d = cushim__ptx_result(parser, &statement->operands[0], ROW_PREDICATE);
    return true;
}

/* --- moves --- */

/* mov.b64 d, {a, b}: the first element is the lowest. */
static bool pack(struct ptx_parser *parser, struct ptx_statement *statement, unsigned bytes)
{
    const struct ptx_operand vector = statement->operands[1];
    const unsigned bits = bytes * 8 / vector.count;
    const enum ptx_row row = bits > 32 ? ROW_NONE : bits == 32 ? ROW_WORD : ROW_HALF;
    uint32_t parts[8], result;

    if (row == ROW_NONE || vector.count < 2 || vector.count > 4 || bits < 8)
        return false;
    for (uint32_t i = 0; i < vector.count; i++) {
        const struct ptx_operand element = parser->body.vectors[vector.first + i];

        if (element.kind == OPERAND_SINK)
            return false;
        parts[i] = cushim__ptx_use(parser, statement, &element, row);
    }
    result = cushim__ptx_result(parser, &statement->operands[0], bytes == 8 ? ROW_LONG : ROW_WORD);
    if (result == PTX_UNUSED)
        return true;
    if (vector.count == 4) {
        const uint32_t low = cushim__ptx_register_new(parser, ROW_WORD);
        const uint32_t high = cushim__ptx_register_new(parser, ROW_WORD);

        combine(parser, statement, low, parts[0], parts[1], bits);
        combine(parser, statement, high, parts[2], parts[3], bits);
        combine(parser, statement, result, low, high, bits * 2);
    } else {
        combine(parser, statement, result, parts[0], parts[1], bits);
    }
    cushim__ptx_finish(parser, statement, &statement->operands[0], result,
                       bytes == 8 ? ROW_LONG : ROW_WORD, false, bytes * 8);
    return true;
}

static bool unpack(struct ptx_parser *parser, struct ptx_statement *statement, unsigned bytes)
{
    const struct ptx_operand vector = statement->operands[0];
    const unsigned bits = bytes * 8 / vector.count;
    uint32_t from;

    if (bits > 32 || bits < 8)
        return false;
    from = cushim__ptx_use(parser, statement, &statement->operands[1],
                           bytes == 8   ? ROW_LONG
                           : bytes == 4 ? ROW_WORD
                                        : ROW_HALF);
    for (uint32_t i = 0; i < vector.count; i++) {
        const struct ptx_operand element = parser->body.vectors[vector.first + i];
        const uint32_t to = cushim__ptx_result(parser, &element, ROW_WORD);

        if (to == PTX_UNUSED)
            continue;
        if (to != element.reg)
            return false;
        /* The source may be one of the elements. */
        if (to == from && i + 1 < vector.count) {
            const uint32_t copy = cushim__ptx_register_new(parser, ROW_WORD);

            cushim__ptx_move(parser, statement, copy, from, 4);
            from = copy;
        }
        part(parser, statement, to, from, bits * i, bits, bytes == 8);
    }
    return true;
}

/* mov.v2.u32: all elements are read before one is written. */
static bool move_vector(struct ptx_parser *parser, struct ptx_statement *statement,
                        enum ptx_row row)
{
    const struct ptx_operand to = statement->operands[0], from = statement->operands[1];
    const unsigned count = statement->opcode.vector, bytes = is_wide(row) ? 8 : 4;
    uint32_t copies[8];

    if (to.kind != OPERAND_VECTOR || from.kind != OPERAND_VECTOR || to.count != count ||
        from.count != count)
        cushim__ptx_fail(parser, "an operand is no vector of %u elements", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand element = parser->body.vectors[from.first + i];

        copies[i] = cushim__ptx_register_new(parser, row);
        cushim__ptx_move(parser, statement, copies[i],
                         cushim__ptx_use(parser, statement, &element, row), bytes);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand element = parser->body.vectors[to.first + i];
        const uint32_t result = cushim__ptx_result(parser, &element, row);

        if (result == PTX_UNUSED)
            continue;
        cushim__ptx_move(parser, statement, result, copies[i], bytes);
        cushim__ptx_finish(parser, statement, &element, result, row, false, bytes * 8);
    }
    return true;
}

static bool select_mov(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const enum ptx_type type = statement->opcode.types[0];
    const enum ptx_row row = cushim__ptx_type_row(type);
    const unsigned bytes = (unsigned)cushim__ptx_type_bytes(type);
    uint32_t from, to;

    if (row == ROW_NONE || statement->opcode.words[0])
        return false;
    count_operands(parser, statement, 2);
    if (row == ROW_PREDICATE)
        return select_logic(parser, statement, LOGIC_MOVE);
    if (statement->opcode.vector > 1)
        return move_vector(parser, statement, row);
    if (statement->operands[1].kind == OPERAND_VECTOR)
        return pack(parser, statement, bytes);
    if (statement->operands[0].kind == OPERAND_VECTOR)
        return unpack(parser, statement, bytes);
    from = cushim__ptx_use(parser, statement, &statement->operands[1], row);
    to = cushim__ptx_result(parser, &statement->operands[0], row);
    if (to == PTX_UNUSED)
        return true;
    cushim__ptx_move(parser, statement, to, from, is_wide(row) ? 8 : 4);
    cushim__ptx_finish(parser, statement, &statement->operands[0], to, row, false,
                       statement->operands[1].kind == OPERAND_SPECIAL ? 32 : bytes * 8);
    return true;
}

/* --- conversions --- */

static bool select_cvt_pair(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_row row = cushim__ptx_type_row(opcode->types[0]);
    struct ptx_instruction *made;
    uint32_t a, b;

    count_operands(parser, statement, 3);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], ROW_FLOAT);
    b = cushim__ptx_use(parser, statement, &statement->operands[2], ROW_FLOAT);
    made = cushim__ptx_emit(parser, statement, DO_CONVERT_PAIR);
    made->type = (uint8_t)opcode->types[0];
    made->rounding = (uint8_t)opcode->rounding;
    made->flags |= opcode->flags;
    made->a = a;
    made->b = b;
    made->d = cushim__ptx_result(parser, &statement->operands[0], row);
    return true;
}

static bool select_cvt(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_type to = opcode->types[0], from = opcode->types[1];
    const enum ptx_row row = cushim__ptx_type_row(to);
    struct ptx_instruction *made;
    uint32_t a, result;
    bool eight; /* numbers of 8 bits from f16, or the other way */

    if (opcode->words[0] || opcode->type_count != 2 || row == ROW_NONE || row == ROW_PREDICATE)
        return false;
    if (from == TYPE_F32 &&
        (to == TYPE_F16X2 || to == TYPE_BF16X2 || to == TYPE_E4M3X2 || to == TYPE_E5M2X2))
        return select_cvt_pair(parser, statement);
    if (select_row(parser, statement))
        return true;
    eight = to == TYPE_E4M3X2 || to == TYPE_E5M2X2 ? from == TYPE_F16X2
                                                   : to == TYPE_F16X2 && from >= TYPE_E4M3X2;
    if (!eight && (from == TYPE_F16X2 || from == TYPE_BF16X2 || from >= TYPE_F32X2 ||
                   to == TYPE_F16X2 || to == TYPE_BF16X2 || to >= TYPE_F32X2 || from == TYPE_TF32))
        return false;
    count_operands(parser, statement, 2);
    a = cushim__ptx_use(parser, statement, &statement->operands[1], cushim__ptx_type_row(from));
    result = cushim__ptx_result(parser, &statement->operands[0], row);
    made = cushim__ptx_emit(parser, statement, DO_CONVERT);
    made->bytes = is_wide(row) ? 8 : 4;
    made->type = (uint8_t)to;
    made->sub = (uint8_t)from;
    made->count = opcode->integer_rounding;
    made->rounding = (uint8_t)opcode->rounding;
    made->flags |= opcode->flags;
    made->a = a;
    made->d = result;
    if (to == TYPE_S8 || to == TYPE_S16) {
        const unsigned bits = to == TYPE_S8 ? 8 : 16;

        part(parser, statement, result, result, 0, bits, false);
        parser->body.code[parser->body.count - 1].flags |= FLAG_SIGNED;
        cushim__ptx_finish(parser, statement, &statement->operands[0], result, row, true, 32);
    } else {
        cushim__ptx_finish(parser, statement, &statement->operands[0], result, row,
                           cushim__ptx_type_signed(to), 32);
    }
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
    count_operands(parser, statement, 5);
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
    count_operands(parser, statement, 6);
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
    count_operands(parser, statement, mad ? 4 : 3);
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
    count_operands(parser, statement, adds ? 4 : 3);
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

static bool select_computing(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const char *const base = opcode->base;
    static const char *const logic[] = {"and", "or", "xor", "not"};

    for (int i = 0; i < 4; i++) {
        if (opcode->types[0] == TYPE_PRED && strcmp(base, logic[i]) == 0)
            return select_logic(parser, statement, (enum ptx_logic)i);
    }
    if (strcmp(base, "mov") == 0)
        return select_mov(parser, statement);
    if (strcmp(base, "cvt") == 0)
        return select_cvt(parser, statement);
    if (strcmp(base, "setp") == 0 || strcmp(base, "set") == 0)
        return select_compare(parser, statement) || select_compare_pair(parser, statement);
    if (strcmp(base, "selp") == 0)
        return select_selp(parser, statement);
    if (strcmp(base, "testp") == 0)
        return select_testp(parser, statement);
    if (strcmp(base, "lop3") == 0 && opcode->words[0])
        return select_lop3_predicate(parser, statement);
    if (strcmp(base, "lop3") == 0 || strcmp(base, "bfi") == 0)
        return select_four(parser, statement);
    if (cushim__ptx_opcode_has(opcode, "cc") || strcmp(base, "addc") == 0 ||
        strcmp(base, "subc") == 0 || strcmp(base, "madc") == 0)
        return select_carry(parser, statement);
    if (strcmp(base, "vadd") == 0 || strcmp(base, "vsub") == 0)
        return select_video(parser, statement);
    return select_row(parser, statement) || select_half(parser, statement);
}

void cushim__ptx_select(struct ptx_parser *parser, struct ptx_statement *statement)
{
    if (!cushim__ptx_select_memory(parser, statement) &&
        !cushim__ptx_select_control(parser, statement) && !select_computing(parser, statement))
        cushim__ptx_refuse(parser, statement, "");
}
