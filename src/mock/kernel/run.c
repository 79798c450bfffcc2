/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter: one instruction of a group of lanes after the other. */
#include "src/mock/kernel/launch.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Instructions that a group may run while others wait, at first and after the first such wait. */
enum { PATIENCE = 10000, IMPATIENCE = 600, FAVOUR = 300, SPINNING = 200 };

/* --- groups --- */

void cushim__ptx_send(struct ptx_warp *warp, uint32_t lanes, uint32_t pc)
{
    for (unsigned i = 0; i < PTX_LANES; i++)
        warp->pcs[i] = ptx_choose(lanes, i, pc, warp->pcs[i]);
}

void cushim__ptx_group_save(struct ptx_warp *warp)
{
    cushim__ptx_send(warp, warp->active, warp->pc);
}

/* The deepest frame first, and in it the lowest instruction. */
static unsigned leader(const struct ptx_warp *warp, uint32_t ready)
{
    unsigned best = ptx_first(ready);

    for (uint32_t left = ready & (ready - 1); left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        if (warp->bases[lane] != warp->bases[best] ? warp->bases[lane] > warp->bases[best]
                                                   : warp->pcs[lane] < warp->pcs[best])
            best = lane;
    }
    return best;
}

/* Whoever has waited too long is favoured for a while. */
static unsigned fair_leader(struct ptx_warp *warp, uint32_t ready)
{
    warp->lowest = false;
    if (warp->favour > 0 && ptx_in(ready, warp->favoured))
        return warp->favoured;
    if (warp->apart > warp->limit) {
        warp->apart = 0;
        warp->limit = IMPATIENCE;
        warp->favour = FAVOUR;
        do
            warp->favoured = (warp->favoured + 1) % PTX_LANES;
        while (!ptx_in(ready, warp->favoured));
        return warp->favoured;
    }
    warp->lowest = true;
    return leader(warp, ready);
}

/* Whether all lanes of the warp are at one instruction of one frame, as they usually are. */
static bool all_together(const struct ptx_warp *warp)
{
    uint32_t differs = 0;

    for (unsigned i = 0; i < PTX_LANES; i++)
        differs |= (warp->pcs[i] ^ warp->pcs[0]) | (warp->bases[i] ^ warp->bases[0]);
    return differs == 0;
}

bool cushim__ptx_group_select(struct ptx_warp *warp)
{
    const uint32_t ready = warp->alive & ~(warp->at_sync | warp->at_barrier);
    const bool whole = ready == PTX_ALL_LANES && all_together(warp);
    unsigned lead;

    warp->active = whole ? ready : 0;
    warp->others = 0;
    warp->stop = UINT32_MAX;
    if (ready == 0)
        return false;
    lead = whole ? 0 : fair_leader(warp, ready);
    warp->pc = warp->pcs[lead];
    warp->base = warp->bases[lead];
    for (uint32_t left = ready & ~warp->active; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        if (warp->bases[lane] != warp->base)
            continue;
        if (warp->pcs[lane] == warp->pc)
            warp->active |= UINT32_C(1) << lane;
        else if (warp->pcs[lane] > warp->pc && warp->pcs[lane] < warp->stop)
            warp->stop = warp->pcs[lane];
    }
    warp->others = ready & ~warp->active;
    if (!warp->others) {
        warp->apart = warp->favour = 0;
        warp->limit = PATIENCE;
    }
    return true;
}

/* --- results --- */

#define FOUR(x) (x), (x) << 1, (x) << 2, (x) << 3
const uint32_t cushim__ptx_lane_bits[PTX_LANES] = {
    FOUR(UINT32_C(1)),       FOUR(UINT32_C(1) << 4),  FOUR(UINT32_C(1) << 8),
    FOUR(UINT32_C(1) << 12), FOUR(UINT32_C(1) << 16), FOUR(UINT32_C(1) << 20),
    FOUR(UINT32_C(1) << 24), FOUR(UINT32_C(1) << 28)};

/* From so many lanes on, vectors of all of them are cheaper than one lane after the other. */
enum { MANY = 10 };

