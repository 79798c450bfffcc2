/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of variables, registers and parameters: their types, and the names that texts share.
 */
#include "src/ptx/text/parser.h"

#include <stdlib.h>
#include <string.h>

uint64_t cushim__ptx_align(struct ptx_parser *parser, uint64_t offset, uint64_t alignment)
{
    if (offset > PTX_BYTES_MAX)
        cushim__ptx_fail(parser, "the variable is too large");
    return alignment > 1 ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* Read the rest of `.attribute(.managed)` or `.unified(...)`. */
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

static void read_type(struct ptx_parser *parser, struct ptx_declared *declared)
{
    *declared = (struct ptx_declared){.vector = 1};
    while (parser->word.length > 0 && *parser->word.start == '.') {
        if (ptx_skip(parser, ".align")) {
            declared->alignment = (size_t)cushim__ptx_integer(parser);
            if (declared->alignment == 0 || declared->alignment > 4096 ||
                declared->alignment & (declared->alignment - 1))
                cushim__ptx_fail(parser, "the alignment is not a power of two");
        } else if (ptx_is(parser, ".v2") || ptx_is(parser, ".v4") || ptx_is(parser, ".v8")) {
            declared->vector = (unsigned)(parser->word.start[2] - '0');
            cushim__ptx_next(parser);
        } else if (ptx_skip(parser, ".attribute")) {
            attribute(parser, declared);
        } else if (ptx_skip(parser, ".ptr")) { /* .global .align 16: where it points to */
            while (parser->word.length > 0 && *parser->word.start == '.' &&
                   !ptx_is(parser, ".align"))
                cushim__ptx_next(parser);
            if (ptx_skip(parser, ".align"))
                cushim__ptx_integer(parser);
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
    declared->scalar = cushim__ptx_types[declared->type].bytes;
    declared->element = declared->scalar * declared->vector;
    if (declared->alignment == 0)
        declared->alignment = declared->element;
}

static void read_name(struct ptx_parser *parser, struct ptx_declared *declared)
{
    declared->name = cushim__ptx_name(parser);
    declared->step = declared->element;
    declared->unsized = false;
    declared->repeated = 0;
    if (ptx_skip(parser, "<")) {
        const uint64_t count = cushim__ptx_integer(parser);

        if (count == 0 || count > 1 << 20)
            cushim__ptx_fail(parser, "so many variables are not possible");
        declared->repeated = (unsigned)count;
        cushim__ptx_expect(parser, ">");
    }
    while (ptx_skip(parser, "[")) {
        if (ptx_is(parser, "]")) {
            declared->unsized = true;
        } else {
            const uint64_t count = cushim__ptx_integer(parser);

            if (count > PTX_BYTES_MAX || (count > 0 && declared->step > PTX_BYTES_MAX / count))
                cushim__ptx_fail(parser, "the variable is too large");
            declared->step *= (size_t)count;
        }
        cushim__ptx_expect(parser, "]");
    }
    declared->bytes = declared->unsized ? 0 : declared->step;
}

bool cushim__ptx_declared(struct ptx_parser *parser, struct ptx_declared *declared)
{
    if (declared->type == TYPE_NONE) {
        read_type(parser, declared);
    } else if (!ptx_skip(parser, ",")) {
        cushim__ptx_expect(parser, ";");
        return false;
    }
    read_name(parser, declared);
    return true;
}

/* --- names that texts share --- */

/*
 * Return the index of a name that the text knows or, unless the name is local, that another text
 * knows. A new name gets `next`. A shared variable of a function is always new.
 */
static uint32_t index_of(struct ptx_parser *parser, struct ptx_word name, enum ptx_symbol_kind kind,
                         enum ptx_linkage linkage, size_t next)
{
    struct ptx_names *names = parser->program->names;
    const struct ptx_symbol *known = cushim__ptx_symbol_find(parser, name);
    uint32_t index = (uint32_t)next;

    if (known && known->kind == kind && kind != SYMBOL_SHARED)
        return known->index;
    known = linkage == PTX_LOCAL ? NULL : cushim__ptx_names_find(names, kind, name);
    if (known) {
        index = known->index;
    } else if (linkage != PTX_LOCAL) {
        char *const copy = cushim__ptx_names_pool(parser, names, name.length);

        memcpy(copy, name.start, name.length);
        cushim__ptx_names_add(parser, names, kind, (struct ptx_word){copy, name.length}, index);
    }
    cushim__ptx_symbol_add(parser, name, kind, index);
    return index;
}

static void global(struct ptx_parser *parser, struct ptx_declared *declared, bool constant,
                   enum ptx_linkage linkage)
{
    struct ptx_program *program = parser->program;
    const size_t index =
        index_of(parser, declared->name, SYMBOL_GLOBAL, linkage, program->module.global_count);
    bool defines = linkage != PTX_EXTERN;
    struct ptx_global *global;

    if (index == program->module.global_count) {
        PTX_GROW(parser, program->globals, index);
        program->module.globals = program->globals;
        program->globals[index] = (struct ptx_global){
            .name = cushim__ptx_copy(parser, declared->name), .linkage = PTX_EXTERN};
        program->module.global_count++;
    }
    global = &program->globals[index];
    if (defines && global->linkage != PTX_EXTERN) {
        cushim__ptx_twice(parser, global->name, global->part,
                          linkage == PTX_WEAK || global->linkage == PTX_WEAK);
        defines = linkage != PTX_WEAK;
    }
    if (defines || global->linkage == PTX_EXTERN) {
        free((void *)global->initial);
        free((void *)global->addresses);
        *global = (struct ptx_global){
            .name = global->name,
            .part = parser->part,
            .linkage = linkage,
            .of_body = parser->body.depth > 0,
            .constant = constant,
            .managed = declared->managed,
            .reference = declared->reference,
            .bytes = declared->unsized ? global->bytes : declared->bytes,
            .alignment = declared->alignment,
        };
    }
    /* Skip the initial value of a reference: the interpreter has no use for it. */
    if (declared->reference)
        cushim__ptx_skip_until(parser, ";");
    if (ptx_skip(parser, "="))
        cushim__ptx_initial(parser, declared, defines ? index : SIZE_MAX);
    else if (declared->bytes == 0 && linkage != PTX_EXTERN)
        cushim__ptx_expected(parser, "a size");
    if (constant && declared->bytes > 65536)
        cushim__ptx_fail(parser, "the variable has more than 64 KiB");
}

static void shared(struct ptx_parser *parser, const struct ptx_declared *declared,
                   enum ptx_linkage linkage)
{
    struct ptx_program *program = parser->program;
    const uint32_t index =
        index_of(parser, declared->name, SYMBOL_SHARED, linkage, program->shared_count);
    struct ptx_shared *shared;

    if (index == program->shared_count) {
        PTX_GROW(parser, program->shared, index);
        program->shared[index] =
            (struct ptx_shared){.name = cushim__ptx_copy(parser, declared->name)};
        program->shared_count++;
    }
    if (linkage != PTX_EXTERN && parser->body.kernel)
        parser->body.shared_bytes =
            cushim__ptx_align(parser, parser->body.shared_bytes, declared->alignment) +
            declared->bytes;
    shared = &program->shared[index];
    if (declared->bytes > shared->bytes)
        shared->bytes = declared->bytes;
    if (declared->alignment > shared->alignment)
        shared->alignment = declared->alignment;
    shared->dynamic = shared->bytes == 0;
}

bool cushim__ptx_variables(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    const bool constant = ptx_is(parser, ".const"), is_shared = ptx_is(parser, ".shared");
    struct ptx_declared declared = {0};

    if (!constant && !is_shared && !ptx_is(parser, ".global"))
        return false;
    cushim__ptx_next(parser);
    if (constant && ptx_skip(parser, "[")) { /* a bank of constant memory */
        cushim__ptx_integer(parser);
        cushim__ptx_expect(parser, "]");
    }
    while (cushim__ptx_declared(parser, &declared)) {
        if (is_shared)
            shared(parser, &declared, linkage);
        else
            global(parser, &declared, constant, linkage);
    }
    return true;
}

uint32_t cushim__ptx_function_named(struct ptx_parser *parser, struct ptx_word name,
                                    enum ptx_linkage linkage)
{
    struct ptx_program *program = parser->program;
    const uint32_t next = program->function_count;
    const uint32_t index = index_of(parser, name, SYMBOL_FUNCTION, linkage, next);

    if (index == next) {
        PTX_GROW(parser, program->functions, index);
        program->functions[index] = (struct ptx_function){
            .name = cushim__ptx_copy(parser, name), .part = parser->part, .linkage = PTX_EXTERN};
        program->function_count++;
    }
    return index;
}

/* --- registers and parameters --- */

uint32_t cushim__ptx_registers_add(struct ptx_parser *parser, const struct ptx_declared *declared)
{
    struct ptx_body *body = &parser->body;
    const unsigned count = (declared->repeated ? declared->repeated : 1) * declared->vector;
    const size_t bits = declared->type == TYPE_PRED ? 1 : declared->scalar * 8;
    const uint32_t first = body->register_count;

    for (unsigned i = 0; i < count; i++) {
        PTX_GROW(parser, body->registers, body->register_count);
        body->registers[body->register_count++] = (struct ptx_register){
            .bytes = bits == 1   ? 1
                     : bits > 32 ? 8
                                 : 4,
            .bits = (uint8_t)bits,
            .vector = (uint8_t)declared->vector,
            .offset = PTX_UNUSED,
        };
    }
    return first;
}

uint32_t cushim__ptx_register_new(const struct ptx_statement *statement, enum ptx_row row)
{
    const enum ptx_type type = row == ROW_PREDICATE ? TYPE_PRED
                               : ptx_is_wide(row)   ? TYPE_B64
                               : row == ROW_HALF    ? TYPE_B16
                                                    : TYPE_B32;
    const struct ptx_declared declared = {
        .type = type, .scalar = cushim__ptx_types[type].bytes, .vector = 1};

    return cushim__ptx_registers_add(statement->parser, &declared);
}

void cushim__ptx_parameters(struct ptx_parser *parser, enum ptx_symbol_kind kind)
{
    struct ptx_body *body = &parser->body;

    if (!ptx_skip(parser, "("))
        return;
    while (!ptx_skip(parser, ")")) {
        const bool is_register = kind == SYMBOL_LOCAL && ptx_skip(parser, ".reg");
        struct ptx_declared declared;
        struct ptx_symbol *symbol;
        size_t offset;

        if (!is_register)
            cushim__ptx_expect(parser, ".param");
        read_type(parser, &declared);
        read_name(parser, &declared);
        offset = (size_t)cushim__ptx_align(parser, body->parameter_bytes, declared.alignment);
        if (declared.bytes > 65536 || offset + declared.bytes > 65536)
            cushim__ptx_fail(parser, kind == SYMBOL_PARAM ? "the parameters have more than 64 KiB"
                                                          : "more parameters than are possible");
        PTX_GROW(parser, body->parameters, body->parameter_count);
        body->parameters[body->parameter_count++] =
            (struct ptx_parameter){offset, declared.bytes, declared.alignment};
        body->parameter_bytes = offset + declared.bytes;
        body->has_register_parameters |= is_register;
        symbol =
            cushim__ptx_symbol_add(parser, declared.name, is_register ? SYMBOL_REGISTER : kind,
                                   is_register ? cushim__ptx_registers_add(parser, &declared) : 0);
        symbol->offset = offset;
        symbol->of_call = kind == SYMBOL_LOCAL;
        if (!ptx_skip(parser, ",") && !ptx_is(parser, ")"))
            cushim__ptx_expected(parser, "',' or ')'");
    }
}
