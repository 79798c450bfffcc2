/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronization: the barriers of a block, and the collectives of a warp. A lane waits with its
 * program counter after the instruction, which is executed once, for all lanes that wait.
 */
#include "src/ptx/execute/launch_state.h"

/* --- one lane's operands, wherever the lane is --- */

static lane_u32 *row_of(const struct ptx_launch *launch, const struct ptx_warp *warp, unsigned lane,
                        uint32_t operand)
{
    unsigned char *const row = operand & PTX_CONSTANT
                                   ? launch->program->constants + (operand & ~PTX_CONSTANT)
                                   : warp->registers + warp->bases[lane] + operand;

    return (lane_u32 *)(void *)row;
}

static uint32_t word_of(const struct ptx_launch *launch, const struct ptx_warp *warp, unsigned lane,
                        uint32_t operand)
{
    return operand == PTX_UNUSED ? 0 : row_of(launch, warp, lane, operand)[lane];
}

/* Set a lane's word in a row, or its bit of a predicate. */
static void set(const struct ptx_launch *launch, const struct ptx_warp *warp, unsigned lane,
                uint32_t operand, bool is_bit, uint32_t value)
{
    lane_u32 *const row = operand == PTX_UNUSED ? NULL : row_of(launch, warp, lane, operand);

    if (row && is_bit)
        *row = (*row & ~(UINT32_C(1) << lane)) | value << lane;
    else if (row)
        row[lane] = value;
}

static const struct ptx_instruction *waits_at(const struct ptx_launch *launch,
                                              const struct ptx_warp *warp, unsigned lane)
{
    return &launch->program->code[warp->pcs[lane] - 1];
}

/* --- barriers of a block --- */

/* Lanes that have ended count as arrived once all other lanes of their warp have arrived. */
static bool complete(const struct ptx_block *block, const struct ptx_barrier_state *barrier)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < block->warp_count; i++) {
        const uint32_t alive = block->warps[i].alive, arrived = barrier->arrived[i];

        if (barrier->expected == 0) {
            if (alive & ~arrived)
                return false;
        } else if (arrived) {
            count += alive & ~arrived ? ptx_count(arrived) : PTX_LANES;
        }
    }
    return barrier->expected == 0 || count >= barrier->expected;
}

static void release(struct ptx_launch *launch, struct ptx_block *block, unsigned number)
{
    struct ptx_barrier_state *barrier = &block->barriers[number];

    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct ptx_warp *warp = &block->warps[i];
        const uint32_t lanes = barrier->waiting[i] & warp->alive;

        warp->at_barrier &= ~lanes;
        for (uint32_t left = barrier->reduces ? lanes : 0; left; left &= left - 1) {
            const unsigned lane = ptx_first(left);
            const struct ptx_instruction *at = waits_at(launch, warp, lane);

            set(launch, warp, lane, at->d, at->sub != BARRIER_POPC,
                at->sub == BARRIER_POPC  ? barrier->count
                : at->sub == BARRIER_AND ? barrier->count == barrier->total
                                         : barrier->count > 0);
        }
    }
    if (barrier->expected == 0)
        block->phase++;
    if (launch->racecheck)
        cushim__ptx_racecheck_barrier(launch, block, barrier);
    *barrier = (struct ptx_barrier_state){0};
}

void cushim__ptx_barrier(struct ptx_step *step)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_warp *warp = step->warp;
    struct ptx_block *block = warp->block;
    const struct ptx_instruction *at = step->at;
    uint32_t touched = 0;

    cushim__ptx_group_save(warp);
    step->leave = true;
    for (uint32_t left = step->mask, same = 0; left; left &= ~same) {
        const unsigned lane = ptx_first(left);
        const uint32_t number = word_of(launch, warp, lane, at->a);
        const uint32_t expected = word_of(launch, warp, lane, at->b);
        struct ptx_barrier_state *barrier = &block->barriers[number % PTX_BARRIERS];

        /* Constants are the same for all lanes; otherwise the lanes arrive one by one. */
        same = at->a & at->b & PTX_CONSTANT ? left : UINT32_C(1) << lane;
        if (number >= PTX_BARRIERS || expected % PTX_LANES != 0 ||
            (barrier->used && barrier->expected != expected)) {
            cushim__ptx_fault_at(step, PTX_ILLEGAL_INSTRUCTION, lane,
                                 "barrier %u for %u threads: the number must be below 16, and the "
                                 "threads whole warps, as many in each call",
                                 (unsigned)number, (unsigned)expected);
            return;
        }
        barrier->used = true;
        barrier->expected = expected;
        barrier->arrived[warp->index] |= same;
        touched |= UINT32_C(1) << number;
        if (at->sub >= BARRIER_AND) {
            const lane_u32 *bits = ptx_row(step, at->c);

            barrier->reduces = true;
            barrier->total += ptx_count(same);
            barrier->count += ptx_count(same & (at->flags & FLAG_NEGATED_SOURCE ? ~*bits : *bits));
        }
        if (at->sub == BARRIER_ARRIVE)
            continue;
        warp->at_barrier |= same;
        barrier->waiting[warp->index] |= same;
    }
    for (; touched; touched &= touched - 1) {
        const unsigned number = ptx_first(touched);

        if (complete(block, &block->barriers[number]))
            release(launch, block, number);
    }
}

