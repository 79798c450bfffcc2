/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction selection: comparisons, choices, moves and conversions. */
#include "src/ptx/text/parser.h"

#include <string.h>

static void move(const struct ptx_statement *statement, uint32_t to, uint32_t from, unsigned bytes)
{
    cushim__ptx_emit_on(statement, bytes == 8 ? DO_MOVE64 : DO_MOVE32, to, from, PTX_UNUSED);
}

/* Append the combination of `low` and, above it, `high`, each of `bits` bits. */
static void combine(const struct ptx_statement *statement, uint32_t to, uint32_t low, uint32_t high,
                    unsigned bits)
{
    struct ptx_instruction *made = cushim__ptx_emit_on(statement, DO_COMBINE, to, low, high);

    made->count = (uint8_t)bits;
    made->bytes = bits == 32 ? 8 : 4;
}

/* Append the extraction of `bits` bits from bit `shift` on. */
static void part(const struct ptx_statement *statement, uint32_t to, uint32_t from, unsigned shift,
                 unsigned bits, unsigned flags)
{
    struct ptx_instruction *made = cushim__ptx_emit_on(statement, DO_PART, to, from, PTX_UNUSED);

    made->sub = (uint8_t)shift;
    made->count = (uint8_t)bits;
    made->flags |= flags;
}

/* --- comparisons and choices --- */

static bool compare_one(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool sets = strcmp(opcode->base, "set") == 0;
    const enum ptx_type type = opcode->types[sets ? 1 : 0];
    const enum ptx_row row = cushim__ptx_types[type].row;
    const ptx_compare compare =
        opcode->of[COMPARISON] < 0
            ? NULL
            : cushim__ptx_comparison(type, (enum ptx_comparison)opcode->of[COMPARISON]);
    const char rows[] = {sets ? ROW_WORD : ROW_PREDICATE, (char)row, (char)row,
                         opcode->of[LOGIC] >= 0 ? ROW_PREDICATE : '\0', '\0'};
    struct ptx_instruction *made;

    if (!compare || opcode->words[0] || (sets && opcode->type_count != 2))
        return false;
    if (statement->has_pair && (type == TYPE_F16 || type == TYPE_BF16))
        cushim__ptx_fail(statement->parser, "setp of one f16 or bf16 has one result");
    made = cushim__ptx_emit_rows(statement, sets ? DO_SET : DO_COMPARE, rows);
    made->compare = compare;
    made->sub = (uint8_t)(opcode->of[LOGIC] < 0 ? LOGIC_MOVE : opcode->of[LOGIC]);
    made->flags |= type == TYPE_F32 || type == TYPE_F16 ? opcode->flags & FLAG_FTZ : 0;
    made->count = type == TYPE_F16;
    if (!sets) {
        if (statement->has_pair)
            made->e = cushim__ptx_result(statement, &statement->second, ROW_PREDICATE);
        return true;
    }
    made->type = (uint8_t)opcode->types[0];
    return cushim__ptx_types[opcode->types[0]].bytes <= 4 && made->d == statement->operands[0].reg;
}

/* Compare the halves of an f16x2 or bf16x2 one by one. Only the final results are guarded. */
static bool select_compare(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool sets = strcmp(opcode->base, "set") == 0;
    const enum ptx_type pair = opcode->types[sets ? 1 : 0];
    const enum ptx_type type = pair == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    struct ptx_statement plain = *statement;
    uint32_t sources[2], results[2];

    if (pair != TYPE_F16X2 && pair != TYPE_BF16X2)
        return compare_one(statement);
    if (opcode->of[COMPARISON] < 0 || opcode->words[0] ||
        (sets ? opcode->types[0] != pair : !statement->has_pair))
        return false;
    plain.guard = PTX_UNUSED;
    plain.has_pair = false;
    plain.opcode.types[0] = plain.opcode.types[1] = type;
    cushim__ptx_count_operands(statement, opcode->of[LOGIC] >= 0 ? 4 : 3);
    for (unsigned i = 0; i < 2; i++)
        sources[i] = cushim__ptx_use(&plain, &statement->operands[i + 1], ROW_WORD);
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t reg = cushim__ptx_register_new(statement, ROW_WORD);

            part(&plain, reg, sources[i], 16 * half, 16, 0);
            plain.operands[i + 1] = (struct ptx_operand){.kind = OPERAND_REGISTER, .reg = reg};
        }
        results[half] = cushim__ptx_register_new(statement, sets ? ROW_WORD : ROW_PREDICATE);
        plain.operands[0] = (struct ptx_operand){.kind = OPERAND_REGISTER, .reg = results[half]};
        compare_one(&plain);
    }
    if (sets) {
        combine(statement, cushim__ptx_result(statement, &statement->operands[0], ROW_WORD),
                results[0], results[1], 16);
    } else {
        /* If the guard is one of the results, that result is written last. */
        const bool first = statement->operands[0].kind == OPERAND_REGISTER &&
                           statement->operands[0].reg == statement->guard;

        for (unsigned i = 0; i < 2; i++) {
            const bool high = first != i;
            const uint32_t result = cushim__ptx_result(
                statement, high ? &statement->second : &statement->operands[0], ROW_PREDICATE);

            cushim__ptx_emit_on(statement, DO_LOGIC, result, results[high], PTX_UNUSED)->sub =
                LOGIC_MOVE;
        }
    }
    return true;
}

