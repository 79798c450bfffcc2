/* SPDX-License-Identifier: Apache-2.0 */
/* The registry as the loader sees it: one row per slot, in slot order. */
#ifndef CUSHIM_LOADER_SYMBOLS_H
#define CUSHIM_LOADER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/table.h>

enum {
    CUSHIM__SYMBOL_COUNT = (sizeof(struct cushim_table) - sizeof(size_t)) / sizeof(cushim_function),
    CUSHIM__NO_FALLBACK = UINT16_MAX,
};

/* CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, which headers up to 12.5 lack. */
#define CUSHIM__REQUIRES_NEWER_DRIVER ((CUresult)36)

/* The number of the slot with this name. */
#define CUSHIM__SLOT(name) \
    ((unsigned)((offsetof(struct cushim_table, name) - sizeof(size_t)) / sizeof(cushim_function)))

/* Flags of a symbol. */
enum {
    CUSHIM__PER_THREAD = 1, /* uses the per-thread default stream */
    CUSHIM__INTEROP = 2,    /* graphics interop */
    CUSHIM__WINDOWS = 4,    /* exists on Windows only */
};

struct cushim__symbol {
    uint16_t name;       /* offset of the exported name in cushim__symbol_names */
    uint16_t since;      /* CUDA version that introduced this ABI */
    uint16_t fallback;   /* number of the symbol used instead, or CUSHIM__NO_FALLBACK */
    uint8_t base_length; /* length of the name for cuGetProcAddress */
    uint8_t flags;
};

extern const struct cushim__symbol cushim__symbols[CUSHIM__SYMBOL_COUNT];
extern const char cushim__symbol_names[];

/* The members of a cushim_symbol; 0, "", CUSHIM_SYMBOL_UNKNOWN and false if out of range. */
const char *cushim__symbol_name(size_t index);
int cushim__symbol_since(size_t index);
const char *cushim__symbol_fallback(size_t index);
enum cushim_symbol_state cushim__symbol_state(size_t index);
bool cushim__symbol_missed(size_t index);

/* The exported name of a slot. */
static inline const char *cushim__slot_name(unsigned slot)
{
    return cushim__symbol_names + cushim__symbols[slot].name;
}

/* The address of a slot in a table. */
static inline const void *cushim__table_slot(const struct cushim_table *table, unsigned slot)
{
    return (const char *)table + sizeof(size_t) + slot * sizeof(cushim_function);
}

#endif
