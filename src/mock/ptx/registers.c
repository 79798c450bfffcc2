/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in the frame for registers. PTX has a register for each value, and a frame with a row for
 * each would be far too large, so registers that do not live at the same time share one.
 *
 * What lives where is found for basic blocks, as usual. A register then lives from the first to the
 * last instruction at which it does, and places are given in the order of the beginnings. Lanes
 * that have diverged do not matter: each lane has its own column, and takes its own way through.
 */
#include "src/mock/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

struct block {
    uint32_t first, end;   /* instructions */
    uint32_t next, target; /* blocks; PTX_UNUSED: none */
    uint64_t *uses, *defines, *in, *out;
};

struct life {
    uint32_t reg, first, last;
};

struct liveness {
    struct ptx_parser *parser;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* an instruction */
    size_t words;       /* of a set of registers */
    struct life *lives;
};

/* The registers that an instruction reads and writes: its own operands, and those in a list. */
struct operands {
    struct {
        uint32_t *reg;
        bool defines;
    } at[6 + 8];
    unsigned count;
};

static void add(struct operands *operands, uint32_t *reg, bool defines)
{
    if (*reg != PTX_UNUSED && !(*reg & PTX_CONSTANT)) {
        operands->at[operands->count].reg = reg;
        operands->at[operands->count++].defines = defines;
    }
}

static void list_operands(struct liveness *liveness, struct ptx_instruction *at,
                          struct operands *operands)
{
    uint32_t *const lists = liveness->parser->program->lists;
    uint32_t *const list = lists ? lists + at->list : NULL;
    const unsigned coordinates = at->sub == TEXTURE_QUERY ? 0 : ptx_coordinates(at->other);

    operands->count = 0;
    add(operands, &at->guard, false);
    add(operands, &at->a, false);
    add(operands, &at->b, false);
    add(operands, &at->c, false);
    add(operands, &at->d, at->handler != DO_COPY_ASYNC);
    add(operands, &at->e, at->handler != DO_INSERT);
    switch (at->handler) {
    case DO_LOAD:
    case DO_STORE:
        for (unsigned i = 0; i < at->count; i++)
            add(operands, &list[i], at->handler == DO_LOAD);
        break;
    case DO_TEXTURE:
        /* Coordinates, and then what is loaded, or stored. */
        for (unsigned i = 0; i < coordinates + at->count; i++)
            add(operands, &list[i], i >= coordinates && !at->type);
        break;
    case DO_WARP_SYNC:
        if (!(at->flags & FLAG_EACH))
            add(operands, list, false);
        break;
    default:
        break;
    }
}

static bool ends_block(const struct ptx_instruction *at)
{
    return at->handler == DO_BRANCH || at->handler == DO_BRANCH_TABLE || at->handler == DO_RETURN ||
           at->handler == DO_EXIT;
}

static void find_blocks(struct liveness *liveness)
{
    struct ptx_parser *parser = liveness->parser;
    const struct ptx_body *body = &parser->body;
    unsigned char *leads = cushim__ptx_pool(parser, body->count + 1);
    uint32_t count = 0;

    leads[0] = 1;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct ptx_instruction *at = &body->code[i];

        if (ends_block(at))
            leads[i + 1] = 1;
        if (at->handler == DO_BRANCH)
            leads[at->target] = 1;
        for (uint32_t j = 0; at->handler == DO_BRANCH_TABLE && j < at->target; j++)
            leads[parser->program->lists[at->list + j]] = 1;
    }
    for (uint32_t i = 0; i < body->count; i++)
        count += leads[i];
    liveness->blocks = cushim__ptx_pool(parser, count * sizeof *liveness->blocks);
    liveness->block_of = cushim__ptx_pool(parser, (body->count + 1) * sizeof *liveness->block_of);
    liveness->block_count = count;
    count = PTX_UNUSED;
    for (uint32_t i = 0; i < body->count; i++) {
        if (leads[i])
            liveness->blocks[++count].first = i;
        liveness->blocks[count].end = i + 1;
        liveness->block_of[i] = count;
    }
    for (uint32_t i = 0; i < liveness->block_count; i++) {
        struct block *block = &liveness->blocks[i];
        const struct ptx_instruction *last = &body->code[block->end - 1];

        block->next = block->target = PTX_UNUSED;
        if (block->end < body->count && (!ends_block(last) || last->guarded))
            block->next = i + 1;
        if (last->handler == DO_BRANCH)
            block->target = liveness->block_of[last->target];
    }
}

/* --- what lives where --- */