static void write_many(lane_u32 *restrict to, const lane_u32 *restrict from, uint32_t mask)
{
    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = ptx_choose(mask, i, from[i], to[i]);
}

void cushim__ptx_write32(unsigned char *row, const lane_u32 *values, uint32_t mask)
{
    lane_u32 *const to = (lane_u32 *)(void *)row;

    if (to == values)
        return;
    if (mask == PTX_ALL_LANES) {
        memcpy(row, values, PTX_ROW);
    } else if (ptx_count(mask) >= MANY) {
        write_many(to, values, mask);
    } else {
        for (; mask; mask &= mask - 1)
            to[ptx_first(mask)] = values[ptx_first(mask)];
    }
}

void cushim__ptx_write64(unsigned char *row, const lane_u64 *values, uint32_t mask)
{
    lane_u64 *const to = (lane_u64 *)(void *)row;

    if (to == values)
        return;
    if (mask == PTX_ALL_LANES) {
        memcpy(row, values, PTX_WIDE_ROW);
        return;
    }
    for (; mask; mask &= mask - 1)
        to[ptx_first(mask)] = values[ptx_first(mask)];
}

void cushim__ptx_fill(struct ptx_step *step, uint32_t operand, uint64_t value, bool wide)
{
    lane_u64 *const restrict to64 = step->scratch;
    lane_u32 *const restrict to32 = (lane_u32 *)step->scratch;

    if (operand == PTX_UNUSED)
        return;
    for (unsigned i = 0; wide && i < PTX_LANES; i++)
        to64[i] = value;
    for (unsigned i = 0; !wide && i < PTX_LANES; i++)
        to32[i] = (uint32_t)value;
    if (wide)
        cushim__ptx_write64(step->frame + operand, step->scratch, step->mask);
    else
        cushim__ptx_write32(step->frame + operand, to32, step->mask);
}

static void put32(struct ptx_step *step)
{
    if (step->at->d != PTX_UNUSED)
        cushim__ptx_write32(step->frame + step->at->d, (lane_u32 *)step->result, step->mask);
}

static void put64(struct ptx_step *step)
{
    if (step->at->d != PTX_UNUSED)
        cushim__ptx_write64(step->frame + step->at->d, step->result, step->mask);
}

static void put_predicate(struct ptx_step *step, uint32_t operand, uint32_t value)
{
    if (operand != PTX_UNUSED) {
        lane_u32 *const word = (lane_u32 *)(void *)(step->frame + operand);

        *word = (*word & ~step->mask) | (value & step->mask);
    }
}

static uint32_t predicate(const struct ptx_step *step, uint32_t operand)
{
    const uint32_t value = *(const lane_u32 *)(const void *)ptx_row(step, operand);

    return step->at->flags & FLAG_NEGATED_SOURCE ? ~value : value;
}

/* --- arithmetic --- */

static void flush(lane_u32 *to, const void *row)
{
    const lane_u32 *from = row;

    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = from[i] & 0x7f800000 ? from[i] : from[i] & 0x80000000;
}

static const void *flushed(struct ptx_step *step, uint32_t operand, unsigned index)
{
    const void *row = ptx_row(step, operand);

    if (!(step->at->flags & FLAG_FTZ) || !(step->at->count >> index & 1))
        return row;
    flush((lane_u32 *)step->sources[index], row);
    return step->sources[index];
}

static int host_rounding(unsigned rounding)
{
    return rounding == ROUND_ZERO   ? FE_TOWARDZERO
           : rounding == ROUND_DOWN ? FE_DOWNWARD
           : rounding == ROUND_UP   ? FE_UPWARD
                                    : FE_TONEAREST;
}

/* Results are flushed that are below the normal numbers when only their fraction is rounded. */
static void flush_tiny(struct ptx_step *step, const lane_f32 *a, const lane_f32 *b,
                       const lane_f32 *c)
{
    lane_u32 *const result = (lane_u32 *)step->result;

    flush(result, step->result);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        if ((result[i] & 0x7fffffff) == 0x00800000 &&
            cushim__ptx_is_tiny(step->at->lanes, a[i], step->at->b == PTX_UNUSED ? 0 : b[i],
                                step->at->c == PTX_UNUSED ? 0 : c[i],
                                host_rounding(step->at->rounding)))
            result[i] &= 0x80000000;
    }
}

