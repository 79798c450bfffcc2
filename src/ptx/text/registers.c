/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register allocation: each register gets a place in the frame. PTX has a register for each value,
 * and a frame with a row for each would be far too large, so registers that are not live at the
 * same time share a row.
 *
 * This is a linear scan. Liveness is computed over basic blocks. The interval of a register is from
 * the first to the last instruction at which it is live, and places are given in the order in which
 * intervals begin. Divergence does not matter, because each lane has its own column of the frame
 * and its own path through the code.
 */
#include "src/ptx/text/parser.h"

#include <stdlib.h>
#include <string.h>

struct block {
    uint32_t first, end;     /* indices of instructions */
    const uint32_t *targets; /* instructions that the block may branch to */
    uint32_t target_count;
    bool falls;                   /* control may fall through to the next block */
    uint64_t *in, *out, *defines; /* registers live at entry and exit, and those that it writes */
};

struct life {
    uint32_t reg, first, last;
};

struct liveness {
    struct ptx_parser *parser;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* the block of each instruction */
    size_t words;       /* 64-bit words of a set of registers */
    struct life *lives;
};

/*
 * The registers that an instruction reads, and then those that it writes. They are its own operands
 * and those of its list.
 */
struct operands {
    uint32_t *at[6 + 14];
    unsigned reads, count;
};

static void add(struct operands *operands, uint32_t *reg, bool defines)
{
    if (*reg != PTX_UNUSED && !(*reg & PTX_CONSTANT)) {
        operands->at[operands->count++] = reg;
        operands->reads += !defines;
    }
}

static void list_operands(struct liveness *liveness, struct ptx_instruction *at,
                          struct operands *operands)
{
    uint32_t *const lists = liveness->parser->program->lists;
    uint32_t *const list = lists ? lists + at->list : NULL;
    const unsigned sources = ptx_texture_sources(at);

    operands->reads = operands->count = 0;
    add(operands, &at->guard, false);
    add(operands, &at->a, false);
    add(operands, &at->b, false);
    add(operands, &at->c, false);
    switch (at->handler) {
    case DO_LOAD:
    case DO_STORE:
        for (unsigned i = 0; i < at->count; i++)
            add(operands, &list[i], at->handler == DO_LOAD);
        break;
    case DO_TEXTURE:
        for (unsigned i = 0; i < sources + at->count; i++)
            add(operands, &list[i], i >= sources && at->sub != SURFACE_STORE);
        break;
    case DO_WARP_SYNC:
        if (!(at->flags & FLAG_EACH))
            add(operands, list, false);
        break;
    default:
        break;
    }
    add(operands, &at->e, at->handler != DO_INSERT);
    add(operands, &at->d, at->handler != DO_COPY_ASYNC);
}

static bool ends_block(const struct ptx_instruction *at)
{
    return at->handler == DO_BRANCH || at->handler == DO_BRANCH_TABLE || at->handler == DO_RETURN ||
           at->handler == DO_EXIT;
}

/* Set the possible targets of a branch, and return how many there are. */
static uint32_t targets_of(const struct liveness *liveness, const struct ptx_instruction *at,
                           const uint32_t **targets)
{
    const bool has_table = at->handler == DO_BRANCH_TABLE;

    *targets = has_table ? liveness->parser->program->lists + at->list : &at->target;
    return has_table ? at->target : at->handler == DO_BRANCH ? 1 : 0;
}

