/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions on textures and surfaces: from a statement to the internal code. Their operands in
 * brackets, `[handle, {x, y}]`, are of no other instruction.
 */
#include "src/mock/ptx/parser.h"

#include <string.h>

/* Kinds of words. */
enum kind {
    GEOMETRY,
    OUTSIDE,
    PROPERTY, /* from 1 on */
    CHANNEL,
    MORE, /* operands that come last, and mean nothing to a texture of one level */
    FORM,
    KINDS
};

/* What the words of an opcode say of it. */
struct meaning {
    enum ptx_texture_operation operation;
    unsigned of[KINDS];
};

static const struct {
    const char *text;
    enum kind kind;
    unsigned value;
} words[] = {
    {"1d", GEOMETRY, 1},
    {"2d", GEOMETRY, 2},
    {"3d", GEOMETRY, 3},
    {"a1d", GEOMETRY, 1 | GEOMETRY_LAYER},
    {"a2d", GEOMETRY, 2 | GEOMETRY_LAYER},
    {"cube", GEOMETRY, 3 | GEOMETRY_CUBE},
    {"acube", GEOMETRY, 3 | GEOMETRY_CUBE | GEOMETRY_LAYER},
    {"trap", OUTSIDE, OUTSIDE_TRAP},
    {"clamp", OUTSIDE, OUTSIDE_CLAMP},
    {"zero", OUTSIDE, OUTSIDE_ZERO},
    {"width", PROPERTY, PROPERTY_WIDTH},
    {"height", PROPERTY, PROPERTY_HEIGHT},
    {"depth", PROPERTY, PROPERTY_DEPTH},
    {"array_size", PROPERTY, PROPERTY_LAYERS},
    {"num_mipmap_levels", PROPERTY, PROPERTY_LEVELS},
    {"num_samples", PROPERTY, PROPERTY_SAMPLES},
    {"normalized_coords", PROPERTY, PROPERTY_NORMALISED},
    {"r", CHANNEL, 0},
    {"g", CHANNEL, 1},
    {"b", CHANNEL, 2},
    {"a", CHANNEL, 3},
    {"base", MORE, 0},
    {"level", MORE, 1},
    {"grad", MORE, 2},
    {"b", FORM, 1},
};

/* Whether an instruction has words of a kind: `b` is a channel of tld4, and a form of suld. */
static bool applies(enum kind kind, const char *base)
{
    switch (kind) {
    case CHANNEL:
        return strcmp(base, "tld4") == 0;
    case PROPERTY:
        return base[2] == 'q';
    case MORE:
        return strcmp(base, "tex") == 0 || strcmp(base, "txq") == 0;
    case OUTSIDE:
    case FORM:
        return strcmp(base, "suld") == 0 || strcmp(base, "sust") == 0;
    default:
        return base[2] != 'q';
    }
}

/* False: there is a word that is not known. */
static bool understand(const struct ptx_opcode *opcode, struct meaning *meaning)
{
    const char *word = opcode->words;

    *meaning = (struct meaning){.of[FORM] = 0};
    while (*word == '.') {
        const size_t length = strcspn(++word, ".");
        size_t i = 0;

        while (i < sizeof words / sizeof *words &&
               (strncmp(words[i].text, word, length) != 0 || words[i].text[length] ||
                !applies(words[i].kind, opcode->base)))
            i++;
        if (i == sizeof words / sizeof *words)
            return false;
        meaning->of[words[i].kind] = words[i].value;
        word += length;
    }
    return true;
}

/* Whether it is one that texture.c executes. */
static bool is_done(const struct ptx_opcode *opcode, struct meaning *meaning)
{
    const char *const base = opcode->base;
    const enum ptx_type type = opcode->types[0];
    const unsigned geometry = meaning->of[GEOMETRY];
    const bool word = type == TYPE_U32 || type == TYPE_S32 || type == TYPE_F32;
    const bool flat = geometry > 0 && !(geometry & GEOMETRY_CUBE);

    if (strcmp(base, "tex") == 0) {
        meaning->operation = TEXTURE_FETCH;
        return geometry && opcode->vector == 4 && opcode->type_count == 2 && word &&
               (opcode->types[1] == TYPE_F32 || (opcode->types[1] == TYPE_S32 && flat));
    }
    if (strcmp(base, "tld4") == 0) {
        meaning->operation = TEXTURE_GATHER;
        return flat && (geometry & GEOMETRY_EXTENTS) == 2 && opcode->vector == 4 &&
               opcode->type_count == 2 && word && opcode->types[1] == TYPE_F32;
    }
    if (base[2] == 'q') {
        meaning->operation = TEXTURE_QUERY;
        return meaning->of[PROPERTY] && type == TYPE_B32;
    }
    if (!flat || opcode->type_count != 1)
        return false;
    meaning->operation = base[2] == 'l' ? SURFACE_LOAD : SURFACE_STORE;
    return meaning->of[FORM] &&
           (type == TYPE_B8 || type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64);
}

