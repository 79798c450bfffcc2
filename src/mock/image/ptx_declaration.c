/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of PTX text: types, names, dimensions, and the variables that have them. */
#include <stdlib.h>
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

size_t cushim__ptx_type_bytes(const struct cushim__ptx *ptx)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (cushim__ptx_is(ptx, types[i].name))
            return types[i].bytes;
    }
    return 0;
}

static unsigned vector_of(const struct cushim__ptx *ptx)
{
    if (cushim__ptx_is(ptx, ".v2"))
        return 2;
    if (cushim__ptx_is(ptx, ".v4"))
        return 4;
    return cushim__ptx_is(ptx, ".v8") ? 8 : 0;
}

/* `.attribute(.managed)` and the like: what stands in brackets does not matter here. */
static bool skip_brackets(struct cushim__ptx *ptx)
{
    if (!cushim__ptx_skip(ptx, "("))
        return false;
    while (!cushim__ptx_ended(ptx) && !cushim__ptx_is(ptx, ")"))
        cushim__ptx_next(ptx);
    return cushim__ptx_skip(ptx, ")");
}

static bool is_power(uint64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

CUresult cushim__ptx_declared_type(struct cushim__ptx *ptx,
                                   struct cushim__ptx_declaration *declaration)
{
    size_t bytes = 0;
    uint64_t alignment = 0;
    unsigned vector = 1;

    for (; ptx->word.length > 1 && *ptx->word.start == '.';) {
        if (cushim__ptx_skip(ptx, ".align")) {
            if (!cushim__ptx_integer(ptx, &alignment) || !is_power(alignment) || alignment > 4096)
                return cushim__ptx_refuse(ptx, "an alignment");
        } else if (cushim__ptx_skip(ptx, ".attribute")) {
            if (!skip_brackets(ptx))
                return cushim__ptx_refuse(ptx, "an attribute");
        } else if (cushim__ptx_skip(ptx, ".ptr")) {
            /* What a pointer points at: a space and an alignment. */
            while (ptx->word.length > 1 && *ptx->word.start == '.' &&
                   !cushim__ptx_is(ptx, ".align"))
                cushim__ptx_next(ptx);
            if (cushim__ptx_skip(ptx, ".align"))
                cushim__ptx_next(ptx);
        } else if (vector_of(ptx) > 0) {
            vector = vector_of(ptx);
            cushim__ptx_next(ptx);
        } else if (bytes == 0 && cushim__ptx_type_bytes(ptx) > 0) {
            bytes = cushim__ptx_type_bytes(ptx);
            memcpy(declaration->type, ptx->word.start,
                   ptx->word.length < sizeof declaration->type ? ptx->word.length : 0);
            cushim__ptx_next(ptx);
        } else {
            break;
        }
    }
    if (bytes == 0)
        return cushim__ptx_refuse(ptx, "a type");
    declaration->scalar_bytes = bytes;
    declaration->element_bytes = bytes * vector;
    declaration->alignment = alignment > 0 ? (size_t)alignment : declaration->element_bytes;
    return CUDA_SUCCESS;
}

/* `[3][4]`, or `[]` first. */
static CUresult dimensions(struct cushim__ptx *ptx, struct cushim__ptx_declaration *declaration)
{
    enum { MAX = sizeof declaration->dimensions / sizeof *declaration->dimensions };
    const size_t limit = (size_t)1 << 40;

    while (cushim__ptx_skip(ptx, "[")) {
        uint64_t count = 0;

        if (declaration->dimension_count == MAX)
            return cushim__ptx_refuse(ptx, "fewer dimensions");
        if (declaration->dimension_count == 0 && cushim__ptx_is(ptx, "]"))
            declaration->unsized = true;
        else if (!cushim__ptx_integer(ptx, &count) ||
                 (count > 0 && declaration->bytes > limit / count))
            return cushim__ptx_refuse(ptx, "a size");
        declaration->dimensions[declaration->dimension_count++] = (size_t)count;
        declaration->bytes *= (size_t)count;
        if (!cushim__ptx_skip(ptx, "]"))
            return cushim__ptx_refuse(ptx, "']'");
    }
    return CUDA_SUCCESS;
}

CUresult cushim__ptx_declared_name(struct cushim__ptx *ptx,
                                   struct cushim__ptx_declaration *declaration)
{
    declaration->dimension_count = 0;
    declaration->unsized = false;
    declaration->bytes = declaration->element_bytes;
    if (!cushim__ptx_name(ptx, &declaration->name))
        return cushim__ptx_refuse(ptx, "a name");
    return dimensions(ptx, declaration);
}

/* What is declared here is of another part: nothing of it is known but its name. */
static CUresult skip_external(struct cushim__ptx *ptx)
{
    return cushim__ptx_skip_statement(ptx) ? CUDA_SUCCESS : cushim__ptx_refuse(ptx, "';'");
}

static bool is_reference(const struct cushim__ptx_declaration *declaration)
{
    return strcmp(declaration->type, ".texref") == 0 ||
           strcmp(declaration->type, ".surfref") == 0 ||
           strcmp(declaration->type, ".samplerref") == 0;
}

static CUresult declare(struct cushim__ptx *ptx, struct cushim__ptx_declaration *declaration,
                        bool constant)
{
    struct cushim__image *image = ptx->reading->image;
    const struct cushim__ptx_word name = declaration->name;
    const int shown = name.length > 60 ? 60 : (int)name.length;
    struct cushim__image_global *global;
    bool added;

    global = cushim__image_add_global(image, name.start, name.length, &added);
    if (!global)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!added)
        return cushim__image_refuse(image, CUDA_ERROR_INVALID_PTX,
                                    "line %u: '%.*s' is declared twice", ptx->line, shown,
                                    name.start);
    global->constant = constant;
    global->bytes = declaration->bytes;
    if (cushim__ptx_skip(ptx, "="))
        return cushim__ptx_initial(ptx, declaration, global);
    if (declaration->unsized)
        return cushim__ptx_refuse(ptx, "an initial value");
    return CUDA_SUCCESS;
}

CUresult cushim__ptx_variables(struct cushim__ptx *ptx, bool constant, bool external)
{
    struct cushim__ptx_declaration declaration = {.type = ""};
    CUresult code;

    if (external)
        return skip_external(ptx);
    if (cushim__ptx_skip(ptx, "[")) { /* a bank of constant memory */
        cushim__ptx_next(ptx);
        if (!cushim__ptx_skip(ptx, "]"))
            return cushim__ptx_refuse(ptx, "']'");
    }
    code = cushim__ptx_declared_type(ptx, &declaration);
    if (code == CUDA_SUCCESS && is_reference(&declaration))
        return skip_external(ptx);
    do {
        if (code == CUDA_SUCCESS)
            code = cushim__ptx_declared_name(ptx, &declaration);
        if (code == CUDA_SUCCESS)
            code = declare(ptx, &declaration, constant);
        if (code != CUDA_SUCCESS)
            return code;
    } while (cushim__ptx_skip(ptx, ","));
    return cushim__ptx_skip(ptx, ";") ? CUDA_SUCCESS : cushim__ptx_refuse(ptx, "';'");
}
