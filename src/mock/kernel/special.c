/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: their names and values. */
#include "src/mock/kernel/launch.h"

#include <string.h>

enum special {
    THREAD_INDEX,
    BLOCK_SIZE,
    BLOCK_INDEX,
    GRID_SIZE,
    ZERO,
    ONE,
    LANE,
    LANES_EQ,
    LANES_LE,
    LANES_LT,
    LANES_GE,
    LANES_GT,
    WARP,
    WARPS,
    MULTIPROCESSOR,
    MULTIPROCESSORS,
    DYNAMIC_SHARED,
    TOTAL_SHARED,
    GRID_MEMORY_LOW,
    GRID_MEMORY_HIGH,
    CLOCK,
    CLOCK_HIGH,
    TIMER_LOW,
    TIMER_HIGH,
    WIDE, /* those from here on have 64 bits */
    GRID_ID = WIDE,
    CLOCK_WIDE,
    TIMER,
};

/* The first have three extents: `%tid.x`. */
enum { WITH_EXTENTS = 8 };

static const struct {
    const char *name;
    enum special special;
} names[] = {
    {"%tid", THREAD_INDEX},
    {"%ntid", BLOCK_SIZE},
    {"%ctaid", BLOCK_INDEX},
    {"%nctaid", GRID_SIZE},
    {"%clusterid", BLOCK_INDEX},
    {"%nclusterid", GRID_SIZE},
    {"%cluster_ctaid", ZERO},
    {"%cluster_nctaid", ONE},
    {"%laneid", LANE},
    {"%warpid", WARP},
    {"%nwarpid", WARPS},
    {"%smid", MULTIPROCESSOR},
    {"%nsmid", MULTIPROCESSORS},
    {"%gridid", GRID_ID},
    {"%lanemask_eq", LANES_EQ},
    {"%lanemask_le", LANES_LE},
    {"%lanemask_lt", LANES_LT},
    {"%lanemask_ge", LANES_GE},
    {"%lanemask_gt", LANES_GT},
    {"%clock", CLOCK},
    {"%clock_hi", CLOCK_HIGH},
    {"%clock64", CLOCK_WIDE},
    {"%globaltimer", TIMER},
    {"%globaltimer_lo", TIMER_LOW},
    {"%globaltimer_hi", TIMER_HIGH},
    {"%dynamic_smem_size", DYNAMIC_SHARED},
    {"%total_smem_size", TOTAL_SHARED},
    {"%aggr_smem_size", TOTAL_SHARED},
    {"%is_explicit_cluster", ZERO},
    {"%cluster_ctarank", ZERO},
    {"%cluster_nctarank", ONE},
    {"%envreg1", GRID_MEMORY_HIGH},
    {"%envreg2", GRID_MEMORY_LOW},
    {"%reserved_smem_offset_begin", ZERO},
    {"%reserved_smem_offset_end", ZERO},
};

/* The number of a register: what it is, and which extent of that. */
static uint8_t number_of(enum special special, unsigned extent)
{
    return (uint8_t)(special << 2 | extent);
}

bool cushim__ptx_special_find(const char *name, size_t length, uint8_t *number)
{
    const bool has_extent =
        length > 2 && name[length - 2] == '.' && name[length - 1] >= 'x' && name[length - 1] <= 'z';
    const unsigned extent = has_extent ? (unsigned)(name[length - 1] - 'x') : 0;

    length -= has_extent ? 2 : 0;
    for (size_t i = has_extent ? 0 : WITH_EXTENTS;
         i < (has_extent ? WITH_EXTENTS : sizeof names / sizeof *names); i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0) {
            *number = number_of(names[i].special, extent);
            return true;
        }
    }
    *number = number_of(ZERO, 0);
    return (length > 7 && memcmp(name, "%envreg", 7) == 0) ||
           (length > 3 && memcmp(name, "%pm", 3) == 0);
}

unsigned cushim__ptx_special_bytes(uint8_t number)
{
    return number >> 2 >= WIDE ? 8 : 4;
}

static uint64_t timer_of(const struct ptx_launch *launch)
{
    return launch->host->timer_ns
               ? launch->host->timer_ns(launch->data, launch->counts.instructions)
               : launch->counts.warp_instructions;
}

static uint64_t value_of(const struct ptx_step *step, unsigned lane)
{
    const struct ptx_launch *launch = step->launch;
    const struct ptx_block *block = step->warp->block;
    const enum special special = (enum special)(step->at->sub >> 2);
    const unsigned extent = step->at->sub & 3;
    const uint64_t clock = launch->counts.warp_instructions;

    switch (special) {
    case BLOCK_SIZE:
        return launch->shape.block[extent];
    case BLOCK_INDEX:
        return block->index[extent];
    case GRID_SIZE:
        return launch->shape.grid[extent];
    case ONE:
        return 1;
    case LANE:
        return lane;
    case LANES_EQ:
        return UINT32_C(1) << lane;
    case LANES_LT:
        return (UINT32_C(1) << lane) - 1;
    case LANES_LE:
        return (UINT32_C(2) << lane) - 1;
    case LANES_GT:
        return ~((UINT32_C(2) << lane) - 1);
    case LANES_GE:
        return ~((UINT32_C(1) << lane) - 1);
    case WARP:
        return step->warp->index;
    case WARPS:
        return PTX_WARPS * 2;
    case MULTIPROCESSOR:
        return launch->shape.multiprocessors
                   ? (uint32_t)(block - launch->blocks) % launch->shape.multiprocessors
                   : 0;
    case MULTIPROCESSORS:
        return launch->shape.multiprocessors ? launch->shape.multiprocessors : 1;
    case DYNAMIC_SHARED:
        return launch->shape.dynamic_shared_bytes;
    case TOTAL_SHARED:
        return launch->shared_bytes;
    case GRID_MEMORY_LOW:
        return launch->shape.cooperative ? (uint32_t)PTX_GRID_WINDOW : 0;
    case GRID_MEMORY_HIGH:
        return launch->shape.cooperative ? PTX_GRID_WINDOW >> 32 : 0;
    case CLOCK:
    case CLOCK_WIDE:
        return clock;
    case CLOCK_HIGH:
        return clock >> 32;
    case TIMER:
    case TIMER_LOW:
        return timer_of(launch);
    case TIMER_HIGH:
        return timer_of(launch) >> 32;
    case GRID_ID:
        return launch->shape.grid_id;
    default:
        return 0;
    }
}

static void thread_index(struct ptx_step *step)
{
    const uint32_t *block = step->launch->shape.block;
    const unsigned extent = step->at->sub & 3;
    lane_u32 *const to = (lane_u32 *)step->result;
    uint32_t index[3];

    cushim__ptx_thread_index(step->launch, cushim__ptx_thread(step->warp, 0), index);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        to[i] = index[extent];
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
    const unsigned special = step->at->sub >> 2;
    lane_u32 *const to = (lane_u32 *)step->result;

    if (special != THREAD_INDEX && (special < LANE || special > LANES_GT)) {
        cushim__ptx_fill(step, step->at->d, value_of(step, 0), step->at->bytes == 8);
        return;
    }
    if (special == THREAD_INDEX)
        thread_index(step);
    for (unsigned i = 0; special != THREAD_INDEX && i < PTX_LANES; i++)
        to[i] = (uint32_t)value_of(step, i);
    cushim__ptx_write32(step->frame + step->at->d, to, step->mask);
}
