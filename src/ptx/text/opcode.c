/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an opcode: `ld.global.nc.L2::128B.v2.f32` has a base, types and modifiers. */
#include "src/ptx/text/parser.h"

#include <string.h>

const struct ptx_type_facts cushim__ptx_types[TYPE_TYPES] = {
    [TYPE_NONE] = {"", 0, ROW_NONE, false},          [TYPE_B8] = {"b8", 1, ROW_HALF, false},
    [TYPE_U8] = {"u8", 1, ROW_HALF, false},          [TYPE_S8] = {"s8", 1, ROW_HALF, true},
    [TYPE_B16] = {"b16", 2, ROW_HALF, false},        [TYPE_U16] = {"u16", 2, ROW_HALF, false},
    [TYPE_S16] = {"s16", 2, ROW_HALF, true},         [TYPE_F16] = {"f16", 2, ROW_HALF, false},
    [TYPE_BF16] = {"bf16", 2, ROW_HALF, false},      [TYPE_B32] = {"b32", 4, ROW_WORD, false},
    [TYPE_U32] = {"u32", 4, ROW_WORD, false},        [TYPE_S32] = {"s32", 4, ROW_WORD, true},
    [TYPE_F32] = {"f32", 4, ROW_FLOAT, false},       [TYPE_F16X2] = {"f16x2", 4, ROW_WORD, false},
    [TYPE_BF16X2] = {"bf16x2", 4, ROW_WORD, false},  [TYPE_U16X2] = {"u16x2", 4, ROW_WORD, false},
    [TYPE_S16X2] = {"s16x2", 4, ROW_WORD, false},    [TYPE_TF32] = {"tf32", 4, ROW_WORD, false},
    [TYPE_B64] = {"b64", 8, ROW_LONG, false},        [TYPE_U64] = {"u64", 8, ROW_LONG, false},
    [TYPE_S64] = {"s64", 8, ROW_LONG, true},         [TYPE_F64] = {"f64", 8, ROW_DOUBLE, false},
    [TYPE_F32X2] = {"f32x2", 8, ROW_LONG, false},    [TYPE_B128] = {"b128", 16, ROW_NONE, false},
    [TYPE_PRED] = {"pred", 1, ROW_PREDICATE, false}, [TYPE_E4M3X2] = {"e4m3x2", 2, ROW_HALF, false},
    [TYPE_E5M2X2] = {"e5m2x2", 2, ROW_HALF, false},
};

enum ptx_type cushim__ptx_type(struct ptx_word word)
{
    if (word.length > 0 && *word.start == '.')
        word = (struct ptx_word){word.start + 1, word.length - 1};
    for (unsigned type = TYPE_NONE + 1; word.length > 0 && type < TYPE_TYPES; type++) {
        const char *const name = cushim__ptx_types[type].name;

        if (name[0] == *word.start && ptx_equal(word, name))
            return (enum ptx_type)type;
    }
    return TYPE_NONE;
}

/* The instructions that use memory. */
#define MEMORY                                                                              \
    ".ld.ldu.st.atom.red.cvta.isspacep.cp.prefetch.prefetchu.fence.membar.mbarrier.barrier" \
    ".applypriority.discard.tex.tld4.suld.sust"

#define TEXTURES ".tex.tld4.suld.sust"
#define SURFACES ".suld.sust"

/*
 * The known modifiers, and the instructions that have them (NULL: all). A word may have several
 * meanings: `and` is also an instruction; `lo` and `hi` compare in setp and are halves elsewhere;
 * `b` is also a channel of tld4. The words of a row set one flag, or have consecutive values.
 */
