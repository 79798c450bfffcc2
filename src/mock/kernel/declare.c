/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of PTX: their types, and the initial values of those in global memory. */
#include "src/mock/kernel/parser.h"

#include <stdlib.h>
#include <string.h>

/* What no device has: a bound that keeps sums of sizes from overflowing. */
#define BYTES_MAX (UINT64_C(1) << 40)

/* Of an initial value, which the mock keeps, and of constants. */
enum { INITIAL_MAX = 1 << 30, CONSTANT_MAX = 1 << 16 };

uint64_t cushim__ptx_align(struct ptx_parser *parser, uint64_t offset, uint64_t alignment)
{
    if (offset > BYTES_MAX)
        cushim__ptx_fail(parser, "the variable is too large");
    return alignment > 1 ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* `.attribute(.managed)`, `.unified(...)` */
static void attribute(struct ptx_parser *parser, struct ptx_declared *declared)
{
    cushim__ptx_expect(parser, "(");
    for (unsigned depth = 1; depth > 0;) {
        if (ptx_is(parser, "("))
            depth++;
        else if (ptx_is(parser, ")"))
            depth--;
        else if (ptx_is(parser, ".managed"))
            declared->managed = true;
        else if (parser->word.length == 0)
            cushim__ptx_expected(parser, "')'");
        cushim__ptx_next(parser);
    }
}

/* `.ptr .global .align 16`: where a parameter points at. */
static void pointer(struct ptx_parser *parser)
{
    while (parser->word.length > 0 && *parser->word.start == '.' && !ptx_is(parser, ".align"))
        cushim__ptx_next(parser);
    if (ptx_skip(parser, ".align"))
        cushim__ptx_integer(parser);
}

void cushim__ptx_declared_type(struct ptx_parser *parser, struct ptx_declared *declared)
{
    *declared = (struct ptx_declared){.vector = 1};
    while (parser->word.length > 0 && *parser->word.start == '.') {
        if (ptx_skip(parser, ".align")) {
            declared->alignment = (size_t)cushim__ptx_integer(parser);
            if (declared->alignment == 0 || declared->alignment > 4096 ||
                declared->alignment & (declared->alignment - 1))
                cushim__ptx_fail(parser, "the alignment is not a power of two");
        } else if (ptx_skip(parser, ".v2")) {
            declared->vector = 2;
        } else if (ptx_skip(parser, ".v4")) {
            declared->vector = 4;
        } else if (ptx_skip(parser, ".v8")) {
            declared->vector = 8;
        } else if (ptx_skip(parser, ".attribute")) {
            attribute(parser, declared);
        } else if (ptx_skip(parser, ".ptr")) {
            pointer(parser);
        } else if (ptx_is(parser, ".texref") || ptx_is(parser, ".samplerref") ||
                   ptx_is(parser, ".surfref")) {
            declared->reference = true;
            declared->type = TYPE_B64;
            cushim__ptx_next(parser);
        } else if (declared->type == TYPE_NONE && cushim__ptx_type(parser->word) != TYPE_NONE) {
            declared->type = cushim__ptx_type(parser->word);
            cushim__ptx_next(parser);
        } else {
            break;
        }
    }
    if (declared->type == TYPE_NONE)
        cushim__ptx_expected(parser, "a type");
    declared->scalar = cushim__ptx_type_bytes(declared->type);
    declared->element = declared->scalar * declared->vector;
    if (declared->alignment == 0)
        declared->alignment = declared->element;
}

void cushim__ptx_declared_name(struct ptx_parser *parser, struct ptx_declared *declared)
{
    declared->name = cushim__ptx_name(parser);
    declared->count = 1;
    declared->array = declared->unsized = false;
    declared->repeated = declared->dimension_count = 0;
    if (ptx_skip(parser, "<")) {
        const uint64_t count = cushim__ptx_integer(parser);

        if (count == 0 || count > 1 << 20)
            cushim__ptx_fail(parser, "so many variables are not possible");
        declared->repeated = (unsigned)count;
        cushim__ptx_expect(parser, ">");
    }
    while (ptx_skip(parser, "[")) {
        declared->array = true;
        if (ptx_is(parser, "]") && declared->dimension_count == 0) {
            declared->unsized = true;
            declared->dimensions[declared->dimension_count++] = 1;
        } else {
            const uint64_t count = cushim__ptx_expression(parser);

            if (count > BYTES_MAX || (count > 0 && declared->count > BYTES_MAX / count))
                cushim__ptx_fail(parser, "the variable is too large");
            declared->count *= (size_t)count;
            if (declared->dimension_count == 8)
                cushim__ptx_fail(parser, "the variable has too many dimensions");
            declared->dimensions[declared->dimension_count++] = (size_t)count;
        }
        cushim__ptx_expect(parser, "]");
    }
    if (declared->vector > 1 && declared->dimension_count < 8)
        declared->dimensions[declared->dimension_count++] = declared->vector;
    if (declared->count > BYTES_MAX / declared->element)
        cushim__ptx_fail(parser, "the variable is too large");
    declared->bytes = declared->unsized ? 0 : declared->count * declared->element;
}

/* --- names that texts share --- */

/* Variables: their index in the module, the one that is there already if texts share it. */
static size_t global_named(struct ptx_parser *parser, const struct ptx_declared *declared,
                           enum ptx_linkage linkage, bool *defines)
{
    struct ptx_program *program = parser->program;
    struct ptx_symbol *known = cushim__ptx_symbol_find(parser, declared->name);
    const uint32_t *shared = cushim__ptx_names_find(program->names, 'g', declared->name);
    struct ptx_global *global;
    size_t index;

    *defines = linkage != PTX_EXTERN;
    if (known && known->kind == SYMBOL_GLOBAL)
        index = known->index;
    else if (shared && linkage != PTX_LOCAL)
        index = *shared;
    else {
        index = program->module.global_count;
        program->globals = cushim__ptx_grow(parser, program->globals, &program->global_room, index,
                                            sizeof *program->globals);
        program->globals[index] = (struct ptx_global){.linkage = PTX_EXTERN, .part = parser->part};
        program->module.globals = program->globals;
        program->globals[index].name = cushim__ptx_copy(parser, declared->name);
        program->module.global_count++;
        if (linkage != PTX_LOCAL &&
            !cushim__ptx_names_add(program->names, 'g', declared->name, (uint32_t)index))
            cushim__ptx_no_memory(parser);
    }
    if (!known || known->kind != SYMBOL_GLOBAL)
        cushim__ptx_symbol_add(parser, declared->name, SYMBOL_GLOBAL, (uint32_t)index);
    global = &program->globals[index];
    if (*defines && global->linkage != PTX_EXTERN) {
        if (linkage == PTX_VISIBLE && global->linkage == PTX_WEAK) {
            free((void *)global->initial);
            free((void *)global->addresses);
            global->initial = NULL;
            global->addresses = NULL;
            global->address_count = 0;
        } else if (linkage == PTX_WEAK) {
            *defines = false;
        } else {
            cushim__ptx_twice(parser, global->name, global->part);
        }
    }
    return index;
}

static void global(struct ptx_parser *parser, struct ptx_declared *declared, bool constant,
                   enum ptx_linkage linkage)
{
    bool defines;
    const size_t index = global_named(parser, declared, linkage, &defines);
    struct ptx_global *global = &parser->program->globals[index];

    if (defines || global->linkage == PTX_EXTERN) {
        global->linkage = linkage;
        global->part = parser->part;
        global->of_body = parser->body.depth > 0;
        global->constant = constant;
        global->managed = declared->managed;
        global->reference = declared->reference;
        global->alignment = declared->alignment;
        if (!declared->unsized)
            global->bytes = declared->bytes;
    }
    /* What a reference is set to does not matter: nothing here can use it. */
    while (declared->reference && parser->word.length > 0 && !ptx_is(parser, ";"))
        cushim__ptx_next(parser);
    if (ptx_skip(parser, "="))
        cushim__ptx_initial(parser, declared, defines ? index : SIZE_MAX);
    else if (declared->unsized && linkage != PTX_EXTERN)
        cushim__ptx_expected(parser, "an initial value");
    if (declared->bytes == 0 && linkage != PTX_EXTERN)
        cushim__ptx_expected(parser, "a size");
    if (constant && declared->bytes > CONSTANT_MAX)
        cushim__ptx_fail(parser, "the variable has more than 64 KiB");
}

void cushim__ptx_globals(struct ptx_parser *parser, bool constant, enum ptx_linkage linkage)
{
    struct ptx_declared declared;

    if (constant && ptx_skip(parser, "[")) { /* a bank of constant memory */
        cushim__ptx_integer(parser);
        cushim__ptx_expect(parser, "]");
    }
    cushim__ptx_declared_type(parser, &declared);
    do {
        cushim__ptx_declared_name(parser, &declared);
        global(parser, &declared, constant, linkage);
    } while (ptx_skip(parser, ","));
    cushim__ptx_expect(parser, ";");
}

void cushim__ptx_shared_variables(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct ptx_program *program = parser->program;
    struct ptx_declared declared;

    cushim__ptx_declared_type(parser, &declared);
    do {
        const uint32_t *known;
        uint32_t index = program->shared_count;
        struct ptx_shared *shared;

        cushim__ptx_declared_name(parser, &declared);
        known = linkage == PTX_LOCAL ? NULL
                                     : cushim__ptx_names_find(program->names, 's', declared.name);
        if (known)
            index = *known;
        cushim__ptx_symbol_add(parser, declared.name, SYMBOL_SHARED, index);
        if (!known) {
            program->shared = cushim__ptx_grow(parser, program->shared, &program->shared_room,
                                               index, sizeof *program->shared);
            program->shared[index] = (struct ptx_shared){.part = parser->part, .linkage = linkage};
            program->shared[index].name = cushim__ptx_copy(parser, declared.name);
            program->shared_count++;
            if (linkage != PTX_LOCAL &&
                !cushim__ptx_names_add(program->names, 's', declared.name, index))
                cushim__ptx_no_memory(parser);
        }
        if (linkage != PTX_EXTERN && parser->body.kernel)
            parser->body.shared_bytes =
                cushim__ptx_align(parser, parser->body.shared_bytes, declared.alignment) +
                declared.bytes;
        shared = &program->shared[index];
        if (declared.bytes > shared->bytes)
            shared->bytes = declared.bytes;
        if (declared.alignment > shared->alignment)
            shared->alignment = declared.alignment;
        shared->dynamic = shared->bytes == 0;
    } while (ptx_skip(parser, ","));
    cushim__ptx_expect(parser, ";");
}

uint32_t cushim__ptx_function_named(struct ptx_parser *parser, struct ptx_word name,
                                    enum ptx_linkage linkage)
{
    struct ptx_program *program = parser->program;
    struct ptx_symbol *symbol = cushim__ptx_symbol_find(parser, name);
    const uint32_t *shared = cushim__ptx_names_find(program->names, 'f', name);
    struct ptx_function *function;
    uint32_t index;

    if (symbol && symbol->kind == SYMBOL_FUNCTION)
        return symbol->index;
    if (shared && linkage != PTX_LOCAL) {
        cushim__ptx_symbol_add(parser, name, SYMBOL_FUNCTION, *shared);
        return *shared;
    }
    index = program->function_count;
    program->functions = cushim__ptx_grow(parser, program->functions, &program->function_room,
                                          index, sizeof *program->functions);
    function = &program->functions[index];
    *function = (struct ptx_function){.part = parser->part, .linkage = PTX_EXTERN};
    function->name = cushim__ptx_copy(parser, name);
    program->function_count++;
    if (linkage != PTX_LOCAL && !cushim__ptx_names_add(program->names, 'f', name, index))
        cushim__ptx_no_memory(parser);
    cushim__ptx_symbol_add(parser, name, SYMBOL_FUNCTION, index);
    return index;
}

/* --- expressions of integers --- */

static uint64_t ternary(struct ptx_parser *parser, unsigned depth);

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
    if (ptx_skip(parser, "!"))
        return !unary(parser, depth + 1);
    if (ptx_skip(parser, "(")) {
        uint64_t value;

        if (ptx_is(parser, ".s64") || ptx_is(parser, ".u64")) {
            cushim__ptx_next(parser);
            cushim__ptx_expect(parser, ")");
            return unary(parser, depth + 1);
        }
        value = ternary(parser, depth + 1);
        cushim__ptx_expect(parser, ")");
        return value;
    }
    return cushim__ptx_integer(parser);
}

