/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a function: its registers and variables, its labels and its statements. */
#include "src/ptx/text/parser.h"

#include <stdio.h>
#include <string.h>

/* --- operands --- */

/* Find a register by its name, also `%r12` of `.reg .b32 %r<20>` and `v.x` of a vector. */
static struct ptx_symbol *find_register(struct ptx_parser *parser, struct ptx_word name,
                                        uint32_t *index)
{
    struct ptx_symbol *symbol = cushim__ptx_symbol_find(parser, name);
    struct ptx_word prefix = name;
    uint32_t number = 0, scale = 1;

    *index = 0;
    if (symbol && !(symbol->kind == SYMBOL_REGISTER && symbol->count > 0)) {
        *index = symbol->index;
        return symbol;
    }
    while (prefix.length > 1 && prefix.start[prefix.length - 1] >= '0' &&
           prefix.start[prefix.length - 1] <= '9' && scale <= 100000000) {
        number += scale * (uint32_t)(prefix.start[prefix.length - 1] - '0');
        scale *= 10;
        prefix.length--;
        if (scale > 10 && number < scale / 10)
            continue; /* a leading zero may follow other digits */
        symbol = cushim__ptx_symbol_find(parser, prefix);
        if (symbol && symbol->kind == SYMBOL_REGISTER && number < symbol->count) {
            *index = symbol->index + number * parser->body.registers[symbol->index].vector;
            return symbol;
        }
    }
    if (name.length > 2 && name.start[name.length - 2] == '.') {
        const char *const at = strchr("xyzwrgba", name.start[name.length - 1]);
        uint32_t vector;

        name.length -= 2;
        symbol = at ? find_register(parser, name, &vector) : NULL;
        if (symbol && symbol->kind == SYMBOL_REGISTER &&
            (at - "xyzwrgba") % 4 < parser->body.registers[vector].vector) {
            *index = vector + (uint32_t)(at - "xyzwrgba") % 4;
            return symbol;
        }
    }
    return NULL;
}

static void named(struct ptx_parser *parser, struct ptx_operand *operand)
{
    const struct ptx_word name = cushim__ptx_name(parser);
    uint32_t index;

    if (ptx_equal(name, "_")) {
        operand->kind = OPERAND_SINK;
    } else if (ptx_equal(name, "WARP_SZ")) {
        operand->kind = OPERAND_INTEGER;
        operand->integer = PTX_LANES;
    } else if ((operand->symbol = find_register(parser, name, &index)) == NULL) {
        operand->kind = OPERAND_SPECIAL;
        if (!cushim__ptx_special_find(name.start, name.length, &operand->special))
            cushim__ptx_fail(parser, "'%.*s' is not declared", ptx_shown(name), name.start);
    } else if (operand->symbol->kind != SYMBOL_REGISTER) {
        operand->kind = OPERAND_SYMBOL;
    } else {
        const unsigned count = parser->body.registers[index].vector;

        *operand = (struct ptx_operand){.kind = OPERAND_REGISTER, .reg = index};
        if (count > 1 && name.start[name.length - 2] != '.') { /* a whole vector */
            operand->kind = OPERAND_VECTOR;
            operand->elements = cushim__ptx_pool(parser, count * sizeof *operand);
            for (; operand->count < count; operand->count++)
                operand->elements[operand->count] =
                    (struct ptx_operand){.kind = OPERAND_REGISTER, .reg = index + operand->count};
        }
    }
}

static void vector(struct ptx_parser *parser, struct ptx_operand *operand)
{
    enum { MOST = 8 };

    operand->kind = OPERAND_VECTOR;
    operand->elements = cushim__ptx_pool(parser, MOST * sizeof *operand);
    do {
        struct ptx_operand *const element = &operand->elements[operand->count];

        if (operand->count++ == MOST)
            cushim__ptx_fail(parser, "the vector has too many elements");
        cushim__ptx_operand(parser, element);
        if (element->kind >= OPERAND_ADDRESS && element->kind <= OPERAND_VECTOR)
            cushim__ptx_expected(parser, "an element");
    } while (ptx_skip(parser, ","));
    cushim__ptx_expect(parser, "}");
}

static void address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    if (cushim__ptx_is_number(parser)) {
        operand->integer = cushim__ptx_integer(parser);
        operand->kind = OPERAND_INTEGER;
    } else {
        named(parser, operand);
    }
    if (operand->kind != OPERAND_INTEGER && operand->kind != OPERAND_SYMBOL &&
        operand->kind != OPERAND_REGISTER)
        cushim__ptx_expected(parser, "an address");
    operand->kind = OPERAND_ADDRESS;
    operand->integer += cushim__ptx_offset(parser);
    while (ptx_skip(parser, ",")) {
        struct ptx_operand *part = cushim__ptx_pool(parser, sizeof *part);

        operand->kind = operand->kind == OPERAND_ADDRESS ? OPERAND_TEXTURE : OPERAND_SAMPLED;
        cushim__ptx_operand(parser, part);
        operand->elements = part->kind == OPERAND_VECTOR ? part->elements : part;
        operand->count = part->kind == OPERAND_VECTOR ? part->count : 1;
    }
    cushim__ptx_expect(parser, "]");
}

