/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction selection: branches, calls, barriers and collectives of a warp. */
#include "src/ptx/text/parser.h"

#include <string.h>

/* --- calls --- */

/*
 * Read `(a, b)`, if it is there, and append the .param variables of the body to the list. Returns
 * false if an argument is a register or a constant.
 */
static bool arguments(struct ptx_parser *parser, uint32_t *count)
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
        cushim__ptx_list_add(parser, (uint32_t)operand.symbol->offset);
        (*count)++;
        if (!ptx_skip(parser, ",") && !ptx_is(parser, ")"))
            cushim__ptx_expected(parser, "',' or ')'");
    }
    return true;
}

static bool call(struct ptx_statement *statement)
{
    struct ptx_parser *const parser = statement->parser;
    struct ptx_function *own = &parser->program->functions[parser->body.function];
    const uint32_t list = parser->program->list_count;
    uint32_t results, count = 0, target = PTX_UNUSED, pointer = PTX_UNUSED;
    struct ptx_operand callee;
    struct ptx_instruction *made;

    if (!arguments(parser, &count))
        return false;
    results = count;
    if (results > 0)
        cushim__ptx_expect(parser, ",");
    cushim__ptx_operand(parser, &callee);
    if (callee.kind == OPERAND_SYMBOL && callee.symbol->kind == SYMBOL_FUNCTION) {
        target = callee.symbol->index;
    } else {
        pointer = cushim__ptx_use(statement, &callee, ROW_LONG);
        own->calls_pointers = true;
    }
    if (ptx_skip(parser, ",")) {
        const bool has_arguments = ptx_is(parser, "(");

        if (!arguments(parser, &count))
            return false;
        if (!has_arguments || ptx_skip(parser, ","))
            cushim__ptx_name(parser); /* the prototype, or the list of targets */
    }
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
    cushim__ptx_refer(statement->parser, false, statement->parser->body.count);
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
    made = cushim__ptx_emit_on(statement, DO_BRANCH_TABLE, PTX_UNUSED, a, PTX_UNUSED);
    made->list = table->index;
    made->target = (uint32_t)table->offset;
    return true;
}

/* --- what the lanes of a warp do together --- */

/*
 * `t` stands for a row of the instruction's type. Instructions without .sync wait for no other
 * lane.
 */
static const struct {
    const char *base, *words, *rows;
    enum ptx_collective kind;
    unsigned count;
} collectives[] = {
    {"bar", ".warp.sync", "-m", SYNC_ONLY, 0},
    {"shfl", ".sync.up", "wwwwm", SYNC_SHUFFLE_UP, 0},
    {"shfl", ".sync.down", "wwwwm", SYNC_SHUFFLE_DOWN, 0},
    {"shfl", ".sync.bfly", "wwwwm", SYNC_SHUFFLE_XOR, 0},
    {"shfl", ".sync.idx", "wwwwm", SYNC_SHUFFLE_INDEX, 0},
    {"shfl", ".up", "wwww", SYNC_SHUFFLE_UP, 0},
    {"shfl", ".down", "wwww", SYNC_SHUFFLE_DOWN, 0},
    {"shfl", ".bfly", "wwww", SYNC_SHUFFLE_XOR, 0},
    {"shfl", ".idx", "wwww", SYNC_SHUFFLE_INDEX, 0},
    {"vote", ".sync.all", "ppm", SYNC_VOTE_ALL, 0},
    {"vote", ".sync.any", "ppm", SYNC_VOTE_ANY, 0},
    {"vote", ".sync.uni", "ppm", SYNC_VOTE_UNI, 0},
    {"vote", ".sync.ballot", "wpm", SYNC_VOTE_BALLOT, 0},
    {"vote", ".all", "pp", SYNC_VOTE_ALL, 0},
    {"vote", ".any", "pp", SYNC_VOTE_ANY, 0},
    {"vote", ".ballot", "wp", SYNC_VOTE_BALLOT, 0},
    {"match", ".any.sync", "wtm", SYNC_MATCH_ANY, 0},
    {"match", ".all.sync", "wtm", SYNC_MATCH_ALL, 0},
    {"redux", ".sync.add", "wwm", SYNC_REDUCE, ATOMIC_ADD},
    {"redux", ".sync.min", "wwm", SYNC_REDUCE, ATOMIC_MIN},
    {"redux", ".sync.max", "wwm", SYNC_REDUCE, ATOMIC_MAX},
    {"redux", ".sync.and", "wwm", SYNC_REDUCE, ATOMIC_AND},
    {"redux", ".sync.or", "wwm", SYNC_REDUCE, ATOMIC_OR},
    {"redux", ".sync.xor", "wwm", SYNC_REDUCE, ATOMIC_XOR},
    {"elect", ".sync", "wm", SYNC_ELECT, 0},
};

