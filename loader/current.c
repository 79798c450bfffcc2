/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current table, a pointer that every call goes through, and the absent table, in which each
 * slot returns why there is no driver.
 *
 * `own_table` is the loader's table: lazy-load, absent (NULL) or the driver's.
 * `cushim_current_table` is the same unless the program has installed another table. The loader
 * never replaces an installed table, except in the child of a fork, where a wrapped driver is
 * unusable. A table with fewer slots than this library's is installed as a copy with the rest
 * filled.
 *
 * A driver is published in this order: cushim__loaded_driver() (load.c), `own_table`,
 * `cushim_current_table`. A thread that finds the first without the others completes them before it
 * returns.
 */
#include <stdatomic.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "src/base/system.h"

const struct cushim_table *cushim_current_table = &cushim__lazy_table;
static const struct cushim_table *_Atomic own_table = &cushim__lazy_table;

#if CUSHIM__THUNKS
__attribute__((used)) static const void *const lazy_link = &cushim__lazy_link;
#endif

/* A call from inside the first load returns the initial value. */
static _Atomic int load_error = CUDA_ERROR_NOT_INITIALIZED;

/* Marks the filled tables that could not be made read-only. */
static atomic_bool is_unsealed[CUSHIM__PAGES_COUNT];

void cushim__seal(enum cushim__pages which, struct cushim_table *table)
{
    if (!cushim__pages_seal(table, sizeof *table))
        atomic_store(&is_unsealed[which], true);
}

CUresult cushim__load_error(void)
{
    return (CUresult)atomic_load_explicit(&load_error, memory_order_relaxed);
}

CUresult CUDAAPI cushim__return_load_error(void)
{
    return cushim__load_error();
}

cushim_function cushim__without_driver(unsigned symbol, cushim_function otherwise)
{
    return symbol == CUSHIM__SLOT(GetErrorName)     ? (cushim_function)cushim__get_error_name
           : symbol == CUSHIM__SLOT(GetErrorString) ? (cushim_function)cushim__get_error_string
                                                    : otherwise;
}

#if CUSHIM__THUNKS
static bool is_absent_table(const struct cushim_table *table)
{
    return table == cushim__pages(CUSHIM__PAGES_ABSENT);
}

/*
 * The absent table is filled when it is first needed, so that a process with a driver never touches
 * its pages. Threads that need it meanwhile use the lazy-load table, which returns the same.
 */
static const struct cushim_table *absent_table(void)
{
    static atomic_flag is_begun = ATOMIC_FLAG_INIT;
    static const struct cushim_table *_Atomic made;

    if (!atomic_load(&made) && !atomic_flag_test_and_set(&is_begun)) {
        struct cushim_table *table = cushim__pages(CUSHIM__PAGES_ABSENT);

        table->size = sizeof *table;
        for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
            const cushim_function function =
                cushim__without_driver(i, (cushim_function)cushim__return_load_error);
            memcpy((char *)table + sizeof table->size + i * sizeof function, &function,
                   sizeof function);
        }
        cushim__seal(CUSHIM__PAGES_ABSENT, table);
        atomic_store(&made, table);
    }
    return atomic_load(&made) ? atomic_load(&made) : &cushim__lazy_table;
}
#else
/* If one function cannot serve all slots, the lazy-load table is used, which returns the same. */
static bool is_absent_table(const struct cushim_table *table)
{
    (void)table;
    return false;
}

static const struct cushim_table *absent_table(void)
{
    return &cushim__lazy_table;
}
#endif

/* Return the table to make current for a value of `own_table`. */
static const struct cushim_table *current_for(const struct cushim_table *table)
{
    return table ? table : absent_table();
}

bool cushim__is_own_table(const struct cushim_table *table)
{
    const struct cushim__loaded *driver = cushim__loaded_driver();

    return table == &cushim__lazy_table || (driver && table == driver->table) ||
           is_absent_table(table);
}

/* Return how many slots of a table of the program's can be read. */
static size_t readable_slots(const struct cushim_table *table)
{
    const size_t size = table->size < sizeof *table ? table->size : sizeof *table;

    return size < sizeof table->size ? 0 : (size - sizeof table->size) / sizeof(cushim_function);
}

