/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of integers, and the initial values of variables. */
#include "src/mock/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

/* --- expressions of integers --- */

static uint64_t binary(struct ptx_parser *parser, unsigned rank, unsigned depth);

static uint64_t unary(struct ptx_parser *parser, unsigned depth)
{
    if (depth > 60)
        cushim__ptx_fail(parser, "the expression is nested too deep");
    if (ptx_skip(parser, "-"))
        return 0 - unary(parser, depth + 1);
    if (ptx_skip(parser, "+"))
        return unary(parser, depth + 1);
    if (ptx_skip(parser, "~"))
        return ~unary(parser, depth + 1);
    if (ptx_skip(parser, "(")) {
        const uint64_t value = binary(parser, 1, depth + 1);

        cushim__ptx_expect(parser, ")");
        return value;
    }
    return cushim__ptx_integer(parser);
}

/* How strongly an operator binds; 0: the word is none. */
static unsigned rank_of(struct ptx_word word)
{
    static const char *const operators[] = {"|", "^", "&", "<>", "+-", "*/%"};

    for (unsigned i = 0; word.length == 1 && i < 6; i++) {
        if (strchr(operators[i], *word.start))
            return i + 1;
    }
    return 0;
}

static uint64_t applied(struct ptx_parser *parser, char sign, uint64_t a, uint64_t b)
{
    switch (sign) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '<':
        return b < 64 ? a << b : 0;
    case '>':
        return b < 64 ? a >> b : 0;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        if (b == 0)
            cushim__ptx_fail(parser, "division by zero");
        return sign == '/' ? a / b : a % b;
    }
}

/* Operators of this rank and above. Those of logic and comparison are not implemented. */
static uint64_t binary(struct ptx_parser *parser, unsigned rank, unsigned depth)
{
    uint64_t value = unary(parser, depth);
    unsigned found;

    while ((found = rank_of(parser->word)) >= rank && found > 0) {
        const char sign = *parser->word.start;

        cushim__ptx_next(parser);
        if (sign == '<' || sign == '>')
            cushim__ptx_expect(parser, sign == '<' ? "<" : ">");
        value = applied(parser, sign, value, binary(parser, found + 1, depth + 1));
    }
    return value;
}

uint64_t cushim__ptx_expression(struct ptx_parser *parser)
{
    return binary(parser, 1, 0);
}

/* --- initial values --- */

/* Of what the mock keeps. */
enum { INITIAL_MAX = 1 << 30 };

struct filling {
    const struct ptx_declared *declared;
    struct ptx_global *global; /* NULL: the values are not wanted */
    size_t at;                 /* bytes that are filled */
    size_t room;               /* of addresses */
};

/* An address: `name`, `generic(name)+4`. */
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
    if (ptx_is(parser, "+") || ptx_is(parser, "-"))
        value.value = cushim__ptx_expression(parser);
    symbol = cushim__ptx_symbol_find(parser, name);
    if (!symbol || (symbol->kind != SYMBOL_GLOBAL && symbol->kind != SYMBOL_FUNCTION))
        cushim__ptx_fail(parser, "'%.*s' is not a variable or function whose address is known",
                         (int)(name.length > 60 ? 60 : name.length), name.start);
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

        addresses = cushim__ptx_grow(parser, addresses, &filling->room, global->address_count,
                                     sizeof *addresses);
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
    struct ptx_operand number = {0};
    uint64_t bits;

    if (parser->word.length > 0 && !cushim__ptx_is_number(parser) &&
        !strchr("-+~!(", *parser->word.start)) {
        put(parser, filling, 0);
        address(parser, filling, 0, false);
        filling->at += filling->declared->scalar;
        return;
    }
    if (type == TYPE_F32 || type == TYPE_F64) {
        const bool minus = ptx_skip(parser, "-");

        cushim__ptx_number(parser, &number);
        if (number.kind == OPERAND_INTEGER)
            number.real = (double)(int64_t)number.integer;
        if (minus)
            number.real = -number.real;
        memcpy(&bits, &number.real, sizeof bits);
        if (type == TYPE_F32) {
            const float single = (float)number.real;
            uint32_t low;

            memcpy(&low, &single, sizeof low);
            bits = number.single && !minus ? number.integer : low;
        }
    } else {
        bits = cushim__ptx_expression(parser);
    }
    if (ptx_skip(parser, "(")) { /* 0xFF00(name): a byte of the address */
        unsigned shift = 0;

        while (shift < 56 && !(bits >> shift & 0xff))
            shift += 8;
        put(parser, filling, 0);
        address(parser, filling, shift, true);
        cushim__ptx_expect(parser, ")");
    } else {
        put(parser, filling, bits);
    }
    filling->at += filling->declared->scalar;
}

/* `{ {1, 2}, {3} }`: a brace fills its own part of the variable, and what it lacks is zero. */
static void braces(struct ptx_parser *parser, struct filling *filling, unsigned level)
{
    const struct ptx_declared *declared = filling->declared;
    size_t bytes = declared->scalar;
    const size_t start = filling->at;

    for (unsigned i = level; i < declared->dimension_count; i++)
        bytes *= declared->dimensions[i];
    while (!ptx_is(parser, "}")) {
        if (ptx_skip(parser, "{")) {
            if (level >= declared->dimension_count)
                cushim__ptx_expected(parser, "a value");
            braces(parser, filling, level + 1);
        } else {
            scalar(parser, filling);
        }
        if (!ptx_skip(parser, ",") && !ptx_is(parser, "}"))
            cushim__ptx_expected(parser, "',' or '}'");
    }
    if (!declared->open || level > 0) {
        if (filling->at - start > bytes)
            cushim__ptx_fail(parser, "there are more values than the variable has elements");
        filling->at = start + bytes;
    }
    if (filling->at > PTX_BYTES_MAX)
        cushim__ptx_fail(parser, "the variable is too large");
    cushim__ptx_next(parser);
}

void cushim__ptx_initial(struct ptx_parser *parser, struct ptx_declared *declared, size_t index)
{
    struct filling filling = {.declared = declared};

    /* What has no size is read once more when it is known how many values there are. */
    if (declared->unsized) {
        const struct ptx_word word = parser->word;
        const char *const at = parser->at;
        const unsigned line = parser->line;
        size_t inner = declared->scalar;

        for (unsigned i = 1; i < declared->dimension_count; i++)
            inner *= declared->dimensions[i];
        if (inner == 0)
            cushim__ptx_expected(parser, "a size");
        declared->bytes = PTX_BYTES_MAX;
        declared->open = true;
        cushim__ptx_expect(parser, "{");
        braces(parser, &filling, 0);
        declared->bytes = (filling.at + inner - 1) / inner * inner;
        declared->open = false;
        declared->dimensions[0] = declared->bytes / inner;
        filling.at = 0;
        parser->word = word;
        parser->at = at;
        parser->line = line;
    }
    if (index != SIZE_MAX) {
        filling.global = &parser->program->globals[index];
        filling.global->bytes = declared->bytes;
        /* The system's own zeros: of a large variable only what has a value is touched. */
        if (declared->bytes <= INITIAL_MAX)
            filling.global->initial = calloc(1, declared->bytes + 1);
        if (!filling.global->initial)
            cushim__ptx_no_memory(parser);
    }
    if (ptx_skip(parser, "{"))
        braces(parser, &filling, 0);
    else
        scalar(parser, &filling);
}
