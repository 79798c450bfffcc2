/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: barriers that are objects in shared memory. Nothing here waits: threads ask whether a
 * phase is over, and arrivals count down what it lacks. How the 8 bytes hold that is not defined.
 */
#include <string.h>

#include "src/mock/kernel/launch.h"
#include "src/mock/kernel/parser.h"

enum operation {
    INIT,
    INVALIDATE,
    ARRIVE,
    DROP,        /* arrive, and in later phases one is expected less */
    EXPECT_TX,   /* so many bytes are to come */
    COMPLETE_TX, /* so many have come */
    ARRIVE_EXPECT_TX,
    DROP_EXPECT_TX,
    WAIT,        /* whether the phase of a state is over */
    WAIT_PARITY, /* whether that phase is over which is even or odd */
    PENDING,     /* how many arrivals a state lacked */
    COPIES_ARRIVE,
};

/* The form of each: `d` the result, `a` the barrier, `s` a state, `w` a word that may be left out. */
static const struct {
    const char *words, *operands;
    enum operation operation;
} forms[] = {
    {".init", "aw", INIT},
    {".inval", "a", INVALIDATE},
    {".arrive", "daw", ARRIVE},
    {".arrive.noComplete", "daw", ARRIVE},
    {".arrive.expect_tx", "daw", ARRIVE_EXPECT_TX},
    {".arrive_drop", "daw", DROP},
    {".arrive_drop.noComplete", "daw", DROP},
    {".arrive_drop.expect_tx", "daw", DROP_EXPECT_TX},
    {".expect_tx", "aw", EXPECT_TX},
    {".complete_tx", "aw", COMPLETE_TX},
    {".test_wait", "pas", WAIT},
    {".try_wait", "pasw", WAIT},
    {".test_wait.parity", "paw", WAIT_PARITY},
    {".try_wait.parity", "paww", WAIT_PARITY},
    {".pending_count", "cs", PENDING},
};

/* --- translation --- */

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
                        const char *operands, enum operation operation)
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
        return select_form(parser, statement, "a", COPIES_ARRIVE);
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

/* --- execution --- */

struct state {
    uint32_t expected, pending, phase;
    int32_t bytes; /* to come */
};

enum { COUNT_BITS = 20, BYTES_BITS = 22, COUNT_MASK = (1 << COUNT_BITS) - 1 };

static struct state unpack(uint64_t word)
{
    const uint32_t bytes = (uint32_t)(word >> 2 * COUNT_BITS) & ((1 << BYTES_BITS) - 1);

    return (struct state){
        .expected = word & COUNT_MASK,
        .pending = word >> COUNT_BITS & COUNT_MASK,
        .phase = word >> (2 * COUNT_BITS + BYTES_BITS) & 1,
        .bytes = (int32_t)(bytes << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
    };
}

static uint64_t pack(struct state state)
{
    const uint64_t bytes = (uint32_t)state.bytes & ((1 << BYTES_BITS) - 1);

    return (state.expected & COUNT_MASK) | (uint64_t)(state.pending & COUNT_MASK) << COUNT_BITS |
           bytes << 2 * COUNT_BITS | (uint64_t)state.phase << (2 * COUNT_BITS + BYTES_BITS);
}

/* The phase ends with the last arrival and the last byte. */
static uint64_t settled(struct state state)
{
    if (state.pending == 0 && state.bytes == 0) {
        state.phase ^= 1;
        state.pending = state.expected;
    }
    return pack(state);
}

/* What an operation makes of a barrier; `*result` is what it returns. */
static uint64_t applied(enum operation operation, uint64_t word, uint64_t operand, uint64_t *result)
{
    struct state state = unpack(word);
    const uint32_t count = (uint32_t)operand;

    *result = word;
    switch (operation) {
    case INIT:
        return pack((struct state){.expected = count, .pending = count});
    case ARRIVE:
    case COPIES_ARRIVE:
        state.pending -= count;
        return settled(state);
    case DROP:
        state.expected -= count;
        state.pending -= count;
        return settled(state);
    case EXPECT_TX:
        state.bytes += (int32_t)count;
        return pack(state);
    case COMPLETE_TX:
        state.bytes -= (int32_t)count;
        return settled(state);
    case ARRIVE_EXPECT_TX:
    case DROP_EXPECT_TX:
        state.bytes += (int32_t)count;
        state.expected -= operation == DROP_EXPECT_TX;
        state.pending--;
        return settled(state);
    case WAIT:
        *result = unpack(operand).phase != state.phase;
        return word;
    case WAIT_PARITY:
        *result = (operand & 1) != state.phase;
        return word;
    default:
        return word;
    }
}

void cushim__ptx_mbarrier(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const enum operation operation = (enum operation)at->sub;
    const bool has_state = operation == WAIT || operation == PENDING;

    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const void *const row = ptx_row(step, at->b);
        const uint64_t operand =
            has_state ? ((const lane_u64 *)row)[lane] : ((const lane_u32 *)row)[lane];
        uint64_t result = unpack(operand).pending;

        if (operation != PENDING) {
            const void *const addresses = ptx_row(step, at->a);
            const uint64_t base = at->other & ADDRESS_WIDE ? ((const lane_u64 *)addresses)[lane]
                                                           : ((const lane_u32 *)addresses)[lane];
            unsigned char *place = cushim__ptx_bytes(step, lane, (enum ptx_space)at->type,
                                                     base + (uint64_t)at->immediate, 8, PTX_ATOMIC);
            uint64_t word;

            if (!place)
                return;
            memcpy(&word, place, sizeof word);
            word = applied(operation, word, operand, &result);
            memcpy(place, &word, sizeof word);
        }
        if (at->d == PTX_UNUSED)
            continue;
        if (operation == WAIT || operation == WAIT_PARITY) {
            lane_u32 *const bits = (lane_u32 *)(void *)(step->frame + at->d);

            *bits = (*bits & ~(UINT32_C(1) << lane)) | (uint32_t)result << lane;
        } else if (operation == PENDING) {
            ((lane_u32 *)(void *)(step->frame + at->d))[lane] = (uint32_t)result;
        } else {
            ((lane_u64 *)(void *)(step->frame + at->d))[lane] = result;
        }
    }
}