/* Operators by rank, two characters at most. */
static const struct {
    char text[3];
    unsigned rank;
} operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static int operator_at(const struct ptx_parser *parser)
{
    for (int i = 0; i < (int)(sizeof operators / sizeof *operators); i++) {
        const size_t length = strlen(operators[i].text);

        if ((size_t)(parser->end - parser->word.start) >= length && parser->word.length > 0 &&
            memcmp(parser->word.start, operators[i].text, length) == 0)
            return i;
    }
    return -1;
}

static uint64_t applied(struct ptx_parser *parser, const char *text, uint64_t a, uint64_t b)
{
    switch (text[0] + (text[1] ? 256 : 0)) {
    case '|' + 256:
        return a || b;
    case '&' + 256:
        return a && b;
    case '=' + 256:
        return a == b;
    case '!' + 256:
        return a != b;
    case '<' + 256:
        return text[1] == '=' ? (int64_t)a <= (int64_t)b : b < 64 ? a << b : 0;
    case '>' + 256:
        return text[1] == '=' ? (int64_t)a >= (int64_t)b : b < 64 ? a >> b : 0;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '<':
        return (int64_t)a < (int64_t)b;
    case '>':
        return (int64_t)a > (int64_t)b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        if (b == 0)
            cushim__ptx_fail(parser, "division by zero");
        return text[0] == '/' ? a / b : a % b;
    }
}

static uint64_t binary(struct ptx_parser *parser, unsigned rank, unsigned depth)
{
    uint64_t value = unary(parser, depth);
    int found;

    while ((found = operator_at(parser)) >= 0 && operators[found].rank >= rank) {
        cushim__ptx_next(parser);
        if (operators[found].text[1])
            cushim__ptx_next(parser);
        value = applied(parser, operators[found].text, value,
                        binary(parser, operators[found].rank + 1, depth + 1));
    }
    return value;
}

static uint64_t ternary(struct ptx_parser *parser, unsigned depth)
{
    const uint64_t value = binary(parser, 1, depth);
    uint64_t first, second;

    if (!ptx_skip(parser, "?"))
        return value;
    first = ternary(parser, depth + 1);
    cushim__ptx_expect(parser, ":");
    second = ternary(parser, depth + 1);
    return value ? first : second;
}

uint64_t cushim__ptx_expression(struct ptx_parser *parser)
{
    return ternary(parser, 0);
}

/* --- initial values --- */

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
    if (filling->at > BYTES_MAX)
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
        declared->bytes = BYTES_MAX;
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
