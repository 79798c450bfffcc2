/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups, which are the lanes of a warp at one instruction: which group runs next, and where
 * branches send its lanes.
 */
#include "src/ptx/execute/launch_state.h"

/*
 * How many instructions a group may run while others wait: at first, after the first such wait, and
 * when it has the favoured lane.
 */
enum { PATIENCE = 10000, IMPATIENCE = 600, FAVOUR = 300 };

/* Set the instruction of some lanes. */
static void send(struct ptx_warp *warp, uint32_t lanes, uint32_t pc)
{
    if (lanes == PTX_ALL_LANES) { /* the usual case, in fewer instructions */
        for (unsigned i = 0; i < PTX_LANES; i++)
            warp->pcs[i] = pc;
        return;
    }
    for (unsigned i = 0; i < PTX_LANES; i++)
        warp->pcs[i] = ptx_choose(lanes, i, pc, warp->pcs[i]);
}

void cushim__ptx_group_save(struct ptx_warp *warp)
{
    send(warp, warp->active, warp->pc);
}

/* Find the lane with the deepest frame and, in it, the lowest instruction. */
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

/* If lanes have waited too long, favour the next lane in turn for a while. */
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

/* --- where lanes go --- */

void cushim__ptx_branch(struct ptx_step *step)
{
    const uint32_t target = step->at->target;
    struct ptx_warp *warp = step->warp;

    if (step->mask == warp->active) {
        warp->pc = target;
        /* The group goes on, as in a loop in which no other lane waits. */
        if (!warp->others || (warp->lowest && target < warp->stop))
            return;
        cushim__ptx_group_save(warp);
    } else {
        cushim__ptx_group_save(warp);
        send(warp, step->mask, target);
    }
    step->leave = true;
}

void cushim__ptx_branch_table(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *index = ptx_row(step, at->a);
    const uint32_t *targets = step->launch->program->lists + at->list;

    cushim__ptx_group_save(step->warp);
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        if (index[lane] >= at->target) {
            cushim__ptx_fault_at(step, PTX_INVALID_PC, lane, "brx.idx: index %u of %u targets",
                                 (unsigned)index[lane], (unsigned)at->target);
            return;
        }
        step->warp->pcs[lane] = at->e + targets[index[lane]];
    }
    step->leave = true;
}

void cushim__ptx_end_lanes(struct ptx_step *step)
{
    struct ptx_warp *warp = step->warp;

    cushim__ptx_group_save(warp);
    warp->alive &= ~step->mask;
    if (!warp->alive)
        warp->block->alive_warps--;
    step->leave = true;
    cushim__ptx_lanes_ended(step);
}
