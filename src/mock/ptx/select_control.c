/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, and what lanes and threads do together: to the internal code. */
#include "src/mock/ptx/parser.h"

#include <string.h>

/* --- calls --- */

/* `(a, b)`, or none of it: .param variables of the body. False: one is a register or a constant. */
static bool arguments(struct ptx_parser *parser, uint32_t *offsets, uint32_t *count)
{
    if (!ptx_skip(parser, "("))
        return true;
    while (!ptx_skip(parser, ")")) {
        struct ptx_operand operand;

        if (*count == PTX_ARGUMENTS)
            cushim__ptx_fail(parser, "the call has too many arguments");
        cushim__ptx_operand(parser, &operand);
        if (operand.kind != OPERAND_SYMBOL || operand.symbol->kind != SYMBOL_LOCAL ||
            !operand.symbol->of_call)
            return false;
        offsets[(*count)++] = (uint32_t)operand.symbol->offset;
        if (!ptx_skip(parser, ",") && !ptx_is(parser, ")"))
            cushim__ptx_expected(parser, "',' or ')'");
    }
    return true;
}

static bool call(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_function *own = &parser->program->functions[parser->body.function];
    uint32_t offsets[PTX_ARGUMENTS], results, count = 0, list;
    uint32_t target = PTX_UNUSED, pointer = PTX_UNUSED;
    struct ptx_instruction *made;
    const struct ptx_symbol *symbol;
    bool more;

    if (!arguments(parser, offsets, &count))
        return false;
    results = count;
    if (results > 0)
        cushim__ptx_expect(parser, ",");
    symbol = cushim__ptx_symbol_find(parser, parser->word);
    if (symbol && symbol->kind == SYMBOL_FUNCTION) {
        target = symbol->index;
        cushim__ptx_next(parser);
    } else {
        struct ptx_operand operand;

        cushim__ptx_operand(parser, &operand);
        pointer = cushim__ptx_use(statement, &operand, ROW_LONG);
        own->calls_pointers = true;
    }
    more = ptx_skip(parser, ",");
    if (more && ptx_is(parser, "(")) {
        if (!arguments(parser, offsets, &count))
            return false;
        more = ptx_skip(parser, ",");
    }
    if (more)
        cushim__ptx_name(parser); /* the prototype, or the list of targets */
    list = parser->program->list_count;
    for (uint32_t i = 0; i < count; i++)
        cushim__ptx_list_add(parser, offsets[i]);
    if (target != PTX_UNUSED)
        cushim__ptx_note(parser, &own->callees, &own->callee_count, target);
    made = cushim__ptx_emit(statement, target == PTX_UNUSED ? DO_CALL_INDIRECT : DO_CALL);
    made->a = pointer;
    made->target = target;
    made->list = list;
    made->count = (uint8_t)count;
    made->sub = (uint8_t)results;
    return true;
}

/* --- branches --- */

static bool branch(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_word name = cushim__ptx_name(parser);

    cushim__ptx_refer(parser, name, false, parser->body.count);
    cushim__ptx_emit(statement, DO_BRANCH);
    return true;
}

static bool branch_table(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_operand index;
    const struct ptx_symbol *table;
    struct ptx_instruction *made;
    uint32_t a;

    if (strcmp(statement->opcode.name, "brx.idx") != 0)
        return false;
    cushim__ptx_operand(parser, &index);
    a = cushim__ptx_use(statement, &index, ROW_WORD);
    cushim__ptx_expect(parser, ",");
    table = cushim__ptx_symbol_find(parser, parser->word);
    if (!table || table->kind != SYMBOL_TABLE)
        cushim__ptx_expected(parser, "a list of targets");
    cushim__ptx_next(parser);
    made = cushim__ptx_emit(statement, DO_BRANCH_TABLE);
    made->a = a;
    made->list = table->index;
    made->target = (uint32_t)table->offset;
    return true;
}

/* Whether operands of a video instruction choose parts of their words: `%r1.b0`. */
static bool has_selectors(const struct ptx_parser *parser, const struct ptx_opcode *opcode)
{
    const char *at = parser->word.start;

    while (opcode->base[0] == 'v' && at < parser->end && *at != ';' && *at != '.')
        at++;
    return opcode->base[0] == 'v' && strcmp(opcode->base, "vote") != 0 && at < parser->end &&
           *at == '.';
}

