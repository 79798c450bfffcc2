/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a launch: its blocks, their warps, and the position of each lane.
 *
 * The lanes of a warp that are at the same instruction of the same frame run as a group. If a warp
 * has several groups, the one with the deepest frame and the lowest instruction runs first, so that
 * groups meet again. After a while another group gets a turn, so that no lane waits forever for a
 * lane of its own warp.
 */
#ifndef CUSHIM_PTX_EXECUTE_LAUNCH_STATE_H
#define CUSHIM_PTX_EXECUTE_LAUNCH_STATE_H

#include "src/ptx/code/code.h"
#include "src/ptx/execute/alu.h"

enum { PTX_BARRIERS = 16, PTX_WARPS = 32 };

/* Shared memory after a block's own, for cooperative groups. */
enum { PTX_RESERVED_SHARED = 1024 };

struct ptx_warp {
    struct ptx_block *block;
    uint32_t index;               /* index in the block */
    uint32_t alive;               /* lanes that have not ended */
    uint32_t at_sync, at_barrier; /* lanes that wait for their warp, or for their block */
    uint32_t carry;               /* the carry bit of each lane */
    uint32_t active, others;      /* the lanes of the group that runs, and others that could run */
    uint32_t pc, base, stop;      /* of the group; `stop`: where it may meet another group */
    uint32_t pcs[PTX_LANES];      /* of the lanes outside the group */
    uint32_t bases[PTX_LANES];    /* where the lanes' frames begin in `registers` */
    uint32_t local_bases[PTX_LANES];         /* where they begin in the lanes' local memory */
    uint32_t apart, limit, favour, favoured; /* the turns of groups: see group.c */
    bool lowest; /* no group of the same frame is at a lower instruction */
    unsigned char *registers, *local;
    uint32_t register_bytes, local_stride;
    struct ptx_range range; /* the global memory that was found last */
};

struct ptx_barrier_state {
    uint32_t expected; /* threads; 0: all */
    uint32_t count;    /* threads whose predicate was true; `total`: that had one */
    uint32_t total;
    bool used, reduces;
    uint32_t arrived[PTX_WARPS], waiting[PTX_WARPS]; /* lanes of each warp */
};

struct ptx_block {
    uint32_t linear, index[3];
    uint32_t warp_count, alive_warps;
    uint32_t phase; /* how many barriers of the whole block are over */
    bool running;
    unsigned char *shared;
    struct ptx_warp *warps;
    struct ptx_barrier_state barriers[PTX_BARRIERS];
};

struct ptx_launch {
    struct ptx_program *program;
    const struct ptx_kernel *kernel;
    const struct ptx_function *function;
    struct ptx_shape shape;
    const uint64_t *globals;
    const struct ptx_callbacks *callbacks;
    void *data;
    unsigned char *parameters;
    lane_u64 grid_memory[PTX_GRID_BYTES / 8];
    uint32_t parameter_bytes;
    uint32_t shared_bytes, reserved_at, threads, warps;
    uint64_t block_total, next_block;
    struct ptx_racecheck *racecheck; /* NULL if nobody looks for races between threads */
    struct ptx_block *blocks;
    uint32_t block_count, block_room; /* resident blocks, and the limit of them */
    uint32_t rounds;                  /* since a block ended or became resident */
    uint32_t at_block, at_warp;
    uint64_t quiet_since; /* instructions before the current round */
    enum ptx_state state;
    struct ptx_fault fault;
    struct ptx_counts counts;
};

/*
 * An instruction that may be part of a wait for other threads shortens the turn of its group by so
 * many instructions.
 */
enum { PTX_SPINNING = 200 };

/* The instruction of a group that is being executed. */
struct ptx_step {
    struct ptx_launch *launch;
    struct ptx_warp *warp;
    const struct ptx_instruction *at;
    unsigned char *frame;
    const unsigned char *constants;
    uint32_t left;    /* instructions left in the turn of the group */
    uint32_t mask;    /* lanes that execute it */
    bool leave;       /* set if the group has changed, or the launch has ended */
    lane_u64 *result; /* the row of the result, or `scratch` */
    lane_u64 scratch[PTX_LANES];
    lane_u64 sources[3][PTX_LANES]; /* with subnormal numbers flushed */
};

static inline const void *ptx_row(const struct ptx_step *step, uint32_t operand)
{
    return operand & PTX_CONSTANT ? step->constants + (operand & ~PTX_CONSTANT)
                                  : step->frame + operand;
}

static inline lane_u32 *ptx_frame_row(const struct ptx_warp *warp, uint32_t frame,
                                      enum ptx_frame_row row)
{
    return (lane_u32 *)(void *)(warp->registers + frame + row * PTX_ROW);
}

