/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as a thread sees it. Every access is within what the launch owns or what its host has
 * found for the address, so a kernel reads and writes nothing else. Numbers are read and written
 * by relaxed atomic operations of the host, since the program's threads may use the same memory.
 */
#include "src/mock/kernel/launch.h"

#include <stdio.h>
#include <string.h>

static const char *const use_names[] = {"read", "write", "atomic operation"};
static const struct {
    const char *name, *owner; /* NULL: nobody has memory of its own there */
    uint64_t window;          /* generic addresses */
} spaces[] = {
    [PTX_GENERIC] = {"generic", NULL, 0},
    [PTX_GLOBAL] = {"global", NULL, 0},
    [PTX_SHARED] = {"shared", "block", PTX_SHARED_WINDOW},
    [PTX_LOCAL_SPACE] = {"local", "thread", PTX_LOCAL_WINDOW},
    [PTX_PARAM] = {"param", "kernel", PTX_PARAM_WINDOW},
    [PTX_CONST] = {"const", NULL, 0},
};

/*
 * Memory that lanes are in: that of each begins `pitch` bytes after that of the lane before. Without
 * bytes: it is not known, or may not be used so.
 */
struct reach {
    uint64_t start, bytes, pitch;
    unsigned char *host;
};

static inline struct reach memory_of(const struct ptx_step *step, enum ptx_space space)
{
    const struct ptx_launch *launch = step->launch;
    const struct ptx_warp *warp = step->warp;

    switch (space) {
    case PTX_SHARED:
        return (struct reach){0, launch->shared_bytes, 0, warp->block->shared};
    case PTX_LOCAL_SPACE:
        return (struct reach){0, warp->local_stride, warp->local_stride, warp->local};
    case PTX_PARAM:
        return (struct reach){0, launch->parameter_bytes, 0, launch->parameters};
    default:
        return (struct reach){warp->range.start, warp->range.bytes, 0, warp->range.host};
    }
}

static inline bool is_possible(const struct ptx_step *step, enum ptx_space space, enum ptx_use use)
{
    if (use == PTX_READ || space == PTX_SHARED)
        return true;
    if (space == PTX_LOCAL_SPACE)
        return use == PTX_WRITE;
    return space != PTX_PARAM && !step->warp->range.read_only;
}

static unsigned char *refuse(struct ptx_step *step, unsigned lane, enum ptx_fault_kind kind,
                             const struct ptx_access *access)
{
    struct ptx_fault *fault = &step->launch->fault;
    char why[60] = "the address is in no allocation";

    if (step->launch->state == PTX_FAULT)
        return NULL;
    if (kind == PTX_MISALIGNED)
        strcpy(why, "the address is not aligned");
    else if (kind == PTX_WRONG_SPACE)
        strcpy(why, "not possible there");
    else if (spaces[access->space].owner)
        snprintf(why, sizeof why, "the %s has %u bytes of it", spaces[access->space].owner,
                 (unsigned)memory_of(step, access->space).bytes);
    fault->address = access->address;
    fault->bytes = access->bytes;
    fault->space = access->space;
    fault->use = access->use;
    cushim__ptx_fault_at(step, kind, lane, "%s of %u bytes at 0x%llx, %s memory: %s",
                         use_names[access->use], access->bytes, (unsigned long long)access->address,
                         spaces[access->space].name, why);
    return NULL;
}

static void report(struct ptx_step *step, unsigned lane, struct ptx_access *access)
{
    const struct ptx_launch *launch = step->launch;

    access->block = step->warp->block->linear;
    access->thread = ptx_thread(step->warp, lane);
    access->phase = step->warp->block->phase;
    access->line = step->at->line;
    launch->callbacks->access(launch->data, access);
    if (launch->racecheck)
        cushim__ptx_racecheck_access(step, lane, access);
}