bool cushim__ptx_select_unparsed(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_opcode *opcode = &statement->opcode;
    const struct ptx_selector *selector = cushim__ptx_selector_find(opcode->base);
    const bool reads = selector && selector->select && selector->handler;

    statement->selector = selector;
    if (!reads && (selector || cushim__ptx_has_rows(opcode->base)) &&
        !has_selectors(parser, opcode) &&
        !(strcmp(opcode->base, "cp") == 0 &&
          (strstr(opcode->words, ".bulk") || strncmp(opcode->words, ".async", 6) != 0)))
        return false;
    if (!reads || !selector->select(statement)) {
        cushim__ptx_refuse(statement);
        cushim__ptx_skip_until(parser, ";");
    }
    return true;
}

/* --- barriers --- */

static bool select_collective(struct ptx_statement *statement);

static bool select_barrier(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    static const struct {
        const char *word;
        enum ptx_barrier kind;
    } kinds[] = {
        {"sync", BARRIER_SYNC}, {"arrive", BARRIER_ARRIVE}, {"popc", BARRIER_POPC},
        {"and", BARRIER_AND},   {"or", BARRIER_OR},
    };
    const bool reduces = cushim__ptx_opcode_has(opcode, "red");
    unsigned next = reduces ? 1 : 0, count = statement->operand_count;
    uint32_t a, b = PTX_UNUSED, c = PTX_UNUSED;
    struct ptx_instruction *made;
    enum ptx_row row;
    size_t i = 0;

    if (cushim__ptx_opcode_has(opcode, "warp"))
        return select_collective(statement);
    if (strstr(opcode->words, "cluster"))
        return false;
    while (i < 5 && !cushim__ptx_opcode_has(opcode, kinds[i].word))
        i++;
    if (i == 5 || reduces != (i >= 2) || count < 1 + (reduces ? 2u : 0) || count > 4)
        return false;
    row = kinds[i].kind == BARRIER_POPC ? ROW_WORD : ROW_PREDICATE;
    a = cushim__ptx_use(statement, &statement->operands[next++], ROW_WORD);
    if (reduces)
        count--;
    if (next < count)
        b = cushim__ptx_use(statement, &statement->operands[next++], ROW_WORD);
    if (reduces)
        c = cushim__ptx_use(statement, &statement->operands[next], ROW_PREDICATE);
    made = cushim__ptx_emit(statement, DO_BARRIER);
    made->sub = (uint8_t)kinds[i].kind;
    made->a = a;
    made->b = b;
    made->c = c;
    if (reduces) {
        made->flags |= statement->operands[next].negated ? FLAG_NEGATED_SOURCE : 0;
        made->d = cushim__ptx_result(statement, &statement->operands[0], row);
    }
    return true;
}

/* --- what the lanes of a warp do together --- */

/* The operands of each: `r` the destination, `q` a predicate beside it, then sources. */
static const struct {
    const char *base, *words, *operands;
    enum ptx_collective kind;
    unsigned count;
} collectives[] = {
    {"bar", ".warp.sync", "m", SYNC_ONLY, 0},
    {"shfl", ".sync.up", "rwwwm", SYNC_SHUFFLE_UP, 0},
    {"shfl", ".sync.down", "rwwwm", SYNC_SHUFFLE_DOWN, 0},
    {"shfl", ".sync.bfly", "rwwwm", SYNC_SHUFFLE_XOR, 0},
    {"shfl", ".sync.idx", "rwwwm", SYNC_SHUFFLE_INDEX, 0},
    {"shfl", ".up", "rwww", SYNC_SHUFFLE_UP, 0},
    {"shfl", ".down", "rwww", SYNC_SHUFFLE_DOWN, 0},
    {"shfl", ".bfly", "rwww", SYNC_SHUFFLE_XOR, 0},
    {"shfl", ".idx", "rwww", SYNC_SHUFFLE_INDEX, 0},
    {"vote", ".sync.all", "ppm", SYNC_VOTE_ALL, 0},
    {"vote", ".sync.any", "ppm", SYNC_VOTE_ANY, 0},
    {"vote", ".sync.uni", "ppm", SYNC_VOTE_UNI, 0},
    {"vote", ".sync.ballot", "rpm", SYNC_VOTE_BALLOT, 0},
    {"vote", ".all", "pp", SYNC_VOTE_ALL, 0},
    {"vote", ".any", "pp", SYNC_VOTE_ANY, 0},
    {"vote", ".ballot", "rp", SYNC_VOTE_BALLOT, 0},
    {"match", ".any.sync", "rtm", SYNC_MATCH_ANY, 0},
    {"match", ".all.sync", "rtm", SYNC_MATCH_ALL, 0},
    {"redux", ".sync.add", "rwm", SYNC_REDUCE, ATOMIC_ADD},
    {"redux", ".sync.min", "rwm", SYNC_REDUCE, ATOMIC_MIN},
    {"redux", ".sync.max", "rwm", SYNC_REDUCE, ATOMIC_MAX},
    {"redux", ".sync.and", "rwm", SYNC_REDUCE, ATOMIC_AND},
    {"redux", ".sync.or", "rwm", SYNC_REDUCE, ATOMIC_OR},
    {"redux", ".sync.xor", "rwm", SYNC_REDUCE, ATOMIC_XOR},
    {"elect", ".sync", "rm", SYNC_ELECT, 0},
};