static void find_blocks(struct liveness *liveness)
{
    struct ptx_parser *parser = liveness->parser;
    const struct ptx_body *body = &parser->body;
    unsigned char *leads = cushim__ptx_pool(parser, body->count + 1);
    const uint32_t *targets;

    leads[0] = 1;
    for (uint32_t i = 0; i < body->count; i++) {
        const uint32_t count = targets_of(liveness, &body->code[i], &targets);

        if (ends_block(&body->code[i]))
            leads[i + 1] = 1;
        for (uint32_t j = 0; j < count; j++)
            leads[targets[j]] = 1;
    }
    for (uint32_t i = 0; i < body->count; i++)
        liveness->block_count += leads[i];
    liveness->blocks = cushim__ptx_pool(parser, liveness->block_count * sizeof *liveness->blocks);
    liveness->block_of = cushim__ptx_pool(parser, (body->count + 1) * sizeof *liveness->block_of);
    for (uint32_t i = 0, next = 0; i < body->count; i++) {
        const struct ptx_instruction *at = &body->code[i];
        struct block *block;

        next += leads[i];
        block = &liveness->blocks[next - 1];
        block->first = leads[i] ? i : block->first;
        block->end = i + 1;
        block->target_count = targets_of(liveness, at, &block->targets);
        block->falls = i + 1 < body->count && (!ends_block(at) || at->guarded);
        liveness->block_of[i] = next - 1;
    }
}

/* --- what lives where --- */

/*
 * A register that the block reads before it writes it is live at entry. A write under a guard may
 * not happen, so it does not count.
 */
static void find_uses(struct liveness *liveness, struct block *block)
{
    struct operands operands;

    for (uint32_t i = block->first; i < block->end; i++) {
        struct ptx_instruction *at = &liveness->parser->body.code[i];

        list_operands(liveness, at, &operands);
        for (unsigned j = 0; j < operands.count; j++) {
            const uint32_t reg = *operands.at[j], word = reg / 64;
            const uint64_t bit = UINT64_C(1) << reg % 64;

            if (j < operands.reads)
                block->in[word] |= bit & ~block->defines[word];
            else if (!at->guarded)
                block->defines[word] |= bit;
        }
    }
}

static void find_lives(struct liveness *liveness)
{
    bool changed = true;

    for (uint32_t i = 0; i < liveness->block_count; i++) {
        struct block *block = &liveness->blocks[i];

        block->in = cushim__ptx_pool(liveness->parser, 3 * liveness->words * sizeof *block->in);
        block->out = block->in + liveness->words;
        block->defines = block->out + liveness->words;
        find_uses(liveness, block);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = liveness->block_count; i-- > 0;) {
            struct block *block = &liveness->blocks[i];

            /*
             * The successors are the targets of the branch and, if the block falls through, the
             * next block.
             */
            for (uint32_t j = 0; j < block->target_count + block->falls; j++) {
                const struct block *after =
                    j < block->target_count
                        ? &liveness->blocks[liveness->block_of[block->targets[j]]]
                        : block + 1;

                for (size_t k = 0; k < liveness->words; k++) {
                    const uint64_t more = after->in[k] & ~block->out[k];

                    block->out[k] |= more;
                    block->in[k] |= more & ~block->defines[k];
                    changed |= more != 0;
                }
            }
        }
    }
}

static void extend(struct life *life, uint32_t at)
{
    if (at < life->first)
        life->first = at;
    if (at > life->last)
        life->last = at;
}

static void extend_all(struct liveness *liveness, const uint64_t *set, uint32_t at)
{
    for (size_t word = 0; word < liveness->words; word++) {
        for (uint64_t left = set[word]; left; left &= left - 1)
            extend(&liveness->lives[word * 64 + (size_t)__builtin_ctzll(left)], at);
    }
}

static void measure(struct liveness *liveness)
{
    const struct ptx_body *body = &liveness->parser->body;
    struct operands operands;

    for (uint32_t i = 0; i < body->register_count; i++)
        liveness->lives[i] = (struct life){.reg = i, .first = UINT32_MAX};
    for (uint32_t i = 0; i < body->count; i++) {
        list_operands(liveness, &body->code[i], &operands);
        for (unsigned j = 0; j < operands.count; j++)
            extend(&liveness->lives[*operands.at[j]], i);
    }
    for (uint32_t i = 0; i < liveness->block_count; i++) {
        extend_all(liveness, liveness->blocks[i].in, liveness->blocks[i].first);
        extend_all(liveness, liveness->blocks[i].out, liveness->blocks[i].end - 1);
    }
}