static unsigned char *global_bytes(struct ptx_step *step, unsigned lane, struct ptx_access *access)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_range *range = &step->warp->range;
    const uint64_t address = access->address;

    access->space = PTX_GLOBAL;
    if (address - range->start >= range->bytes) {
        struct ptx_range found = {0};

        if (!launch->callbacks->find(launch->data, address, &found))
            return refuse(step, lane, PTX_OUT_OF_BOUNDS, access);
        *range = found;
    }
    if (address - range->start >= range->bytes ||
        range->bytes - (address - range->start) < access->bytes ||
        !is_possible(step, PTX_GLOBAL, access->use))
        return refuse(step, lane, PTX_OUT_OF_BOUNDS, access);
    if (launch->callbacks->access)
        report(step, lane, access);
    return range->host + (address - range->start);
}

/* Which window an address is in; the address becomes an offset in it. */
static enum ptx_space space_of(uint64_t *address)
{
    for (unsigned space = PTX_SHARED; space <= PTX_PARAM; space++) {
        if (*address - spaces[space].window <= UINT32_MAX) {
            *address -= spaces[space].window;
            return (enum ptx_space)space;
        }
    }
    return PTX_GLOBAL;
}

unsigned char *cushim__ptx_bytes(struct ptx_step *step, unsigned lane, enum ptx_space space,
                                 uint64_t address, unsigned bytes, enum ptx_use use)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_access access = {.use = use, .space = space, .address = address, .bytes = bytes};
    struct reach reach;

    if (bytes > 1 && address % bytes)
        return refuse(step, lane, PTX_MISALIGNED, &access);
    if (space == PTX_GENERIC)
        access.space = space_of(&address);
    if (!spaces[access.space].owner) {
        if (address - PTX_GRID_WINDOW > PTX_GRID_BYTES - bytes || !launch->shape.cooperative)
            return global_bytes(step, lane, &access);
        access.space = PTX_GLOBAL;
        if (launch->racecheck)
            cushim__ptx_racecheck_access(step, lane, &access);
        return (unsigned char *)launch->grid_memory + (address - PTX_GRID_WINDOW);
    }
    if (!is_possible(step, access.space, use))
        return refuse(step, lane, PTX_WRONG_SPACE, &access);
    reach = memory_of(step, access.space);
    if (address > reach.bytes || reach.bytes - address < bytes)
        return refuse(step, lane, PTX_OUT_OF_BOUNDS, &access);
    access.address = address;
    if (access.space == PTX_SHARED && launch->callbacks->access)
        report(step, lane, &access);
    return reach.host + lane * reach.pitch + address;
}

/*
 * Where lanes read or write: a row of addresses of one of two widths, and what is added to each. At
 * last `host` makes pointers of them.
 */
struct where {
    const lane_u32 *narrow;
    const lane_u64 *wide; /* NULL: `narrow` counts, and sums have 32 bits */
    uint64_t offset, host;
    bool whole; /* the row of numbers lies at the first lane's place unchanged */
    lane_u64 own[PTX_LANES], places[PTX_LANES];
};

static const lane_u32 zeros[PTX_LANES];

static void addresses(const struct ptx_step *step, struct where *where)
{
    const struct ptx_instruction *at = step->at;
    const bool small = at->sub == PTX_SHARED || at->sub == PTX_LOCAL_SPACE;
    const void *row = at->a == PTX_UNUSED ? NULL : ptx_row(step, at->a);

    where->offset = (uint64_t)at->immediate;
    where->wide = NULL;
    if (at->other & ADDRESS_IN_FRAME) {
        where->narrow = step->warp->local_bases;
    } else if (!row) {
        where->narrow = zeros;
        if (where->offset > UINT32_MAX && !small)
            where->wide = memset(where->own, 0, sizeof where->own);
    } else if (!(at->other & ADDRESS_WIDE)) {
        /* The first of several rows may be that of the addresses. */
        where->narrow = at->count > 1 ? memcpy(where->own, row, PTX_ROW) : row;
    } else if (small) {
        /* The upper half of an address in a small space does not count. */
        lane_u32 *const own = (lane_u32 *)where->own;

        for (unsigned i = 0; i < PTX_LANES; i++)
            own[i] = (uint32_t)((const lane_u64 *)row)[i];
        where->narrow = own;
    } else {
        where->wide = at->count > 1 ? memcpy(where->own, row, PTX_WIDE_ROW) : row;
    }
}

