/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier, and cp.async that arrives at one: from a statement to the internal code. */
#include <string.h>

#include "src/mock/ptx/parser.h"

/* The form of each: `d` the result, `a` the barrier, `s` a state, `w` a word that may be left out. */
static const struct {
    const char *words, *operands;
    enum ptx_mbarrier operation;
} forms[] = {
    {".init", "aw", MBARRIER_INIT},
    {".inval", "a", MBARRIER_INVALIDATE},
    {".arrive", "daw", MBARRIER_ARRIVE},
    {".arrive.noComplete", "daw", MBARRIER_ARRIVE},
    {".arrive_drop", "daw", MBARRIER_DROP},
    {".arrive_drop.noComplete", "daw", MBARRIER_DROP},
    {".test_wait", "pas", MBARRIER_WAIT},
    {".try_wait", "pasw", MBARRIER_WAIT},
    {".test_wait.parity", "paw", MBARRIER_WAIT_PARITY},
    {".try_wait.parity", "paww", MBARRIER_WAIT_PARITY},
    {".pending_count", "cs", MBARRIER_PENDING},
};

static uint32_t address_row(struct ptx_parser *parser, const struct ptx_statement *statement,
                            const struct ptx_operand *operand, bool *wide)
{
    struct ptx_operand plain = *operand;

    if (operand->kind != OPERAND_ADDRESS)
        cushim__ptx_fail(parser, "an address in brackets expected");
    *wide = operand->reg == PTX_UNUSED || parser->body.registers[operand->reg].bytes == 8;
    plain.kind = operand->reg != PTX_UNUSED ? OPERAND_REGISTER
                 : operand->symbol          ? OPERAND_SYMBOL
                                            : OPERAND_INTEGER;
    return cushim__ptx_use(parser, statement, &plain, *wide ? ROW_LONG : ROW_WORD);
}

static bool select_form(struct ptx_parser *parser, struct ptx_statement *statement,
                        const char *operands, enum ptx_mbarrier operation)
{
    const struct ptx_operand *at = statement->operands;
    const unsigned count = statement->operand_count, all = (unsigned)strlen(operands);
    const bool returns = strchr("dpc", operands[0]) != NULL;
    const enum ptx_row row = operands[0] == 'p'   ? ROW_PREDICATE
                             : operands[0] == 'd' ? ROW_LONG
                                                  : ROW_WORD;
    uint32_t a = PTX_UNUSED, b = PTX_UNUSED;
    struct ptx_instruction *made;
    uint64_t offset = 0;
    bool wide = true;

    if (count > all || count + 1 < all || (count < all && operands[all - 1] != 'w'))
        cushim__ptx_fail(parser, "%s has %u operands", statement->opcode.base, all);
    for (unsigned i = returns ? 1 : 0; i < count; i++) {
        if (operands[i] == 'a') {
            a = address_row(parser, statement, &at[i], &wide);
            /* That of a symbol is in the row already. */
            offset = at[i].reg == PTX_UNUSED ? 0 : at[i].integer;
        } else if (b == PTX_UNUSED) {
            b = cushim__ptx_use(parser, statement, &at[i],
                                operands[i] == 's' ? ROW_LONG : ROW_WORD);
        }
    }
    if (b == PTX_UNUSED)
        b = cushim__ptx_constant(parser, 1, ROW_WORD);
    made = cushim__ptx_emit(parser, statement, DO_MBARRIER);
    made->sub = (uint8_t)operation;
    made->type = (uint8_t)(statement->opcode.has_space ? statement->opcode.space : PTX_GENERIC);
    made->other = wide ? ADDRESS_WIDE : 0;
    made->immediate = (int64_t)offset;
    made->a = a;
    made->b = b;
    if (returns)
        made->d = cushim__ptx_result(parser, &at[0], row);
    return made->d == PTX_UNUSED || made->d == at[0].reg;
}

bool cushim__ptx_select_mbarrier(struct ptx_parser *parser, struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;

    if (opcode->type_count != 1 || opcode->types[0] != TYPE_B64)
        return false;
    /* Copies end at once, so an arrival at their end is one now, and one more is not awaited. */
    if (strcmp(opcode->words, ".async.mbarrier.arrive.noinc") == 0)
        return select_form(parser, statement, "a", MBARRIER_COPIES_ARRIVE);
    if (strcmp(opcode->words, ".async.mbarrier.arrive") == 0) {
        cushim__ptx_emit(parser, statement, DO_NOTHING);
        return true;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(opcode->words, forms[i].words) == 0)
            return select_form(parser, statement, forms[i].operands, forms[i].operation);
    }
    return false;
}
