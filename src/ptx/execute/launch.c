/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: blocks become resident, take turns and end. */
#include "src/ptx/execute/launch_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many instructions a warp executes in a turn. */
enum { TURN = 512, PARAMETER_PADDING = 16 };

/*
 * Few blocks are resident at first, which is fast. But a block may wait for another one, and a GPU
 * has more of them resident. So after some rounds in which no block has ended, the number of
 * resident blocks doubles, up to what the multiprocessors of a GPU hold.
 */
enum { RESIDENT = 16, PATIENCE = 32, WARPS_OF_MULTIPROCESSOR = 64, BLOCKS_OF_MULTIPROCESSOR = 32 };

void cushim__ptx_fault_at(struct ptx_step *step, enum ptx_fault_kind kind, unsigned lane,
                          const char *format, ...)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_fault *fault = &launch->fault;
    const lane_u32 *functions = ptx_frame_row(step->warp, step->warp->base, FRAME_FUNCTION);
    va_list arguments;

    step->leave = true;
    if (launch->state == PTX_FAULT)
        return;
    launch->state = PTX_FAULT;
    fault->kind = kind;
    fault->kernel = launch->kernel->name;
    fault->line = step->at->line;
    fault->part = launch->program->functions[functions[lane]].part;
    memcpy(fault->block, step->warp->block->index, sizeof fault->block);
    ptx_index(launch->shape.block, ptx_thread(step->warp, lane), fault->thread);
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
}

/* --- blocks --- */

static void begin_block(struct ptx_launch *launch, struct ptx_block *block)
{
    block->linear = (uint32_t)launch->next_block;
    ptx_index(launch->shape.grid, launch->next_block++, block->index);
    block->warp_count = block->alive_warps = launch->warps;
    block->phase = 0;
    block->running = true;
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->shared, 0, launch->shared_bytes);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct ptx_warp *warp = &block->warps[i];
        const uint32_t threads = launch->threads - i * PTX_LANES;

        *warp = (struct ptx_warp){
            .block = block,
            .index = i,
            .registers = warp->registers,
            .local = warp->local,
            .register_bytes = warp->register_bytes,
            .local_stride = warp->local_stride,
        };
        warp->alive = threads >= PTX_LANES ? PTX_ALL_LANES : (UINT32_C(1) << threads) - 1;
        memset(warp->registers, 0, warp->register_bytes);
        for (unsigned lane = 0; lane < PTX_LANES; lane++) {
            warp->pcs[lane] = launch->function->first;
            ptx_frame_row(warp, 0, FRAME_FUNCTION)[lane] = launch->kernel->function;
        }
        memset(warp->local, 0, (size_t)warp->local_stride * PTX_LANES);
    }
    if (launch->racecheck)
        cushim__ptx_racecheck_block_begin(launch, block);
}

static bool create_block(struct ptx_launch *launch, struct ptx_block *block)
{
    const uint32_t local = (launch->function->call_local + 31) / 16 * 16;

    block->shared = calloc(1, (size_t)launch->reserved_at + PTX_RESERVED_SHARED);
    block->warps = calloc(launch->warps, sizeof *block->warps);
    if (!block->shared || !block->warps)
        return false;
    for (uint32_t i = 0; i < launch->warps; i++) {
        struct ptx_warp *warp = &block->warps[i];

        warp->register_bytes = launch->function->call_registers;
        warp->local_stride = local;
        warp->registers = malloc(warp->register_bytes);
        warp->local = malloc((size_t)local * PTX_LANES);
        if (!warp->registers || !warp->local)
            return false;
    }
    return true;
}

static void destroy_block(const struct ptx_launch *launch, struct ptx_block *block)
{
    for (uint32_t i = 0; block->warps && i < launch->warps; i++) {
        free(block->warps[i].registers);
        free(block->warps[i].local);
    }
    free(block->warps);
    free(block->shared);
    *block = (struct ptx_block){0};
}

/* Make more blocks resident, if there is room for them. Returns false if memory runs out. */
static bool add_blocks(struct ptx_launch *launch, uint32_t count)
{
    launch->rounds = 0;
    for (; count > 0 && launch->block_count < launch->block_room &&
           launch->next_block < launch->block_total;
         count--) {
        struct ptx_block *block = &launch->blocks[launch->block_count];

        if (!create_block(launch, block)) {
            destroy_block(launch, block);
            launch->block_room = launch->block_count;
            return false;
        }
        begin_block(launch, block);
        launch->block_count++;
    }
    return true;
}

/* --- launches --- */

/* Allocate a launch, and make its first blocks resident. Returns false if memory runs out. */
static bool begin(struct ptx_launch *launch)
{
    const bool cooperative = launch->shape.cooperative;

    launch->parameters = calloc(1, launch->parameter_bytes + PARAMETER_PADDING);
    /*
     * Not zeroed: it is large if there are many blocks, and each is filled when it becomes
     * resident.
     */
    launch->blocks = malloc(launch->block_room * sizeof *launch->blocks);
    if (!launch->parameters || !launch->blocks)
        return false;
    if (launch->callbacks->race) {
        launch->racecheck = cushim__ptx_racecheck_create(launch, launch->block_room);
        if (!launch->racecheck)
            return false;
    }
    return add_blocks(launch, cooperative ? launch->block_room : RESIDENT);
}

/* How many blocks the multiprocessors of a GPU have resident. */
static uint64_t room_for_blocks(const struct ptx_launch *launch)
{
    const uint64_t each = WARPS_OF_MULTIPROCESSOR / launch->warps;
    const uint64_t multiprocessors = launch->shape.multiprocessors;

    return (multiprocessors > 0 ? multiprocessors : 1) *
           (each < BLOCKS_OF_MULTIPROCESSOR ? each : BLOCKS_OF_MULTIPROCESSOR);
}