void cushim__ptx_operand(struct ptx_parser *parser, struct ptx_operand *operand)
{
    enum { DEEPEST = 3 }; /* [texture, {x, y}] */

    if (parser->depth++ == DEEPEST)
        cushim__ptx_expected(parser, "an element");
    *operand = (struct ptx_operand){.reg = PTX_UNUSED};
    if (ptx_skip(parser, "{")) {
        vector(parser, operand);
    } else if (ptx_skip(parser, "[")) {
        address(parser, operand);
    } else if (ptx_skip(parser, "!")) {
        named(parser, operand);
        operand->negated = true;
        if (operand->kind != OPERAND_REGISTER)
            cushim__ptx_expected(parser, "a predicate");
    } else if (cushim__ptx_is_number(parser)) {
        cushim__ptx_number(parser, operand);
    } else {
        named(parser, operand);
        if (operand->kind == OPERAND_SYMBOL)
            operand->integer = cushim__ptx_offset(parser);
    }
    parser->depth--;
}

/* --- declarations --- */

static void registers(struct ptx_parser *parser)
{
    struct ptx_declared declared = {0};

    while (cushim__ptx_declared(parser, &declared)) {
        struct ptx_symbol *symbol = cushim__ptx_symbol_add(
            parser, declared.name, SYMBOL_REGISTER, cushim__ptx_registers_add(parser, &declared));

        symbol->count = declared.repeated;
        if (declared.type == TYPE_B128)
            cushim__ptx_refuse_function(parser, "registers of 128 bits");
    }
}

/* The name of a variable. For `.param .u64 %P<2>`, which gcc writes, it is %P0 and then %P1. */
static struct ptx_word numbered(struct ptx_parser *parser, const struct ptx_declared *declared,
                                unsigned number)
{
    const size_t room = declared->name.length + 12;
    char *name;

    if (!declared->repeated)
        return declared->name;
    if (declared->repeated > 1024 || room > 1024)
        cushim__ptx_fail(parser, "so many variables are not possible");
    name = cushim__ptx_pool(parser, room);
    snprintf(name, room, "%.*s%u", (int)declared->name.length, declared->name.start, number);
    return (struct ptx_word){name, strlen(name)};
}

/* Give .local and .param variables of the body a place in the local memory of the frame. */
static void local_variables(struct ptx_parser *parser, bool of_call)
{
    struct ptx_body *body = &parser->body;
    struct ptx_declared declared = {0};

    while (cushim__ptx_declared(parser, &declared)) {
        for (unsigned i = 0; i == 0 || i < declared.repeated; i++) {
            struct ptx_symbol *symbol =
                cushim__ptx_symbol_add(parser, numbered(parser, &declared, i), SYMBOL_LOCAL, 0);

            symbol->of_call = of_call;
            symbol->offset = cushim__ptx_align(parser, body->local_bytes, declared.alignment);
            if (declared.bytes > 1 << 24 || symbol->offset + declared.bytes > 1 << 24)
                cushim__ptx_fail(parser, "more local memory than there is");
            body->local_bytes = symbol->offset + declared.bytes;
        }
    }
}

/* --- labels --- */

void cushim__ptx_refer(struct ptx_parser *parser, bool listed, uint32_t place)
{
    struct ptx_body *body = &parser->body;
    const struct ptx_word name = cushim__ptx_name(parser);

    PTX_GROW(parser, body->references, body->reference_count);
    body->references[body->reference_count++] = (struct ptx_reference){
        .name = name,
        .depth = body->depth,
        .line = parser->statement_line,
        .listed = listed,
        .place = place,
    };
}

/*
 * At the end of a block all its labels are known. Other names may be labels of the enclosing block.
 */
static void resolve(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < body->reference_count; i++) {
        struct ptx_reference *reference = &body->references[i];
        const struct ptx_symbol *symbol;

        if (reference->depth != body->depth) {
            body->references[kept++] = *reference;
            continue;
        }
        symbol = cushim__ptx_symbol_find(parser, reference->name);
        if (symbol && symbol->kind == SYMBOL_LABEL && symbol->depth == body->depth) {
            if (reference->listed)
                parser->program->lists[reference->place] = symbol->index;
            else
                body->code[reference->place].target = symbol->index;
        } else if (body->depth > 1) {
            reference->depth--;
            body->references[kept++] = *reference;
        } else {
            parser->line = reference->line;
            cushim__ptx_fail(parser, "there is no label '%.*s'", ptx_shown(reference->name),
                             reference->name.start);
        }
    }
    body->reference_count = kept;
}