static bool select_collective(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    const enum ptx_type type = opcode->types[0];
    struct ptx_instruction *made;
    enum ptx_collective kind;
    char rows[8];
    size_t i = 0;

    while (i < sizeof collectives / sizeof *collectives &&
           (strcmp(collectives[i].base, opcode->base) != 0 ||
            strcmp(collectives[i].words, opcode->words) != 0))
        i++;
    if (i == sizeof collectives / sizeof *collectives)
        return false;
    kind = collectives[i].kind;
    if ((kind == SYNC_REDUCE && type != TYPE_U32 && type != TYPE_S32 && type != TYPE_B32) ||
        (kind <= SYNC_SHUFFLE_INDEX && kind > SYNC_ONLY && type != TYPE_B32))
        return false;
    strcpy(rows, collectives[i].rows);
    if (rows[1] == 't')
        rows[1] = type == TYPE_B64 ? ROW_LONG : ROW_WORD;
    made = cushim__ptx_emit_rows(statement, DO_WARP_SYNC, rows);
    made->sub = (uint8_t)kind;
    made->bytes = rows[1] == ROW_LONG ? 8 : 4;
    made->count = (uint8_t)collectives[i].count;
    made->type = (uint8_t)type;
    made->flags |= strchr(rows, ROW_MASK) ? 0 : FLAG_EACH;
    made->flags |= statement->operands[1].negated ? FLAG_NEGATED_SOURCE : 0;
    if (statement->has_pair)
        made->e = cushim__ptx_result(statement, &statement->second, ROW_PREDICATE);
    return true;
}

/* --- barriers --- */

static bool select_barrier(struct ptx_statement *statement)
{
    const struct ptx_opcode *opcode = &statement->opcode;
    static const char *const kinds[] = {"sync", "arrive", "and", "or", "popc"}; /* as the enum */
    const bool reduces = cushim__ptx_has(opcode->words, "red");
    const unsigned count = statement->operand_count, least = reduces ? 3 : 1;
    char rows[6] = {ROW_NO_RESULT, ROW_WORD};
    struct ptx_instruction *made;
    size_t i = 0;

    if (cushim__ptx_has(opcode->words, "warp"))
        return select_collective(statement);
    if (strstr(opcode->words, "cluster"))
        return false;
    while (i < 5 && !cushim__ptx_has(opcode->words, kinds[i]))
        i++;
    if (i == 5 || reduces != (i >= BARRIER_AND) || count < least || count > least + 1)
        return false;
    if (reduces)
        rows[0] = i == BARRIER_POPC ? ROW_WORD : ROW_PREDICATE;
    strcat(strcat(rows, count > least ? "w" : ""), reduces ? "p" : "");
    made = cushim__ptx_emit_rows(statement, DO_BARRIER, rows);
    made->sub = (uint8_t)i;
    if (count == least && reduces) {
        made->c = made->b;
        made->b = PTX_UNUSED;
    }
    made->flags |= statement->operands[count - 1].negated ? FLAG_NEGATED_SOURCE : 0;
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
    {0},
};