static const struct {
    enum ptx_meaning meaning;
    const char *bases;
    int value; /* of the first word */
    const char *words[9];
} modifiers[] = {
    {ROUNDING, NULL, ROUND_NEAREST, {"rn", "rz", "rm", "rp", "rna"}},
    {INTEGER_ROUNDING, NULL, ROUND_NEAREST, {"rni", "rzi", "rmi", "rpi"}},
    {FLAG, NULL, FLAG_FTZ, {"ftz"}},
    {FLAG, NULL, FLAG_SAT, {"sat", "satfinite"}},
    {FLAG, NULL, FLAG_RELU, {"relu"}},
    {COMPARISON, ".setp.set", COMPARE_EQ, {"eq", "ne", "lt", "le", "gt", "ge"}},
    {COMPARISON, ".setp.set", COMPARE_LT, {"lo", "ls", "hi", "hs"}},
    {COMPARISON, ".setp.set", COMPARE_EQU, {"equ", "neu", "ltu", "leu", "gtu", "geu"}},
    {COMPARISON, ".setp.set", COMPARE_NUM, {"num", "nan"}},
    {LOGIC, ".setp.set", LOGIC_AND, {"and", "or", "xor"}},
    {SPACE, MEMORY, PTX_GLOBAL, {"global", "shared", "local", "param", "const"}},
    {SPACE, MEMORY, PTX_SHARED, {"shared::cta"}},
    {SPACE, MEMORY, PTX_PARAM, {"param::entry"}},
    {SPACE, MEMORY, PTX_PARAM, {"param::func"}},
    {VECTOR, MEMORY ".mov", 2, {"v2"}},
    {VECTOR, MEMORY ".mov", 4, {"v4"}},
    {VECTOR, MEMORY ".mov", 8, {"v8"}},
    {FLAG, MEMORY, FLAG_STRONG, {"volatile", "relaxed", "mmio", "acquire"}},
    {FLAG, MEMORY, FLAG_STRONG | FLAG_RELEASE, {"release", "acq_rel", "sc"}},
    {GEOMETRY, TEXTURES, 1, {"1d", "2d", "3d"}},
    {GEOMETRY, TEXTURES, 1 | GEOMETRY_LAYER, {"a1d", "a2d"}},
    {GEOMETRY, TEXTURES, 3 | GEOMETRY_CUBE, {"cube"}},
    {GEOMETRY, TEXTURES, 3 | GEOMETRY_CUBE | GEOMETRY_LAYER, {"acube"}},
    {OUTSIDE, SURFACES, OUTSIDE_TRAP, {"trap", "clamp", "zero"}},
    {PROPERTY, ".txq.suq", PROPERTY_WIDTH, {"width", "height", "depth", "array_size"}},
    {PROPERTY, ".txq.suq", PROPERTY_LEVELS, {"num_mipmap_levels", "num_samples"}},
    {PROPERTY, ".txq.suq", PROPERTY_NORMALISED, {"normalized_coords"}},
    {CHANNEL, ".tld4", 0, {"r", "g", "b", "a"}},
    {MORE, ".tex.txq", LEVEL_BASE, {"base", "level", "grad"}},
    {UNFORMATTED, SURFACES, 1, {"b"}},
};

/*
 * Modifiers of these instructions that have no meaning here, where all threads see one order of
 * accesses.
 */
static const char ignored[] = ".ca.cg.cs.cv.lu.wb.wt.nc.weak.cta.cluster.gpu.sys.gl"
                              ".L1::evict_normal.L1::evict_unchanged.L1::evict_first.L1::evict_last"
                              ".L1::no_allocate.L2::64B.L2::128B.L2::256B";

bool cushim__ptx_has(const char *words, const char *word)
{
    const size_t length = strlen(word);

    while (length > 0 && (words = strstr(words, word))) {
        if (words[-1] == '.' && (words[length] == '.' || words[length] == '\0'))
            return true;
        words += length;
    }
    return false;
}

/* Returns false if the word is not known, or is part of the instruction's name. */
static bool understand(struct ptx_opcode *opcode, const char *word)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        const char *const bases = modifiers[i].bases, *const *const words = modifiers[i].words;

        for (int j = 0; words[j]; j++) {
            const enum ptx_meaning meaning = modifiers[i].meaning;

            if (words[j][0] != word[0] || strcmp(words[j], word) != 0 ||
                (bases && !cushim__ptx_has(bases, opcode->base)) ||
                (meaning == COMPARISON && opcode->of[COMPARISON] >= 0))
                continue;
            if (meaning == FLAG)
                opcode->flags |= (unsigned)modifiers[i].value;
            else
                opcode->of[meaning] = modifiers[i].value + j;
            if (meaning == INTEGER_ROUNDING)
                opcode->of[ROUNDING] = opcode->of[meaning];
            return true;
        }
    }
    return strcmp(word, "noftz") == 0 ||
           (strcmp(word, "uni") == 0 && strcmp(opcode->base, "vote") != 0) ||
           (cushim__ptx_has(ignored, word) && cushim__ptx_has(MEMORY, opcode->base));
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
        } else if (understand(opcode, text)) {
            continue;
        } else {
            strcat(strcat(opcode->words, "."), text);
        }
        strcat(strcat(opcode->name, "."), text);
    }
}
