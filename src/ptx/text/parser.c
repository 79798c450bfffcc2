/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer, names and their scopes, memory and errors. */
#include "src/ptx/text/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copy the current statement, as one line. */
static void quote(const struct ptx_parser *parser, char *text, size_t size)
{
    const char *from = parser->statement;
    size_t length = 0;
    bool blank = false;

    for (; from && from < parser->end && length + 1 < size; from++) {
        if (strchr(" \t\r\n", *from)) {
            blank = length > 0;
        } else {
            if (blank && length + 2 < size)
                text[length++] = ' ';
            blank = false;
            text[length++] = *from < ' ' || *from > '~' ? '?' : *from;
        }
        if (*from == ';' || *from == '{' || *from == '}')
            break;
    }
    text[length] = '\0';
}

void cushim__ptx_fail(struct ptx_parser *parser, const char *format, ...)
{
    struct ptx_error *error = parser->error;
    va_list arguments;

    error->part = parser->part;
    error->line = parser->line;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    quote(parser, error->instruction, sizeof error->instruction);
    longjmp(parser->failed, 1);
}

void cushim__ptx_expected(struct ptx_parser *parser, const char *what)
{
    const int length = parser->word.length > 40 ? 40 : (int)parser->word.length;

    if (length == 0)
        cushim__ptx_fail(parser, "%s expected, not the end of the text", what);
    cushim__ptx_fail(parser, "%s expected, not '%.*s'", what, length, parser->word.start);
}

void cushim__ptx_twice(struct ptx_parser *parser, const char *name, unsigned part, bool weak)
{
    if (part != parser->part && weak)
        return;
    if (part != parser->part)
        parser->error->kind = PTX_IN_OTHER_TEXT;
    cushim__ptx_fail(parser, "'%.100s' is defined twice", name);
}

void cushim__ptx_no_memory(struct ptx_parser *parser)
{
    parser->error->kind = PTX_OUT_OF_MEMORY;
    cushim__ptx_fail(parser, "out of memory");
}

void cushim__ptx_refuse_function(struct ptx_parser *parser, const char *why)
{
    struct ptx_function *function = &parser->program->functions[parser->body.function];

    if (function->refused)
        return;
    function->refused = cushim__ptx_copy(parser, (struct ptx_word){why, strlen(why)});
    function->refused_line = parser->statement_line;
}

struct ptx_pool_block {
    struct ptx_pool_block *next;
    size_t used, room;
    max_align_t bytes[];
};

void *cushim__ptx_names_pool(struct ptx_parser *parser, struct ptx_names *names, size_t bytes)
{
    struct ptx_pool_block *block = names->pool;
    void *memory;

    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!block || block->room - block->used < bytes) {
        const size_t room = bytes > 65536 ? bytes : 65536;

        block = calloc(1, sizeof *block + room);
        if (!block)
            cushim__ptx_no_memory(parser);
        block->room = room;
        block->next = names->pool;
        names->pool = block;
    }
    memory = (char *)block->bytes + block->used;
    block->used += bytes;
    return memory;
}

void cushim__ptx_names_clear(struct ptx_names *names)
{
    while (names && names->pool) {
        struct ptx_pool_block *next = names->pool->next;

        free(names->pool);
        names->pool = next;
    }
}

void *cushim__ptx_pool(struct ptx_parser *parser, size_t bytes)
{
    return cushim__ptx_names_pool(parser, &parser->names, bytes);
}

/* The capacity of an array is LEAST at first, and then a power of two. */
enum { LEAST = 16 };

void *cushim__ptx_grow(struct ptx_parser *parser, void *array, size_t count, size_t element)
{
    const size_t larger = count < LEAST ? LEAST : count * 2;
    char *grown;

    if (count & (count - 1) || (count > 0 && count < LEAST))
        return array;
    grown = larger > UINT32_MAX / 2 ? NULL : realloc(array, larger * element);
    if (!grown)
        cushim__ptx_no_memory(parser);
    return grown;
}

char *cushim__ptx_copy(struct ptx_parser *parser, struct ptx_word word)
{
    char *copy = malloc(word.length + 1);

    if (!copy)
        cushim__ptx_no_memory(parser);
    memcpy(copy, word.start, word.length);
    copy[word.length] = '\0';
    return copy;
}

