/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction selection: memory, addresses and textures. */
#include "src/ptx/text/parser.h"

#include <string.h>

/* Select a load or store. The elements of a vector are consecutive in memory. */
static bool select_transfer(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool loads = opcode->base[0] == 'l';
    const struct ptx_type_facts type = cushim__ptx_types[opcode->types[0]];
    const struct ptx_operand *parts;
    uint32_t rows[8], count, list = 0;
    struct ptx_instruction *made;
    struct ptx_place place;

    if (opcode->type_count != 1 || type.row == ROW_NONE || type.row == ROW_PREDICATE ||
        (opcode->words[0] && strcmp(opcode->words, ".L2::cache_hint") != 0) ||
        statement->operand_count < 2)
        return false;
    count = cushim__ptx_elements(&statement->operands[loads ? 0 : 1], &parts);
    if (count != (uint32_t)opcode->of[VECTOR])
        cushim__ptx_fail(parser, "the %s does not have %d elements",
                         loads ? "destination" : "source", opcode->of[VECTOR]);
    place = cushim__ptx_place(statement, &statement->operands[loads ? 1 : 0], opcode->of[SPACE]);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = loads ? cushim__ptx_result(statement, &parts[i], type.row)
                        : cushim__ptx_use(statement, &parts[i], type.row);
        list = cushim__ptx_list_add(parser, rows[i]);
    }
    made = cushim__ptx_emit_at(statement, loads ? DO_LOAD : DO_STORE, place);
    made->flags |= opcode->flags & (FLAG_STRONG | FLAG_RELEASE);
    made->flags |= loads && type.is_signed ? FLAG_SIGNED : 0;
    made->list = list + 1 - count;
    made->count = (uint8_t)count;
    made->bytes = type.bytes;
    for (uint32_t i = 0; loads && i < count; i++)
        cushim__ptx_finish(statement, &parts[i], rows[i], type.row, type.is_signed,
                           type.is_signed ? 32 : type.bytes * 8);
    return true;
}

static const struct {
    const char *word;
    enum ptx_atomic operation;
    const char *types;
} atomics[] = {
    {".add", ATOMIC_ADD, ".u32.s32.u64.s64.f32.f64.f16.bf16.f16x2.bf16x2"},
    {".min", ATOMIC_MIN, ".u32.s32.u64.s64"},
    {".max", ATOMIC_MAX, ".u32.s32.u64.s64"},
    {".inc", ATOMIC_INC, ".u32"},
    {".dec", ATOMIC_DEC, ".u32"},
    {".and", ATOMIC_AND, ".b32.b64.u32.s32.u64.s64"},
    {".or", ATOMIC_OR, ".b32.b64.u32.s32.u64.s64"},
    {".xor", ATOMIC_XOR, ".b32.b64.u32.s32.u64.s64"},
    {".exch", ATOMIC_EXCH, ".b32.b64.u32.s32.f32.u64.s64.f64"},
    {".cas", ATOMIC_CAS, ".b16.b32.b64.u32.s32.f32.u64.s64.f64"},
};

static bool select_atomic(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool returns = opcode->base[0] == 'a';
    const enum ptx_type type = opcode->types[0];
    const enum ptx_row row = cushim__ptx_types[type].row;
    const char rows[] = {returns ? (char)row : ROW_NO_RESULT, ROW_ADDRESS, (char)row,
                         strcmp(opcode->words, ".cas") == 0 ? (char)row : '\0', '\0'};
    struct ptx_instruction *made;
    size_t i = 0;

    while (i < sizeof atomics / sizeof *atomics && strcmp(atomics[i].word, opcode->words) != 0)
        i++;
    if (i == sizeof atomics / sizeof *atomics || opcode->type_count != 1 ||
        opcode->of[VECTOR] != 1 || !cushim__ptx_has(atomics[i].types, cushim__ptx_types[type].name))
        return false;
    if (statement->operand_count != strlen(rows) - (returns ? 0 : 1))
        cushim__ptx_fail(statement->parser, "%s has another number of operands", opcode->base);
    made = cushim__ptx_emit_rows(statement, DO_ATOMIC, rows);
    made->flags |= opcode->flags & (FLAG_STRONG | FLAG_RELEASE);
    made->count = (uint8_t)atomics[i].operation;
    made->type = (uint8_t)type;
    made->bytes = cushim__ptx_types[type].bytes;
    return made->d == PTX_UNUSED || made->d == statement->operands[0].reg;
}

