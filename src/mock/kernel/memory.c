/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as a thread sees it. Every access is within what the launch owns or what its host has
 * found for the address, so a kernel reads and writes nothing else. Numbers are read and written
 * by relaxed atomic operations of the host, since the program's threads may use the same memory.
 */
#include "src/mock/kernel/launch.h"

#include <string.h>

static const char *const space_names[] = {"generic", "global", "shared", "local", "param", "const"};
static const char *const use_names[] = {"read", "write", "atomic operation"};

static unsigned char *refuse(struct ptx_step *step, enum ptx_fault_kind kind, unsigned lane,
                             enum ptx_space space, uint64_t address, unsigned bytes,
                             enum ptx_use use)
{
    struct ptx_fault *fault = &step->launch->fault;

    if (step->launch->state == PTX_FAULT)
        return NULL;
    fault->address = address;
    fault->bytes = bytes;
    fault->space = space;
    fault->use = use;
    cushim__ptx_fault_at(step, kind, lane, "%s of %u bytes at 0x%llx, %s memory: %s",
                         use_names[use], bytes, (unsigned long long)address, space_names[space],
                         kind == PTX_MISALIGNED    ? "the address is not aligned"
                         : kind == PTX_WRONG_SPACE ? "not possible there"
                                                   : "the address is in no allocation");
    return NULL;
}

static void report(struct ptx_step *step, unsigned lane, enum ptx_space space, uint64_t address,
                   unsigned bytes, enum ptx_use use)
{
    const struct ptx_launch *launch = step->launch;
    const struct ptx_access access = {
        .use = use,
        .space = space,
        .address = address,
        .bytes = bytes,
        .block = step->warp->block->linear,
        .thread = cushim__ptx_thread(step->warp, lane),
        .phase = step->warp->block->phase,
        .line = step->at->line,
    };

    launch->host->access(launch->data, &access);
}

static unsigned char *global_bytes(struct ptx_step *step, unsigned lane, uint64_t address,
                                   unsigned bytes, enum ptx_use use)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_range *range = &step->warp->range;

    if (address - range->start >= range->bytes) {
        struct ptx_range found = {0};

        if (!launch->host->find(launch->data, address, &found))
            return refuse(step, PTX_OUT_OF_BOUNDS, lane, PTX_GLOBAL, address, bytes, use);
        *range = found;
    }
    if (address - range->start >= range->bytes || range->bytes - (address - range->start) < bytes ||
        (range->read_only && use != PTX_READ))
        return refuse(step, PTX_OUT_OF_BOUNDS, lane, PTX_GLOBAL, address, bytes, use);
    if (launch->host->access)
        report(step, lane, PTX_GLOBAL, address, bytes, use);
    return range->host + (address - range->start);
}

/* Which window an address is in; the address becomes an offset in it. */
static enum ptx_space space_of(uint64_t *address)
{
    if (*address - PTX_SHARED_WINDOW < PTX_LOCAL_WINDOW - PTX_SHARED_WINDOW) {
        *address -= PTX_SHARED_WINDOW;
        return PTX_SHARED;
    }
    if (*address - PTX_LOCAL_WINDOW < PTX_PARAM_WINDOW - PTX_LOCAL_WINDOW) {
        *address -= PTX_LOCAL_WINDOW;
        return PTX_LOCAL_SPACE;
    }
    if (*address - PTX_PARAM_WINDOW < PTX_CODE_WINDOW - PTX_PARAM_WINDOW) {
        *address -= PTX_PARAM_WINDOW;
        return PTX_PARAM;
    }
    return PTX_GLOBAL;
}

