/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, and the parameters of functions, some of which are registers. */
#include "src/mock/ptx/parser.h"

uint32_t cushim__ptx_registers_add(struct ptx_parser *parser, const struct ptx_declared *declared)
{
    struct ptx_body *body = &parser->body;
    const uint32_t first = body->register_count;
    const unsigned count = declared->repeated ? declared->repeated : 1;

    for (unsigned i = 0; i < count; i++) {
        body->registers = cushim__ptx_grow(parser, body->registers, &body->register_room,
                                           body->register_count, sizeof *body->registers);
        body->registers[body->register_count++] = (struct ptx_register){
            .bytes = declared->type == TYPE_PRED ? 1
                     : declared->scalar > 4      ? 8
                                                 : 4,
            .bits = declared->type == TYPE_PRED ? 1 : (uint8_t)(declared->scalar * 8),
            .offset = PTX_UNUSED,
        };
    }
    return first;
}

uint32_t cushim__ptx_register_new(struct ptx_parser *parser, enum ptx_row row)
{
    const struct ptx_declared declared = {
        .type = row == ROW_PREDICATE ? TYPE_PRED : TYPE_B32,
        .scalar = row == ROW_LONG || row == ROW_DOUBLE ? 8
                  : row == ROW_HALF                    ? 2
                                                       : 4,
    };

    return cushim__ptx_registers_add(parser, &declared);
}

void cushim__ptx_formals(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;

    if (!ptx_skip(parser, "("))
        return;
    while (!ptx_skip(parser, ")")) {
        struct ptx_declared declared;
        struct ptx_formal formal;
        const bool is_register = ptx_skip(parser, ".reg");

        if (!is_register)
            cushim__ptx_expect(parser, ".param");
        cushim__ptx_declared_type(parser, &declared);
        cushim__ptx_declared_name(parser, &declared);
        if (declared.bytes > 65536 || body->formal_count >= 1024)
            cushim__ptx_fail(parser, "more parameters than are possible");
        formal.bytes = (uint32_t)declared.bytes;
        formal.offset = (uint32_t)cushim__ptx_align(parser, body->formal_bytes, declared.alignment);
        body->formal_bytes = formal.offset + formal.bytes;
        body->has_register_formals |= is_register;
        if (is_register) {
            cushim__ptx_symbol_add(parser, declared.name, SYMBOL_REGISTER,
                                   cushim__ptx_registers_add(parser, &declared));
        } else {
            struct ptx_symbol *symbol =
                cushim__ptx_symbol_add(parser, declared.name, SYMBOL_LOCAL, 0);

            symbol->offset = formal.offset;
            symbol->of_call = true;
        }
        body->formals = cushim__ptx_grow(parser, body->formals, &body->formal_room,
                                         body->formal_count, sizeof *body->formals);
        body->formals[body->formal_count++] = formal;
        if (!ptx_skip(parser, ",") && !ptx_is(parser, ")"))
            cushim__ptx_expected(parser, "',' or ')'");
    }
}
