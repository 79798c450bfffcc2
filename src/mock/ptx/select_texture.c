/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions on textures and surfaces: from a statement to the internal code. */
#include "src/mock/ptx/parser.h"

#include <string.h>

/* Whether it is one that texture.c executes. */
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

/* `d, [handle, {x, y}]`, or of a store `[handle, {x, y}], a`. What comes after has no meaning. */
bool cushim__ptx_select_texture(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool stores = strcmp(opcode->base, "sust") == 0;
    const enum ptx_row row = cushim__ptx_types[opcode->types[0]].row;
    const unsigned bytes = cushim__ptx_types[opcode->types[0]].bytes;
    struct ptx_operand texture = statement->operands[stores ? 0 : 1];
    const struct ptx_operand *values, *places;
    unsigned coordinates, count;
    uint32_t rows[8], handle;
    enum ptx_texture_operation operation;
    struct ptx_instruction *made;

    if (opcode->words[0] || !is_done(opcode, &operation) || statement->has_pair ||
        statement->operand_count != 2 + (unsigned)opcode->of[MORE] ||
        texture.kind != (operation == TEXTURE_QUERY ? OPERAND_ADDRESS : OPERAND_TEXTURE))
        return false;
    count = cushim__ptx_elements(statement, &statement->operands[stores ? 1 : 0], 4, &values);
    if (count != (unsigned)opcode->of[VECTOR])
        cushim__ptx_fail(parser, "%s has a vector of %u elements", opcode->base,
                         (unsigned)opcode->of[VECTOR]);
    coordinates = operation == TEXTURE_QUERY ? 0 : ptx_coordinates((unsigned)opcode->of[GEOMETRY]);
    if (texture.count < coordinates)
        cushim__ptx_fail(parser, "there are fewer coordinates than the geometry has");
    texture.kind = OPERAND_VECTOR;
    cushim__ptx_elements(statement, &texture, 4, &places);
    texture.kind = texture.symbol              ? OPERAND_SYMBOL
                   : texture.reg != PTX_UNUSED ? OPERAND_REGISTER
                                               : OPERAND_INTEGER;
    handle = cushim__ptx_use(statement, &texture, ROW_LONG);
    for (unsigned i = 0; i < coordinates; i++)
        rows[i] = cushim__ptx_use(statement, &places[i],
                                  opcode->types[1] != TYPE_F32 ||
                                          (i == 0 && opcode->of[GEOMETRY] & GEOMETRY_LAYER)
                                      ? ROW_WORD
                                      : ROW_FLOAT);
    for (unsigned i = 0; i < count; i++)
        rows[coordinates + i] = stores ? cushim__ptx_use(statement, &values[i], row)
                                       : cushim__ptx_result(statement, &values[i], row);
    made = cushim__ptx_emit(statement, DO_TEXTURE);
    made->sub = (uint8_t)operation;
    made->other = (uint8_t)opcode->of[GEOMETRY];
    made->rounding = (uint8_t)opcode->of[operation == TEXTURE_GATHER  ? CHANNEL
                                         : operation == TEXTURE_QUERY ? PROPERTY
                                                                      : OUTSIDE];
    made->type = stores;
    made->count = (uint8_t)count;
    made->bytes = (uint8_t)bytes;
    made->flags |= opcode->types[1] == TYPE_S32 ? FLAG_SIGNED : 0;
    made->a = handle;
    made->list = parser->program->list_count;
    for (unsigned i = 0; i < coordinates + count; i++)
        cushim__ptx_list_add(parser, rows[i]);
    for (unsigned i = 0; !stores && i < count; i++)
        cushim__ptx_finish(statement, &values[i], rows[coordinates + i], row, false, bytes * 8);
    return true;
}