/* --- words --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static bool at(const struct ptx_parser *parser, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(parser->end - parser->at) >= length && memcmp(parser->at, text, length) == 0;
}

static void step(struct ptx_parser *parser)
{
    if (*parser->at == '\n')
        parser->line++;
    parser->at++;
}

static void skip_past(struct ptx_parser *parser, const char *text)
{
    while (parser->at < parser->end && !at(parser, text))
        step(parser);
    for (size_t i = 0; parser->at < parser->end && i < strlen(text); i++)
        step(parser);
}

static void skip_blanks(struct ptx_parser *parser)
{
    while (parser->at < parser->end) {
        const char c = *parser->at;

        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f')
            step(parser);
        else if (c == '/' && at(parser, "//"))
            skip_past(parser, "\n");
        else if (c == '/' && at(parser, "/*"))
            skip_past(parser, "*/");
        else
            return;
    }
}

/* Whether a sign belongs to the exponent of a decimal number, as in `1.5e-3`. */
static bool signed_exponent(const struct ptx_parser *parser)
{
    const char *start = parser->word.start;

    return is_digit(*start) &&
           !(start[0] == '0' && parser->at - start > 1 && !is_digit(start[1]) && start[1] != '.' &&
             start[1] != 'e' && start[1] != 'E') &&
           (parser->at[-1] == 'e' || parser->at[-1] == 'E') &&
           (*parser->at == '-' || *parser->at == '+');
}

void cushim__ptx_next(struct ptx_parser *parser)
{
    skip_blanks(parser);
    parser->word.start = parser->at;
    if (parser->at < parser->end && *parser->at == '"') {
        step(parser);
        skip_past(parser, "\"");
    } else if (parser->at < parser->end && is_word(*parser->at)) {
        /* A directive ends at the next dot, as in `.reg.b16`; an opcode contains its dots. */
        const bool directive = *parser->at == '.';

        while (parser->at < parser->end) {
            if (directive && *parser->at == '.' && parser->at > parser->word.start)
                break;
            if (is_word(*parser->at) || signed_exponent(parser))
                parser->at++;
            else if (at(parser, "::"))
                parser->at += 2;
            else
                break;
        }
    } else if (parser->at < parser->end) {
        parser->at++;
    }
    parser->word.length = (size_t)(parser->at - parser->word.start);
}

void cushim__ptx_expect(struct ptx_parser *parser, const char *word)
{
    char what[40];

    if (ptx_skip(parser, word))
        return;
    snprintf(what, sizeof what, "'%s'", word);
    cushim__ptx_expected(parser, what);
}

void cushim__ptx_skip_until(struct ptx_parser *parser, const char *word)
{
    unsigned depth = 0;

    while (parser->word.length > 0 &&
           (depth > 0 || !(ptx_is(parser, word) || ptx_is(parser, "}")))) {
        if (ptx_is(parser, "{"))
            depth++;
        else if (ptx_is(parser, "}"))
            depth--;
        cushim__ptx_next(parser);
    }
}

void cushim__ptx_skip_line(struct ptx_parser *parser)
{
    const unsigned line = parser->line;

    while (parser->word.length > 0 && parser->line == line)
        cushim__ptx_next(parser);
}

struct ptx_word cushim__ptx_name(struct ptx_parser *parser)
{
    const struct ptx_word word = parser->word;

    if (word.length == 0 || !is_word(*word.start) || is_digit(*word.start) || *word.start == '.')
        cushim__ptx_expected(parser, "a name");
    cushim__ptx_next(parser);
    return word;
}

/* --- numbers --- */

bool cushim__ptx_is_number(const struct ptx_parser *parser)
{
    return parser->word.length > 0 && (is_digit(*parser->word.start) || *parser->word.start == '-');
}

static uint64_t digits(struct ptx_parser *parser, const char *text, int base)
{
    char *end;
    const uint64_t value = strtoull(text, &end, base);

    if (*end == 'U' || *end == 'u')
        end++;
    if (*end != '\0' || end == text)
        cushim__ptx_expected(parser, "a number");
    return value;
}

/* strtod() may expect a comma for the point, depending on the locale. */
static double decimal(struct ptx_parser *parser, char *text)
{
    char *end, *dot = strchr(text, '.');
    double value = strtod(text, &end);

    if (*end != '\0' && dot && end == dot) {
        *dot = ',';
        value = strtod(text, &end);
    }
    if (*end != '\0' || end == text)
        cushim__ptx_expected(parser, "a number");
    return value;
}