/* With a rounding mode, flushed numbers or saturation. */
static void compute_float(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = flushed(step, at->a, 0), *b = flushed(step, at->b, 1),
               *c = flushed(step, at->c, 2);
    lane_f32 *const result = (lane_f32 *)step->result;
    const bool rounds = at->rounding > ROUND_NEAREST;

    if (rounds)
        fesetround(host_rounding(at->rounding));
    at->lanes(step->result, a, b, c);
    if (rounds)
        fesetround(FE_TONEAREST);
    if (at->flags & FLAG_FTZ && at->flags & FLAG_FLUSH_RESULT)
        flush_tiny(step, a, b, c);
    if (at->flags & FLAG_SAT) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = result[i] > 0 ? result[i] < 1 ? result[i] : 1 : 0;
    }
}

static void convert(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const bool rounds = !at->count && at->rounding > ROUND_NEAREST &&
                        (at->type == TYPE_F32 || at->type == TYPE_F64);

    if (rounds)
        fesetround(host_rounding(at->rounding));
    cushim__ptx_convert(step->result, ptx_row(step, at->a), (enum ptx_type)at->type,
                        (enum ptx_type)at->sub, (enum ptx_rounding)at->rounding, at->count,
                        at->flags);
    if (rounds)
        fesetround(FE_TONEAREST);
}

static uint32_t combined(enum ptx_logic logic, uint32_t a, uint32_t b)
{
    switch (logic) {
    case LOGIC_AND:
        return a & b;
    case LOGIC_OR:
        return a | b;
    case LOGIC_XOR:
        return a ^ b;
    case LOGIC_NOT:
        return ~a;
    default:
        return a;
    }
}

static void flush_half(lane_u32 *to, const void *row)
{
    const lane_u32 *from = row;

    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = from[i] & 0x7c00 ? from[i] : from[i] & 0x8000;
}

static uint32_t compare(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);

    if (at->flags & FLAG_FTZ) {
        (at->count ? flush_half : flush)((lane_u32 *)step->sources[0], a);
        (at->count ? flush_half : flush)((lane_u32 *)step->sources[1], b);
        a = step->sources[0];
        b = step->sources[1];
    }
    return at->compare(a, b);
}

static void compare_and_write(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t result = compare(step);
    const uint32_t other = at->sub == LOGIC_MOVE ? 0 : predicate(step, at->c);

    put_predicate(step, at->d, combined((enum ptx_logic)at->sub, result, other));
    put_predicate(step, at->e, combined((enum ptx_logic)at->sub, ~result, other));
}

static void set(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    uint32_t result = compare(step), yes = PTX_ALL_LANES;
    lane_u32 *const to = (lane_u32 *)step->result;

    if (at->sub != LOGIC_MOVE)
        result = combined((enum ptx_logic)at->sub, result, predicate(step, at->c));
    if (at->type == TYPE_F32)
        yes = 0x3f800000;
    else if (at->type == TYPE_F16 || at->type == TYPE_BF16)
        yes = at->type == TYPE_F16 ? 0x3c00 : 0x3f80;
    else if (at->type < TYPE_B32)
        yes = 0xffff;
    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = ptx_choose(result, i, yes, 0);
    put32(step);
}

static void choose(struct ptx_step *step, bool wide)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t which = predicate(step, at->c);
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);
    lane_u64 *const restrict to64 = step->result;
    lane_u32 *const restrict to32 = (lane_u32 *)step->result;

    if (wide) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to64[i] = ((const lane_u64 *)(ptx_in(which, i) ? a : b))[i];
        put64(step);
    } else {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to32[i] = ptx_choose(which, i, ((const lane_u32 *)a)[i], ((const lane_u32 *)b)[i]);
        put32(step);
    }
}

