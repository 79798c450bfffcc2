/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of PTX text: types, names, dimensions, and the variables that have them. */
#include <string.h>

#include "src/mock/image/ptx.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    {".b8", 1},    {".u8", 1},     {".s8", 1},         {".b16", 2},     {".u16", 2},
    {".s16", 2},   {".f16", 2},    {".bf16", 2},       {".b32", 4},     {".u32", 4},
    {".s32", 4},   {".f32", 4},    {".f16x2", 4},      {".bf16x2", 4},  {".tf32", 4},
    {".b64", 8},   {".u64", 8},    {".s64", 8},        {".f64", 8},     {".f32x2", 8},
    {".b128", 16}, {".texref", 8}, {".samplerref", 8}, {".surfref", 8}, {".e4m3", 1},
    {".e5m2", 1},  {".e4m3x2", 2}, {".e5m2x2", 2},     {".pred", 1},
};

/* A type such as `.u32`: its size in bytes; 0: it is none. */
static size_t type_bytes(const struct mock_ptx *ptx)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (cushim__mock_ptx_is(ptx, types[i].name))
            return types[i].bytes;
    }
    return 0;
}

static unsigned vector_of(const struct mock_ptx *ptx)
{
    if (cushim__mock_ptx_is(ptx, ".v2"))
        return 2;
    if (cushim__mock_ptx_is(ptx, ".v4"))
        return 4;
    return cushim__mock_ptx_is(ptx, ".v8") ? 8 : 0;
}

/* `.attribute(.managed)` and the like: what stands in brackets does not matter here. */
static bool skip_brackets(struct mock_ptx *ptx)
{
    if (!cushim__mock_ptx_skip(ptx, "("))
        return false;
    while (!cushim__mock_ptx_ended(ptx) && !cushim__mock_ptx_is(ptx, ")"))
        cushim__mock_ptx_next(ptx);
    return cushim__mock_ptx_skip(ptx, ")");
}