static cushim_function function_at(const struct cushim_table *table, size_t slot)
{
    cushim_function function;

    memcpy(&function, cushim__table_slot(table, (unsigned)slot), sizeof function);
    return function;
}

static bool is_complete(const struct cushim_table *table)
{
    const size_t slots = readable_slots(table);

    for (size_t i = 0; i < slots; i++) {
        if (!function_at(table, i))
            return false;
    }
    return slots > 0;
}

/*
 * Copies of the shorter tables that were installed. A copy belongs to its original for good, since
 * a call may be in progress in it, and objects remember it.
 */
enum { MOST_COPIES = 8 };

static struct copy {
    const struct cushim_table *_Atomic original;
    cushim__error_text name, string; /* the original's, which the copy's slots ask first */
    atomic_bool is_filled;
    union {
        struct cushim_table table;
        cushim_function words[1 + CUSHIM__SYMBOL_COUNT];
    } as;
} copies[MOST_COPIES];

/*
 * Return the function for a slot of a copy: the original's, its fallback, or that of a missing
 * symbol.
 */
static cushim_function copied_function(const struct cushim_table *original, unsigned slot)
{
    const size_t slots = readable_slots(original);
    const unsigned fallback = cushim__symbols[slot].fallback;

    if (slot < slots)
        return function_at(original, slot);
    if (fallback != CUSHIM__NO_FALLBACK && fallback < slots)
        return function_at(original, fallback);
    return cushim__without_driver(slot, cushim__missing_function(slot));
}

/* A slot's function does not know its table, so each copy has its own two. */
#define ERROR_TEXTS(copy)                                                                     \
    static CUresult CUDAAPI error_name_##copy(CUresult code, const char **name)               \
    {                                                                                         \
        return cushim__ask_driver(copies[copy].name, cushim__get_error_name, code, name);     \
    }                                                                                         \
    static CUresult CUDAAPI error_string_##copy(CUresult code, const char **text)             \
    {                                                                                         \
        return cushim__ask_driver(copies[copy].string, cushim__get_error_string, code, text); \
    }
#define EACH_COPY(use) use(0) use(1) use(2) use(3) use(4) use(5) use(6) use(7)
EACH_COPY(ERROR_TEXTS)

static const struct {
    cushim__error_text name, string;
} error_texts[MOST_COPIES] = {
#define ERROR_TEXTS_OF(copy) {error_name_##copy, error_string_##copy},
    EACH_COPY(ERROR_TEXTS_OF)
#undef ERROR_TEXTS_OF
#undef EACH_COPY
#undef ERROR_TEXTS
};

/*
 * Return the function that a copy's slot asks first. If the original has taken it from a copy,
 * possibly its own, it is what that copy asks: the two must not ask each other.
 */
static cushim__error_text asked_first(const struct cushim_table *original, unsigned slot)
{
    const cushim__error_text function = (cushim__error_text)copied_function(original, slot);

    for (unsigned i = 0; i < MOST_COPIES; i++) {
        if (function == error_texts[i].name)
            return copies[i].name;
        if (function == error_texts[i].string)
            return copies[i].string;
    }
    return function;
}

/* A function is written only if it differs, since threads may be calling through the copy. */
static void fill_copy(struct copy *copy, const struct cushim_table *original)
{
    const cushim__error_text name = asked_first(original, CUSHIM__SLOT(GetErrorName));
    const cushim__error_text string = asked_first(original, CUSHIM__SLOT(GetErrorString));

    if (copy->name != name)
        copy->name = name;
    if (copy->string != string)
        copy->string = string;
    if (copy->as.table.size != sizeof copy->as.table)
        copy->as.table.size = sizeof copy->as.table;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const cushim_function function = slot == CUSHIM__SLOT(GetErrorName)
                                             ? (cushim_function)error_texts[copy - copies].name
                                         : slot == CUSHIM__SLOT(GetErrorString)
                                             ? (cushim_function)error_texts[copy - copies].string
                                             : copied_function(original, slot);

        if (copy->as.words[1 + slot] != function)
            copy->as.words[1 + slot] = function;
    }
    atomic_store(&copy->is_filled, true);
}