struct ptx_launch *cushim__ptx_launch_create(struct ptx_module *module, size_t kernel,
                                             const struct ptx_shape *shape, const void *parameters,
                                             size_t bytes, const uint64_t *globals,
                                             const struct ptx_callbacks *callbacks, void *data)
{
    struct ptx_launch *launch = calloc(1, sizeof *launch);
    uint64_t room = UINT32_MAX / 2;

    if (!launch)
        return NULL;
    launch->program = module->program;
    __atomic_add_fetch(&launch->program->references, 1, __ATOMIC_RELAXED);
    launch->kernel = &module->kernels[kernel];
    launch->function = &launch->program->functions[launch->kernel->function];
    launch->shape = *shape;
    launch->globals = globals;
    launch->callbacks = callbacks;
    launch->data = data;
    launch->parameter_bytes = (uint32_t)launch->kernel->parameter_bytes;
    launch->shared_bytes = (uint32_t)(launch->kernel->shared_bytes + shape->dynamic_shared_bytes);
    launch->reserved_at = (launch->shared_bytes + 15) / 16 * 16;
    launch->threads = shape->block[0] * shape->block[1] * shape->block[2];
    launch->warps = (launch->threads + PTX_LANES - 1) / PTX_LANES;
    launch->block_total = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    if (!shape->cooperative && launch->warps > 0)
        room = room_for_blocks(launch);
    launch->block_room = (uint32_t)(room < launch->block_total ? room : launch->block_total);
    if (launch->block_room == 0 ||
        (shape->cooperative && launch->block_room < launch->block_total) ||
        launch->warps > PTX_WARPS || launch->warps == 0 || launch->kernel->refused ||
        !begin(launch)) {
        cushim__ptx_launch_destroy(launch);
        return NULL;
    }
    if (bytes > 0 && launch->parameter_bytes > 0)
        memcpy(launch->parameters, parameters,
               bytes < launch->parameter_bytes ? bytes : launch->parameter_bytes);
    launch->quiet_since = UINT64_MAX;
    return launch;
}

void cushim__ptx_launch_destroy(struct ptx_launch *launch)
{
    if (!launch)
        return;
    for (uint32_t i = 0; i < launch->block_count; i++)
        destroy_block(launch, &launch->blocks[i]);
    cushim__ptx_racecheck_destroy(launch->racecheck);
    free(launch->blocks);
    free(launch->parameters);
    cushim__ptx_program_release(launch->program);
    free(launch);
}

const struct ptx_fault *cushim__ptx_fault(const struct ptx_launch *launch)
{
    return &launch->fault;
}

const struct ptx_counts *cushim__ptx_counts(const struct ptx_launch *launch)
{
    return &launch->counts;
}

void cushim__ptx_find_first(const struct ptx_launch *launch, struct ptx_fault *where)
{
    for (uint64_t i = 0; i < (uint64_t)launch->block_count * launch->warps; i++) {
        const struct ptx_block *block = &launch->blocks[i / launch->warps];
        const struct ptx_warp *warp = &block->warps[i % launch->warps];
        unsigned lane;

        if (!block->running || !warp->alive)
            continue;
        lane = ptx_first(warp->alive);
        /* The program counter of a lane that waits at a barrier is already after the barrier. */
        where->line = launch->program->code[warp->pcs[lane] - ptx_in(warp->at_barrier, lane)].line;
        memcpy(where->block, block->index, sizeof where->block);
        ptx_index(launch->shape.block, ptx_thread(warp, lane), where->thread);
        return;
    }
}

/* --- turns --- */

/* Go to the next warp. Returns false after a round in which no warp could do anything. */
static bool next_turn(struct ptx_launch *launch)
{
    if (++launch->at_warp < launch->warps)
        return true;
    launch->at_warp = 0;
    if (++launch->at_block < launch->block_count)
        return true;
    launch->at_block = 0;
    if (++launch->rounds > PATIENCE)
        add_blocks(launch, launch->block_count);
    if (launch->quiet_since == launch->counts.warp_instructions)
        return false;
    launch->quiet_since = launch->counts.warp_instructions;
    return true;
}

void cushim__ptx_forget_ranges(struct ptx_launch *launch)
{
    for (uint32_t i = 0; i < launch->block_count; i++) {
        for (uint32_t j = 0; j < launch->warps; j++)
            launch->blocks[i].warps[j].range = (struct ptx_range){0};
    }
}

enum ptx_state cushim__ptx_run(struct ptx_launch *launch, uint64_t budget)
{
    const uint64_t end = launch->counts.instructions + budget;

    if (launch->state != PTX_RUNNING)
        return launch->state;
    cushim__ptx_forget_ranges(launch); /* the user may have moved and freed memory since */
    while (launch->state == PTX_RUNNING && launch->counts.instructions < end) {
        struct ptx_block *block = &launch->blocks[launch->at_block];
        struct ptx_warp *warp = &block->warps[launch->at_warp];
        const uint64_t left = (end - launch->counts.instructions) / PTX_LANES + 1;

        if (block->running && warp->alive)
            cushim__ptx_run_warp(launch, warp, left < TURN ? (uint32_t)left : TURN);
        if (block->running && block->alive_warps == 0) {
            launch->counts.blocks++;
            launch->rounds = 0;
            block->running = false;
            if (launch->next_block < launch->block_total)
                begin_block(launch, block);
        }
        if (launch->counts.blocks == launch->block_total)
            launch->state = PTX_ENDED;
        else if (!next_turn(launch) && launch->state == PTX_RUNNING)
            launch->state = PTX_STUCK;
    }
    return launch->state;
}
