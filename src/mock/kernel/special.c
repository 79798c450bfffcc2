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

static uint32_t of_lane(enum special special, unsigned lane)
{
    const uint32_t bit = UINT32_C(1) << lane, lower = bit - 1;

    return special == LANE       ? lane
           : special == LANES_EQ ? bit
           : special == LANES_LE ? lower | bit
           : special == LANES_LT ? lower
           : special == LANES_GE ? ~lower
                                 : ~(lower | bit);
}

static uint64_t value_of(const struct ptx_step *step)
{
    struct ptx_launch *launch = step->launch;
    const struct ptx_shape *shape = &launch->shape;
    const struct ptx_block *block = step->warp->block;
    const unsigned special = step->at->sub >> 2, extent = step->at->sub & 3;
    const uint32_t multiprocessors = shape->multiprocessors ? shape->multiprocessors : 1;
    const uint64_t values[] = {
        [BLOCK_SIZE] = shape->block[extent],
        [BLOCK_INDEX] = block->index[extent],
        [GRID_SIZE] = shape->grid[extent],
        [ONE] = 1,
        [WARP] = step->warp->index,
        [WARPS] = PTX_WARPS * 2,
        [MULTIPROCESSOR] = (uint32_t)(block - launch->blocks) % multiprocessors,
        [MULTIPROCESSORS] = multiprocessors,
        [DYNAMIC_SHARED] = shape->dynamic_shared_bytes,
        [TOTAL_SHARED] = launch->kernel->shared_bytes + shape->dynamic_shared_bytes,
        [RESERVED_SHARED] = launch->reserved_at + (extent == HIGH ? PTX_RESERVED_SHARED : 0),
        [GRID_MEMORY] = shape->cooperative ? PTX_GRID_WINDOW : 0,
        [CLOCK] = launch->counts.warp_instructions,
        [TIMER] = launch->counts.warp_instructions,
        [GRID_ID] = shape->grid_id,
        [GRAPH] = 0,
    };

    if (special == RESERVED_SHARED) /* exists for a kernel that asks where it is */
        launch->shared_bytes = launch->reserved_at + PTX_RESERVED_SHARED;
    if (special == TIMER && launch->callbacks->timer_ns)
        return launch->callbacks->timer_ns(launch->data, launch->counts.instructions);
    return values[special];
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
            to[i] = of_lane((enum special)special, i);
    } else {
        const bool is_high = special >= GRID_MEMORY && (step->at->sub & 3) == HIGH;

        cushim__ptx_fill(step, step->at->d, value_of(step) >> (is_high ? 32 : 0),
                         step->at->bytes == 8);
        return;
    }
    cushim__ptx_write32(step->frame + step->at->d, to, step->mask);
}