/* --- mbarrier and cp.async --- */

/*
 * The forms of these instructions; a final word operand is optional. Copies complete at once, so a
 * wait for them does nothing, and an arrival upon their completion happens at once, if the barrier
 * expects it.
 */
static const struct {
    const char *words, *rows;
    enum ptx_mbarrier operation;
} forms[] = {
    {".init", "-aw", MBARRIER_INIT},
    {".inval", "-a", MBARRIER_INVALIDATE},
    {".arrive", "law", MBARRIER_ARRIVE},
    {".arrive.noComplete", "law", MBARRIER_ARRIVE},
    {".arrive_drop", "law", MBARRIER_DROP},
    {".arrive_drop.noComplete", "law", MBARRIER_DROP},
    {".test_wait", "pal", MBARRIER_WAIT},
    {".try_wait", "palw", MBARRIER_WAIT},
    {".test_wait.parity", "paw", MBARRIER_WAIT_PARITY},
    {".try_wait.parity", "paww", MBARRIER_WAIT_PARITY},
    {".pending_count", "wl", MBARRIER_PENDING},
    {".async.mbarrier.arrive.noinc", "-a", MBARRIER_COPIES_ARRIVE},
    {".async.mbarrier.arrive", NULL, 0},
    {".async.commit_group", NULL, 0},
    {".async.wait_group", NULL, 0},
    {".async.wait_all", NULL, 0},
};

static bool select_form(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    struct ptx_instruction *made;
    size_t i = 0, last;
    char form[8] = "";

    while (i < sizeof forms / sizeof *forms && strcmp(opcode->words, forms[i].words) != 0)
        i++;
    if (i == sizeof forms / sizeof *forms)
        return false;
    if (!forms[i].rows) {
        cushim__ptx_emit(statement, DO_NOTHING);
        return true;
    }
    if (opcode->type_count != 1 || opcode->types[0] != TYPE_B64)
        return false;
    strcpy(form, forms[i].rows);
    last = strlen(form) - 1;
    if (form[last] == ROW_WORD && statement->operand_count + (form[0] == ROW_NO_RESULT) == last)
        form[last] = '\0';
    made = cushim__ptx_emit_rows(statement, DO_MBARRIER, form);
    made->type = (uint8_t)forms[i].operation;
    if (forms[i].operation == MBARRIER_PENDING) {
        made->b = made->a;
        made->a = PTX_UNUSED;
    }
    if (made->b == PTX_UNUSED)
        made->b = cushim__ptx_constant(statement, 1, ROW_WORD);
    return made->d == PTX_UNUSED || made->d == statement->operands[0].reg;
}

/* Select cp.async [shared], [global], size, read size. The copy completes at once. */
static bool select_copy(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    struct ptx_instruction *made;
    struct ptx_place to, from;
    uint32_t size = PTX_UNUSED;
    const bool hinted = strcmp(opcode->words, ".async.L2::cache_hint") == 0;
    /* The last operand is a cache policy in this case, which has no meaning here. */
    const unsigned count = statement->operand_count - (hinted ? 1 : 0);

    if (select_form(statement))
        return true;
    if ((!hinted && strcmp(opcode->words, ".async") != 0) ||
        statement->operand_count < (hinted ? 4 : 3) ||
        statement->operands[2].kind != OPERAND_INTEGER || statement->operands[2].integer > 16)
        return false;
    /* A predicate would say whether to ignore the source. */
    if (count == 4 && statement->operands[3].kind == OPERAND_REGISTER &&
        statement->parser->body.registers[statement->operands[3].reg].bytes == 1)
        return false;
    if (count == 4)
        size = cushim__ptx_use(statement, &statement->operands[3], ROW_WORD);
    to = cushim__ptx_place(statement, &statement->operands[0], PTX_SHARED);
    from = cushim__ptx_place(statement, &statement->operands[1], PTX_GLOBAL);
    made = cushim__ptx_emit_at(statement, DO_COPY_ASYNC, from);
    made->d = to.base;
    made->type = to.how;
    made->target = (uint32_t)to.offset;
    made->b = size;
    made->count = made->bytes = (uint8_t)statement->operands[2].integer;
    return true;
}