unsigned char *cushim__ptx_bytes(struct ptx_step *step, unsigned lane, enum ptx_space space,
                                 uint64_t address, unsigned bytes, enum ptx_use use)
{
    struct ptx_launch *launch = step->launch;
    struct ptx_warp *warp = step->warp;
    const uint64_t named = address;

    if (bytes > 1 && address % bytes)
        return refuse(step, PTX_MISALIGNED, lane, space, address, bytes, use);
    if (space == PTX_GENERIC)
        space = space_of(&address);
    switch (space) {
    case PTX_SHARED:
        if (address > launch->shared_bytes || launch->shared_bytes - address < bytes)
            return refuse(step, PTX_OUT_OF_BOUNDS, lane, space, named, bytes, use);
        if (launch->host->access)
            report(step, lane, PTX_SHARED, address, bytes, use);
        return warp->block->shared + address;
    case PTX_LOCAL_SPACE:
        if (use == PTX_ATOMIC)
            return refuse(step, PTX_WRONG_SPACE, lane, space, named, bytes, use);
        if (address > warp->local_stride || warp->local_stride - address < bytes)
            return refuse(step, PTX_OUT_OF_BOUNDS, lane, space, named, bytes, use);
        return warp->local + (size_t)lane * warp->local_stride + address;
    case PTX_PARAM:
        if (use != PTX_READ)
            return refuse(step, PTX_WRONG_SPACE, lane, space, named, bytes, use);
        if (address > launch->parameter_bytes || launch->parameter_bytes - address < bytes)
            return refuse(step, PTX_OUT_OF_BOUNDS, lane, space, named, bytes, use);
        return launch->parameters + address;
    default:
        if (address - PTX_GRID_WINDOW <= PTX_GRID_BYTES - bytes && launch->shape.cooperative)
            return (unsigned char *)launch->grid_memory + (address - PTX_GRID_WINDOW);
        return global_bytes(step, lane, address, bytes, use);
    }
}

/* The address of each lane. */
static void addresses(const struct ptx_step *step, uint64_t *result)
{
    const struct ptx_instruction *at = step->at;
    const uint64_t offset = (uint64_t)at->immediate;

    if (at->other & ADDRESS_IN_FRAME) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = step->warp->local_bases[i] + offset;
    } else if (at->a == PTX_UNUSED) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = offset;
    } else if (at->other & ADDRESS_WIDE) {
        const lane_u64 *row = (const lane_u64 *)ptx_row(step, at->a);

        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = row[i] + offset;
    } else {
        const lane_u32 *row = (const lane_u32 *)ptx_row(step, at->a);

        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] = (uint32_t)(row[i] + (uint32_t)offset);
    }
    /* A wide row may hold the address in a small space: its upper half does not count. */
    if (at->other & ADDRESS_WIDE && (at->sub == PTX_SHARED || at->sub == PTX_LOCAL_SPACE)) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            result[i] &= UINT32_MAX;
    }
}

static bool within(const struct ptx_range *range, uint64_t address, unsigned bytes)
{
    const uint64_t offset = address - range->start;

    return offset < range->bytes && range->bytes - offset >= bytes;
}

/*
 * The pointers of all lanes, if all are within the range and aligned. There is no branch in the
 * loop: an offset that is too large shows in the upper bit of a difference.
 */
static bool locate_all(const struct ptx_range *range, unsigned bytes,
                       const uint64_t where[PTX_LANES], unsigned char *places[PTX_LANES])
{
    const uint64_t room = range->bytes - bytes, start = range->start;
    const uint64_t host = (uint64_t)(uintptr_t)range->host - start;
    uint64_t over = 0, low = 0;

    if (range->bytes < bytes || range->bytes >> 63 || range->read_only)
        return false;
    for (unsigned i = 0; i < PTX_LANES; i++) {
        over |= (room - (where[i] - start)) | (where[i] - start);
        low |= where[i];
    }
    if (over >> 63 || low & (bytes - 1))
        return false;
    for (unsigned i = 0; i < PTX_LANES; i++)
        places[i] = (unsigned char *)(uintptr_t)(host + where[i]);
    return true;
}

