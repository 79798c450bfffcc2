/* SPDX-License-Identifier: Apache-2.0 */
/* Append instructions: operands become rows, and results go to registers. */
#include "src/ptx/text/parser.h"

#include <string.h>

struct ptx_instruction *cushim__ptx_emit(const struct ptx_statement *statement,
                                         enum ptx_handler handler)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_body *body = &parser->body;
    struct ptx_instruction *made;

    PTX_GROW(parser, body->code, body->count);
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
        .line = parser->statement_line,
    };
    return made;
}

struct ptx_instruction *cushim__ptx_emit_on(const struct ptx_statement *statement,
                                            enum ptx_handler handler, uint32_t d, uint32_t a,
                                            uint32_t b)
{
    struct ptx_instruction *made = cushim__ptx_emit(statement, handler);

    made->d = d;
    made->a = a;
    made->b = b;
    return made;
}

uint32_t cushim__ptx_list_add(struct ptx_parser *parser, uint32_t value)
{
    struct ptx_program *program = parser->program;

    PTX_GROW(parser, program->lists, program->list_count);
    program->lists[program->list_count] = value;
    return program->list_count++;
}

void cushim__ptx_note(struct ptx_parser *parser, uint32_t **list, uint32_t *count, uint32_t value)
{
    for (uint32_t i = 0; i < *count; i++) {
        if ((*list)[i] == value)
            return;
    }
    PTX_GROW(parser, *list, *count);
    (*list)[(*count)++] = value;
}

/* Append a row of the tables, on registers that have the sizes of its operands. */
static void emit_row(const struct ptx_statement *statement, const char *name, uint32_t d,
                     uint32_t a, uint32_t b)
{
    const struct ptx_alu *row = cushim__ptx_alu_find(statement->parser->program->names, name);
    const bool wide = ptx_is_wide((enum ptx_row)row->signature[0]);

    cushim__ptx_emit_on(statement, wide ? DO_LANES64 : DO_LANES32, d, a, b)->lanes = row->lanes;
}

/* Return a constant in the pool, an equal one if there is one among the last. */
uint32_t cushim__ptx_constant(const struct ptx_statement *statement, uint64_t value,
                              enum ptx_row row)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_program *program = parser->program;
    const uint32_t size = ptx_is_wide(row) ? PTX_WIDE_ROW : PTX_ROW;
    const uint32_t end = program->constant_bytes, window = 64 * PTX_WIDE_ROW;
    uint64_t lanes[PTX_LANES];

    if (row == ROW_HALF)
        value &= 0xffff;
    if (row == ROW_PREDICATE)
        value = value ? PTX_ALL_LANES : 0;
    if (!ptx_is_wide(row))
        value = value << 32 | (value & UINT32_MAX);
    for (unsigned i = 0; i < PTX_LANES; i++)
        lanes[i] = value;
    for (uint32_t at = end > window ? end - window : 0; at + size <= end; at += PTX_ROW) {
        if (memcmp(program->constants + at, lanes, size) == 0)
            return PTX_CONSTANT | at;
    }
    if (end > PTX_CONSTANT / 2)
        cushim__ptx_no_memory(parser);
    for (uint32_t i = 0; i < size; i += PTX_ROW) {
        program->constants = cushim__ptx_grow(parser, program->constants,
                                              program->constant_bytes / PTX_ROW, PTX_ROW);
        memcpy(program->constants + program->constant_bytes, lanes, PTX_ROW);
        program->constant_bytes += PTX_ROW;
    }
    return PTX_CONSTANT | end;
}

static uint64_t literal(const struct ptx_operand *operand, enum ptx_row row)
{
    const bool is_integer = operand->kind == OPERAND_INTEGER;
    const double real = is_integer ? (double)(int64_t)operand->integer : operand->real;

    if (is_integer ? row != ROW_FLOAT && row != ROW_DOUBLE : operand->single)
        return operand->integer;
    return row == ROW_DOUBLE || (row == ROW_LONG && !is_integer) ? ptx_bits64(real)
                                                                 : ptx_bits32((float)real);
}