static bool select_address(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool asks = strcmp(opcode->base, "isspacep") == 0;
    struct ptx_instruction *made;

    if (!opcode->of[SPACE] || statement->operand_count != 2 ||
        (!asks && cushim__ptx_types[opcode->types[0]].bytes == 4) ||
        (opcode->words[0] && (asks || strcmp(opcode->words, ".to") != 0)))
        return false;
    made = cushim__ptx_emit_rows(statement, asks ? DO_ISSPACE : DO_CVTA, asks ? "pl" : "ll");
    made->sub = (uint8_t)opcode->of[SPACE];
    made->count = cushim__ptx_has(opcode->words, "to");
    return true;
}

static bool select_policy(struct ptx_statement *statement)
{
    if (statement->operand_count == 0)
        return false;
    cushim__ptx_emit_on(statement, DO_MOVE64,
                        cushim__ptx_result(statement, &statement->operands[0], ROW_LONG),
                        cushim__ptx_constant(statement, 0, ROW_LONG), PTX_UNUSED);
    return true;
}

/* --- textures and surfaces --- */

/* Whether texture.c executes the instruction. */
static bool is_done(const struct ptx_opcode *opcode, enum ptx_texture_operation *operation)
{
    const char *const base = opcode->base;
    const enum ptx_type type = opcode->types[0];
    const int geometry = opcode->of[GEOMETRY];
    const bool flat = geometry > 0 && !(geometry & GEOMETRY_CUBE);

    if (base[0] == 't' && base[2] != 'q') {
        const bool gathers = strcmp(base, "tld4") == 0;

        *operation = gathers ? TEXTURE_GATHER : TEXTURE_FETCH;
        if (opcode->of[VECTOR] != 4 || opcode->type_count != 2 ||
            (type != TYPE_U32 && type != TYPE_S32 && type != TYPE_F32))
            return false;
        if (gathers)
            return flat && (geometry & GEOMETRY_EXTENTS) == 2 && opcode->types[1] == TYPE_F32;
        return geometry && (opcode->types[1] == TYPE_F32 || (opcode->types[1] == TYPE_S32 && flat));
    }
    if (base[2] == 'q') {
        *operation = TEXTURE_QUERY;
        return opcode->of[PROPERTY] && type == TYPE_B32;
    }
    *operation = base[2] == 'l' ? SURFACE_LOAD : SURFACE_STORE;
    return flat && opcode->type_count == 1 && opcode->of[UNFORMATTED] &&
           (type == TYPE_B8 || type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64);
}

/*
 * Add the rows that say which level is read: a level, or two gradients with an element for each
 * extent. Returns the number of rows.
 */
static unsigned level_rows(struct ptx_statement *statement, uint32_t *rows)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool whole = opcode->type_count > 1 && opcode->types[1] != TYPE_F32;
    const unsigned operands = (unsigned)opcode->of[MORE];
    const unsigned each =
        operands == LEVEL_OF_GRADIENTS ? (unsigned)opcode->of[GEOMETRY] & GEOMETRY_EXTENTS : 1;
    const struct ptx_operand *parts;

    for (unsigned i = 0; i < operands; i++) {
        if (cushim__ptx_elements(&statement->operands[2 + i], &parts) < each)
            cushim__ptx_fail(statement->parser, "a gradient has fewer elements than the geometry");
        for (unsigned j = 0; j < each; j++)
            *rows++ = cushim__ptx_use(statement, &parts[j],
                                      whole || opcode->of[PROPERTY] ? ROW_WORD : ROW_FLOAT);
    }
    return operands * each;
}

/*
 * Select `d, [handle, {x, y}]`, which a level or two gradients may follow, or the store
 * `[handle, {x, y}], a`.
 */
