/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter: one instruction of a group of lanes after the other. */
#include "src/mock/kernel/launch.h"

#include <string.h>

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

/* --- instructions --- */

/* By how many instructions an atomic operation shortens the turn of its group. */
enum { SPINNING = 200 };

/* Those that are not arithmetic of rows. */
static void execute_other(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const unsigned first = ptx_first(step->mask);

    switch (at->handler) {
    case DO_ADDRESS:
        cushim__ptx_address(step);
        break;
    case DO_SPECIAL:
        cushim__ptx_special(step);
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
    case DO_MBARRIER:
        /* It may be asked again and again whether others have come. */
        step->left -= step->left < SPINNING ? step->left : SPINNING;
        cushim__ptx_mbarrier(step);
        break;
    case DO_TEXTURE:
        cushim__ptx_texture(step);
        break;
    case DO_BRANCH_TABLE:
        cushim__ptx_branch_table(step);
        break;
    case DO_CALL:
    case DO_CALL_INDIRECT:
        cushim__ptx_call(step);
        break;
    case DO_RETURN:
        cushim__ptx_return(step);
        break;
    case DO_EXIT:
        cushim__ptx_end_lanes(step);
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
    case DO_FENCE:
        if (step->launch->racecheck)
            cushim__ptx_racecheck_fence(step);
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
        cushim__ptx_compute_float(step);
        put32(step);
        break;
    case DO_FLOAT64:
        cushim__ptx_compute_float(step);
        put64(step);
        break;
    case DO_MOVE32:
        cushim__ptx_write32(step->frame + at->d, ptx_row(step, at->a), step->mask);
        break;
    case DO_MOVE64:
        cushim__ptx_write64(step->frame + at->d, ptx_row(step, at->a), step->mask);
        break;
    case DO_COMPARE:
        cushim__ptx_compute_comparison(step);
        break;
    case DO_SELECT32:
    case DO_SELECT64:
        cushim__ptx_compute_choice(step, at->handler == DO_SELECT64);
        at->handler == DO_SELECT64 ? put64(step) : put32(step);
        break;
    case DO_LOGIC:
        cushim__ptx_compute_logic(step);
        break;
    case DO_SET:
        cushim__ptx_compute_set(step);
        put32(step);
        break;
    case DO_CARRY32:
    case DO_CARRY64:
        cushim__ptx_compute_carry(step, at->handler == DO_CARRY64);
        at->handler == DO_CARRY64 ? put64(step) : put32(step);
        break;
    case DO_CONVERT:
        cushim__ptx_compute_conversion(step);
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
        cushim__ptx_compute_narrowed(step);
        put32(step);
        break;
    case DO_PART:
        cushim__ptx_compute_part(step);
        put32(step);
        break;
    case DO_COMBINE:
        cushim__ptx_compute_combined(step);
        at->count == 32 ? put64(step) : put32(step);
        break;
    case DO_EXTEND:
        cushim__ptx_compute_extended(step);
        put64(step);
        break;
    case DO_LOAD:
        cushim__ptx_load(step);
        break;
    case DO_STORE:
        cushim__ptx_store(step);
        break;
    case DO_BRANCH:
        cushim__ptx_branch(step, at->target);
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