/* --- lanes of a warp --- */

/* The operands of all lanes of a collective, and its results. */
struct meeting {
    uint32_t lanes;
    uint64_t values[PTX_LANES];
    lane_u32 b[PTX_LANES], c[PTX_LANES];
    uint32_t result[PTX_LANES], bits; /* `bits` has the predicates */
};

/*
 * Set the lane that each lane gets its value from. If there is no such lane, it is the lane itself,
 * and its bit in the result is not set.
 */
static uint32_t sources(unsigned kind, const lane_u32 *restrict bs, const lane_u32 *restrict cs,
                        lane_u32 *restrict from)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint32_t b = bs[i] & 31, segment = cs[i] >> 8 & 31;
        const uint32_t least = i & segment, most = least | (cs[i] & 31 & ~segment);
        const uint32_t source = kind == SYNC_SHUFFLE_UP     ? i - b
                                : kind == SYNC_SHUFFLE_DOWN ? i + b
                                : kind == SYNC_SHUFFLE_XOR  ? i ^ b
                                                            : least | (b & ~segment);
        const bool valid = kind == SYNC_SHUFFLE_UP ? (int32_t)source >= (int32_t)most
                                                   : (int32_t)source <= (int32_t)most;

        from[i] = valid ? source : i;
        bits |= valid ? cushim__ptx_lane_bits[i] : 0;
    }
    return bits;
}

static uint32_t equal_lanes(const struct meeting *meeting, uint64_t value)
{
    uint32_t result = 0;

    for (uint32_t left = meeting->lanes; left; left &= left - 1)
        result |= (uint32_t)(meeting->values[ptx_first(left)] == value) << ptx_first(left);
    return result;
}

static uint32_t reduced(const struct ptx_instruction *at, const struct meeting *meeting)
{
    uint64_t result = meeting->values[ptx_first(meeting->lanes)];

    for (uint32_t left = meeting->lanes & (meeting->lanes - 1); left; left &= left - 1)
        result = cushim__ptx_atomic((enum ptx_atomic)at->count, (enum ptx_type)at->type, result,
                                    meeting->values[ptx_first(left)], 0, true);
    return (uint32_t)result;
}

static bool shuffles(unsigned kind)
{
    return kind >= SYNC_SHUFFLE_UP && kind <= SYNC_SHUFFLE_INDEX;
}

static void meet(const struct ptx_instruction *at, struct meeting *meeting)
{
    const uint32_t lanes = meeting->lanes;
    uint32_t votes = 0, result = 0;
    lane_u32 from[PTX_LANES];
    bool bit = false;

    if (shuffles(at->sub)) {
        meeting->bits = sources(at->sub, meeting->b, meeting->c, from);
        for (unsigned i = 0; i < PTX_LANES; i++)
            meeting->result[i] = (uint32_t)meeting->values[from[i]];
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        votes |= (uint32_t)(meeting->values[ptx_first(left)] & 1) << ptx_first(left);
    switch (at->sub) {
    case SYNC_VOTE_ALL:
        bit = votes == lanes;
        break;
    case SYNC_VOTE_ANY:
        bit = votes != 0;
        break;
    case SYNC_VOTE_UNI:
        bit = votes == 0 || votes == lanes;
        break;
    case SYNC_VOTE_BALLOT:
        result = votes;
        break;
    case SYNC_MATCH_ALL:
        bit = equal_lanes(meeting, meeting->values[ptx_first(lanes)]) == lanes;
        result = bit ? lanes : 0;
        break;
    case SYNC_REDUCE:
        result = reduced(at, meeting);
        break;
    case SYNC_ELECT:
        result = ptx_first(lanes);
        break;
    default:
        break;
    }
    meeting->bits = at->sub == SYNC_ELECT ? UINT32_C(1) << result : bit ? lanes : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        meeting->result[lane] =
            at->sub == SYNC_MATCH_ANY ? equal_lanes(meeting, meeting->values[lane]) : result;
    }
}

static bool votes(unsigned kind)
{
    return kind >= SYNC_VOTE_ALL && kind <= SYNC_VOTE_BALLOT;
}

