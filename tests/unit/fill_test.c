/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a table of the caller's: how a symbol is found, and what stands in for a missing one. */
#define _GNU_SOURCE
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/tables.h"
#include "tests/support/library.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { GUARD = 0xab };

/* A table with room behind it, all of it guarded. */
static union {
    struct cushim_table table;
    unsigned char bytes[sizeof(struct cushim_table) + 64];
} room;

static struct fake_source source;

static int reset(void **state)
{
    (void)state;
    memset(&room, GUARD, sizeof room);
    memset(&source, 0, sizeof source);
    fake.version = FAKE_LIBRARY_VERSION;
    return 0;
}

static struct cushim_table *fill(size_t size, struct cushim_symbol_counts *counts)
{
    room.table.size = size;
    assert_int_equal(cushim_table_fill(&room.table, fake_resolve, &source, counts), CUDA_SUCCESS);
    assert_int_equal(room.table.size, size < sizeof room.table ? size : sizeof room.table);
    return &room.table;
}

static void assert_guarded_from(size_t offset)
{
    for (size_t i = offset; i < sizeof room; i++)
        assert_int_equal(room.bytes[i], GUARD);
}

static cushim_function slot(const struct cushim_table *table, size_t index)
{
    cushim_function function;

    memcpy(&function, (const char *)table + sizeof(size_t) + index * sizeof function,
           sizeof function);
    return function;
}

/* --- the caller's table --- */

static void every_slot_can_be_called(void **state)
{
    const struct cushim_table *table = fill(sizeof *table, NULL);

    (void)state;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        assert_true(slot(table, i) != NULL);
    assert_int_equal(table->EventQuery(NULL), FAKE_ANSWER);
    assert_int_equal(table->MemFree_v2(0), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_guarded_from(sizeof *table);
}

static void smaller_table_is_not_written_beyond_its_size(void **state)
{
    static const size_t slots[] = {1, 2, 17, CUSHIM__SYMBOL_COUNT - 1};
    struct cushim_symbol_counts counts;

    for (size_t i = 0; i < COUNT(slots); i++) {
        const size_t end = sizeof(size_t) + slots[i] * sizeof(cushim_function);
        /* A size that ends within a slot leaves that slot alone. */
        for (size_t odd = 0; odd < sizeof(cushim_function); odd += 3) {
            reset(state);
            fill(end + odd, &counts);
            assert_guarded_from(end);
            assert_true(slot(&room.table, slots[i] - 1) != NULL);
            assert_true(counts.core.total + counts.interop.total <= slots[i]);
        }
    }
}

static void table_of_a_newer_caller_keeps_what_is_not_known_here(void **state)
{
    (void)state;
    fill(sizeof room, NULL);
    assert_guarded_from(sizeof room.table);
}

static void table_without_room_for_a_slot_is_refused(void **state)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t),
                                   sizeof(size_t) + sizeof(cushim_function) - 1};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        room.table.size = sizes[i];
        assert_int_equal(cushim_table_fill(&room.table, fake_resolve, &source, NULL),
                         CUDA_ERROR_INVALID_VALUE);
        assert_guarded_from(sizeof(size_t));
    }
    assert_int_equal(source.lookups, 0);
}