static bool select_testp(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const ptx_compare compare =
        opcode->words[0] ? cushim__ptx_class(opcode->words + 1, opcode->types[0] == TYPE_F64)
                         : NULL;
    const char rows[] = {ROW_PREDICATE, (char)cushim__ptx_types[opcode->types[0]].row, '\0'};
    struct ptx_instruction *made;

    if (!compare)
        return false;
    made = cushim__ptx_emit_rows(statement, DO_COMPARE, rows);
    made->compare = compare;
    made->sub = LOGIC_MOVE;
    made->b = made->a;
    return true;
}

static bool select_selp(struct ptx_statement *statement)
{
    const enum ptx_row row = cushim__ptx_types[statement->opcode.types[0]].row;
    const char rows[] = {(char)row, (char)row, (char)row, ROW_PREDICATE, '\0'};

    if (row == ROW_NONE || row == ROW_PREDICATE)
        return false;
    cushim__ptx_emit_rows(statement, DO_SELECT, rows);
    return true;
}

/* --- moves --- */

/* Select mov.b64 d, {a, b}. The first element is the lowest. */
static bool pack(struct ptx_statement *statement, enum ptx_row row, unsigned bytes)
{
    const struct ptx_operand vector = statement->operands[1];
    unsigned bits = bytes * 8 / vector.count;
    uint32_t parts[8];

    if ((vector.count != 2 && vector.count != 4) || bits < 8 || bits > 32)
        return false;
    for (uint32_t i = 0; i < vector.count; i++) {
        if (vector.elements[i].kind == OPERAND_SINK)
            return false;
        parts[i] =
            cushim__ptx_use(statement, &vector.elements[i], bits == 32 ? ROW_WORD : ROW_HALF);
    }
    for (uint32_t left = vector.count / 2; left > 0; left /= 2, bits *= 2) {
        for (uint32_t i = 0; i < left; i++) {
            const uint32_t to = left > 1
                                    ? cushim__ptx_register_new(statement, ROW_WORD)
                                    : cushim__ptx_result(statement, &statement->operands[0], row);

            if (to == PTX_UNUSED)
                return true;
            combine(statement, to, parts[2 * i], parts[2 * i + 1], bits);
            parts[i] = to;
        }
    }
    cushim__ptx_finish(statement, &statement->operands[0], parts[0], row, false, bytes * 8);
    return true;
}

static bool unpack(struct ptx_statement *statement, enum ptx_row row, unsigned bytes)
{
    const struct ptx_operand vector = statement->operands[0];
    const unsigned bits = bytes * 8 / vector.count;
    uint32_t from;

    if (bits > 32 || bits < 8)
        return false;
    from = cushim__ptx_use(statement, &statement->operands[1], row);
    for (uint32_t i = 0; i < vector.count; i++) {
        const uint32_t to = cushim__ptx_result(statement, &vector.elements[i], ROW_WORD);

        if (to == PTX_UNUSED)
            continue;
        if (to != vector.elements[i].reg)
            return false;
        /* The source register may be one of the elements. */
        if (to == from && i + 1 < vector.count) {
            const uint32_t copy = cushim__ptx_register_new(statement, ROW_WORD);

            move(statement, copy, from, 4);
            from = copy;
        }
        part(statement, to, from, bits * i, bits, bytes == 8 ? FLAG_WIDE_PART : 0);
    }
    return true;
}

/*
 * Move one register or, as in mov.v2.u32, several. All of these are read before the first is
 * written.
 */
