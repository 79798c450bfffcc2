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
    RESERVED_SHARED,
    GRID_MEMORY, /* those from here on have 64 bits, of which a register may be a part */
    CLOCK,
    TIMER,
    GRID_ID,
    GRAPH,
};

enum part { LOW, HIGH, WHOLE };

/* The first have three extents: `%tid.x`. */
enum { WITH_EXTENTS = 8 };

static const struct {
    const char *name;
    enum special special;
    enum part part;
} names[] = {
    {"%tid", THREAD_INDEX, 0},
    {"%ntid", BLOCK_SIZE, 0},
    {"%ctaid", BLOCK_INDEX, 0},
    {"%nctaid", GRID_SIZE, 0},
    {"%clusterid", BLOCK_INDEX, 0},
    {"%nclusterid", GRID_SIZE, 0},
    {"%cluster_ctaid", ZERO, 0},
    {"%cluster_nctaid", ONE, 0},
    {"%laneid", LANE, 0},
    {"%warpid", WARP, 0},
    {"%nwarpid", WARPS, 0},
    {"%smid", MULTIPROCESSOR, 0},
    {"%nsmid", MULTIPROCESSORS, 0},
    {"%gridid", GRID_ID, WHOLE},
    {"%lanemask_eq", LANES_EQ, 0},
    {"%lanemask_le", LANES_LE, 0},
    {"%lanemask_lt", LANES_LT, 0},
    {"%lanemask_ge", LANES_GE, 0},
    {"%lanemask_gt", LANES_GT, 0},
    {"%clock", CLOCK, 0},
    {"%clock_hi", CLOCK, HIGH},
    {"%clock64", CLOCK, WHOLE},
    {"%globaltimer", TIMER, WHOLE},
    {"%globaltimer_lo", TIMER, LOW},
    {"%globaltimer_hi", TIMER, HIGH},
    {"%dynamic_smem_size", DYNAMIC_SHARED, 0},
    {"%total_smem_size", TOTAL_SHARED, 0},
    {"%aggr_smem_size", TOTAL_SHARED, 0},
    {"%is_explicit_cluster", ZERO, 0},
    {"%cluster_ctarank", ZERO, 0},
    {"%cluster_nctarank", ONE, 0},
    {"%envreg1", GRID_MEMORY, HIGH},
    {"%envreg2", GRID_MEMORY, LOW},
    {"%current_graph_exec", GRAPH, WHOLE},
    {"%reserved_smem_offset_begin", RESERVED_SHARED, 0},
    {"%reserved_smem_offset_0", RESERVED_SHARED, 0},
    {"%reserved_smem_offset_1", RESERVED_SHARED, 0},
    {"%reserved_smem_offset_end", RESERVED_SHARED, HIGH},
    {"%reserved_smem_offset_cap", RESERVED_SHARED, HIGH},
};

/* The number of a register: what it is, and which extent or part of that. */
static uint8_t number_of(enum special special, unsigned part)
{
    return (uint8_t)(special << 2 | part);
}

bool cushim__ptx_special_find(const char *name, size_t length, uint8_t *number)
{
    const bool has_extent =
        length > 2 && name[length - 2] == '.' && name[length - 1] >= 'x' && name[length - 1] <= 'z';
    const size_t first = has_extent ? 0 : WITH_EXTENTS,
                 end = has_extent ? WITH_EXTENTS : sizeof names / sizeof *names;

    length -= has_extent ? 2 : 0;
    for (size_t i = first; i < end; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0) {
            *number = number_of(names[i].special,
                                has_extent ? (unsigned)(name[length + 1] - 'x') : names[i].part);
            return true;
        }
    }
    *number = number_of(ZERO, 0);
    return (length > 7 && memcmp(name, "%envreg", 7) == 0) ||
           (length > 3 && memcmp(name, "%pm", 3) == 0);
}

unsigned cushim__ptx_special_bytes(uint8_t number)
{
    return number >> 2 >= GRID_MEMORY && (number & 3) == WHOLE ? 8 : 4;
}

static uint64_t value_of(const struct ptx_step *step, unsigned lane)
{
    struct ptx_launch *launch = step->launch;
    const struct ptx_block *block = step->warp->block;
    const enum special special = (enum special)(step->at->sub >> 2);
    const unsigned extent = step->at->sub & 3;
    const uint64_t clock = launch->counts.warp_instructions;
    const uint32_t multiprocessors =
        launch->shape.multiprocessors ? launch->shape.multiprocessors : 1;

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
        return (uint32_t)(block - launch->blocks) % multiprocessors;
    case MULTIPROCESSORS:
        return multiprocessors;
    case DYNAMIC_SHARED:
        return launch->shape.dynamic_shared_bytes;
    case TOTAL_SHARED:
        return launch->kernel->shared_bytes + launch->shape.dynamic_shared_bytes;
    case RESERVED_SHARED: /* exists for a kernel that asks where it is */
        launch->shared_bytes = launch->reserved_at + PTX_RESERVED_SHARED;
        return launch->reserved_at + (extent == HIGH ? PTX_RESERVED_SHARED : 0);
    case GRID_MEMORY:
        return launch->shape.cooperative ? PTX_GRID_WINDOW : 0;
    case CLOCK:
        return clock;
    case TIMER:
        return launch->host->timer_ns
                   ? launch->host->timer_ns(launch->data, launch->counts.instructions)
                   : clock;
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

    ptx_index(step->launch->shape.block, ptx_thread(step->warp, 0), index);
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

    if (special == THREAD_INDEX) {
        thread_index(step);
    } else if (special >= LANE && special <= LANES_GT) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            to[i] = (uint32_t)value_of(step, i);
    } else {
        const bool is_high = special >= GRID_MEMORY && (step->at->sub & 3) == HIGH;

        cushim__ptx_fill(step, step->at->d, value_of(step, 0) >> (is_high ? 32 : 0),
                         step->at->bytes == 8);
        return;
    }
    cushim__ptx_write32(step->frame + step->at->d, to, step->mask);
}