/* Set a predicate for the lanes that take part. */
static inline void ptx_put_bits(struct ptx_step *step, uint32_t operand, uint32_t bits)
{
    if (operand != PTX_UNUSED) {
        lane_u32 *const word = (lane_u32 *)(void *)(step->frame + operand);

        *word = (*word & ~step->mask) | (bits & step->mask);
    }
}

static inline bool ptx_in(uint32_t mask, unsigned lane)
{
    return mask >> lane & 1;
}

static inline unsigned ptx_count(uint32_t mask)
{
    /* Not every processor has an instruction that counts bits. */
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

static inline unsigned ptx_first(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* The linear index of a lane's thread in its block. */
static inline uint32_t ptx_thread(const struct ptx_warp *warp, unsigned lane)
{
    return warp->index * PTX_LANES + lane;
}

/* Split the linear index of a thread or a block into three. */
static inline void ptx_index(const uint32_t extents[3], uint64_t linear, uint32_t index[3])
{
    index[0] = (uint32_t)(linear % extents[0]);
    index[1] = (uint32_t)(linear / extents[0] % extents[1]);
    index[2] = (uint32_t)(linear / extents[0] / extents[1]);
}

/* Numbers in memory that threads of the host may access concurrently. */
static inline uint64_t ptx_read_number(const unsigned char *place, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n(place, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const lane_u16 *)(const void *)place, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const lane_u32 *)(const void *)place, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const lane_u64 *)(const void *)place, __ATOMIC_RELAXED);
    }
}

static inline void ptx_write_number(unsigned char *place, unsigned bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n(place, (unsigned char)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((lane_u16 *)(void *)place, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((lane_u32 *)(void *)place, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((lane_u64 *)(void *)place, value, __ATOMIC_RELAXED);
        break;
    }
}

/* --- launch.c --- */

/* End the launch with a fault. Later faults are ignored. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 4, 5)))
#endif
void cushim__ptx_fault_at(struct ptx_step *step, enum ptx_fault_kind kind, unsigned lane,
                          const char *format, ...);

/* Forget the memory that each warp has found last, because some was freed. */
void cushim__ptx_forget_ranges(struct ptx_launch *launch);

/* --- the functions of handlers --- */

#define PTX_FUNCTION(name, function, has_row) void cushim__ptx_##function(struct ptx_step *step);
PTX_HANDLERS(PTX_FUNCTION)

/* --- memory.c --- */

/* Return the bytes at an address of a lane, or NULL after a fault. */
unsigned char *cushim__ptx_bytes(struct ptx_step *step, unsigned lane, enum ptx_space space,
                                 uint64_t address, unsigned bytes, enum ptx_use use);

/* --- sync.c --- */

/* Lanes of the warp have ended. Resume the threads that waited for them alone. */
void cushim__ptx_lanes_ended(struct ptx_step *step);

/* --- group.c --- */

/* Choose the group that runs next and make it the active one. Returns false if none can run. */
bool cushim__ptx_group_select(struct ptx_warp *warp);
void cushim__ptx_group_save(struct ptx_warp *warp);

/* --- racecheck.c: called only for a launch that has a `racecheck` --- */

/* `blocks` is the limit of resident blocks. Returns NULL if memory runs out. */
struct ptx_racecheck *cushim__ptx_racecheck_create(const struct ptx_launch *launch, size_t blocks);
void cushim__ptx_racecheck_destroy(struct ptx_racecheck *check);
void cushim__ptx_racecheck_block_begin(struct ptx_launch *launch, const struct ptx_block *block);
/* Check an access, before it happens. */
void cushim__ptx_racecheck_access(struct ptx_step *step, unsigned lane,
                                  const struct ptx_access *access);
/* Forget the former accesses to memory that malloc() has just returned. */
void cushim__ptx_racecheck_forget(const struct ptx_launch *launch, uint64_t address, size_t bytes);
/* Order the lanes of a warp that have met at bar.warp.sync. */
void cushim__ptx_racecheck_warp_sync(struct ptx_launch *launch, const struct ptx_warp *warp,
                                     uint32_t lanes);
/* Order the threads of a block by a barrier that is over. */
void cushim__ptx_racecheck_barrier(struct ptx_launch *launch, const struct ptx_block *block,
                                   const struct ptx_barrier_state *barrier);
/* Note an arrival at an mbarrier or, if `waits`, a test whether its phase is over. */
void cushim__ptx_racecheck_mbarrier(struct ptx_step *step, const unsigned char *place, bool waits,
                                    bool over);

/* --- interpreter.c --- */
void cushim__ptx_run_warp(struct ptx_launch *launch, struct ptx_warp *warp, uint32_t quantum);
/* Copy the values of some lanes to a row, unless they are that row itself. */
void cushim__ptx_write32(unsigned char *row, const lane_u32 *values, uint32_t mask);
/* Write one value for all lanes that take part. */
void cushim__ptx_fill(struct ptx_step *step, uint32_t operand, uint64_t value, bool wide);

#endif
