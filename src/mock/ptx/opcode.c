/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes taken apart: `ld.global.nc.L2::128B.v2.f32` is a base, types and modifiers. */
#include "src/mock/ptx/parser.h"

#include <string.h>

static const struct {
    const char *name;
    enum ptx_type type;
    unsigned char bytes;
    enum ptx_row row;
    bool is_signed;
} types[] = {
    {"b8", TYPE_B8, 1, ROW_HALF, false},         {"u8", TYPE_U8, 1, ROW_HALF, false},
    {"s8", TYPE_S8, 1, ROW_HALF, true},          {"b16", TYPE_B16, 2, ROW_HALF, false},
    {"u16", TYPE_U16, 2, ROW_HALF, false},       {"s16", TYPE_S16, 2, ROW_HALF, true},
    {"f16", TYPE_F16, 2, ROW_HALF, false},       {"bf16", TYPE_BF16, 2, ROW_HALF, false},
    {"b32", TYPE_B32, 4, ROW_WORD, false},       {"u32", TYPE_U32, 4, ROW_WORD, false},
    {"s32", TYPE_S32, 4, ROW_WORD, true},        {"f32", TYPE_F32, 4, ROW_FLOAT, false},
    {"f16x2", TYPE_F16X2, 4, ROW_WORD, false},   {"bf16x2", TYPE_BF16X2, 4, ROW_WORD, false},
    {"u16x2", TYPE_U16X2, 4, ROW_WORD, false},   {"s16x2", TYPE_S16X2, 4, ROW_WORD, false},
    {"tf32", TYPE_TF32, 4, ROW_WORD, false},     {"b64", TYPE_B64, 8, ROW_LONG, false},
    {"u64", TYPE_U64, 8, ROW_LONG, false},       {"s64", TYPE_S64, 8, ROW_LONG, true},
    {"f64", TYPE_F64, 8, ROW_DOUBLE, false},     {"f32x2", TYPE_F32X2, 8, ROW_LONG, false},
    {"b128", TYPE_B128, 16, ROW_NONE, false},    {"pred", TYPE_PRED, 1, ROW_PREDICATE, false},
    {"e4m3x2", TYPE_E4M3X2, 2, ROW_HALF, false}, {"e5m2x2", TYPE_E5M2X2, 2, ROW_HALF, false},
};

enum { TYPES = sizeof types / sizeof *types };

enum ptx_type cushim__ptx_type(struct ptx_word word)
{
    if (word.length > 0 && *word.start == '.')
        word = (struct ptx_word){word.start + 1, word.length - 1};
    for (size_t i = 0; word.length > 0 && i < TYPES; i++) {
        if (types[i].name[0] == *word.start && ptx_equal(word, types[i].name))
            return types[i].type;
    }
    return TYPE_NONE;
}

size_t cushim__ptx_type_bytes(enum ptx_type type)
{
    return type == TYPE_NONE ? 0 : types[type - 1].bytes;
}

enum ptx_row cushim__ptx_type_row(enum ptx_type type)
{
    return type == TYPE_NONE ? ROW_NONE : types[type - 1].row;
}

bool cushim__ptx_type_signed(enum ptx_type type)
{
    return type != TYPE_NONE && types[type - 1].is_signed;
}

static const struct {
    const char *name;
    enum ptx_meaning meaning;
    int value;
} modifiers[] = {
    {"rn", ROUNDING, ROUND_NEAREST},
    {"rz", ROUNDING, ROUND_ZERO},
    {"rm", ROUNDING, ROUND_DOWN},
    {"rp", ROUNDING, ROUND_UP},
    {"rna", ROUNDING, ROUND_AWAY},
    {"rni", INTEGER_ROUNDING, ROUND_NEAREST},
    {"rzi", INTEGER_ROUNDING, ROUND_ZERO},
    {"rmi", INTEGER_ROUNDING, ROUND_DOWN},
    {"rpi", INTEGER_ROUNDING, ROUND_UP},
    {"ftz", FLAG, FLAG_FTZ},
    {"sat", FLAG, FLAG_SAT},
    {"satfinite", FLAG, FLAG_SAT},
    {"relu", FLAG, FLAG_RELU},
    {"eq", COMPARISON, COMPARE_EQ},
    {"ne", COMPARISON, COMPARE_NE},
    {"lt", COMPARISON, COMPARE_LT},
    {"le", COMPARISON, COMPARE_LE},
    {"gt", COMPARISON, COMPARE_GT},
    {"ge", COMPARISON, COMPARE_GE},
    {"lo", COMPARISON, COMPARE_LT},
    {"ls", COMPARISON, COMPARE_LE},
    {"hi", COMPARISON, COMPARE_GT},
    {"hs", COMPARISON, COMPARE_GE},
    {"equ", COMPARISON, COMPARE_EQU},
    {"neu", COMPARISON, COMPARE_NEU},
    {"ltu", COMPARISON, COMPARE_LTU},
    {"leu", COMPARISON, COMPARE_LEU},
    {"gtu", COMPARISON, COMPARE_GTU},
    {"geu", COMPARISON, COMPARE_GEU},
    {"num", COMPARISON, COMPARE_NUM},
    {"nan", COMPARISON, COMPARE_NAN},
    {"and", LOGIC, LOGIC_AND},
    {"or", LOGIC, LOGIC_OR},
    {"xor", LOGIC, LOGIC_XOR},
    {"global", SPACE, PTX_GLOBAL},
    {"shared", SPACE, PTX_SHARED},
    {"shared::cta", SPACE, PTX_SHARED},
    {"local", SPACE, PTX_LOCAL_SPACE},
    {"param", SPACE, PTX_PARAM},
    {"param::entry", SPACE, PTX_PARAM},
    {"param::func", SPACE, PTX_PARAM},
    {"const", SPACE, PTX_CONST},
    {"v2", VECTOR, 2},
    {"v4", VECTOR, 4},
    {"v8", VECTOR, 8},
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
    {"b", UNFORMATTED, 1},
    {"volatile", ORDER, FLAG_STRONG},
    {"relaxed", ORDER, FLAG_STRONG},
    {"mmio", ORDER, FLAG_STRONG},
    {"acquire", ORDER, FLAG_STRONG},
    {"release", ORDER, FLAG_STRONG | FLAG_RELEASE},
    {"acq_rel", ORDER, FLAG_STRONG | FLAG_RELEASE},
    {"sc", ORDER, FLAG_STRONG | FLAG_RELEASE},
};