static void null_is_refused(void **state)
{
    (void)state;
    room.table.size = sizeof room.table;
    assert_int_equal(cushim_table_fill(NULL, fake_resolve, &source, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_fill(&room.table, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_table_fill_library(&room.table, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_guarded_from(sizeof(size_t));
}

static void source_that_is_no_driver_leaves_the_table_untouched(void **state)
{
    static const char *const lacking[] = {"cuInit", "cuDriverGetVersion"};
    struct cushim_symbol_counts counts, before;

    (void)state;
    memset(&before, GUARD, sizeof before);
    for (size_t i = 0; i < COUNT(lacking); i++) {
        counts = before;
        source.lacks[0] = lacking[i];
        room.table.size = sizeof room.table;
        assert_int_equal(cushim_table_fill(&room.table, fake_resolve, &source, &counts),
                         CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
        assert_guarded_from(sizeof(size_t));
        assert_memory_equal(&counts, &before, sizeof counts);
    }
}

static void process_wide_driver_is_neither_used_nor_changed(void **state)
{
    (void)state;
    fill(sizeof room.table, NULL);
    assert_ptr_equal(cushim_driver(), &cushim__boot_table);
    for (size_t i = 0; i < cushim_symbol_count(); i++)
        assert_int_equal(cushim_symbol_state(i), CUSHIM_SYMBOL_UNKNOWN);
}

static void table_is_filled_from_an_open_library(void **state)
{
    struct cushim_symbol_counts counts;
    void *library = library_open(FAKE_LIBRARY);

    (void)state;
    assert_non_null(library);
    room.table.size = sizeof room.table;
    assert_int_equal(cushim_table_fill_library(&room.table, library, &counts), CUDA_SUCCESS);
    assert_int_equal(room.table.EventQuery(NULL), FAKE_LIBRARY_ANSWER);
    assert_int_equal(counts.core.found, 4);
    library_close(library);
}

/* --- what is counted --- */

static void symbols_are_counted_by_how_they_were_found(void **state)
{
    struct cushim_symbol_counts counts;
    unsigned foreign = 0;

    (void)state;
    fill(sizeof room.table, &counts);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT && !cushim__system_is_windows; i++)
        foreign += (cushim__symbols[i].flags & CUSHIM__WINDOWS) != 0;
    assert_int_equal(counts.core.total + counts.interop.total + foreign, CUSHIM__SYMBOL_COUNT);
    assert_int_equal(counts.core.found, FAKE_SYMBOLS);
    assert_int_equal(counts.core.by_proc_address, 0);
    assert_int_equal(counts.core.fallen_back, 0);
    assert_int_equal(counts.core.missing, counts.core.total - FAKE_SYMBOLS);
    assert_int_equal(counts.interop.found, 0);
    assert_int_equal(counts.interop.missing, counts.interop.total);
}

static const char *asked[2 * CUSHIM__SYMBOL_COUNT];
static size_t asked_count;

static cushim_function note_and_resolve(const char *symbol, void *data)
{
    assert_true(asked_count < COUNT(asked));
    asked[asked_count++] = symbol;
    return fake_resolve(symbol, data);
}

static void each_symbol_is_asked_for_by_its_exact_name(void **state)
{
    size_t next = 0;

    (void)state;
    room.table.size = sizeof room.table;
    assert_int_equal(cushim_table_fill(&room.table, note_and_resolve, &source, NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < asked_count && next < CUSHIM__SYMBOL_COUNT; i++)
        next += strcmp(asked[i], cushim_symbol_name(next)) == 0;
    assert_int_equal(next, CUSHIM__SYMBOL_COUNT);
}

/* --- what is missing --- */

static void missing_symbol_refuses_the_call_and_is_remembered(void **state)
{
    const struct cushim_table *table = fill(sizeof *table, NULL);
    const size_t called = symbol_number("cuEventRecord"),
                 other = symbol_number("cuEventSynchronize");

    (void)state;
    assert_false(cushim_symbol_missed(called));
    assert_int_equal(table->EventRecord(NULL, NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_true(cushim_symbol_missed(called));
    assert_false(cushim_symbol_missed(other));
}

static float elapsed_ms(const struct cushim_table *table)
{
    float ms = 0;

    assert_int_equal(table->EventElapsedTime_v2(&ms, NULL, NULL), CUDA_SUCCESS);
    return ms;
}

static void symbol_that_is_there_is_not_replaced_by_its_fallback(void **state)
{
    (void)state;
    assert_true(elapsed_ms(fill(sizeof room.table, NULL)) > 1);
}

static void fallback_takes_the_slot_of_a_lacking_symbol(void **state)
{
    struct cushim_symbol_counts counts;
    const struct cushim_table *table = &room.table;

    (void)state;
    source.lacks[0] = "cuEventElapsedTime_v2";
    fill(sizeof *table, &counts);
    assert_true(elapsed_ms(table) <= 1);
    assert_int_equal(counts.core.fallen_back, 1);
    assert_int_equal(counts.core.found, FAKE_SYMBOLS - 1);
    assert_int_equal(counts.core.missing, counts.core.total - FAKE_SYMBOLS);
}

static void fallback_that_is_lacking_too_leaves_the_symbol_missing(void **state)
{
    struct cushim_symbol_counts counts;
    float ms;

    (void)state;
    source.lacks[0] = "cuEventElapsedTime_v2";
    source.lacks[1] = "cuEventElapsedTime";
    fill(sizeof room.table, &counts);
    assert_int_equal(counts.core.fallen_back, 0);
    assert_int_equal(room.table.EventElapsedTime_v2(&ms, NULL, NULL),
                     CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_true(cushim_symbol_missed(symbol_number("cuEventElapsedTime_v2")));
    assert_false(cushim_symbol_missed(symbol_number("cuEventElapsedTime")));
}

#define fill_test(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fill_test(every_slot_can_be_called),
        fill_test(smaller_table_is_not_written_beyond_its_size),
        fill_test(table_of_a_newer_caller_keeps_what_is_not_known_here),
        fill_test(table_without_room_for_a_slot_is_refused),
        fill_test(null_is_refused),
        fill_test(source_that_is_no_driver_leaves_the_table_untouched),
        fill_test(process_wide_driver_is_neither_used_nor_changed),
        fill_test(table_is_filled_from_an_open_library),
        fill_test(symbols_are_counted_by_how_they_were_found),
        fill_test(each_symbol_is_asked_for_by_its_exact_name),
        fill_test(missing_symbol_refuses_the_call_and_is_remembered),
        fill_test(symbol_that_is_there_is_not_replaced_by_its_fallback),
        fill_test(fallback_takes_the_slot_of_a_lacking_symbol),
        fill_test(fallback_that_is_lacking_too_leaves_the_symbol_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