/* add.cc and the like: each lane has a carry of its own; after a subtraction it is no borrow. */
static void carry(struct ptx_step *step, bool wide)
{
    const struct ptx_instruction *at = step->at;
    const void *a = ptx_row(step, at->a), *b = ptx_row(step, at->b);
    uint32_t out = 0;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint64_t flag = (step->warp->carry >> i & 1) != at->sub;
        const uint64_t in = at->flags & FLAG_CARRY_IN ? flag : 0;
        const uint64_t x = wide ? ((const lane_u64 *)a)[i] : ((const lane_u32 *)a)[i];
        const uint64_t y = wide ? ((const lane_u64 *)b)[i] : ((const lane_u32 *)b)[i];
        const uint64_t result = at->sub ? x - y - in : x + y + in;
        bool over;

        if (!wide)
            over = result >> 32 & 1;
        else if (at->sub)
            over = x < y || (x == y && in);
        else
            over = result < x || (result == x && in);
        out |= (uint32_t)(over != at->sub) << i;
        if (wide)
            step->result[i] = result;
        else
            ((lane_u32 *)step->result)[i] = (uint32_t)result;
    }
    if (at->flags & FLAG_CARRY_OUT)
        step->warp->carry = (step->warp->carry & ~step->mask) | (out & step->mask);
    wide ? put64(step) : put32(step);
}

/* --- parts of rows --- */

static void combine(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *a = (const lane_u32 *)(const void *)ptx_row(step, at->a);
    const lane_u32 *b = (const lane_u32 *)(const void *)ptx_row(step, at->b);

    if (at->count == 32) {
        lane_u64 *const restrict to = step->result;

        for (unsigned i = 0; i < PTX_LANES; i++)
            to[i] = (uint64_t)b[i] << 32 | a[i];
        put64(step);
    } else {
        const unsigned bits = at->count;
        const uint32_t mask = (UINT32_C(1) << bits) - 1;
        lane_u32 *const restrict to = (lane_u32 *)step->result;

        for (unsigned i = 0; i < PTX_LANES; i++)
            to[i] = (a[i] & mask) | b[i] << bits;
        put32(step);
    }
}

static void part(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const void *a = ptx_row(step, at->a);
    const uint32_t mask = at->count == 32 ? UINT32_MAX : (UINT32_C(1) << at->count) - 1;
    const uint32_t sign = at->flags & FLAG_SIGNED ? UINT32_C(1) << (at->count - 1) : 0;
    lane_u32 *const restrict to = (lane_u32 *)step->result;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint64_t x =
            at->flags & FLAG_WIDE_PART ? ((const lane_u64 *)a)[i] : ((const lane_u32 *)a)[i];
        const uint32_t low = (uint32_t)(x >> at->sub) & mask;

        to[i] = low & sign ? low | ~mask : low;
    }
    put32(step);
}

static void extend(struct ptx_step *step)
{
    const lane_u32 *a = (const lane_u32 *)(const void *)ptx_row(step, step->at->a);

    const uint32_t sign = step->at->flags & FLAG_SIGNED ? UINT32_MAX : 0;
    lane_u64 *const restrict to = step->result;

    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = (uint64_t)(sign & -(a[i] >> 31)) << 32 | a[i];
    put64(step);
}

static void narrow(struct ptx_step *step)
{
    const lane_u64 *a = (const lane_u64 *)(const void *)ptx_row(step, step->at->a);

    lane_u32 *const restrict to = (lane_u32 *)step->result;

    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = (uint32_t)a[i];
    put32(step);
}

/* --- special registers --- */