/* Execute a collective for these lanes, which may be at different instructions of the same kind. */
static void hold(struct ptx_launch *launch, struct ptx_warp *warp, uint32_t lanes)
{
    const struct ptx_instruction *first = waits_at(launch, warp, ptx_first(lanes));
    struct meeting meeting = {.lanes = lanes};

    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const struct ptx_instruction *at = waits_at(launch, warp, lane);
        const lane_u32 *a = at->a == PTX_UNUSED ? NULL : row_of(launch, warp, lane, at->a);

        if (votes(at->sub))
            meeting.values[lane] = ptx_in(*a, lane) != !!(at->flags & FLAG_NEGATED_SOURCE);
        else if (a)
            meeting.values[lane] = ptx_number(a, lane, at->bytes == 8);
        meeting.b[lane] = word_of(launch, warp, lane, at->b);
        meeting.c[lane] = word_of(launch, warp, lane, at->c);
    }
    meet(first, &meeting);
    /* Only bar.warp.sync orders accesses to memory. */
    if (launch->racecheck && first->sub == SYNC_ONLY)
        cushim__ptx_racecheck_warp_sync(launch, warp, lanes);
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const struct ptx_instruction *at = waits_at(launch, warp, lane);
        const bool is_bit = votes(at->sub) && at->sub != SYNC_VOTE_BALLOT;

        set(launch, warp, lane, at->d, is_bit,
            is_bit ? ptx_in(meeting.bits, lane) : meeting.result[lane]);
        set(launch, warp, lane, at->e, true, ptx_in(meeting.bits, lane));
    }
    warp->at_sync &= ~lanes;
}

static uint32_t members(const struct ptx_launch *launch, const struct ptx_warp *warp, unsigned lane)
{
    const uint32_t operand = launch->program->lists[waits_at(launch, warp, lane)->list];

    return word_of(launch, warp, lane, operand) | UINT32_C(1) << lane;
}

/* Execute the collectives whose lanes have all arrived or ended. */
static void recheck(struct ptx_launch *launch, struct ptx_warp *warp)
{
    uint32_t left = warp->at_sync;

    while (left) {
        const unsigned lane = ptx_first(left);
        const uint32_t wanted = members(launch, warp, lane) & warp->alive;
        const unsigned kind = waits_at(launch, warp, lane)->sub;
        uint32_t there = 0;

        for (uint32_t other = wanted & warp->at_sync; other; other &= other - 1) {
            const unsigned at = ptx_first(other);

            if ((members(launch, warp, at) & warp->alive) == wanted &&
                waits_at(launch, warp, at)->sub == kind)
                there |= UINT32_C(1) << at;
        }
        if (there == wanted)
            hold(launch, warp, there);
        left &= ~(there | UINT32_C(1) << lane);
    }
}

/* Whether all lanes that take part in a collective are at the instruction, as they usually are. */
static bool all_here(const struct ptx_step *step)
{
    const lane_u32 *wanted = ptx_row(step, step->launch->program->lists[step->at->list]);
    const uint32_t alive = step->warp->alive, here = step->mask;
    uint32_t differs = 0;

    for (unsigned i = 0; i < PTX_LANES; i++)
        differs |= ptx_choose(here, i, ((wanted[i] | cushim__ptx_lane_bits[i]) & alive) ^ here, 0);
    return differs == 0;
}

/* The same as hold(), on whole rows. */
static void shuffle_rows(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u32 *values = ptx_row(step, at->a);
    lane_u32 there[PTX_LANES], from[PTX_LANES], result[PTX_LANES];
    const uint32_t bits = sources(at->sub, ptx_row(step, at->b), ptx_row(step, at->c), from);

    for (unsigned i = 0; i < PTX_LANES; i++)
        there[i] = ptx_choose(step->mask, i, values[i], 0);
    for (unsigned i = 0; i < PTX_LANES; i++)
        result[i] = there[from[i]];
    if (at->d != PTX_UNUSED)
        cushim__ptx_write32(step->frame + at->d, result, step->mask);
    ptx_put_bits(step, at->e, bits);
}

void cushim__ptx_warp_sync(struct ptx_step *step)
{
    struct ptx_warp *warp = step->warp;
    const bool each = step->at->flags & FLAG_EACH;

    if (shuffles(step->at->sub) && (each || all_here(step))) {
        shuffle_rows(step);
        step->leave = warp->others && !each;
        if (step->leave)
            cushim__ptx_group_save(warp);
        return;
    }
    cushim__ptx_group_save(warp);
    if (each) {
        hold(step->launch, warp, step->mask);
        return;
    }
    warp->at_sync |= step->mask;
    recheck(step->launch, warp);
    /* Usually all lanes have arrived, and the group goes on. */
    step->leave = warp->at_sync & step->mask || warp->others;
}

void cushim__ptx_lanes_ended(struct ptx_step *step)
{
    struct ptx_block *block = step->warp->block;

    recheck(step->launch, step->warp);
    for (unsigned i = 0; i < PTX_BARRIERS; i++) {
        if (block->barriers[i].used && complete(block, &block->barriers[i]))
            release(step->launch, block, i);
    }
}
