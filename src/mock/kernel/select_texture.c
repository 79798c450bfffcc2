/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions on textures and surfaces: from a statement to the internal code. Their operands in
 * brackets, `[handle, {x, y}]`, are of no other instruction.
 */
#include "src/mock/kernel/texture.h"

#include <string.h>

#include "src/mock/kernel/parser.h"

/* What the words of an opcode say of it. */
struct meaning {
    enum ptx_texture_operation operation;
    int geometry, outside, property;
    unsigned channel, vector;
    unsigned more; /* operands that come last, and mean nothing to a texture of one level */
    bool unformatted, formatted, unknown;
};

enum word_kind { GEOMETRY, OUTSIDE, PROPERTY, CHANNEL, VECTOR, MORE, FORM, NOTHING };

static const struct {
    const char *text;
    enum word_kind kind;
    int value;
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
    {"v2", VECTOR, 2},
    {"v4", VECTOR, 4},
    {"base", MORE, 0},
    {"level", MORE, 1},
    {"grad", MORE, 2},
    {"b", FORM, 0},
    {"p", FORM, 1},
    {"ca", NOTHING, 0},
    {"cg", NOTHING, 0},
    {"cs", NOTHING, 0},
    {"cv", NOTHING, 0},
    {"wb", NOTHING, 0},
    {"wt", NOTHING, 0},
};

/* Whether an instruction has words of a kind: `b` is a channel of tld4, and a form of suld. */
static bool applies(enum word_kind kind, const char *base)
{
    const bool surface = strcmp(base, "suld") == 0 || strcmp(base, "sust") == 0;

    switch (kind) {
    case CHANNEL:
        return strcmp(base, "tld4") == 0;
    case PROPERTY:
        return base[2] == 'q';
    case MORE:
        return strcmp(base, "tex") == 0 || strcmp(base, "txq") == 0;
    case OUTSIDE:
    case FORM:
    case NOTHING:
        return surface;
    default:
        return base[2] != 'q';
    }
}

static void understand(struct meaning *meaning, const char *base, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int value = words[i].value;

        if (strncmp(words[i].text, word, length) != 0 || words[i].text[length] ||
            !applies(words[i].kind, base))
            continue;
        switch (words[i].kind) {
        case GEOMETRY:
            meaning->geometry = value;
            return;
        case OUTSIDE:
            meaning->outside = value;
            return;
        case PROPERTY:
            meaning->property = value;
            return;
        case CHANNEL:
            meaning->channel = (unsigned)value;
            return;
        case VECTOR:
            meaning->vector = (unsigned)value;
            return;
        case MORE:
            meaning->more = (unsigned)value;
            return;
        case FORM:
            *(value ? &meaning->formatted : &meaning->unformatted) = true;
            return;
        case NOTHING:
            return;
        }
    }
    meaning->unknown = true;
}

static struct meaning meaning_of(const struct ptx_opcode *opcode)
{
    struct meaning meaning = {.vector = 1, .property = -1};
    const char *word = opcode->words;

    while (*word == '.') {
        const size_t length = strcspn(++word, ".");

        understand(&meaning, opcode->base, word, length);
        word += length;
    }
    return meaning;
}

/* Whether it is one that texture.c executes. */
static bool is_done(const struct ptx_opcode *opcode, struct meaning *meaning)
{
    const char *const base = opcode->base;
    const enum ptx_type type = opcode->types[0];
    const bool word = type == TYPE_U32 || type == TYPE_S32 || type == TYPE_F32;
    const bool flat = meaning->geometry > 0 && !(meaning->geometry & GEOMETRY_CUBE);

    if (meaning->unknown)
        return false;
    if (strcmp(base, "tex") == 0) {
        meaning->operation = TEXTURE_FETCH;
        return meaning->geometry && meaning->vector == 4 && opcode->type_count == 2 && word &&
               (opcode->types[1] == TYPE_F32 || (opcode->types[1] == TYPE_S32 && flat));
    }
    if (strcmp(base, "tld4") == 0) {
        meaning->operation = TEXTURE_GATHER;
        return flat && (meaning->geometry & GEOMETRY_EXTENTS) == 2 && meaning->vector == 4 &&
               opcode->type_count == 2 && word && opcode->types[1] == TYPE_F32;
    }
    if (base[2] == 'q') {
        meaning->operation = TEXTURE_QUERY;
        return meaning->property >= 0 && type == TYPE_B32;
    }
    if (!flat || opcode->type_count != 1 || meaning->formatted == meaning->unformatted)
        return false;
    meaning->operation = base[2] == 'l'       ? SURFACE_LOAD
                         : meaning->formatted ? SURFACE_WRITE
                                              : SURFACE_STORE;
    return meaning->formatted
               ? meaning->operation == SURFACE_WRITE && type == TYPE_B32
               : type == TYPE_B8 || type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64;
}

struct operands {
    struct ptx_operand values[4]; /* what is loaded or stored */
    unsigned value_count;
    uint32_t handle, coordinates[4];
};

static unsigned elements(struct ptx_parser *parser, struct ptx_operand *operand,
                         struct ptx_operand parts[4])
{
    if (operand->kind != OPERAND_VECTOR) {
        parts[0] = *operand;
        return 1;
    }
    if (operand->count > 4)
        cushim__ptx_fail(parser, "the vector has too many elements");
    memcpy(parts, parser->body.vectors + operand->first, operand->count * sizeof *parts);
    return operand->count;
}