static int by_beginning(const void *a, const void *b)
{
    const struct life *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* --- places --- */

/*
 * Place the registers of one size, each in the lowest place that is free. A place that an
 * instruction reads last is not free for its result, so the handler can write the result while it
 * reads its sources. Returns the end of the places.
 */
static uint32_t give_places(struct liveness *liveness, unsigned bytes, uint32_t begin,
                            uint32_t place_bytes)
{
    struct ptx_parser *parser = liveness->parser;
    struct ptx_body *body = &parser->body;
    uint32_t *ends = cushim__ptx_pool(parser, (body->register_count + 1) * sizeof *ends);
    uint32_t places = 0;

    for (uint32_t i = 0; i < body->register_count; i++) {
        const struct life *life = &liveness->lives[i];
        uint32_t place = 0;

        if (life->first == UINT32_MAX || body->registers[life->reg].bytes != bytes)
            continue;
        while (place < places && ends[place] >= life->first)
            place++;
        if (place == places)
            places++;
        ends[place] = life->last;
        body->registers[life->reg].offset = begin + place * place_bytes;
    }
    return begin + places * place_bytes;
}

void cushim__ptx_registers_place(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    struct ptx_program *program = parser->program;
    struct ptx_function *function = &program->functions[body->function];
    struct liveness liveness = {.parser = parser, .words = (body->register_count + 63) / 64};
    struct operands operands;
    uint32_t end = FRAME_ROWS * PTX_ROW;

    find_blocks(&liveness);
    if (liveness.words * liveness.block_count > 1 << 26)
        cushim__ptx_fail(parser, "the function is too large");
    find_lives(&liveness);
    liveness.lives = cushim__ptx_pool(parser, (body->register_count + 1) * sizeof *liveness.lives);
    measure(&liveness);
    qsort(liveness.lives, body->register_count, sizeof *liveness.lives, by_beginning);
    end = give_places(&liveness, 8, end, PTX_WIDE_ROW);
    end = give_places(&liveness, 4, end, PTX_ROW);
    end = give_places(&liveness, 1, end, 4);
    function->frame_bytes = (end + PTX_ROW - 1) / PTX_ROW * PTX_ROW;
    function->local_bytes = (uint32_t)(body->local_bytes + 15) / 16 * 16;
    function->first = program->code_count;
    function->count = body->count;
    for (uint32_t i = 0; i < body->count; i++) {
        struct ptx_instruction *at = &body->code[i];

        list_operands(&liveness, at, &operands);
        for (unsigned j = 0; j < operands.count; j++)
            *operands.at[j] = body->registers[*operands.at[j]].offset;
        if (at->d != PTX_UNUSED && at->d != at->a && at->d != at->b && at->d != at->c &&
            at->d != at->e)
            at->flags |= FLAG_APART;
        if (at->handler == DO_BRANCH)
            at->target += function->first;
        if (at->handler == DO_BRANCH_TABLE)
            at->e = function->first;
        if (at->handler <= DO_FLOAT) {
            at->a = at->a == PTX_UNUSED ? 0 : at->a;
            at->b = at->b == PTX_UNUSED ? 0 : at->b;
            at->c = at->c == PTX_UNUSED ? 0 : at->c;
        }
        /* A call needs the sizes of its own frame. A return from a kernel ends the lanes. */
        if (at->handler == DO_CALL || at->handler == DO_CALL_INDIRECT) {
            at->d = function->local_bytes;
            at->e = function->frame_bytes;
        }
        if (at->handler == DO_RETURN) {
            at->target = body->function;
            at->handler = function->is_kernel ? DO_EXIT : DO_RETURN;
        }
        PTX_GROW(parser, program->code, program->code_count);
        program->code[program->code_count++] = *at;
    }
}