/* Append the address of a symbol, in a row of 8-byte or 4-byte values. */
static uint32_t address_of(const struct ptx_statement *statement, const struct ptx_operand *operand,
                           enum ptx_row row)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_program *program = parser->program;
    const struct ptx_symbol *symbol = operand->symbol;
    const uint32_t result =
        cushim__ptx_register_new(statement, ptx_is_wide(row) ? ROW_LONG : ROW_WORD);
    struct ptx_function *function = &program->functions[parser->body.function];
    struct ptx_instruction *made = cushim__ptx_emit(statement, DO_ADDRESS);

    made->d = result;
    made->sub = (uint8_t)symbol->kind;
    made->bytes = ptx_is_wide(row) ? 8 : 4;
    made->target = symbol->index;
    made->immediate = (int64_t)(operand->integer + symbol->offset);
    made->guarded = false;
    made->guard = PTX_UNUSED;
    if (symbol->kind == SYMBOL_SHARED) {
        cushim__ptx_note(parser, &function->shared, &function->shared_count, symbol->index);
    } else if (symbol->kind == SYMBOL_FUNCTION) {
        program->functions[symbol->index].address_taken = true;
        made->immediate = (int64_t)(ptx_function_address(symbol->index) + operand->integer);
    } else if (symbol->kind > SYMBOL_PARAM) {
        cushim__ptx_fail(parser, "'%.*s' has no address", ptx_shown(symbol->name),
                         symbol->name.start);
    }
    return result;
}

uint32_t cushim__ptx_use(const struct ptx_statement *statement, const struct ptx_operand *operand,
                         enum ptx_row row)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_instruction *made;
    uint32_t from = operand->reg, result;
    unsigned bytes;

    switch (operand->kind) {
    case OPERAND_INTEGER:
    case OPERAND_REAL:
        return cushim__ptx_constant(statement, literal(operand, row), row);
    case OPERAND_SYMBOL:
        return address_of(statement, operand, row);
    case OPERAND_SPECIAL:
        bytes = cushim__ptx_special_bytes(operand->special);
        from = cushim__ptx_register_new(statement, bytes == 8 ? ROW_LONG : ROW_WORD);
        made = cushim__ptx_emit_on(statement, DO_SPECIAL, from, PTX_UNUSED, PTX_UNUSED);
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
    if (bytes == 1 || (bytes == 8) == ptx_is_wide(row))
        return from;
    result = cushim__ptx_register_new(statement, bytes == 8 ? ROW_WORD : ROW_LONG);
    emit_row(statement, bytes == 8 ? "cvt.u32.u64" : "cvt.u64.u32", result, from, PTX_UNUSED);
    return result;
}

uint32_t cushim__ptx_result(const struct ptx_statement *statement,
                            const struct ptx_operand *operand, enum ptx_row row)
{
    struct ptx_parser *const parser = statement->parser;
    const unsigned bytes = row == ROW_PREDICATE ? 1 : ptx_is_wide(row) ? 8 : 4;

    if (operand->kind == OPERAND_SINK)
        return PTX_UNUSED;
    if (operand->kind != OPERAND_REGISTER)
        cushim__ptx_fail(parser, "the destination is not a register");
    if ((bytes == 1) != (parser->body.registers[operand->reg].bytes == 1))
        cushim__ptx_fail(parser, "the destination has another type than the instruction");
    if (parser->body.registers[operand->reg].bytes == bytes)
        return operand->reg;
    return cushim__ptx_register_new(statement, row);
}

uint32_t cushim__ptx_elements(const struct ptx_operand *operand,
                              const struct ptx_operand **elements)
{
    const bool is_vector = operand->kind == OPERAND_VECTOR;

    *elements = is_vector ? operand->elements : operand;
    return is_vector ? operand->count : 1;
}

struct ptx_place cushim__ptx_place(const struct ptx_statement *statement,
                                   const struct ptx_operand *operand, enum ptx_space space)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_place place = {.base = operand->reg, .offset = (int64_t)operand->integer};
    const struct ptx_symbol *symbol = operand->symbol;

    if (operand->kind != OPERAND_ADDRESS)
        cushim__ptx_fail(parser, "an address in brackets expected");
    place.space = space;
    if (space == PTX_PARAM && !parser->body.kernel)
        place.space = PTX_LOCAL_SPACE;
    if (space == PTX_CONST)
        place.space = PTX_GLOBAL;
    if (symbol && (symbol->kind == SYMBOL_LOCAL || symbol->kind == SYMBOL_PARAM)) {
        place.space = symbol->kind == SYMBOL_LOCAL ? PTX_LOCAL_SPACE : PTX_PARAM;
        place.how = symbol->kind == SYMBOL_LOCAL ? ADDRESS_IN_FRAME : 0;
        place.offset += (int64_t)symbol->offset;
        return place;
    }
    if (symbol) {
        struct ptx_operand address = *operand;

        address.kind = OPERAND_SYMBOL;
        address.integer = 0;
        if (symbol->kind == SYMBOL_SHARED && space == PTX_GENERIC)
            place.space = PTX_SHARED;
        place.base =
            cushim__ptx_use(statement, &address, place.space == PTX_SHARED ? ROW_WORD : ROW_LONG);
        place.how = place.space == PTX_SHARED ? 0 : ADDRESS_WIDE;
    } else if (place.base != PTX_UNUSED) {
        const uint8_t bytes = parser->body.registers[place.base].bytes;

        if (bytes == 1)
            cushim__ptx_fail(parser, "a predicate is no address");
        place.how = bytes == 8 ? ADDRESS_WIDE : 0;
    }
    return place;
}

