/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter loop: it executes the instructions of a group of lanes, one after the other. */
#include "src/ptx/execute/launch_state.h"

#include <string.h>

/* --- results --- */

#define FOUR(x) (x), (x) << 1, (x) << 2, (x) << 3
const uint32_t cushim__ptx_lane_bits[PTX_LANES] = {
    FOUR(UINT32_C(1)),       FOUR(UINT32_C(1) << 4),  FOUR(UINT32_C(1) << 8),
    FOUR(UINT32_C(1) << 12), FOUR(UINT32_C(1) << 16), FOUR(UINT32_C(1) << 20),
    FOUR(UINT32_C(1) << 24), FOUR(UINT32_C(1) << 28)};

/*
 * With this many lanes or more, one vector operation on all lanes is cheaper than a loop over them.
 */
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

static void write64(unsigned char *row, const lane_u64 *values, uint32_t mask)
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

static inline void write_row(struct ptx_step *step, uint32_t operand, const lane_u64 *values,
                             bool wide)
{
    unsigned char *const row = step->frame + operand;

    if (operand == PTX_UNUSED)
        return;
    if (wide)
        write64(row, values, step->mask);
    else
        cushim__ptx_write32(row, (const lane_u32 *)values, step->mask);
}

void cushim__ptx_fill(struct ptx_step *step, uint32_t operand, uint64_t value, bool wide)
{
    if (!wide)
        value = value << 32 | (uint32_t)value;
    for (unsigned i = 0; i < PTX_LANES; i++)
        step->scratch[i] = value;
    write_row(step, operand, step->scratch, wide);
}

/* --- instructions --- */

void cushim__ptx_active_mask(struct ptx_step *step)
{
    cushim__ptx_fill(step, step->at->d, step->mask, false);
}

void cushim__ptx_sleep(struct ptx_step *step)
{
    step->warp->apart = step->warp->limit + 1;
    step->leave = true;
    cushim__ptx_group_save(step->warp);
}

void cushim__ptx_trap(struct ptx_step *step)
{
    const unsigned handler = step->at->handler;

    cushim__ptx_fault_at(step, handler == DO_REFUSED ? PTX_ILLEGAL_INSTRUCTION : PTX_TRAP,
                         ptx_first(step->mask), "%s",
                         handler == DO_TRAP         ? "trap"
                         : handler == DO_BREAKPOINT ? "brkpt, without a debugger"
                                                    : "the instruction is not implemented");
}

#define HANDLER(name, function, has_row) [name] = {cushim__ptx_##function, has_row},
static const struct {
    void (*execute)(struct ptx_step *step);
    bool has_row;
} handlers[] = {PTX_HANDLERS(HANDLER)};

static void execute(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;

    switch (at->handler) {
    case DO_LANES32:
        at->lanes(step->result, ptx_row(step, at->a), ptx_row(step, at->b), ptx_row(step, at->c));
        write_row(step, at->d, step->result, false);
        break;
    case DO_LANES64:
        at->lanes(step->result, ptx_row(step, at->a), ptx_row(step, at->b), ptx_row(step, at->c));
        write_row(step, at->d, step->result, true);
        break;
    case DO_MOVE32:
        cushim__ptx_write32(step->frame + at->d, ptx_row(step, at->a), step->mask);
        break;
    case DO_MOVE64:
        write64(step->frame + at->d, ptx_row(step, at->a), step->mask);
        break;
    case DO_COMPARE:
        cushim__ptx_compute_comparison(step);
        break;
    case DO_LOAD:
        cushim__ptx_load(step);
        break;
    case DO_STORE:
        cushim__ptx_store(step);
        break;
    case DO_BRANCH:
        cushim__ptx_branch(step);
        break;
    case DO_NOTHING:
        break;
    default:
        handlers[at->handler].execute(step);
        if (handlers[at->handler].has_row)
            write_row(step, at->d, step->result, at->bytes == 8);
        break;
    }
}

/*
 * When an instruction is executed, the program counter of the group is already at the next one.
 * Instructions that wait or jump set it again.
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