/* The host's pointers for all lanes that take part. False: a fault. */
static bool locate(struct ptx_step *step, unsigned bytes, enum ptx_use use,
                   unsigned char *places[PTX_LANES])
{
    const struct ptx_instruction *at = step->at;
    struct ptx_launch *launch = step->launch;
    const struct ptx_range shared = {0, launch->shared_bytes, step->warp->block->shared, false};
    const enum ptx_space space = (enum ptx_space)at->sub;
    const bool simple = space <= PTX_SHARED && !launch->host->access;
    const struct ptx_range *range = space == PTX_SHARED ? &shared : &step->warp->range;
    uint64_t where[PTX_LANES];

    addresses(step, where);
    if (space <= PTX_GLOBAL) {
        *(use == PTX_WRITE ? &launch->counts.bytes_written : &launch->counts.bytes_read) +=
            (uint64_t)bytes * ptx_count(step->mask);
    }
    if (simple && step->mask == PTX_ALL_LANES && locate_all(range, bytes, where, places))
        return true;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        /* Most are near the one before. */
        if (simple && within(range, where[lane], bytes) && !(where[lane] & (bytes - 1)) &&
            !range->read_only)
            places[lane] = range->host + (where[lane] - range->start);
        else if (!(places[lane] = cushim__ptx_bytes(step, lane, space, where[lane], bytes, use)))
            return false;
    }
    return true;
}

static uint64_t read_number(const unsigned char *place, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n(place, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)(const void *)place, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const lane_u32 *)(const void *)place, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const lane_u64 *)(const void *)place, __ATOMIC_RELAXED);
    }
}

static void write_number(unsigned char *place, unsigned bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n(place, (unsigned char)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)(void *)place, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((lane_u32 *)(void *)place, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((lane_u64 *)(void *)place, value, __ATOMIC_RELAXED);
        break;
    }
}

static uint32_t extended(uint64_t value, unsigned bytes, bool is_signed)
{
    if (is_signed && bytes == 1)
        return (uint32_t)(int8_t)value;
    return is_signed && bytes == 2 ? (uint32_t)(int16_t)value : (uint32_t)value;
}

/* A row of all lanes, or of some, for numbers whose size the compiler knows. */
#define ROW_FUNCTIONS(name, type, size)                                                      \
    static void read_##name(unsigned char *row, unsigned char *const *places, size_t offset, \
                            uint32_t mask)                                                   \
    {                                                                                        \
        type *const to = (type *)(void *)row;                                                \
                                                                                             \
        for (unsigned i = 0; mask == PTX_ALL_LANES && i < PTX_LANES; i++)                    \
            to[i] = (type)read_number(places[i] + offset, size);                             \
        for (uint32_t left = ~mask ? mask : 0; left; left &= left - 1)                       \
            to[ptx_first(left)] = (type)read_number(places[ptx_first(left)] + offset, size); \
    }                                                                                        \
    static void write_##name(const unsigned char *row, unsigned char *const *places,         \
                             size_t offset, uint32_t mask)                                   \
    {                                                                                        \
        const type *const from = (const type *)(const void *)row;                            \
                                                                                             \
        for (unsigned i = 0; mask == PTX_ALL_LANES && i < PTX_LANES; i++)                    \
            write_number(places[i] + offset, size, from[i]);                                 \
        for (uint32_t left = ~mask ? mask : 0; left; left &= left - 1)                       \
            write_number(places[ptx_first(left)] + offset, size, from[ptx_first(left)]);     \
    }

ROW_FUNCTIONS(byte, lane_u32, 1)
ROW_FUNCTIONS(half, lane_u32, 2)
ROW_FUNCTIONS(word, lane_u32, 4)
ROW_FUNCTIONS(long, lane_u64, 8)

static void sign_row(unsigned char *row, unsigned bytes, uint32_t mask)
{
    lane_u32 *const to = (lane_u32 *)(void *)row;

    for (; mask; mask &= mask - 1)
        to[ptx_first(mask)] = extended(to[ptx_first(mask)], bytes, true);
}