/*
 * The instructions that have words of a kind; NULL: all. `and` is a modifier of setp, and no base;
 * `lo` and `hi` compare in setp, and are halves elsewhere; `b` is a channel of tld4.
 */
#define MEMORY                                                                              \
    ".ld.ldu.st.atom.red.cvta.isspacep.cp.prefetch.prefetchu.fence.membar.mbarrier.barrier" \
    ".applypriority.discard.tex.tld4.suld.sust"
static const char *const bases[MEANINGS] = {
    [COMPARISON] = ".setp.set", [LOGIC] = ".setp.set",        [SPACE] = MEMORY,
    [ORDER] = MEMORY,           [VECTOR] = MEMORY ".mov",     [GEOMETRY] = ".tex.tld4.suld.sust",
    [OUTSIDE] = ".suld.sust",   [UNFORMATTED] = ".suld.sust", [PROPERTY] = ".txq.suq",
    [CHANNEL] = ".tld4",        [MORE] = ".tex.txq",
};
/* Words of these that have no meaning in one order of all. */
static const char ignored[] = ".ca.cg.cs.cv.lu.wb.wt.nc.weak.cta.cluster.gpu.sys.gl"
                              ".L1::evict_normal.L1::evict_unchanged.L1::evict_first.L1::evict_last"
                              ".L1::no_allocate.L2::64B.L2::128B.L2::256B";

/* Whether a word is in a list, each of which comes after a dot. */
static bool has(const char *words, const char *word)
{
    const size_t length = strlen(word);

    while (length > 0 && (words = strstr(words, word))) {
        if (words[-1] == '.' && (words[length] == '.' || words[length] == '\0'))
            return true;
        words += length;
    }
    return false;
}

static bool is_ignored(const char *base, const char *word)
{
    return strcmp(word, "noftz") == 0 || (strcmp(word, "uni") == 0 && strcmp(base, "vote") != 0) ||
           (has(ignored, word) && has(MEMORY, base));
}

static bool modify(struct ptx_opcode *opcode, const char *word)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        const enum ptx_meaning meaning = modifiers[i].meaning;

        if (modifiers[i].name[0] != word[0] || strcmp(word, modifiers[i].name) != 0 ||
            (bases[meaning] && !has(bases[meaning], opcode->base)) ||
            (meaning == COMPARISON && opcode->of[COMPARISON] >= 0))
            continue;
        if (meaning == FLAG || meaning == ORDER)
            opcode->flags |= (unsigned)modifiers[i].value;
        else
            opcode->of[meaning] = modifiers[i].value;
        if (meaning == INTEGER_ROUNDING)
            opcode->of[ROUNDING] = modifiers[i].value;
        return true;
    }
    return is_ignored(opcode->base, word);
}

void cushim__ptx_opcode_read(struct ptx_parser *parser, struct ptx_word word,
                             struct ptx_opcode *opcode)
{
    const char *next;

    *opcode = (struct ptx_opcode){.of = {[COMPARISON] = -1, [LOGIC] = -1, [VECTOR] = 1}};
    if (word.length >= sizeof opcode->text)
        cushim__ptx_fail(parser, "an instruction expected");
    memcpy(opcode->text, word.start, word.length);
    next = memchr(word.start, '.', word.length);
    if (!next || next - word.start >= (int)sizeof opcode->base)
        next = word.start + (word.length < sizeof opcode->base ? word.length : 0);
    memcpy(opcode->base, word.start, (size_t)(next - word.start));
    strcpy(opcode->name, opcode->base);
    while (next < word.start + word.length) {
        const char *const start = next++; /* at the dot */
        char text[PTX_NAME] = "";
        enum ptx_type type;

        while (next < word.start + word.length && *next != '.')
            next++;
        memcpy(text, start + 1, (size_t)(next - start - 1));
        type = cushim__ptx_type((struct ptx_word){text, strlen(text)});
        if (type != TYPE_NONE && opcode->type_count < 4) {
            opcode->types[opcode->type_count++] = type;
        } else if (modify(opcode, text)) {
            continue;
        } else {
            strcat(strcat(opcode->words, "."), text);
        }
        strcat(strcat(opcode->name, "."), text);
    }
}

bool cushim__ptx_opcode_has(const struct ptx_opcode *opcode, const char *word)
{
    return has(opcode->words, word);
}