/* Returns false if the filling thread is the parent's, or is interrupted by this signal handler. */
static bool wait_until_filled(const struct copy *copy)
{
    for (unsigned times = 0; times < 200 && !atomic_load(&copy->is_filled); times++)
        cushim__system_yield(times);
    return atomic_load(&copy->is_filled);
}

const struct cushim_table *cushim__complete_table(const struct cushim_table *table)
{
    if (table->size >= sizeof *table)
        return table;
    for (struct copy *copy = copies; copy < copies + MOST_COPIES; copy++) {
        const struct cushim_table *original = NULL;

        if (!atomic_compare_exchange_strong(&copy->original, &original, table) &&
            (original != table || !wait_until_filled(copy)))
            continue;
        fill_copy(copy, table);
        return &copy->as.table;
    }
    return NULL;
}

/* Return the table that the program installed, of which this may be a copy. */
static const struct cushim_table *original_of(const struct cushim_table *table)
{
    for (unsigned i = 0; i < MOST_COPIES; i++) {
        if (table == &copies[i].as.table)
            return atomic_load(&copies[i].original);
    }
    return table;
}

/* Make `own_table` current unless the program has installed another table. */
static void update_current(void)
{
    const struct cushim_table *former = __atomic_load_n(&cushim_current_table, __ATOMIC_SEQ_CST);

    /* Another load may publish in between, so both are read again each time. */
    while (cushim__is_own_table(former)) {
        const struct cushim_table *mine = current_for(atomic_load(&own_table));

        if (former == mine ||
            __atomic_compare_exchange_n(&cushim_current_table, &former, mine, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
    }
}

const struct cushim_table *cushim__own_table(void)
{
    return atomic_load(&own_table);
}

bool cushim__own_table_is_writable(void)
{
    const struct cushim_table *table = cushim__own_table();

    /* The lazy-load table is constant. */
    return table != &cushim__lazy_table &&
           atomic_load(&is_unsealed[table ? CUSHIM__PAGES_DRIVER : CUSHIM__PAGES_ABSENT]);
}

void cushim__publish_driver(const struct cushim_table *table)
{
    if (atomic_load(&own_table) != table)
        atomic_store(&own_table, table);
    update_current();
}

void cushim__publish_absent(CUresult code)
{
    const struct cushim_table *untried = &cushim__lazy_table;

    atomic_store(&load_error, (int)code);
    atomic_compare_exchange_strong(&own_table, &untried, NULL);
    update_current();
}

void cushim__disable_after_fork(CUresult code)
{
    atomic_store(&load_error, (int)code);
    atomic_store(&own_table, NULL);
    __atomic_store_n(&cushim_current_table, current_for(NULL), __ATOMIC_SEQ_CST);
}

bool cushim__is_installed(void)
{
    return !cushim__is_own_table(cushim_driver());
}

CUresult cushim_table_install(const struct cushim_table *table, const struct cushim_table **former)
{
    const bool to_own = !table || cushim__is_own_table(table);
    const struct cushim_table *before, *after;

    if (!to_own && !is_complete(table))
        return CUDA_ERROR_INVALID_VALUE;
    after = to_own ? current_for(cushim__own_table()) : cushim__complete_table(table);
    if (!after)
        return CUDA_ERROR_OUT_OF_MEMORY;
    before = __atomic_exchange_n(&cushim_current_table, after, __ATOMIC_SEQ_CST);
    if (to_own)
        update_current(); /* a load may have published in between */
    /* The caller may keep it beyond the next load; the lazy-load table uses that load's result. */
    if (former)
        *former = is_absent_table(before) ? &cushim__lazy_table : original_of(before);
    return CUDA_SUCCESS;
}

const struct cushim_table *cushim_table_current(void)
{
    return cushim_driver();
}

const struct cushim_table *cushim_table_installed(void)
{
    const struct cushim_table *table = cushim_driver();

    return cushim__is_own_table(table) ? NULL : original_of(table);
}