/* `[handle, {x, y}]`. False: there is a sampler between them. */
static bool brackets(struct ptx_parser *parser, struct ptx_statement *statement,
                     const struct meaning *meaning, struct operands *operands)
{
    const unsigned count = ptx_coordinates((unsigned)meaning->geometry);
    struct ptx_operand operand, parts[4];

    cushim__ptx_expect(parser, "[");
    cushim__ptx_operand(parser, &operand);
    operands->handle = cushim__ptx_use(parser, statement, &operand, ROW_LONG);
    if (meaning->operation != TEXTURE_QUERY) {
        const enum ptx_row row = statement->opcode.types[1] == TYPE_F32 ? ROW_FLOAT : ROW_WORD;

        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
        if (ptx_is(parser, ","))
            return false;
        if (elements(parser, &operand, parts) < count)
            cushim__ptx_fail(parser, "there are fewer coordinates than the geometry has");
        for (unsigned i = 0; i < count; i++)
            operands->coordinates[i] =
                cushim__ptx_use(parser, statement, &parts[i],
                                i == 0 && meaning->geometry & GEOMETRY_LAYER ? ROW_WORD : row);
    }
    cushim__ptx_expect(parser, "]");
    return true;
}

/* Up to what is not known: a predicate, an offset, a depth to compare with. */
static bool read_operands(struct ptx_parser *parser, struct ptx_statement *statement,
                          const struct meaning *meaning, struct operands *operands)
{
    const bool stores = meaning->operation == SURFACE_STORE || meaning->operation == SURFACE_WRITE;
    struct ptx_operand operand;

    if (!stores) {
        cushim__ptx_operand(parser, &operand);
        operands->value_count = elements(parser, &operand, operands->values);
        if (!ptx_skip(parser, ","))
            return false;
    }
    if (!brackets(parser, statement, meaning, operands))
        return false;
    if (stores) {
        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
        operands->value_count = elements(parser, &operand, operands->values);
    }
    if (operands->value_count != meaning->vector)
        cushim__ptx_fail(parser, "%s has a vector of %u elements", statement->opcode.base,
                         meaning->vector);
    for (unsigned i = 0; i < meaning->more; i++) {
        cushim__ptx_expect(parser, ",");
        cushim__ptx_operand(parser, &operand);
    }
    return ptx_is(parser, ";");
}

static void emit(struct ptx_parser *parser, struct ptx_statement *statement,
                 const struct meaning *meaning, const struct operands *operands)
{
    const enum ptx_type type = statement->opcode.types[0];
    const enum ptx_row row = cushim__ptx_type_row(type);
    const unsigned bytes = (unsigned)cushim__ptx_type_bytes(type), count = operands->value_count;
    const bool stores = meaning->operation == SURFACE_STORE || meaning->operation == SURFACE_WRITE;
    const unsigned coordinates =
        meaning->operation == TEXTURE_QUERY ? 0 : ptx_coordinates((unsigned)meaning->geometry);
    uint32_t rows[4], list = parser->program->list_count;
    struct ptx_instruction *made;

    for (unsigned i = 0; i < count; i++)
        rows[i] = stores ? cushim__ptx_use(parser, statement, &operands->values[i], row)
                         : cushim__ptx_result(parser, &operands->values[i], row);
    for (unsigned i = 0; i < coordinates; i++)
        cushim__ptx_list_add(parser, operands->coordinates[i]);
    for (unsigned i = 0; i < count; i++)
        cushim__ptx_list_add(parser, rows[i]);
    made = cushim__ptx_emit(parser, statement, DO_TEXTURE);
    made->sub = (uint8_t)meaning->operation;
    made->other = (uint8_t)meaning->geometry;
    made->rounding = (uint8_t)(meaning->operation == TEXTURE_GATHER  ? (int)meaning->channel
                               : meaning->operation == TEXTURE_QUERY ? meaning->property
                                                                     : meaning->outside);
    made->type = stores;
    made->count = (uint8_t)count;
    made->bytes = (uint8_t)bytes;
    made->flags |= statement->opcode.types[1] == TYPE_S32 ? FLAG_SIGNED : 0;
    made->a = operands->handle;
    made->list = list;
    for (unsigned i = 0; !stores && i < count; i++)
        cushim__ptx_finish(parser, statement, &operands->values[i], rows[i], row, false, bytes * 8);
}

bool cushim__ptx_select_texture(struct ptx_parser *parser, struct ptx_statement *statement)
{
    static const char *const bases[] = {"tex", "tld4", "txq", "suld", "sust", "suq"};
    struct operands operands = {.value_count = 0};
    struct meaning meaning;
    size_t i = 0;

    while (i < sizeof bases / sizeof *bases && strcmp(bases[i], statement->opcode.base) != 0)
        i++;
    if (i == sizeof bases / sizeof *bases)
        return false;
    meaning = meaning_of(&statement->opcode);
    if (is_done(&statement->opcode, &meaning) &&
        read_operands(parser, statement, &meaning, &operands)) {
        emit(parser, statement, &meaning, &operands);
        return true;
    }
    cushim__ptx_refuse(parser, statement, "");
    while (parser->word.length > 0 && !ptx_is(parser, ";"))
        cushim__ptx_next(parser);
    return true;
}