static uint64_t address_of(const struct where *where, unsigned lane)
{
    return where->wide ? where->wide[lane] + where->offset
                       : (uint32_t)(where->narrow[lane] + where->offset);
}

/* Nothing, if somebody wants to hear of accesses. */
static struct reach reach_of(const struct ptx_step *step, enum ptx_use use)
{
    const enum ptx_space space = (enum ptx_space)step->at->sub;

    return step->launch->callbacks->access || !is_possible(step, space, use)
               ? (struct reach){0}
               : memory_of(step, space);
}

/*
 * Whether all lanes are within reach and aligned. There is no branch in the loops: an offset that is
 * too large shows in the upper bit of a difference.
 */
static bool all_within(const struct reach *reach, unsigned bytes, const struct where *where)
{
    uint64_t any = reach->start & (bytes - 1), over = 0;

    if (reach->bytes < bytes || reach->pitch > 0)
        return false;
    if (where->wide) {
        const uint64_t room = reach->bytes - bytes, offset = where->offset - reach->start;
        const lane_u64 *const row = where->wide;

        for (unsigned i = 0; i < PTX_LANES; i++) {
            any |= row[i] + offset;
            over |= room - (row[i] + offset);
        }
        over |= any | room;
    } else if (reach->start == 0 && reach->bytes <= INT32_MAX) {
        const uint32_t room = (uint32_t)reach->bytes - bytes, offset = (uint32_t)where->offset;
        const lane_u32 *const row = where->narrow;
        uint32_t any32 = 0, over32 = 0;

        for (unsigned i = 0; i < PTX_LANES; i++) {
            any32 |= row[i] + offset;
            over32 |= room - (row[i] + offset);
        }
        any |= any32;
        over = (uint64_t)(over32 | any32) << 32;
    } else {
        return false;
    }
    return !(over >> 63) && !(any & (bytes - 1));
}

/* Whether numbers lie one behind the other, from a place that can be read 8 bytes at a time. */
static bool is_whole(const struct reach *reach, unsigned bytes, const struct where *where)
{
    const uint32_t span = (PTX_LANES - 1) * bytes;
    const uint64_t first = address_of(where, 0), from = first - reach->start;
    uint64_t differs = 0, next = 0;
    uint32_t differs32 = 0;

    if (address_of(where, PTX_LANES - 1) - first != span || bytes < 4 || reach->pitch > 0 ||
        from >= reach->bytes || reach->bytes - from < span + bytes ||
        (uintptr_t)(reach->host + from) % 8 != 0)
        return false;
    for (uint32_t i = 0; where->wide && i < PTX_LANES; i++, next += bytes)
        differs |= (where->wide[i] - where->wide[0]) ^ next;
    for (uint32_t i = 0; !where->wide && i < PTX_LANES; i++, next += bytes)
        differs32 |= (where->narrow[i] - where->narrow[0]) ^ (uint32_t)next;
    return differs == 0 && differs32 == 0;
}

/* Pointers of the host for the lanes that take part, one after the other. False: a fault. */
static bool locate_each(struct ptx_step *step, struct where *where, unsigned bytes,
                        enum ptx_use use, const struct reach *known)
{
    struct reach reach = *known;

    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint64_t address = address_of(where, lane), from = address - reach.start;

        /* Most are near the one before. */
        if (from < reach.bytes && reach.bytes - from >= bytes && !(address & (bytes - 1))) {
            where->places[lane] = (uint64_t)(uintptr_t)reach.host + from + lane * reach.pitch;
        } else {
            where->places[lane] = (uint64_t)(uintptr_t)cushim__ptx_bytes(
                step, lane, (enum ptx_space)step->at->sub, address, bytes, use);
            if (!where->places[lane])
                return false;
            reach = reach_of(step, use);
        }
    }
    where->wide = where->places;
    where->offset = where->host = 0;
    return true;
}