/* A parameter of the kernel: the same for all lanes. */
static void load_parameter(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    const unsigned bytes = at->bytes * at->count;
    const unsigned char *from = cushim__ptx_bytes(step, ptx_first(step->mask), PTX_PARAM,
                                                  (uint64_t)at->immediate, bytes, PTX_READ);

    for (unsigned i = 0; from && i < at->count; i++) {
        const uint64_t value = read_number(from + i * at->bytes, at->bytes);
        const uint32_t word = extended(value, at->bytes, at->flags & FLAG_SIGNED);

        if (list[i] == PTX_UNUSED)
            continue;
        for (unsigned lane = 0; at->bytes == 8 && lane < PTX_LANES; lane++)
            step->scratch[lane] = value;
        for (unsigned lane = 0; at->bytes < 8 && lane < PTX_LANES; lane++)
            ((lane_u32 *)step->scratch)[lane] = word;
        if (at->bytes == 8)
            cushim__ptx_write64(step->frame + list[i], step->scratch, step->mask);
        else
            cushim__ptx_write32(step->frame + list[i], (lane_u32 *)step->scratch, step->mask);
    }
}

void cushim__ptx_load(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    const unsigned bytes = at->bytes;
    const bool is_signed = at->flags & FLAG_SIGNED;
    unsigned char *places[PTX_LANES];

    if (at->sub == PTX_PARAM && at->a == PTX_UNUSED) {
        load_parameter(step);
        return;
    }
    if (!locate(step, bytes * at->count, PTX_READ, places))
        return;
    for (unsigned i = 0; i < at->count; i++) {
        unsigned char *const row = step->frame + list[i];
        const size_t offset = (size_t)i * bytes;

        if (list[i] == PTX_UNUSED)
            continue;
        if (bytes == 4)
            read_word(row, (unsigned char *const *)places, offset, step->mask);
        else if (bytes == 8)
            read_long(row, (unsigned char *const *)places, offset, step->mask);
        else if (bytes == 2)
            read_half(row, (unsigned char *const *)places, offset, step->mask);
        else
            read_byte(row, (unsigned char *const *)places, offset, step->mask);
        if (is_signed && bytes < 4)
            sign_row(row, bytes, step->mask);
    }
}

void cushim__ptx_store(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const uint32_t *list = step->launch->program->lists + at->list;
    const unsigned bytes = at->bytes;
    unsigned char *places[PTX_LANES];

    if (!locate(step, bytes * at->count, PTX_WRITE, places))
        return;
    for (unsigned i = 0; i < at->count; i++) {
        const unsigned char *const row = ptx_row(step, list[i]);
        const size_t offset = (size_t)i * bytes;

        if (bytes == 4)
            write_word(row, (unsigned char *const *)places, offset, step->mask);
        else if (bytes == 8)
            write_long(row, (unsigned char *const *)places, offset, step->mask);
        else if (bytes == 2)
            write_half(row, (unsigned char *const *)places, offset, step->mask);
        else
            write_byte(row, (unsigned char *const *)places, offset, step->mask);
    }
}

static uint64_t source(const struct ptx_step *step, uint32_t operand, unsigned lane, unsigned bytes)
{
    const void *row;

    if (operand == PTX_UNUSED)
        return 0;
    row = ptx_row(step, operand);
    return bytes == 8
               ? ((const lane_u64 *)row)[lane]
               : ((const lane_u32 *)row)[lane] & (bytes == 2 ? UINT32_C(0xffff) : UINT32_MAX);
}

