/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: their names in PTX, and their values in a launch. */
#include "src/mock/kernel/launch.h"
#include "src/mock/kernel/parser.h"

static const struct {
    const char *name;
    enum ptx_special value;
} specials[] = {
    {"%tid.x", SPECIAL_TID_X},
    {"%tid.y", SPECIAL_TID_Y},
    {"%tid.z", SPECIAL_TID_Z},
    {"%ntid.x", SPECIAL_NTID_X},
    {"%ntid.y", SPECIAL_NTID_Y},
    {"%ntid.z", SPECIAL_NTID_Z},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%nctaid.x", SPECIAL_NCTAID_X},
    {"%nctaid.y", SPECIAL_NCTAID_Y},
    {"%nctaid.z", SPECIAL_NCTAID_Z},
    {"%laneid", SPECIAL_LANEID},
    {"%warpid", SPECIAL_WARPID},
    {"%nwarpid", SPECIAL_NWARPID},
    {"%smid", SPECIAL_SMID},
    {"%nsmid", SPECIAL_NSMID},
    {"%gridid", SPECIAL_GRIDID},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
    {"%lanemask_le", SPECIAL_LANEMASK_LE},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT},
    {"%clock", SPECIAL_CLOCK},
    {"%clock_hi", SPECIAL_CLOCK_HI},
    {"%clock64", SPECIAL_CLOCK64},
    {"%globaltimer", SPECIAL_GLOBALTIMER},
    {"%globaltimer_lo", SPECIAL_GLOBALTIMER_LO},
    {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED},
    {"%total_smem_size", SPECIAL_TOTAL_SHARED},
    {"%aggr_smem_size", SPECIAL_TOTAL_SHARED},
    {"%is_explicit_cluster", SPECIAL_ZERO},
    {"%clusterid.x", SPECIAL_CTAID_X},
    {"%clusterid.y", SPECIAL_CTAID_Y},
    {"%clusterid.z", SPECIAL_CTAID_Z},
    {"%nclusterid.x", SPECIAL_NCTAID_X},
    {"%nclusterid.y", SPECIAL_NCTAID_Y},
    {"%nclusterid.z", SPECIAL_NCTAID_Z},
    {"%cluster_ctaid.x", SPECIAL_ZERO},
    {"%cluster_ctaid.y", SPECIAL_ZERO},
    {"%cluster_ctaid.z", SPECIAL_ZERO},
    {"%cluster_nctaid.x", SPECIAL_ONE},
    {"%cluster_nctaid.y", SPECIAL_ONE},
    {"%cluster_nctaid.z", SPECIAL_ONE},
    {"%cluster_ctarank", SPECIAL_ZERO},
    {"%cluster_nctarank", SPECIAL_ONE},
    {"%envreg1", SPECIAL_GRID_MEMORY_HI},
    {"%envreg2", SPECIAL_GRID_MEMORY_LO},
    {"%reserved_smem_offset_begin", SPECIAL_ZERO},
    {"%reserved_smem_offset_end", SPECIAL_ZERO},
};

bool cushim__ptx_special_named(struct ptx_word name, struct ptx_operand *operand)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (ptx_equal(name, specials[i].name)) {
            operand->kind = OPERAND_SPECIAL;
            operand->special = (uint8_t)specials[i].value;
            return true;
        }
    }
    if (!ptx_begins(name, "%envreg") && !ptx_begins(name, "%pm"))
        return false;
    operand->kind = OPERAND_SPECIAL;
    operand->special = SPECIAL_ZERO;
    return true;
}

/* --- values --- */

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

void cushim__ptx_special(struct ptx_step *step)
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
    cushim__ptx_write32(step->frame + step->at->d, to, step->mask);
}