static bool select_collective(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    const struct ptx_opcode *opcode = &statement->opcode;
    const bool wide = opcode->types[0] == TYPE_B64;
    const enum ptx_type type = opcode->types[0];
    uint32_t sources[3] = {PTX_UNUSED, PTX_UNUSED, PTX_UNUSED}, mask = PTX_UNUSED;
    unsigned used = 0;
    struct ptx_instruction *made;
    const char *operands;
    size_t i = 0;

    while (i < sizeof collectives / sizeof *collectives &&
           (strcmp(collectives[i].base, opcode->base) != 0 ||
            strcmp(collectives[i].words, opcode->words) != 0))
        i++;
    if (i == sizeof collectives / sizeof *collectives)
        return false;
    if (collectives[i].kind == SYNC_REDUCE && type != TYPE_U32 && type != TYPE_S32 &&
        type != TYPE_B32)
        return false;
    if (collectives[i].kind <= SYNC_SHUFFLE_INDEX && collectives[i].kind > SYNC_ONLY &&
        type != TYPE_B32)
        return false;
    operands = collectives[i].operands;
    if (statement->operand_count != strlen(operands))
        cushim__ptx_fail(parser, "%s has %u operands", opcode->base, (unsigned)strlen(operands));
    for (unsigned at = collectives[i].kind == SYNC_ONLY ? 0 : 1; operands[at]; at++) {
        const enum ptx_row row = operands[at] == 'p'           ? ROW_PREDICATE
                                 : operands[at] == 't' && wide ? ROW_LONG
                                                               : ROW_WORD;
        const uint32_t source = cushim__ptx_use(statement, &statement->operands[at], row);

        if (operands[at] == 'm')
            mask = cushim__ptx_list_add(parser, source);
        else
            sources[used++] = source;
    }
    made = cushim__ptx_emit(statement, DO_WARP_SYNC);
    made->sub = (uint8_t)collectives[i].kind;
    made->bytes = wide && strchr(operands, 't') ? 8 : 4;
    made->count = (uint8_t)collectives[i].count;
    made->type = (uint8_t)type;
    made->list = mask;
    made->flags |= mask == PTX_UNUSED ? FLAG_EACH : 0;
    made->a = sources[0];
    made->b = sources[1];
    made->c = sources[2];
    if (operands[0] != 'm') {
        made->flags |= statement->operands[1].negated ? FLAG_NEGATED_SOURCE : 0;
        made->d = cushim__ptx_result(statement, &statement->operands[0],
                                     operands[0] == 'p' ? ROW_PREDICATE : ROW_WORD);
        if (statement->has_pair)
            made->e = cushim__ptx_result(statement, &statement->second, ROW_PREDICATE);
    }
    return true;
}

const struct ptx_selector cushim__ptx_select_control[] = {
    {"bra", branch, DO_BRANCH},
    {"brx", branch_table, DO_BRANCH_TABLE},
    {"call", call, DO_CALL},
    {"ret", NULL, DO_RETURN},
    {"exit", NULL, DO_EXIT},
    {"trap", NULL, DO_TRAP},
    {"brkpt", NULL, DO_BREAKPOINT},
    {"bar", select_barrier, 0},
    {"barrier", select_barrier, 0},
    {"shfl", select_collective, 0},
    {"vote", select_collective, 0},
    {"match", select_collective, 0},
    {"redux", select_collective, 0},
    {"elect", select_collective, 0},
    {"nanosleep", NULL, DO_SLEEP},
    {"pmevent", NULL, DO_NOTHING},
    {"griddepcontrol", NULL, DO_NOTHING},
    {"setmaxnreg", NULL, DO_NOTHING},
    {"tex", cushim__ptx_select_texture, 0},
    {"tld4", cushim__ptx_select_texture, 0},
    {"txq", cushim__ptx_select_texture, 0},
    {"suld", cushim__ptx_select_texture, 0},
    {"sust", cushim__ptx_select_texture, 0},
    {"suq", cushim__ptx_select_texture, 0},
    {0},
};
