/* SPDX-License-Identifier: Apache-2.0 */
/* The values of special registers. */
#include "src/mock/kernel/launch.h"

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