void cushim__ptx_number(struct ptx_parser *parser, struct ptx_operand *operand)
{
    const bool minus = ptx_skip(parser, "-");
    const size_t length = parser->word.length;
    const char kind = length > 1 && parser->word.start[0] == '0' ? parser->word.start[1] : '\0';
    char text[80];

    if (length == 0 || length >= sizeof text || !is_digit(*parser->word.start))
        cushim__ptx_expected(parser, "a number");
    memcpy(text, parser->word.start, length);
    text[length] = '\0';
    operand->kind = OPERAND_INTEGER;
    if (kind == 'f' || kind == 'F') {
        operand->kind = OPERAND_REAL;
        operand->integer = (uint32_t)digits(parser, text + 2, 16);
        operand->real = (double)ptx_float32((uint32_t)operand->integer);
        operand->single = true;
    } else if (kind == 'd' || kind == 'D') {
        operand->kind = OPERAND_REAL;
        operand->integer = digits(parser, text + 2, 16);
        operand->real = ptx_float64(operand->integer);
    } else if (kind == 'x' || kind == 'X') {
        operand->integer = digits(parser, text + 2, 16);
    } else if (kind == 'b' || kind == 'B') {
        operand->integer = digits(parser, text + 2, 2);
    } else if (strpbrk(text, ".eE")) {
        operand->kind = OPERAND_REAL;
        operand->real = decimal(parser, text);
        operand->integer = ptx_bits64(operand->real);
    } else {
        operand->integer = digits(parser, text, kind != '\0' && kind != 'U' ? 8 : 10);
    }
    if (minus) {
        operand->real = -operand->real;
        operand->integer = operand->kind == OPERAND_REAL
                               ? operand->integer ^ UINT64_C(1) << (operand->single ? 31 : 63)
                               : 0 - operand->integer;
    }
    cushim__ptx_next(parser);
}

uint64_t cushim__ptx_integer(struct ptx_parser *parser)
{
    struct ptx_operand number = {0};

    cushim__ptx_number(parser, &number);
    if (number.kind != OPERAND_INTEGER)
        cushim__ptx_expected(parser, "an integer");
    return number.integer;
}

/* --- names: of the instructions, of all texts of a module, and of one text --- */

static uint32_t bucket_of(struct ptx_word name)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < name.length; i++)
        value = (value ^ (unsigned char)name.start[i]) * 16777619u;
    return (value ^ value >> 15) % PTX_BUCKETS;
}

struct ptx_symbol *cushim__ptx_names_find(const struct ptx_names *names, int kind,
                                          struct ptx_word name)
{
    struct ptx_symbol *symbol = names->buckets[bucket_of(name)];

    while (symbol && ((kind != PTX_ANY_KIND && (int)symbol->kind != kind) ||
                      symbol->name.length != name.length ||
                      memcmp(symbol->name.start, name.start, name.length) != 0))
        symbol = symbol->next;
    return symbol;
}

/* The newest symbol comes first in its bucket, so a name in an inner block hides an outer one. */
struct ptx_symbol *cushim__ptx_names_add(struct ptx_parser *parser, struct ptx_names *names,
                                         int kind, struct ptx_word name, uint32_t index)
{
    struct ptx_symbol **bucket = &names->buckets[bucket_of(name)];
    struct ptx_symbol *symbol = cushim__ptx_names_pool(parser, names, sizeof *symbol);

    symbol->name = name;
    symbol->kind = (enum ptx_symbol_kind)kind;
    symbol->index = index;
    symbol->depth = parser->body.depth;
    symbol->next = *bucket;
    symbol->older = names->newest;
    *bucket = names->newest = symbol;
    return symbol;
}

struct ptx_symbol *cushim__ptx_symbol_find(struct ptx_parser *parser, struct ptx_word name)
{
    return cushim__ptx_names_find(&parser->names, PTX_ANY_KIND, name);
}

struct ptx_symbol *cushim__ptx_symbol_add(struct ptx_parser *parser, struct ptx_word name,
                                          enum ptx_symbol_kind kind, uint32_t index)
{
    return cushim__ptx_names_add(parser, &parser->names, kind, name, index);
}

void cushim__ptx_scope_open(struct ptx_parser *parser)
{
    if (parser->body.depth > 200)
        cushim__ptx_fail(parser, "blocks are nested too deep");
    parser->body.depth++;
}

void cushim__ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_names *names = &parser->names;

    for (; names->newest && names->newest->depth >= parser->body.depth;
         names->newest = names->newest->older)
        names->buckets[bucket_of(names->newest->name)] = names->newest->next;
    parser->body.depth--;
}