/* So that place_of() and the functions for rows find the lanes' numbers. False: a fault. */
static bool locate(struct ptx_step *step, struct where *where, unsigned bytes, enum ptx_use use)
{
    const unsigned count = step->at->count, first = ptx_first(step->mask);
    struct reach reach;

    addresses(step, where);
    if (step->at->sub <= PTX_GLOBAL)
        *(use == PTX_WRITE ? &step->launch->counts.bytes_written
                           : &step->launch->counts.bytes_read) +=
            (uint64_t)bytes * ptx_count(step->mask);
    reach = reach_of(step, use);
    if (!step->launch->callbacks->access && address_of(where, first) - reach.start >= reach.bytes) {
        /* Most lanes are where the first one is. */
        if (!cushim__ptx_bytes(step, first, (enum ptx_space)step->at->sub, address_of(where, first),
                               bytes, use))
            return false;
        reach = reach_of(step, use);
    }
    where->host = (uint64_t)(uintptr_t)reach.host - reach.start;
    where->whole = false;
    if (step->mask != PTX_ALL_LANES)
        return locate_each(step, where, bytes, use, &reach);
    where->whole = count == 1 && is_whole(&reach, bytes, where);
    return where->whole || all_within(&reach, bytes, where) ||
           locate_each(step, where, bytes, use, &reach);
}

/* Of a lane, after locate(). */
static unsigned char *place_of(const struct where *where, unsigned lane)
{
    return (unsigned char *)(uintptr_t)(where->host + address_of(where, lane));
}

/*
 * A row of all lanes, or of some, for numbers and addresses whose sizes the compiler knows; `more`
 * is added to each address.
 */
#define PLACE(addresses, sum, i) \
    (unsigned char *)(uintptr_t)(host + (sum)((addresses)[i] + (sum)where->offset))
/* The compiler takes four steps of a loop at once, where it knows how. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 4")
#else
#define UNROLLED
#endif
#define ROW_FUNCTION(function, type, addresses, sum, use)                                    \
    static void function(void *row, const struct where *where, unsigned more, uint32_t mask) \
    {                                                                                        \
        type *const numbers = row;                                                           \
        const uint64_t host = where->host + more;                                            \
        const sum PTX_ALIAS *const at = where->addresses;                                    \
                                                                                             \
        if (mask == PTX_ALL_LANES) {                                                         \
            UNROLLED for (unsigned i = 0; i < PTX_LANES; i++)                                \
            {                                                                                \
                use;                                                                         \
            }                                                                                \
            return;                                                                          \
        }                                                                                    \
        for (; mask; mask &= mask - 1) {                                                     \
            const unsigned i = ptx_first(mask);                                              \
                                                                                             \
            use;                                                                             \
        }                                                                                    \
    }
#define ROW_FUNCTIONS(name, type, size, addresses, sum)                       \
    ROW_FUNCTION(read_##name, type, addresses, sum,                           \
                 numbers[i] = (type)ptx_read_number(PLACE(at, sum, i), size)) \
    ROW_FUNCTION(write_##name, const type, addresses, sum,                    \
                 ptx_write_number(PLACE(at, sum, i), size, numbers[i]))

ROW_FUNCTIONS(byte, lane_u32, 1, wide, uint64_t)
ROW_FUNCTIONS(half, lane_u32, 2, wide, uint64_t)
ROW_FUNCTIONS(word, lane_u32, 4, wide, uint64_t)
ROW_FUNCTIONS(long, lane_u64, 8, wide, uint64_t)
ROW_FUNCTIONS(byte_near, lane_u32, 1, narrow, uint32_t)
ROW_FUNCTIONS(half_near, lane_u32, 2, narrow, uint32_t)
ROW_FUNCTIONS(word_near, lane_u32, 4, narrow, uint32_t)
ROW_FUNCTIONS(long_near, lane_u64, 8, narrow, uint32_t)

typedef void (*access_row)(void *row, const struct where *where, unsigned more, uint32_t mask);

/* By whether addresses are wide, and by the bytes of a number. */
#define BY_BYTES(use, how)                                                                         \
    {                                                                                              \
        [1] = use##_byte##how, [2] = use##_half##how, [4] = use##_word##how, [8] = use##_long##how \
    }