static bool is_power(uint64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

CUresult cushim__mock_ptx_declared_type(struct mock_ptx *ptx,
                                        struct mock_ptx_declaration *declaration)
{
    size_t bytes = 0;
    uint64_t alignment = 0;
    unsigned vector = 1;

    for (; ptx->word.length > 1 && *ptx->word.start == '.';) {
        if (cushim__mock_ptx_skip(ptx, ".align")) {
            if (!cushim__mock_ptx_integer(ptx, &alignment) || !is_power(alignment) ||
                alignment > 4096)
                return cushim__mock_ptx_refuse(ptx, "an alignment");
        } else if (cushim__mock_ptx_skip(ptx, ".attribute")) {
            if (!skip_brackets(ptx))
                return cushim__mock_ptx_refuse(ptx, "an attribute");
        } else if (cushim__mock_ptx_skip(ptx, ".ptr")) {
            /* What a pointer points at: a space and an alignment. */
            while (ptx->word.length > 1 && *ptx->word.start == '.' &&
                   !cushim__mock_ptx_is(ptx, ".align"))
                cushim__mock_ptx_next(ptx);
            if (cushim__mock_ptx_skip(ptx, ".align"))
                cushim__mock_ptx_next(ptx);
        } else if (vector_of(ptx) > 0) {
            vector = vector_of(ptx);
            cushim__mock_ptx_next(ptx);
        } else if (bytes == 0 && type_bytes(ptx) > 0) {
            bytes = type_bytes(ptx);
            memcpy(declaration->type, ptx->word.start,
                   ptx->word.length < sizeof declaration->type ? ptx->word.length : 0);
            cushim__mock_ptx_next(ptx);
        } else {
            break;
        }
    }
    if (bytes == 0)
        return cushim__mock_ptx_refuse(ptx, "a type");
    declaration->scalar_bytes = bytes;
    declaration->element_bytes = bytes * vector;
    declaration->alignment = alignment > 0 ? (size_t)alignment : declaration->element_bytes;
    return CUDA_SUCCESS;
}

/* `[3][4]`, or `[]` first. */
static CUresult dimensions(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration)
{
    enum { MAX = sizeof declaration->dimensions / sizeof *declaration->dimensions };
    const size_t limit = (size_t)1 << 40;
    size_t most = declaration->bytes; /* as if no dimension were 0 or empty */

    while (cushim__mock_ptx_skip(ptx, "[")) {
        uint64_t count = 0;

        if (declaration->dimension_count == MAX)
            return cushim__mock_ptx_refuse(ptx, "fewer dimensions");
        if (declaration->dimension_count == 0 && cushim__mock_ptx_is(ptx, "]"))
            declaration->unsized = true;
        else if (!cushim__mock_ptx_integer(ptx, &count) || (count > 0 && most > limit / count))
            return cushim__mock_ptx_refuse(ptx, "a size");
        most *= count > 0 ? (size_t)count : 1;
        declaration->dimensions[declaration->dimension_count++] = (size_t)count;
        declaration->bytes *= (size_t)count;
        if (!cushim__mock_ptx_skip(ptx, "]"))
            return cushim__mock_ptx_refuse(ptx, "']'");
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_ptx_declared_name(struct mock_ptx *ptx,
                                        struct mock_ptx_declaration *declaration)
{
    declaration->dimension_count = 0;
    declaration->unsized = false;
    declaration->bytes = declaration->element_bytes;
    if (!cushim__mock_ptx_name(ptx, &declaration->name))
        return cushim__mock_ptx_refuse(ptx, "a name");
    return dimensions(ptx, declaration);
}

/* Nothing of it is known but its name. */
static CUresult skip_rest(struct mock_ptx *ptx)
{
    return cushim__mock_ptx_skip_statement(ptx) ? CUDA_SUCCESS
                                                : cushim__mock_ptx_refuse(ptx, "';'");
}

static bool is_reference(const struct mock_ptx_declaration *declaration)
{
    return strcmp(declaration->type, ".texref") == 0 ||
           strcmp(declaration->type, ".surfref") == 0 ||
           strcmp(declaration->type, ".samplerref") == 0;
}

/* Define a variable, or declare that another text does. */
static CUresult define(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration,
                       bool constant, bool external, struct mock_image_global *global)
{
    const size_t most = 65536;
    CUresult code = CUDA_SUCCESS;

    global->part = ptx->reading->image->part_count;
    global->constant = constant;
    global->external = external;
    global->bytes = declaration->bytes;
    if (external)
        return code;
    if (cushim__mock_ptx_skip(ptx, "="))
        code = cushim__mock_ptx_initial(ptx, declaration, global);
    else if (declaration->unsized)
        code = cushim__mock_ptx_refuse(ptx, "an initial value");
    if (code == CUDA_SUCCESS && global->bytes == 0)
        code = cushim__mock_ptx_refuse(ptx, "a size");
    if (code == CUDA_SUCCESS && constant && global->bytes > most)
        code = cushim__mock_ptx_refuse(ptx, "no more than 64 KiB");
    return code;
}

/* Nobody can use it here. */
static CUresult declare_reference(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration,
                                  enum mock_ptx_linkage linkage)
{
    struct mock_image_global *global;
    CUresult code = cushim__mock_ptx_declared_name(ptx, declaration);
    bool added;

    if (code != CUDA_SUCCESS)
        return code;
    global =
        cushim__mock_image_add_global(ptx->reading->image, declaration->name.start,
                                      declaration->name.length, linkage == MOCK_PTX_LOCAL, &added);
    if (!global)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (added)
        global->reference = true;
    return skip_rest(ptx);
}

/* What is weak gives way to what is not, or else to what was there before. */
static CUresult declare(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration,
                        bool constant, enum mock_ptx_linkage linkage)
{
    struct mock_image *image = ptx->reading->image;
    const struct mock_ptx_word name = declaration->name;
    struct mock_image_global *global, unused = {.name = NULL};
    bool added;
    CUresult code;

    global = cushim__mock_image_add_global(image, name.start, name.length,
                                           linkage == MOCK_PTX_LOCAL, &added);
    if (!global)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (added || global->external || (global->weak && linkage == MOCK_PTX_VISIBLE)) {
        if (!added && linkage == MOCK_PTX_EXTERN)
            return CUDA_SUCCESS;
        cushim__mock_image_undefine(global);
        global->weak = linkage == MOCK_PTX_WEAK;
        return define(ptx, declaration, constant, linkage == MOCK_PTX_EXTERN, global);
    }
    if (linkage == MOCK_PTX_EXTERN)
        return CUDA_SUCCESS;
    if (linkage != MOCK_PTX_WEAK)
        return cushim__mock_image_refuse_twice(image, global->part, name.start, name.length);
    code = define(ptx, declaration, constant, false, &unused);
    cushim__mock_image_undefine(&unused);
    return code;
}

CUresult cushim__mock_ptx_variables(struct mock_ptx *ptx, bool constant,
                                    enum mock_ptx_linkage linkage)
{
    struct mock_ptx_declaration declaration = {.type = ""};
    CUresult code;

    if (cushim__mock_ptx_skip(ptx, "[")) { /* a bank of constant memory */
        cushim__mock_ptx_next(ptx);
        if (!cushim__mock_ptx_skip(ptx, "]"))
            return cushim__mock_ptx_refuse(ptx, "']'");
    }
    code = cushim__mock_ptx_declared_type(ptx, &declaration);
    if (code == CUDA_SUCCESS && is_reference(&declaration))
        return declare_reference(ptx, &declaration, linkage);
    do {
        if (code == CUDA_SUCCESS)
            code = cushim__mock_ptx_declared_name(ptx, &declaration);
        if (code == CUDA_SUCCESS)
            code = declare(ptx, &declaration, constant, linkage);
        if (code != CUDA_SUCCESS)
            return code;
    } while (cushim__mock_ptx_skip(ptx, ","));
    return cushim__mock_ptx_skip(ptx, ";") ? CUDA_SUCCESS : cushim__mock_ptx_refuse(ptx, "';'");
}
