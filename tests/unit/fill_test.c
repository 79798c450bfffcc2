/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a table: how a symbol is found, and what is counted. */
#define _GNU_SOURCE
#include <limits.h>

#include "fake.h"
#include "forked.h"
#include "loader/symbols.h"
#include "src/base/system.h"

enum { GUARD = 0xab };

/* A table with extra bytes behind it, all filled with the guard pattern. */
static union {
    struct cushim_table table;
    unsigned char bytes[sizeof(struct cushim_table) + 64];
} guarded;

static struct cushim_table *const table = &guarded.table;
static struct fake_source source;
static struct cushim_symbol_counts counts;

static void fill(size_t size)
{
    memset(&guarded, GUARD, sizeof guarded);
    table->size = size;
    assert_int_equal(cushim_table_fill(table, fake_resolve, &source, &counts), CUDA_SUCCESS);
    assert_int_equal(table->size, size < sizeof *table ? size : sizeof *table);
}

static void assert_guarded_from(size_t offset)
{
    for (size_t i = offset; i < sizeof guarded; i++)
        assert_int_equal(guarded.bytes[i], GUARD);
}

static cushim_function slot(size_t index)
{
    cushim_function function;

    memcpy(&function, guarded.bytes + sizeof(size_t) + index * sizeof function, sizeof function);
    return function;
}

/* --- the caller's table --- */