static bool stores(const struct meaning *meaning)
{
    return meaning->operation == SURFACE_STORE;
}

static unsigned coordinates_of(const struct meaning *meaning)
{
    return meaning->operation == TEXTURE_QUERY ? 0 : ptx_coordinates(meaning->of[GEOMETRY]);
}

struct operands {
    struct ptx_operand values[4]; /* what is loaded or stored */
    unsigned value_count;
    uint32_t handle, coordinates[4];
};

/* `[handle, {x, y}]`. False: there is a sampler between them. */
static bool brackets(struct ptx_statement *statement, const struct meaning *meaning,
                     struct operands *operands)
{
    struct ptx_parser *const parser = statement->parser;
    const unsigned count = coordinates_of(meaning);
    struct ptx_operand operand, parts[4];

    cushim__ptx_expect(parser, "[");
    cushim__ptx_operand(parser, &operand);
    operands->handle = cushim__ptx_use(statement, &operand, ROW_LONG);
    if (meaning->operation != TEXTURE_QUERY) {
        const enum ptx_row row = statement->opcode.types[1] == TYPE_F32 ? ROW_FLOAT : ROW_WORD;

        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
        if (ptx_is(parser, ","))
            return false;
        if (cushim__ptx_elements(statement, &operand, parts, 4) < count)
            cushim__ptx_fail(parser, "there are fewer coordinates than the geometry has");
        for (unsigned i = 0; i < count; i++)
            operands->coordinates[i] =
                cushim__ptx_use(statement, &parts[i],
                                i == 0 && meaning->of[GEOMETRY] & GEOMETRY_LAYER ? ROW_WORD : row);
    }
    cushim__ptx_expect(parser, "]");
    return true;
}

/* Up to what is not known: a predicate, an offset, a depth to compare with. */
static bool read_operands(struct ptx_statement *statement, const struct meaning *meaning,
                          struct operands *operands)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_operand operand;

    if (!stores(meaning)) {
        cushim__ptx_operand(parser, &operand);
        operands->value_count = cushim__ptx_elements(statement, &operand, operands->values, 4);
        if (!ptx_skip(parser, ","))
            return false;
    }
    if (!brackets(statement, meaning, operands))
        return false;
    if (stores(meaning)) {
        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
        operands->value_count = cushim__ptx_elements(statement, &operand, operands->values, 4);
    }
    if (operands->value_count != statement->opcode.vector)
        cushim__ptx_fail(parser, "%s has a vector of %u elements", statement->opcode.base,
                         statement->opcode.vector);
    for (unsigned i = 0; i < meaning->of[MORE]; i++) {
        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
    }
    return ptx_is(parser, ";");
}

static void emit(struct ptx_statement *statement, const struct meaning *meaning,
                 const struct operands *operands)
{
    struct ptx_parser *const parser = statement->parser;
    const enum ptx_type type = statement->opcode.types[0];
    const enum ptx_row row = cushim__ptx_type_row(type);
    const unsigned bytes = (unsigned)cushim__ptx_type_bytes(type), count = operands->value_count;
    const unsigned coordinates = coordinates_of(meaning);
    uint32_t rows[4], list = parser->program->list_count;
    struct ptx_instruction *made;

    for (unsigned i = 0; i < count; i++)
        rows[i] = stores(meaning) ? cushim__ptx_use(statement, &operands->values[i], row)
                                  : cushim__ptx_result(statement, &operands->values[i], row);
    for (unsigned i = 0; i < coordinates; i++)
        cushim__ptx_list_add(parser, operands->coordinates[i]);
    for (unsigned i = 0; i < count; i++)
        cushim__ptx_list_add(parser, rows[i]);
    made = cushim__ptx_emit(statement, DO_TEXTURE);
    made->sub = (uint8_t)meaning->operation;
    made->other = (uint8_t)meaning->of[GEOMETRY];
    made->rounding = (uint8_t)meaning->of[meaning->operation == TEXTURE_GATHER  ? CHANNEL
                                          : meaning->operation == TEXTURE_QUERY ? PROPERTY
                                                                                : OUTSIDE];
    made->type = stores(meaning);
    made->count = (uint8_t)count;
    made->bytes = (uint8_t)bytes;
    made->flags |= statement->opcode.types[1] == TYPE_S32 ? FLAG_SIGNED : 0;
    made->a = operands->handle;
    made->list = list;
    for (unsigned i = 0; !stores(meaning) && i < count; i++)
        cushim__ptx_finish(statement, &operands->values[i], rows[i], row, false, bytes * 8);
}

bool cushim__ptx_select_texture(struct ptx_statement *statement)
{
    struct meaning meaning;
    struct operands operands = {.value_count = 0};

    if (!understand(&statement->opcode, &meaning) || !is_done(&statement->opcode, &meaning) ||
        !read_operands(statement, &meaning, &operands))
        return false;
    emit(statement, &meaning, &operands);
    return true;
}