static uint64_t special_of(const struct ptx_step *step, unsigned lane)
{
    const struct ptx_launch *launch = step->launch;
    const struct ptx_block *block = step->warp->block;
    const unsigned which = step->at->sub;
    const uint64_t clock = launch->counts.warp_instructions;
    uint64_t timer;

    if (which <= SPECIAL_NTID_Z)
        return launch->shape.block[which - SPECIAL_NTID_X];
    if (which <= SPECIAL_CTAID_Z)
        return block->index[which - SPECIAL_CTAID_X];
    if (which <= SPECIAL_NCTAID_Z)
        return launch->shape.grid[which - SPECIAL_NCTAID_X];
    timer = launch->host->timer_ns && which >= SPECIAL_GLOBALTIMER_LO
                ? launch->host->timer_ns(launch->data, launch->counts.instructions)
                : clock;
    switch (which) {
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return step->warp->index;
    case SPECIAL_NWARPID:
        return PTX_WARPS * 2;
    case SPECIAL_SMID:
        return launch->shape.multiprocessors
                   ? (uint32_t)(block - launch->blocks) % launch->shape.multiprocessors
                   : 0;
    case SPECIAL_NSMID:
        return launch->shape.multiprocessors ? launch->shape.multiprocessors : 1;
    case SPECIAL_GRIDID:
        return launch->shape.grid_id;
    case SPECIAL_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case SPECIAL_LANEMASK_LT:
        return (UINT32_C(1) << lane) - 1;
    case SPECIAL_LANEMASK_LE:
        return (UINT32_C(2) << lane) - 1;
    case SPECIAL_LANEMASK_GT:
        return ~((UINT32_C(2) << lane) - 1);
    case SPECIAL_LANEMASK_GE:
        return ~((UINT32_C(1) << lane) - 1);
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
        return clock;
    case SPECIAL_CLOCK_HI:
        return clock >> 32;
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
        return timer;
    case SPECIAL_GLOBALTIMER_HI:
        return timer >> 32;
    case SPECIAL_DYNAMIC_SHARED:
        return launch->shape.dynamic_shared_bytes;
    case SPECIAL_TOTAL_SHARED:
        return launch->shared_bytes;
    case SPECIAL_ONE:
        return 1;
    case SPECIAL_GRID_MEMORY_LO:
        return launch->shape.cooperative ? (uint32_t)PTX_GRID_WINDOW : 0;
    case SPECIAL_GRID_MEMORY_HI:
        return launch->shape.cooperative ? PTX_GRID_WINDOW >> 32 : 0;
    default:
        return 0;
    }
}