static bool move_all(struct ptx_statement *statement, enum ptx_row row, unsigned bytes)
{
    const unsigned count = statement->opcode.of[VECTOR], row_bytes = ptx_is_wide(row) ? 8 : 4;
    const struct ptx_operand *from, *to;
    uint32_t rows[8];

    if (cushim__ptx_elements(&statement->operands[0], &to) != count ||
        cushim__ptx_elements(&statement->operands[1], &from) != count)
        cushim__ptx_fail(statement->parser, "an operand is no vector of %u elements", count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t read = cushim__ptx_use(statement, &from[i], row);

        rows[i] = count > 1 ? cushim__ptx_register_new(statement, row) : read;
        if (count > 1)
            move(statement, rows[i], read, row_bytes);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t result = cushim__ptx_result(statement, &to[i], row);

        if (result == PTX_UNUSED)
            continue;
        move(statement, result, rows[i], row_bytes);
        cushim__ptx_finish(statement, &to[i], result, row, false,
                           from[i].kind == OPERAND_SPECIAL ? 32 : bytes * 8);
    }
    return true;
}

static bool select_mov(struct ptx_statement *statement)
{
    const enum ptx_row row = cushim__ptx_types[statement->opcode.types[0]].row;
    const unsigned bytes = cushim__ptx_types[statement->opcode.types[0]].bytes;
    const bool is_vector = statement->opcode.of[VECTOR] > 1;

    if (row == ROW_NONE || statement->opcode.words[0])
        return false;
    cushim__ptx_count_operands(statement, 2);
    if (row == ROW_PREDICATE) {
        cushim__ptx_emit_rows(statement, DO_LOGIC, "pp")->sub = LOGIC_MOVE;
        return true;
    }
    if (!is_vector && statement->operands[1].kind == OPERAND_VECTOR)
        return pack(statement, row, bytes);
    if (!is_vector && statement->operands[0].kind == OPERAND_VECTOR)
        return unpack(statement, row, bytes);
    return move_all(statement, row, bytes);
}

/* --- conversions --- */

static bool select_cvt(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_type to = opcode->types[0], from = opcode->types[1];
    const enum ptx_row row = cushim__ptx_types[to].row;
    /* `pair`: from two f32 to two numbers. `eight`: between f16x2 and two numbers of 8 bits. */
    const bool pair = from == TYPE_F32 && (to == TYPE_F16X2 || to == TYPE_BF16X2 ||
                                           to == TYPE_E4M3X2 || to == TYPE_E5M2X2);
    const bool eight = to == TYPE_E4M3X2 || to == TYPE_E5M2X2
                           ? from == TYPE_F16X2
                           : to == TYPE_F16X2 && from >= TYPE_E4M3X2;
    const char rows[] = {(char)row, (char)cushim__ptx_types[from].row, pair ? ROW_FLOAT : '\0',
                         '\0'};
    struct ptx_instruction *made;
    uint32_t result;

    if (opcode->words[0] || opcode->type_count != 2 || row == ROW_NONE || row == ROW_PREDICATE)
        return false;
    if (!pair && !eight &&
        (from == TYPE_F16X2 || from == TYPE_BF16X2 || from >= TYPE_F32X2 || to == TYPE_F16X2 ||
         to == TYPE_BF16X2 || to >= TYPE_F32X2 || from == TYPE_TF32 || to == TYPE_TF32))
        return false;
    made = cushim__ptx_emit_rows(statement, pair ? DO_CONVERT_PAIR : DO_CONVERT, rows);
    made->type = (uint8_t)to;
    made->sub = (uint8_t)from;
    made->count = opcode->of[INTEGER_ROUNDING] != ROUND_DEFAULT;
    made->rounding = (uint8_t)opcode->of[ROUNDING];
    made->flags |= opcode->flags;
    result = made->d;
    if (to == TYPE_S8 || to == TYPE_S16)
        part(statement, result, result, 0, to == TYPE_S8 ? 8 : 16, FLAG_SIGNED);
    cushim__ptx_finish(statement, &statement->operands[0], result, row,
                       cushim__ptx_types[to].is_signed, pair ? 16 : 32);
    return true;
}

const struct ptx_selector cushim__ptx_select_move[] = {
    {"mov", select_mov, 0},
    {"cvt", select_cvt, 0},
    {"setp", select_compare, 0},
    {"set", select_compare, 0},
    {"selp", select_selp, 0},
    {"testp", select_testp, 0},
    {0},
};
