/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initial values of PTX variables: numbers, addresses of variables, sums of them, and lists in
 * braces.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/image/ptx.h"

#define INITIAL_MAX ((size_t)1 << 30)

struct filling {
    struct mock_ptx_declaration *declaration;
    struct mock_image_global *global;
    size_t room; /* of `initial` */
};

/* One number, or an address with something added to it. */
struct value {
    uint64_t bits;
    struct mock_ptx_word symbol; /* length 0: none */
};

/* The system's own zeros: of a large variable only what has a value is touched. */
static bool make_room(struct filling *filling, size_t bytes)
{
    unsigned char *grown;
    size_t room = filling->room > 0 ? filling->room : filling->declaration->scalar_bytes;

    if (bytes <= filling->room)
        return true;
    if (bytes > INITIAL_MAX)
        return false;
    while (room < bytes)
        room *= 2;
    grown = calloc(1, room);
    if (!grown)
        return false;
    if (filling->room > 0)
        memcpy(grown, filling->global->initial, filling->room);
    free(filling->global->initial);
    filling->global->initial = grown;
    filling->room = room;
    return true;
}

/* `0f3FC00000` and `0d3FF8000000000000` are the bits of a number. */
static bool float_bits(struct mock_ptx *ptx, char letter, size_t digits, uint64_t *bits)
{
    char text[17], *end;

    if (ptx->word.length != digits + 2 || ptx->word.start[0] != '0' ||
        (ptx->word.start[1] | 0x20) != letter)
        return false;
    memcpy(text, ptx->word.start + 2, digits);
    text[digits] = '\0';
    *bits = strtoull(text, &end, 16);
    return *end == '\0';
}