static void thread_index(struct ptx_step *step)
{
    const uint32_t *block = step->launch->shape.block;
    lane_u32 *const to = (lane_u32 *)step->result;
    uint32_t index[3];

    cushim__ptx_thread_index(step->launch, cushim__ptx_thread(step->warp, 0), index);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        to[i] = index[step->at->sub];
        if (++index[0] == block[0]) {
            index[0] = 0;
            if (++index[1] == block[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
}

static void special(struct ptx_step *step)
{
    const unsigned which = step->at->sub;
    lane_u32 *const to = (lane_u32 *)step->result;

    if (which <= SPECIAL_TID_Z) {
        thread_index(step);
    } else if (which == SPECIAL_LANEID ||
               (which >= SPECIAL_LANEMASK_EQ && which <= SPECIAL_LANEMASK_GT)) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to[i] = (uint32_t)special_of(step, i);
    } else {
        cushim__ptx_fill(step, step->at->d, special_of(step, 0), step->at->bytes == 8);
        return;
    }
    put32(step);
}

/* --- control --- */

static void branch(struct ptx_step *step, uint32_t target)
{
    struct ptx_warp *warp = step->warp;

    if (step->mask == warp->active) {
        warp->pc = target;
        /* A loop that no other lane waits in goes on. */
        if (!warp->others || (warp->lowest && target < warp->stop))
            return;
        cushim__ptx_group_save(warp);
    } else {
        cushim__ptx_group_save(warp);
        cushim__ptx_send(warp, step->mask, target);
    }
    step->leave = true;
}

static void branch_table(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *index = (const lane_u32 *)(const void *)ptx_row(step, at->a);
    const uint32_t *targets = step->launch->program->lists + at->list;

    cushim__ptx_group_save(step->warp);
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        if (index[lane] >= at->target) {
            cushim__ptx_fault_at(step, PTX_INVALID_PC, lane, "brx.idx: index %u of %u targets",
                                 (unsigned)index[lane], (unsigned)at->target);
            return;
        }
        step->warp->pcs[lane] = targets[index[lane]];
    }
    step->leave = true;
}

static void end_lanes(struct ptx_step *step)
{
    struct ptx_warp *warp = step->warp;

    cushim__ptx_group_save(warp);
    warp->alive &= ~step->mask;
    if (!warp->alive)
        warp->block->alive_warps--;
    step->leave = true;
    cushim__ptx_lanes_ended(step);
}

/* Instructions that are not arithmetic of rows. */
static void execute_other(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const unsigned first = ptx_first(step->mask);

    switch (at->handler) {
    case DO_ADDRESS:
        cushim__ptx_address(step);
        break;
    case DO_SPECIAL:
        special(step);
        break;
    case DO_ATOMIC:
        /* It may be a lock that another lane holds. */
        if (!step->warp->others)
            step->warp->apart += SPINNING;
        else
            step->left -= step->left < SPINNING ? step->left : SPINNING;
        cushim__ptx_atomic_access(step);
        break;
    case DO_COPY_ASYNC:
        cushim__ptx_copy_async(step);
        break;
    case DO_ISSPACE:
        cushim__ptx_isspace(step);
        break;
    case DO_CVTA:
        cushim__ptx_cvta(step);
        break;
    case DO_TEXTURE:
        cushim__ptx_texture(step);
        break;
    case DO_BRANCH_TABLE:
        branch_table(step);
        break;
    case DO_CALL:
    case DO_CALL_INDIRECT:
        cushim__ptx_call(step);
        break;
    case DO_RETURN:
        cushim__ptx_return(step);
        break;
    case DO_EXIT:
        end_lanes(step);
        break;
    case DO_TRAP:
        cushim__ptx_fault_at(step, PTX_TRAP, first, "trap");
        break;
    case DO_BREAKPOINT:
        cushim__ptx_fault_at(step, PTX_TRAP, first, "brkpt, without a debugger");
        break;
    case DO_BARRIER:
        cushim__ptx_barrier(step);
        break;
    case DO_WARP_SYNC:
        cushim__ptx_warp_sync(step);
        break;
    case DO_ACTIVE_MASK:
        cushim__ptx_fill(step, at->d, step->mask, false);
        break;
    case DO_SLEEP:
        step->warp->apart = step->warp->limit + 1;
        step->leave = true;
        cushim__ptx_group_save(step->warp);
        break;
    case DO_REFUSED:
        cushim__ptx_fault_at(step, PTX_ILLEGAL_INSTRUCTION, first,
                             "the instruction is not implemented");
        break;
    default:
        break;
    }
}

static void execute(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;

    switch (at->handler) {
    case DO_LANES32:
        at->lanes(step->result, ptx_row(step, at->a), ptx_row(step, at->b), ptx_row(step, at->c));
        put32(step);
        break;
    case DO_LANES64:
        at->lanes(step->result, ptx_row(step, at->a), ptx_row(step, at->b), ptx_row(step, at->c));
        put64(step);
        break;
    case DO_FLOAT32:
        compute_float(step);
        put32(step);
        break;
    case DO_FLOAT64:
        compute_float(step);
        put64(step);
        break;
    case DO_MOVE32:
        cushim__ptx_write32(step->frame + at->d,
                            (const lane_u32 *)(const void *)ptx_row(step, at->a), step->mask);
        break;
    case DO_MOVE64:
        cushim__ptx_write64(step->frame + at->d,
                            (const lane_u64 *)(const void *)ptx_row(step, at->a), step->mask);
        break;
    case DO_COMPARE:
        compare_and_write(step);
        break;
    case DO_SELECT32:
    case DO_SELECT64:
        choose(step, at->handler == DO_SELECT64);
        break;
    case DO_LOGIC:
        put_predicate(
            step, at->d,
            combined((enum ptx_logic)at->sub, *(const lane_u32 *)(const void *)ptx_row(step, at->a),
                     at->b == PTX_UNUSED ? 0
                                         : *(const lane_u32 *)(const void *)ptx_row(step, at->b)));
        break;
    case DO_SET:
        set(step);
        break;
    case DO_CARRY32:
    case DO_CARRY64:
        carry(step, at->handler == DO_CARRY64);
        break;
    case DO_CONVERT:
        convert(step);
        at->bytes == 8 ? put64(step) : put32(step);
        break;
    case DO_CONVERT_PAIR:
        cushim__ptx_convert_pair(step->result, ptx_row(step, at->a), ptx_row(step, at->b),
                                 (enum ptx_type)at->type, (enum ptx_rounding)at->rounding,
                                 at->flags);
        put32(step);
        break;
    case DO_HALF:
        cushim__ptx_half_lanes(
            step->result, ptx_row(step, at->a), ptx_row(step, at->b == PTX_UNUSED ? at->a : at->b),
            ptx_row(step, at->c == PTX_UNUSED ? at->a : at->c), (enum ptx_half_operation)at->sub,
            (enum ptx_type)at->type, at->flags);
        put32(step);
        break;
    case DO_LOP3:
        cushim__ptx_lop3(step->result, ptx_row(step, at->a), ptx_row(step, at->b),
                         ptx_row(step, at->c), at->count);
        put32(step);
        break;
    case DO_INSERT:
        cushim__ptx_insert(step->result, ptx_row(step, at->a), ptx_row(step, at->b),
                           ptx_row(step, at->c), ptx_row(step, at->e), at->bytes == 8);
        at->bytes == 8 ? put64(step) : put32(step);
        break;
    case DO_NARROW:
        narrow(step);
        break;
    case DO_PART:
        part(step);
        break;
    case DO_COMBINE:
        combine(step);
        break;
    case DO_EXTEND:
        extend(step);
        break;
    case DO_LOAD:
        cushim__ptx_load(step);
        break;
    case DO_STORE:
        cushim__ptx_store(step);
        break;
    case DO_BRANCH:
        branch(step, at->target);
        break;
    default:
        execute_other(step);
        break;
    }
}

/*
 * The group's instruction counter is already at the next instruction when one is executed, so what
 * waits or jumps sets it.
 */
void cushim__ptx_run_warp(struct ptx_launch *launch, struct ptx_warp *warp, uint32_t quantum)
{
    const struct ptx_program *program = launch->program;
    struct ptx_step step = {
        .launch = launch,
        .warp = warp,
        .constants = program->constants,
    };

    while (quantum > 0 && launch->state == PTX_RUNNING && cushim__ptx_group_select(warp)) {
        const uint32_t patience = warp->favour > 0 ? warp->favour : warp->limit + 1 - warp->apart;
        const uint32_t turn = warp->others && patience < quantum ? patience : quantum;

        step.leave = false;
        step.left = turn;
        step.frame = warp->registers + warp->base;
        while (step.left > 0) {
            const struct ptx_instruction *const at = &program->code[warp->pc];

            step.left--;
            warp->pc++;
            step.at = at;
            step.mask = warp->active;
            if (at->guarded) {
                const uint32_t guard = *(lane_u32 *)(void *)(step.frame + at->guard);

                step.mask &= at->flags & FLAG_NEGATED ? ~guard : guard;
            }
            launch->counts.warp_instructions++;
            if (step.mask) {
                const bool all = step.mask == PTX_ALL_LANES;

                launch->counts.instructions += all ? PTX_LANES : ptx_count(step.mask);
                step.result = all && at->flags & FLAG_APART
                                  ? (lane_u64 *)(void *)(step.frame + at->d)
                                  : step.scratch;
                execute(&step);
            }
            if (step.leave || warp->pc == warp->stop)
                break;
        }
        if (!step.leave)
            cushim__ptx_group_save(warp);
        quantum -= turn - step.left;
        if (warp->others) {
            warp->apart += turn - step.left;
            warp->favour -= turn - step.left < warp->favour ? turn - step.left : warp->favour;
        }
        if (step.leave && step.at->handler == DO_SLEEP)
            return;
    }
}
