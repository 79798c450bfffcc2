/* SPDX-License-Identifier: Apache-2.0 */
/* The initial values of variables, and offsets from addresses. */
#include "src/ptx/text/parser.h"

#include <stdlib.h>
#include <string.h>

uint64_t cushim__ptx_offset(struct ptx_parser *parser)
{
    uint64_t offset = 0;

    while (ptx_skip(parser, "+") || ptx_is(parser, "-"))
        offset += cushim__ptx_integer(parser);
    return offset;
}

struct filling {
    const struct ptx_declared *declared;
    struct ptx_global *global; /* NULL if the values are discarded */
    size_t at;                 /* how many bytes are filled */
};

/* Read an address: `name` or `generic(name)+4`. */
static void address(struct ptx_parser *parser, struct filling *filling, unsigned shift, bool masked)
{
    const bool generic = ptx_skip(parser, "generic");
    struct ptx_address value = {.offset = filling->at, .shift = shift};
    struct ptx_symbol *symbol;
    struct ptx_word name;

    if (generic)
        cushim__ptx_expect(parser, "(");
    name = cushim__ptx_name(parser);
    if (generic)
        cushim__ptx_expect(parser, ")");
    value.value = cushim__ptx_offset(parser);
    symbol = cushim__ptx_symbol_find(parser, name);
    if (!symbol || (symbol->kind != SYMBOL_GLOBAL && symbol->kind != SYMBOL_FUNCTION))
        cushim__ptx_fail(parser, "'%.*s' is not a variable or function whose address is known",
                         ptx_shown(name), name.start);
    value.bytes = masked ? 1 : 8;
    if (!masked && filling->declared->scalar != 8)
        cushim__ptx_fail(parser, "an address has 64 bits");
    value.of_function = symbol->kind == SYMBOL_FUNCTION;
    if (value.of_function) {
        parser->program->functions[symbol->index].address_taken = true;
        value.value += ptx_function_address(symbol->index);
    } else {
        value.global = symbol->index;
    }
    if (filling->global) {
        struct ptx_global *global = filling->global;
        struct ptx_address *addresses = (struct ptx_address *)global->addresses;

        PTX_GROW(parser, addresses, global->address_count);
        addresses[global->address_count++] = value;
        global->addresses = addresses;
    }
}

static void put(struct ptx_parser *parser, struct filling *filling, uint64_t bits)
{
    const size_t size = filling->declared->scalar;

    if (filling->at + size > filling->declared->bytes)
        cushim__ptx_fail(parser, "there are more values than the variable has elements");
    for (size_t i = 0; filling->global && i < size && i < 8; i++)
        ((unsigned char *)filling->global->initial)[filling->at + i] =
            (unsigned char)(bits >> i * 8);
}

static void scalar(struct ptx_parser *parser, struct filling *filling)
{
    const enum ptx_type type = filling->declared->type;
    const bool is_address = parser->word.length > 0 && !cushim__ptx_is_number(parser);
    struct ptx_operand number = {0};
    uint64_t bits = 0;
    unsigned shift = 0;
    bool masked;

    if (!is_address && (type == TYPE_F32 || type == TYPE_F64)) {
        cushim__ptx_number(parser, &number);
        if (number.kind == OPERAND_INTEGER)
            number.real = (double)(int64_t)number.integer;
        if (type == TYPE_F64)
            bits = ptx_bits64(number.real);
        else
            bits = number.single ? number.integer : ptx_bits32((float)number.real);
    } else if (!is_address) {
        bits = cushim__ptx_integer(parser);
    }
    masked = !is_address && ptx_skip(parser, "("); /* 0xFF00(name): a byte of the address */
    while (masked && shift < 56 && !(bits >> shift & 0xff))
        shift += 8;
    put(parser, filling, masked ? 0 : bits);
    if (is_address || masked)
        address(parser, filling, shift, masked);
    if (masked)
        cushim__ptx_expect(parser, ")");
    filling->at += filling->declared->scalar;
}

/* Read the values after the `{`. Compilers write the elements of all dimensions as one list. */
static void values(struct ptx_parser *parser, struct filling *filling)
{
    while (!ptx_skip(parser, "}")) {
        scalar(parser, filling);
        if (!ptx_skip(parser, ",") && !ptx_is(parser, "}"))
            cushim__ptx_expected(parser, "',' or '}'");
    }
}

/*
 * Return the size of `a[] = {1, 2, 3}`. The values are read a second time when their number is
 * known.
 */
static size_t measured(struct ptx_parser *parser, struct ptx_declared declared)
{
    const struct ptx_word word = parser->word;
    const char *const at = parser->at;
    const unsigned line = parser->line;
    struct filling filling = {.declared = &declared};

    declared.bytes = PTX_BYTES_MAX;
    cushim__ptx_expect(parser, "{");
    values(parser, &filling);
    parser->word = word;
    parser->at = at;
    parser->line = line;
    return declared.step == 0 ? 0 : (size_t)cushim__ptx_align(parser, filling.at, declared.step);
}

void cushim__ptx_initial(struct ptx_parser *parser, struct ptx_declared *declared, size_t index)
{
    struct filling filling = {.declared = declared};

    if (declared->unsized)
        declared->bytes = measured(parser, *declared);
    if (declared->bytes == 0)
        cushim__ptx_expected(parser, "a size");
    if (index != SIZE_MAX) {
        filling.global = &parser->program->globals[index];
        filling.global->bytes = declared->bytes;
        /*
         * calloc() returns untouched pages of the system, so that a large variable costs only what
         * has values.
         */
        if (declared->bytes <= 1 << 30)
            filling.global->initial = calloc(1, declared->bytes + 1);
        if (!filling.global->initial)
            cushim__ptx_no_memory(parser);
    }
    if (ptx_skip(parser, "{"))
        values(parser, &filling);
    else
        scalar(parser, &filling);
}