static const access_row readers[2][9] = {BY_BYTES(read, _near), BY_BYTES(read, )};
static const access_row writers[2][9] = {BY_BYTES(write, _near), BY_BYTES(write, )};

static void sign_row(unsigned char *row, unsigned bytes, uint32_t mask)
{
    lane_u32 *const to = (lane_u32 *)(void *)row;

    for (; mask; mask &= mask - 1) {
        const unsigned lane = ptx_first(mask);

        to[lane] = bytes == 1 ? (uint32_t)(int8_t)to[lane] : (uint32_t)(int16_t)to[lane];
    }
}

void cushim__ptx_load(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    const unsigned bytes = at->bytes;
    const unsigned char *parameter = NULL; /* of the kernel: the same for all lanes */
    struct where where;

    if (at->sub == PTX_PARAM && at->a == PTX_UNUSED) {
        parameter = cushim__ptx_bytes(step, ptx_first(step->mask), PTX_PARAM,
                                      (uint64_t)at->immediate, bytes * at->count, PTX_READ);
        if (!parameter)
            return;
    } else if (!locate(step, &where, bytes * at->count, PTX_READ)) {
        return;
    } else if (where.whole && list[0] != PTX_UNUSED) {
        const lane_u64 *const from = (const lane_u64 *)(const void *)place_of(&where, 0);
        lane_u64 *const to = (lane_u64 *)(void *)(step->frame + list[0]);

        for (unsigned i = 0; i < PTX_LANES * bytes / 8; i++)
            to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; i < at->count; i++) {
        if (list[i] == PTX_UNUSED)
            continue;
        if (parameter)
            cushim__ptx_fill(step, list[i], ptx_read_number(parameter + i * bytes, bytes),
                             bytes == 8);
        else
            readers[where.wide != NULL][bytes](step->frame + list[i], &where, i * bytes,
                                               step->mask);
        if (at->flags & FLAG_SIGNED && bytes < 4)
            sign_row(step->frame + list[i], bytes, step->mask);
    }
}

void cushim__ptx_store(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    const unsigned bytes = at->bytes;
    struct where where;

    if (!locate(step, &where, bytes * at->count, PTX_WRITE))
        return;
    if (where.whole) {
        const lane_u64 *const from = ptx_row(step, list[0]);
        lane_u64 *const to = (lane_u64 *)(void *)place_of(&where, 0);

        for (unsigned i = 0; i < PTX_LANES * bytes / 8; i++)
            __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; i < at->count; i++)
        writers[where.wide != NULL][bytes]((void *)ptx_row(step, list[i]), &where, i * bytes,
                                           step->mask);
}

static uint64_t source(const struct ptx_step *step, uint32_t operand, unsigned lane, unsigned bytes)
{
    if (operand == PTX_UNUSED)
        return 0;
    return ptx_number(ptx_row(step, operand), lane, bytes == 8) &
           (bytes == 2 ? 0xffff : UINT64_MAX);
}