static bool select_texture(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool stores = strcmp(opcode->base, "sust") == 0;
    const struct ptx_type_facts type = cushim__ptx_types[opcode->types[0]];
    struct ptx_operand texture = statement->operands[stores ? 0 : 1];
    const struct ptx_operand *values;
    unsigned coordinates, count;
    uint32_t rows[16], handle; /* 4 coordinates, 6 of gradients, 4 values */
    enum ptx_texture_operation operation;
    struct ptx_instruction *made;

    if (opcode->words[0] || !is_done(opcode, &operation) || statement->has_pair ||
        statement->operand_count != 2 + (unsigned)opcode->of[MORE] ||
        texture.kind != (operation == TEXTURE_QUERY ? OPERAND_ADDRESS : OPERAND_TEXTURE))
        return false;
    count = cushim__ptx_elements(&statement->operands[stores ? 1 : 0], &values);
    if (count > 4 || texture.count > 4)
        cushim__ptx_fail(parser, "the vector has too many elements");
    if (count != (unsigned)opcode->of[VECTOR])
        cushim__ptx_fail(parser, "%s has a vector of %u elements", opcode->base,
                         (unsigned)opcode->of[VECTOR]);
    coordinates = operation == TEXTURE_QUERY ? 0 : ptx_coordinates((unsigned)opcode->of[GEOMETRY]);
    if (texture.count < coordinates)
        cushim__ptx_fail(parser, "there are fewer coordinates than the geometry has");
    texture.kind = texture.symbol              ? OPERAND_SYMBOL
                   : texture.reg != PTX_UNUSED ? OPERAND_REGISTER
                                               : OPERAND_INTEGER;
    handle = cushim__ptx_use(statement, &texture, ROW_LONG);
    for (unsigned i = 0; i < coordinates; i++)
        rows[i] = cushim__ptx_use(statement, &texture.elements[i],
                                  opcode->types[1] != TYPE_F32 ||
                                          (i == 0 && opcode->of[GEOMETRY] & GEOMETRY_LAYER)
                                      ? ROW_WORD
                                      : ROW_FLOAT);
    coordinates += level_rows(statement, rows + coordinates);
    for (unsigned i = 0; i < count; i++)
        rows[coordinates + i] = stores ? cushim__ptx_use(statement, &values[i], type.row)
                                       : cushim__ptx_result(statement, &values[i], type.row);
    made = cushim__ptx_emit(statement, DO_TEXTURE);
    made->sub = (uint8_t)operation;
    made->other = (uint8_t)opcode->of[GEOMETRY];
    made->rounding = (uint8_t)opcode->of[operation == TEXTURE_GATHER  ? CHANNEL
                                         : operation == TEXTURE_QUERY ? PROPERTY
                                                                      : OUTSIDE];
    made->type = (uint8_t)opcode->of[MORE];
    made->count = (uint8_t)count;
    made->bytes = type.bytes;
    made->flags |= opcode->types[1] == TYPE_S32 ? FLAG_SIGNED : 0;
    made->a = handle;
    made->list = parser->program->list_count;
    for (unsigned i = 0; i < coordinates + count; i++)
        cushim__ptx_list_add(parser, rows[i]);
    for (unsigned i = 0; !stores && i < count; i++)
        cushim__ptx_finish(statement, &values[i], rows[coordinates + i], type.row, false,
                           type.bytes * 8);
    return true;
}

const struct ptx_selector cushim__ptx_select_memory[] = {
    {"ld", select_transfer, 0},
    {"ldu", select_transfer, 0},
    {"st", select_transfer, 0},
    {"atom", select_atomic, 0},
    {"red", select_atomic, 0},
    {"cp", select_copy, 0},
    {"mbarrier", select_form, 0},
    {"cvta", select_address, 0},
    {"isspacep", select_address, 0},
    {"createpolicy", select_policy, 0},
    {"fence", NULL, DO_FENCE},
    {"membar", NULL, DO_FENCE},
    {"prefetch", NULL, DO_NOTHING},
    {"prefetchu", NULL, DO_NOTHING},
    {"applypriority", NULL, DO_NOTHING},
    {"discard", NULL, DO_NOTHING},
    {"tex", select_texture, 0},
    {"tld4", select_texture, 0},
    {"txq", select_texture, 0},
    {"suld", select_texture, 0},
    {"sust", select_texture, 0},
    {"suq", select_texture, 0},
    {0},
};