static bool has(const uint64_t *set, uint32_t reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

/* What a block reads before it writes it, and what it writes in any case. */
static void find_uses(struct liveness *liveness, struct block *block)
{
    struct operands operands;

    for (uint32_t i = block->first; i < block->end; i++) {
        struct ptx_instruction *at = &liveness->parser->body.code[i];

        list_operands(liveness, at, &operands);
        for (unsigned j = 0; j < operands.count; j++) {
            const uint32_t reg = *operands.at[j].reg;

            if (!operands.at[j].defines && !has(block->defines, reg))
                block->uses[reg / 64] |= UINT64_C(1) << reg % 64;
        }
        for (unsigned j = 0; j < operands.count; j++) {
            const uint32_t reg = *operands.at[j].reg;

            if (operands.at[j].defines && !at->guarded)
                block->defines[reg / 64] |= UINT64_C(1) << reg % 64;
        }
    }
}

static bool join(struct liveness *liveness, struct block *block, uint32_t successor)
{
    bool changed = false;

    for (size_t i = 0; successor != PTX_UNUSED && i < liveness->words; i++) {
        const uint64_t more = liveness->blocks[successor].in[i] & ~block->out[i];

        block->out[i] |= more;
        changed |= more != 0;
    }
    return changed;
}

static void find_lives(struct liveness *liveness)
{
    struct ptx_parser *parser = liveness->parser;
    bool changed = true;

    for (uint32_t i = 0; i < liveness->block_count; i++) {
        struct block *block = &liveness->blocks[i];
        uint64_t *sets = cushim__ptx_pool(parser, 4 * liveness->words * sizeof *sets);

        block->uses = sets;
        block->defines = sets + liveness->words;
        block->in = sets + 2 * liveness->words;
        block->out = sets + 3 * liveness->words;
        find_uses(liveness, block);
        memcpy(block->in, block->uses, liveness->words * sizeof *sets);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = liveness->block_count; i-- > 0;) {
            struct block *block = &liveness->blocks[i];
            const struct ptx_instruction *last = &parser->body.code[block->end - 1];
            const uint32_t targets = last->handler == DO_BRANCH_TABLE ? last->target : 0;
            bool more = join(liveness, block, block->next);

            more |= join(liveness, block, block->target);
            for (uint32_t j = 0; j < targets; j++)
                more |= join(liveness, block,
                             liveness->block_of[parser->program->lists[last->list + j]]);
            for (size_t j = 0; more && j < liveness->words; j++)
                block->in[j] |= block->out[j] & ~block->defines[j];
            changed |= more;
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

static void measure(struct liveness *liveness)
{
    const struct ptx_body *body = &liveness->parser->body;
    struct operands operands;

    for (uint32_t i = 0; i < body->register_count; i++)
        liveness->lives[i] = (struct life){.reg = i, .first = UINT32_MAX};
    for (uint32_t i = 0; i < liveness->block_count; i++) {
        const struct block *block = &liveness->blocks[i];

        for (uint32_t j = block->first; j < block->end; j++) {
            list_operands(liveness, &body->code[j], &operands);
            for (unsigned k = 0; k < operands.count; k++)
                extend(&liveness->lives[*operands.at[k].reg], j);
        }
        for (size_t word = 0; word < liveness->words; word++) {
            for (uint64_t in = block->in[word]; in; in &= in - 1)
                extend(&liveness->lives[word * 64 + (size_t)__builtin_ctzll(in)], block->first);
            for (uint64_t out = block->out[word]; out; out &= out - 1)
                extend(&liveness->lives[word * 64 + (size_t)__builtin_ctzll(out)], block->end - 1);
        }
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
 * Registers of one size: the places that are free again, lowest first, and how many there are. What
 * an instruction reads last is not yet free for its result, which so can be computed in place.
 */
static uint32_t give_places(struct liveness *liveness, unsigned bytes)
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
        body->registers[life->reg].offset = place;
    }
    return places;
}

void cushim__ptx_registers_place(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    struct ptx_function *function = &parser->program->functions[body->function];
    struct liveness liveness = {.parser = parser, .words = (body->register_count + 63) / 64};
    struct operands operands;
    uint32_t wide, rows, words, begin_rows, begin_words;

    find_blocks(&liveness);
    if (liveness.words * liveness.block_count > 1 << 26)
        cushim__ptx_fail(parser, "the function is too large");
    find_lives(&liveness);
    liveness.lives = cushim__ptx_pool(parser, (body->register_count + 1) * sizeof *liveness.lives);
    measure(&liveness);
    qsort(liveness.lives, body->register_count, sizeof *liveness.lives, by_beginning);
    wide = give_places(&liveness, 8);
    rows = give_places(&liveness, 4);
    words = give_places(&liveness, 1);
    begin_rows = FRAME_ROWS * PTX_ROW + wide * PTX_WIDE_ROW;
    begin_words = begin_rows + rows * PTX_ROW;
    for (uint32_t i = 0; i < body->register_count; i++) {
        struct ptx_register *reg = &body->registers[i];

        if (reg->offset == PTX_UNUSED)
            continue;
        reg->offset = reg->bytes == 8   ? FRAME_ROWS * PTX_ROW + reg->offset * PTX_WIDE_ROW
                      : reg->bytes == 4 ? begin_rows + reg->offset * PTX_ROW
                                        : begin_words + reg->offset * 4;
    }
    for (uint32_t i = 0; i < body->count; i++) {
        struct ptx_instruction *at = &body->code[i];

        list_operands(&liveness, at, &operands);
        for (unsigned j = 0; j < operands.count; j++)
            *operands.at[j].reg = body->registers[*operands.at[j].reg].offset;
        if (at->d != PTX_UNUSED && at->d != at->a && at->d != at->b && at->d != at->c &&
            at->d != at->e)
            at->flags |= FLAG_APART;
    }
    function->frame_bytes = (begin_words + words * 4 + PTX_ROW - 1) / PTX_ROW * PTX_ROW;
}