/* Read `name: .branchtargets a, b;`. */
static bool branch_targets(struct ptx_parser *parser, struct ptx_word name)
{
    struct ptx_symbol *symbol;

    if (!ptx_skip(parser, ".branchtargets"))
        return false;
    symbol = cushim__ptx_symbol_add(parser, name, SYMBOL_TABLE, parser->program->list_count);
    do {
        cushim__ptx_refer(parser, true, cushim__ptx_list_add(parser, 0));
        symbol->offset++;
    } while (ptx_skip(parser, ","));
    cushim__ptx_expect(parser, ";");
    return true;
}

/* --- statements --- */

static void instruction(struct ptx_parser *parser)
{
    struct ptx_statement statement = {.parser = parser, .guard = PTX_UNUSED};
    struct ptx_operand guard;

    if (ptx_skip(parser, "@")) {
        cushim__ptx_operand(parser, &guard);
        if (guard.kind != OPERAND_REGISTER || parser->body.registers[guard.reg].bytes != 1)
            cushim__ptx_fail(parser, "the guard is not a predicate");
        statement.guard = guard.reg;
        statement.guard_negated = guard.negated;
    }
    if (parser->word.length == 0 || !((*parser->word.start >= 'a' && *parser->word.start <= 'z') ||
                                      (*parser->word.start >= 'A' && *parser->word.start <= 'Z')))
        cushim__ptx_expected(parser, "an instruction");
    cushim__ptx_opcode_read(parser, parser->word, &statement.opcode);
    cushim__ptx_next(parser);
    cushim__ptx_select(&statement);
    cushim__ptx_expect(parser, ";");
}

static void directive(struct ptx_parser *parser)
{
    if (ptx_skip(parser, ".reg"))
        registers(parser);
    else if (ptx_skip(parser, ".local"))
        local_variables(parser, false);
    else if (ptx_skip(parser, ".param"))
        local_variables(parser, true);
    else if (cushim__ptx_variables(parser, PTX_LOCAL))
        return;
    else if (ptx_is(parser, ".loc") || ptx_is(parser, ".file"))
        cushim__ptx_skip_line(parser);
    else if (ptx_skip(parser, ".extern")) {
        if (!ptx_is(parser, ".shared"))
            cushim__ptx_expected(parser, "'.shared'");
        cushim__ptx_variables(parser, PTX_EXTERN);
    } else {
        /*
         * .pragma; .callprototype, because a call is checked against the function that it reaches
         */
        if (!ptx_is(parser, ".pragma") && !ptx_is(parser, ".callprototype") &&
            !ptx_is(parser, ".calltargets") && ptx_names_are_known(parser))
            cushim__ptx_expected(parser, "an instruction or a directive");
        cushim__ptx_skip_until(parser, ";");
        cushim__ptx_expect(parser, ";");
    }
}

static void statement_or_label(struct ptx_parser *parser)
{
    const struct ptx_word word = parser->word;
    const char *after = parser->at;

    parser->statement = word.start;
    parser->statement_line = parser->line;
    if (word.length > 0 && *word.start == '.') {
        directive(parser);
        return;
    }
    while (after < parser->end && (*after == ' ' || *after == '\t'))
        after++;
    if (after < parser->end && *after == ':' && word.length > 0 && !cushim__ptx_is_number(parser)) {
        cushim__ptx_name(parser);
        cushim__ptx_expect(parser, ":");
        if (!branch_targets(parser, word)) {
            const struct ptx_symbol *known = cushim__ptx_symbol_find(parser, word);

            if (known && known->kind == SYMBOL_LABEL && known->depth == parser->body.depth)
                cushim__ptx_fail(parser, "the label is there twice");
            cushim__ptx_symbol_add(parser, word, SYMBOL_LABEL, parser->body.count);
        }
        return;
    }
    instruction(parser);
}

/*
 * Blocks within the body are read without recursion. The header of the function has opened the
 * scope of the body's names. The brace that ends the body is skipped when the code is complete.
 */
void cushim__ptx_body(struct ptx_parser *parser)
{
    struct ptx_statement end = {.parser = parser, .guard = PTX_UNUSED};
    const uint32_t depth = parser->body.depth;

    while (!ptx_is(parser, "}") || parser->body.depth > depth) {
        if (ptx_skip(parser, "{")) {
            cushim__ptx_scope_open(parser);
        } else if (ptx_is(parser, "}")) {
            resolve(parser);
            cushim__ptx_scope_close(parser);
            cushim__ptx_next(parser);
        } else if (parser->word.length == 0) {
            cushim__ptx_expected(parser, "'}'");
        } else {
            statement_or_label(parser);
        }
    }
    resolve(parser);
    parser->statement_line = parser->line;
    cushim__ptx_emit(&end, DO_RETURN);
    cushim__ptx_registers_place(parser);
    cushim__ptx_expect(parser, "}");
}