struct ptx_instruction *cushim__ptx_emit_at(const struct ptx_statement *statement,
                                            enum ptx_handler handler, struct ptx_place place)
{
    struct ptx_instruction *made = cushim__ptx_emit(statement, handler);

    made->a = place.base;
    made->immediate = place.offset;
    made->sub = (uint8_t)place.space;
    made->other = place.how;
    return made;
}

struct ptx_instruction *cushim__ptx_emit_rows(const struct ptx_statement *statement,
                                              enum ptx_handler handler, const char *rows)
{
    const bool returns = rows[0] != ROW_NO_RESULT;
    const struct ptx_operand *operand = statement->operands + (returns ? 1 : 0);
    uint32_t sources[4] = {PTX_UNUSED, PTX_UNUSED, PTX_UNUSED, PTX_UNUSED};
    uint32_t result = PTX_UNUSED, list = 0;
    struct ptx_place place = {0};
    struct ptx_instruction *made;
    unsigned count = 0;
    uint64_t number = 0;

    cushim__ptx_count_operands(statement, (unsigned)strlen(rows) - (returns ? 0 : 1));
    for (unsigned i = 1; rows[i]; i++, operand++) {
        switch (rows[i]) {
        case ROW_NUMBER:
            if (operand->kind != OPERAND_INTEGER)
                cushim__ptx_fail(statement->parser, "the table of %s is not a constant",
                                 statement->opcode.base);
            number = operand->integer;
            break;
        case ROW_ADDRESS:
            place = cushim__ptx_place(statement, operand, statement->opcode.of[SPACE]);
            sources[count++] = place.base;
            break;
        case ROW_MASK:
            list = cushim__ptx_list_add(statement->parser,
                                        cushim__ptx_use(statement, operand, ROW_WORD));
            break;
        default:
            sources[count++] = cushim__ptx_use(statement, operand, (enum ptx_row)rows[i]);
        }
    }
    if (returns)
        result = cushim__ptx_result(statement, &statement->operands[0], (enum ptx_row)rows[0]);
    made = cushim__ptx_emit_at(statement, handler, place);
    made->bytes = ptx_is_wide((enum ptx_row)rows[0]) ? 8 : 4;
    made->count = (uint8_t)number;
    made->list = list;
    if (count >= 3 && rows[3] == ROW_PREDICATE && statement->operands[3].negated)
        made->flags |= FLAG_NEGATED_SOURCE;
    made->d = result;
    made->a = sources[0];
    made->b = sources[1];
    made->c = sources[2];
    made->e = sources[3];
    return made;
}

/*
 * Extend or cut a result to the size of its register. The bits above a register of 16 bits are
 * cleared.
 */
void cushim__ptx_finish(const struct ptx_statement *statement, const struct ptx_operand *operand,
                        uint32_t result, enum ptx_row row, bool is_signed, unsigned bits)
{
    const struct ptx_register *to;

    if (operand->kind == OPERAND_SINK || row == ROW_PREDICATE)
        return;
    to = &statement->parser->body.registers[operand->reg];
    if (result != operand->reg)
        emit_row(statement,
                 to->bytes != 8 ? "cvt.u32.u64"
                 : is_signed    ? "cvt.s64.s32"
                                : "cvt.u64.u32",
                 operand->reg, result, PTX_UNUSED);
    if (to->bytes == 4 && to->bits < 32 && to->bits < bits) {
        const uint32_t mask =
            cushim__ptx_constant(statement, (UINT64_C(1) << to->bits) - 1, ROW_WORD);

        emit_row(statement, "and.b32", operand->reg, operand->reg, mask);
    }
}

void cushim__ptx_count_operands(const struct ptx_statement *statement, unsigned count)
{
    if (statement->operand_count != count)
        cushim__ptx_fail(statement->parser, "%s has %u operands", statement->opcode.base, count);
}