/* Replace a number as an atomic operation of the host, and return what was there. */
static uint64_t exchange(unsigned char *place, const struct ptx_instruction *at, uint64_t b,
                         uint64_t c)
{
    const enum ptx_atomic operation = (enum ptx_atomic)at->count;
    const enum ptx_type type = (enum ptx_type)at->type;

    if (at->bytes == 8) {
        lane_u64 *const at64 = (lane_u64 *)(void *)place;
        uint64_t old = __atomic_load_n(at64, __ATOMIC_RELAXED);

        while (!__atomic_compare_exchange_n(at64, (lane_u64 *)&old,
                                            cushim__ptx_atomic(operation, type, old, b, c), true,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        return old;
    }
    if (at->bytes == 4) {
        lane_u32 *const at32 = (lane_u32 *)(void *)place;
        uint32_t old = __atomic_load_n(at32, __ATOMIC_RELAXED);

        while (!__atomic_compare_exchange_n(
            at32, (lane_u32 *)&old, (uint32_t)cushim__ptx_atomic(operation, type, old, b, c), true,
            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        return old;
    } else {
        uint16_t *const at16 = (uint16_t *)(void *)place;
        uint16_t old = __atomic_load_n(at16, __ATOMIC_RELAXED);

        while (!__atomic_compare_exchange_n(
            at16, &old, (uint16_t)cushim__ptx_atomic(operation, type, old, b, c), true,
            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        return old;
    }
}

void cushim__ptx_atomic_access(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    unsigned char *places[PTX_LANES];
    uint64_t old[PTX_LANES];

    if (!locate(step, at->bytes, PTX_ATOMIC, places))
        return;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        old[lane] = exchange(places[lane], at, source(step, at->b, lane, at->bytes),
                             source(step, at->c, lane, at->bytes));
    }
    for (uint32_t left = at->d == PTX_UNUSED ? 0 : step->mask; left; left &= left - 1) {
        const unsigned lane = ptx_first(left);

        if (at->bytes == 8)
            ((lane_u64 *)(void *)(step->frame + at->d))[lane] = old[lane];
        else
            ((lane_u32 *)(void *)(step->frame + at->d))[lane] = (uint32_t)old[lane];
    }
}

/* The destination is in shared memory; what is not read is zero. */
void cushim__ptx_copy_async(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    unsigned char *places[PTX_LANES];

    if (!locate(step, at->bytes, PTX_READ, places))
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
        memcpy(place, places[lane], size < at->count ? size : at->count);
    }
}

/* --- addresses --- */

void cushim__ptx_isspace(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *row = (const lane_u64 *)(const void *)ptx_row(step, at->a);
    const enum ptx_space asked = at->sub == PTX_CONST ? PTX_PARAM : (enum ptx_space)at->sub;
    uint32_t result = 0;
    lane_u32 *d;

    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint64_t address = row[i];
        enum ptx_space space = space_of(&address);

        result |= (uint32_t)(space == asked && at->sub != PTX_CONST) << i;
    }
    if (at->d == PTX_UNUSED)
        return;
    d = (lane_u32 *)(void *)(step->frame + at->d);
    *d = (*d & ~step->mask) | (result & step->mask);
}

void cushim__ptx_cvta(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const lane_u64 *row = (const lane_u64 *)(const void *)ptx_row(step, at->a);
    const uint64_t window = at->sub == PTX_SHARED        ? PTX_SHARED_WINDOW
                            : at->sub == PTX_LOCAL_SPACE ? PTX_LOCAL_WINDOW
                            : at->sub == PTX_PARAM       ? PTX_PARAM_WINDOW
                                                         : 0;
    /* A parameter of a function lies in local memory. */
    for (unsigned i = 0; i < PTX_LANES; i++)
        step->scratch[i] = at->count ? row[i] - window : row[i] + window;
    if (at->d != PTX_UNUSED)
        cushim__ptx_write64(step->frame + at->d, step->scratch, step->mask);
}

void cushim__ptx_address(struct ptx_step *step)
{
    const struct ptx_instruction *at = step->at;
    const struct ptx_launch *launch = step->launch;
    uint64_t address = (uint64_t)at->immediate;

    if (at->sub == SYMBOL_GLOBAL)
        address += launch->globals[at->target];
    else if (at->sub == SYMBOL_SHARED)
        address += launch->code->shared_offsets[at->target];
    for (unsigned i = 0; i < PTX_LANES; i++) {
        const uint64_t own =
            at->sub == SYMBOL_LOCAL ? address + step->warp->local_bases[i] : address;

        if (at->bytes == 8)
            step->scratch[i] = own;
        else
            ((lane_u32 *)step->scratch)[i] = (uint32_t)own;
    }
    if (at->bytes == 8)
        cushim__ptx_write64(step->frame + at->d, step->scratch, step->mask);
    else
        cushim__ptx_write32(step->frame + at->d, (lane_u32 *)step->scratch, step->mask);
}