FORKED_TEST(every_slot_can_be_called)
{
    fill(sizeof guarded);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        assert_true(slot(i) != NULL);
    assert_int_equal(table->EventQuery(NULL), FAKE_ANSWER);
    assert_int_equal(table->MemFree_v2(0), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_guarded_from(sizeof *table);
    /* The driver of the process is neither used nor changed. */
    assert_int_equal(fake_report().state, CUSHIM_STATE_UNTRIED);
}

FORKED_TEST(smaller_table_is_not_written_beyond_its_size)
{
    static const size_t slots[] = {1, 2, 17, CUSHIM__SYMBOL_COUNT - 1};

    for (size_t i = 0; i < COUNT(slots); i++) {
        const size_t end = sizeof(size_t) + slots[i] * sizeof(cushim_function);
        /* A size that ends within a slot leaves that slot alone. */
        for (size_t odd = 0; odd < sizeof(cushim_function); odd += 3) {
            fill(end + odd);
            assert_guarded_from(end);
            assert_true(slot(slots[i] - 1) != NULL);
            assert_true(counts.core.total + counts.interop.total <= slots[i]);
        }
    }
}

FORKED_TEST(invalid_arguments_leave_the_table_untouched)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) + sizeof(cushim_function) - 1};

    memset(&guarded, GUARD, sizeof guarded);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        table->size = sizes[i];
        assert_int_equal(cushim_table_fill(table, fake_resolve, &source, NULL),
                         CUDA_ERROR_INVALID_VALUE);
    }
    table->size = sizeof guarded;
    assert_int_equal(cushim_table_fill(NULL, fake_resolve, &source, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_fill(table, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_fill_library(table, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_guarded_from(sizeof(size_t));
    assert_int_equal(source.lookups, 0);
}

FORKED_TEST(source_that_is_no_driver_leaves_the_table_untouched)
{
    static const char *const lacking[] = {"cuInit", "cuDriverGetVersion"};

    memset(&guarded, GUARD, sizeof guarded);
    for (size_t i = 0; i < COUNT(lacking); i++) {
        counts.core.total = GUARD;
        source.lacks[0] = lacking[i];
        table->size = sizeof guarded;
        assert_int_equal(cushim_table_fill(table, fake_resolve, &source, &counts),
                         CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
        assert_guarded_from(sizeof(size_t));
        assert_int_equal(counts.core.total, GUARD);
    }
}

/* --- by name --- */

static const char *asked[2 * CUSHIM__SYMBOL_COUNT];
static size_t asked_count;

static void note(const char *symbol)
{
    assert_true(asked_count < COUNT(asked));
    asked[asked_count++] = symbol;
}

FORKED_TEST(each_symbol_is_looked_up_by_its_exact_name_and_counted)
{
    unsigned foreign = 0;

    source.looked_up = note;
    fill(sizeof *table);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const bool is_foreign =
            cushim__symbols[i].flags & CUSHIM__WINDOWS && !cushim__system_is_windows;
        bool is_asked = false;

        for (size_t k = 0; k < asked_count && !is_asked; k++)
            is_asked = strcmp(asked[k], cushim__symbol_name(i)) == 0;
        assert_int_not_equal(is_asked, is_foreign);
        foreign += is_foreign;
    }
    assert_int_equal(counts.core.total + counts.interop.total + foreign, CUSHIM__SYMBOL_COUNT);
    assert_int_equal(counts.core.found, FAKE_SYMBOLS);
    assert_int_equal(counts.core.by_proc_address + counts.core.fallen_back, 0);
    assert_int_equal(counts.core.missing, counts.core.total - FAKE_SYMBOLS);
    assert_int_equal(counts.interop.found, 0);
    assert_int_equal(counts.interop.missing, counts.interop.total);
}

/* --- by cuGetProcAddress_v2 --- */

static void found_function(void)
{
}

/* A lookup like the driver's: one name, one ABI per version, one variant per stream flag. */
static const struct variant {
    const char *base;
    int since;
    uint64_t flags;
    CUresult code; /* result of the call */
    int status;    /* status that it writes */
    bool has_function;
} variants[] = {
    {"cuEventRecord", 2000, 1, CUDA_SUCCESS, 0, true},
    {"cuEventRecord", 7000, 2, CUDA_SUCCESS, 0, true},
    {"cuMemAlloc", 3020, 1, CUDA_SUCCESS, 0, true},
    /* Success without a function, and failure with one: the loader accepts neither. */
    {"cuMemFree", 3020, 1, CUDA_SUCCESS, 0, false},
    {"cuMemsetD8", 3020, 1, CUDA_SUCCESS, 2, true},
    {"cuMemsetD16", 3020, 1, CUDA_SUCCESS, INT_MIN, true},
    {"cuCtxSynchronize", 2000, 1, CUDA_ERROR_NOT_FOUND, 0, true},
    {"cuStreamQuery", 2000, 1, (CUresult)INT_MIN, 0, true},
};
enum { ACCEPTED = 3 };

static int newest;

static CUresult CUDAAPI get_proc_address(const char *base, void **function, int version,
                                         uint64_t flags, int *status)
{
    const cushim_function found = found_function;

    newest = version > newest ? version : newest;
    for (const struct variant *variant = variants; variant < variants + COUNT(variants);
         variant++) {
        if (strcmp(variant->base, base) != 0 || variant->since != version ||
            variant->flags != flags)
            continue;
        if (variant->has_function)
            memcpy(function, &found, sizeof found);
        *status = variant->status;
        return variant->code;
    }
    return CUDA_ERROR_NOT_FOUND; /* does not write its outputs */
}

static void give_proc_address(void)
{
    source.has[0].symbol = "cuGetProcAddress_v2";
    source.has[0].function = (cushim_function)get_proc_address;
}

FORKED_TEST(proc_address_is_called_with_the_base_name_and_the_version_of_the_abi)
{
    static const char *const found[] = {"cuEventRecord", "cuEventRecord_ptsz", "cuMemAlloc_v2"};
    unsigned others = 0;

    give_proc_address();
    fill(sizeof *table);
    for (size_t i = 0; i < COUNT(found); i++)
        assert_true(slot(symbol_number(found[i])) == found_function);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        others += slot(i) == found_function;
    assert_int_equal(others, ACCEPTED);
    assert_int_equal(counts.core.by_proc_address, ACCEPTED);
    assert_int_equal(counts.core.found, FAKE_SYMBOLS + 1 + ACCEPTED);
    assert_int_equal(table->EventQuery(NULL), FAKE_ANSWER); /* the exact name is tried first */
    /* The loader does not ask for versions above the driver's. */
    newest = 0;
    fake.version = 3010;
    fill(sizeof *table);
    assert_in_range(newest, 1, 3010);
    assert_int_equal(counts.core.by_proc_address, 1);
}

/* --- symbols by number --- */

static enum cushim_symbol_state state_of(const char *symbol)
{
    return cushim__symbol_state(symbol_number(symbol));
}

FORKED_TEST(load_records_how_each_symbol_was_found)
{
    give_proc_address();
    source.lacks[0] = "cuEventElapsedTime_v2";
    assert_int_equal(state_of("cuInit"), CUSHIM_SYMBOL_UNKNOWN);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    source.lacks[1] = "cuEventQuery";
    fill(sizeof *table); /* must change nothing */
    assert_int_equal(state_of("cuInit"), CUSHIM_SYMBOL_FOUND);
    assert_int_equal(state_of("cuEventQuery"), CUSHIM_SYMBOL_FOUND);
    assert_int_equal(state_of("cuMemAlloc_v2"), CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS);
    assert_int_equal(state_of("cuEventElapsedTime_v2"), CUSHIM_SYMBOL_FALLEN_BACK);
    assert_int_equal(state_of("cuMemFree_v2"), CUSHIM_SYMBOL_MISSING);
    assert_int_equal(state_of("cuWGLGetDevice"),
                     cushim__system_is_windows ? CUSHIM_SYMBOL_MISSING : CUSHIM_SYMBOL_FOREIGN);
}

FORKED_TEST(driver_has_what_was_found_or_replaced_in_its_version)
{
    give_proc_address();
    source.lacks[0] = "cuEventElapsedTime_v2";
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_true(cushim_driver_has("cuEventQuery", 0));
    assert_true(cushim_driver_has("cuEventQuery", FAKE_VERSION));
    assert_false(cushim_driver_has("cuEventQuery", FAKE_VERSION + 10));
    assert_true(cushim_driver_has("cuMemAlloc_v2", 0));         /* by cuGetProcAddress */
    assert_true(cushim_driver_has("cuEventElapsedTime_v2", 0)); /* by its fallback */
    assert_false(cushim_driver_has("cuMemFree_v2", 0));
    assert_false(cushim_driver_has("cuWGLGetDevice", 0));
    assert_false(cushim_driver_has(NULL, 0));
}

static void count_message(void *data, const char *message)
{
    ++*(unsigned *)data;
    CONTAINS(message, "no symbol");
}

/* A name without `cu` is that of a slot, no symbol. The log says so with and without a driver. */
FORKED_TEST(unknown_symbol_is_absent_and_logged)
{
    static const char *const names[] = {"EventQuery", "cuEvent", "cueventquery", ""};
    unsigned messages = 0;

    cushim_log_set(count_message, &messages);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(cushim_driver_has(names[i], 0));
        assert_int_equal(source.lookups, 0);
        assert_int_equal(messages, i + 1);
    }
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_false(cushim_driver_has("EventQuery", 0));
    assert_true(cushim_driver_has("cuEventQuery", 0));
    assert_int_equal(messages, COUNT(names) + 1);
}

FORKED_TEST(driver_that_is_absent_has_nothing)
{
    source.lacks[0] = "cuInit";
    assert_int_equal(fake_load(&source), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_false(cushim_driver_has("cuInit", 0));
    assert_false(cushim_driver_has("cuGetErrorName", 0));
}

FORKED_TEST(numbers_follow_the_order_of_the_slots)
{
    const size_t beyond[] = {cushim_symbol_count(), 65536, SIZE_MAX};

    assert_int_equal(cushim_symbol_count(), CUSHIM__SYMBOL_COUNT);
    assert_string_equal(cushim__symbol_name(CUSHIM__SLOT(GetErrorString)), "cuGetErrorString");
    assert_string_equal(cushim__symbol_name(CUSHIM__SLOT(MemAlloc_v2)), "cuMemAlloc_v2");
    assert_string_equal(cushim__symbol_name(CUSHIM__SLOT(EventRecord_ptsz)), "cuEventRecord_ptsz");
    assert_int_equal(cushim__symbol_since(CUSHIM__SLOT(MemAlloc_v2)), 3020);
    assert_string_equal(cushim__symbol_fallback(CUSHIM__SLOT(EventElapsedTime_v2)),
                        "cuEventElapsedTime");
    for (size_t i = 0; i < COUNT(beyond); i++) {
        assert_string_equal(cushim__symbol_name(beyond[i]), "");
        assert_string_equal(cushim__symbol_fallback(beyond[i]), "");
        assert_int_equal(cushim__symbol_since(beyond[i]), 0);
        assert_int_equal(cushim__symbol_state(beyond[i]), CUSHIM_SYMBOL_UNKNOWN);
        assert_false(cushim__symbol_missed(beyond[i]));
    }
}