static uint64_t double_bits(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t single_bits(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* A number of a variable of a floating type; the type says which bits it has. */
static bool floating(struct mock_ptx *ptx, bool is_double, bool minus, uint64_t *bits)
{
    char text[64], *end;
    uint64_t single;
    double number;

    if (float_bits(ptx, 'd', 16, bits)) {
        memcpy(&number, bits, sizeof number);
    } else if (float_bits(ptx, 'f', 8, &single)) {
        const uint32_t low = (uint32_t)single;
        float narrow;

        memcpy(&narrow, &low, sizeof narrow);
        number = (double)narrow;
    } else {
        if (ptx->word.length == 0 || ptx->word.length >= sizeof text)
            return false;
        memcpy(text, ptx->word.start, ptx->word.length);
        text[ptx->word.length] = '\0';
        number = strtod(text, &end);
        if (end == text || *end != '\0')
            return false;
    }
    number = minus ? -number : number;
    *bits = is_double ? double_bits(number) : single_bits((float)number);
    cushim__mock_ptx_next(ptx);
    return true;
}

/* `generic(name)`, or the name alone. */
static bool symbol(struct mock_ptx *ptx, struct mock_ptx_word *name)
{
    bool generic = false;

    if (cushim__mock_ptx_is(ptx, "generic")) {
        cushim__mock_ptx_next(ptx);
        generic = cushim__mock_ptx_skip(ptx, "(");
        if (!generic)
            return false;
    }
    return cushim__mock_ptx_name(ptx, name) && (!generic || cushim__mock_ptx_skip(ptx, ")"));
}

static bool term(struct mock_ptx *ptx, bool minus, struct value *value)
{
    struct mock_ptx_word name;
    uint64_t number;

    if (cushim__mock_ptx_skip(ptx, "~")) {
        if (!cushim__mock_ptx_integer(ptx, &number))
            return false;
        number = ~number;
    } else if (!cushim__mock_ptx_integer(ptx, &number)) {
        if (minus || value->symbol.length > 0 || !symbol(ptx, &name))
            return false;
        value->symbol = name;
        return true;
    }
    value->bits += minus ? 0 - number : number;
    return true;
}

static bool integral(struct mock_ptx *ptx, bool minus, struct value *value)
{
    if (!term(ptx, minus, value))
        return false;
    for (;;) {
        if (cushim__mock_ptx_skip(ptx, "+"))
            minus = false;
        else if (cushim__mock_ptx_skip(ptx, "-"))
            minus = true;
        else
            return true;
        if (!term(ptx, minus, value))
            return false;
    }
}

static bool is_end(const struct mock_ptx *ptx)
{
    return cushim__mock_ptx_is(ptx, ",") || cushim__mock_ptx_is(ptx, ";") ||
           cushim__mock_ptx_is(ptx, "}");
}

/* An expression beyond what is known here. */
static bool skip_expression(struct mock_ptx *ptx)
{
    unsigned depth = 0;

    while (!cushim__mock_ptx_ended(ptx) && (depth > 0 || !is_end(ptx))) {
        if (cushim__mock_ptx_is(ptx, "("))
            depth++;
        else if (cushim__mock_ptx_is(ptx, ")") && depth-- == 0)
            return false;
        cushim__mock_ptx_next(ptx);
    }
    return is_end(ptx);
}

static CUresult scalar(struct mock_ptx *ptx, struct filling *filling, size_t *position)
{
    const bool is_double = strcmp(filling->declaration->type, ".f64") == 0;
    const bool is_floating = is_double || strcmp(filling->declaration->type, ".f32") == 0;
    const bool minus = cushim__mock_ptx_skip(ptx, "-");
    const size_t bytes = filling->declaration->scalar_bytes;
    struct value value = {.bits = 0};

    if (is_floating ? !floating(ptx, is_double, minus, &value.bits)
                    : !integral(ptx, minus, &value) || !is_end(ptx)) {
        value = (struct value){.bits = 0};
        if (!skip_expression(ptx))
            return cushim__mock_ptx_refuse(ptx, "an initial value");
        cushim__mock_log(
            "line %u of an image: this initial value of '%s' is not understood, and is 0",
            ptx->line, filling->global->name);
    }
    if (!filling->declaration->unsized && *position + bytes > filling->declaration->bytes)
        return cushim__mock_ptx_refuse(ptx, "fewer initial values");
    if (!make_room(filling, *position + bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (value.symbol.length == 0)
        memcpy(filling->global->initial + *position, &value.bits, bytes < 8 ? bytes : 8);
    else if (bytes != 8)
        return cushim__mock_ptx_refuse(ptx, "64 bits for an address");
    else if (!cushim__mock_image_add_address(filling->global, *position, value.symbol.start,
                                             value.symbol.length, value.bits))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *position += bytes;
    return CUDA_SUCCESS;
}

/* How many bytes a list has at a depth of braces; 0: as many as are given. */
static size_t list_bytes(const struct mock_ptx_declaration *declaration, unsigned depth)
{
    size_t bytes = declaration->element_bytes;

    if (depth == 0 && declaration->unsized)
        return 0;
    for (unsigned i = depth; i < declaration->dimension_count; i++)
        bytes *= declaration->dimensions[i];
    return bytes;
}

static CUresult list(struct mock_ptx *ptx, struct filling *filling, unsigned depth,
                     size_t *position)
{
    const size_t start = *position, bytes = list_bytes(filling->declaration, depth);

    if (depth > filling->declaration->dimension_count)
        return cushim__mock_ptx_refuse(ptx, "fewer braces");
    while (!cushim__mock_ptx_is(ptx, "}")) {
        CUresult code = cushim__mock_ptx_skip(ptx, "{") ? list(ptx, filling, depth + 1, position)
                                                        : scalar(ptx, filling, position);

        if (code != CUDA_SUCCESS)
            return code;
        if (!cushim__mock_ptx_skip(ptx, ",") && !cushim__mock_ptx_is(ptx, "}"))
            return cushim__mock_ptx_refuse(ptx, "',' or '}'");
    }
    cushim__mock_ptx_next(ptx);
    if (bytes > 0 && *position > start + bytes)
        return cushim__mock_ptx_refuse(ptx, "fewer initial values");
    if (bytes > 0)
        *position = start + bytes;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_ptx_initial(struct mock_ptx *ptx, struct mock_ptx_declaration *declaration,
                                  struct mock_image_global *global)
{
    struct filling filling = {.declaration = declaration, .global = global};
    size_t position = 0;
    CUresult code;

    code = cushim__mock_ptx_skip(ptx, "{") ? list(ptx, &filling, 0, &position)
                                           : scalar(ptx, &filling, &position);
    if (code != CUDA_SUCCESS)
        return code;
    if (declaration->unsized) {
        const size_t element = list_bytes(declaration, 1);

        if (element == 0 || position == 0)
            return cushim__mock_ptx_refuse(ptx, "an initial value");
        global->bytes = (position + element - 1) / element * element;
    }
    return make_room(&filling, global->bytes) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