/* Put a number in the place of an old one. False: there is another, which `old` becomes. */
static bool replace(unsigned char *place, unsigned bytes, uint64_t *old, uint64_t number)
{
#define REPLACE(type)                                                                   \
    __atomic_compare_exchange_n((type *)(void *)place, (type *)old, (type)number, true, \
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
    return bytes == 8 ? REPLACE(lane_u64) : bytes == 4 ? REPLACE(lane_u32) : REPLACE(lane_u16);
}

void cushim__ptx_atomic_access(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uintptr_t shared = (uintptr_t)step->warp->block->shared;
    struct where where;
    uint64_t old[PTX_LANES];

    /* It may be a lock that another lane holds. */
    if (!step->warp->others)
        step->warp->apart += PTX_SPINNING;
    else
        step->left -= step->left < PTX_SPINNING ? step->left : PTX_SPINNING;
    if (!locate(step, &where, at->bytes, PTX_ATOMIC))
        return;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        unsigned char *const place = place_of(&where, lane);
        const bool is_shared = (uintptr_t)place - shared < step->launch->shared_bytes;
        const uint64_t b = source(step, at->b, lane, at->bytes),
                       c = source(step, at->c, lane, at->bytes);

        old[lane] = ptx_read_number(place, at->bytes);
        while (!replace(place, at->bytes, &old[lane],
                        cushim__ptx_atomic((enum ptx_atomic)at->count, (enum ptx_type)at->type,
                                           old[lane], b, c, is_shared)))
            continue;
    }
    for (uint32_t left = at->d == PTX_UNUSED ? 0 : step->mask; left; left &= left - 1)
        ptx_set_number(step->frame + at->d, ptx_first(left), at->bytes == 8, old[ptx_first(left)]);
}

/* The destination is in shared memory; what is not read is zero. */
void cushim__ptx_copy_async(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    struct where where;

    if (!locate(step, &where, at->bytes, PTX_READ))
        return;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);
        const uint32_t size =
            at->b == PTX_UNUSED ? at->count : (uint32_t)source(step, at->b, lane, 4);
        uint64_t to = at->target;
        unsigned char *place;

        if (at->d != PTX_UNUSED)
            to = (uint32_t)(source(step, at->d, lane, at->type & ADDRESS_WIDE ? 8 : 4) + to);
        place = cushim__ptx_bytes(step, lane, PTX_SHARED, to, at->count, PTX_WRITE);
        if (!place)
            return;
        memset(place, 0, at->count);
        memcpy(place, place_of(&where, lane), size < at->count ? size : at->count);
    }
}

/* --- addresses --- */

/* Constants lie in global memory; what the program declared as such is none to it. */
static bool is_constant(const struct ptx_launch *launch, uint64_t address)
{
    const struct ptx_module *const module = &launch->program->module;

    for (size_t i = 0; i < module->global_count; i++) {
        if (module->globals[i].constant && address - launch->globals[i] < module->globals[i].bytes)
            return true;
    }
    return false;
}

void cushim__ptx_isspace(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *row = ptx_row(step, at->a);
    uint32_t result = 0;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint64_t address = row[i];
        enum ptx_space space = space_of(&address);

        if (space == PTX_GLOBAL && is_constant(step->launch, address))
            space = PTX_CONST;
        result |= (uint32_t)(space == (enum ptx_space)at->sub) << i;
    }
    ptx_put_bits(step, at->d, result);
}

void cushim__ptx_cvta(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *row = ptx_row(step, at->a);
    const uint64_t window = spaces[at->sub].window;
    const uint64_t more = at->count ? -window : window;
    lane_u64 *const restrict to = step->result;

    /* A parameter of a function lies in local memory. */
    for (unsigned i = 0; i < PTX_LANES; i++)
        to[i] = row[i] + more;
}

void cushim__ptx_address(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const struct ptx_launch *launch = step->launch;
    const lane_u32 *const bases =
        at->sub == SYMBOL_LOCAL ? (const lane_u32 *)step->warp->local_bases : zeros;
    uint64_t address = (uint64_t)at->immediate;

    if (at->sub == SYMBOL_GLOBAL)
        address += launch->globals[at->target];
    else if (at->sub == SYMBOL_SHARED)
        address += launch->function->shared_offsets[at->target];
    for (unsigned i = 0; i < PTX_LANES; i++)
        ptx_set_number(step->result, i, at->bytes == 8, address + bases[i]);
}
