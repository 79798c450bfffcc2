/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols by number: what the registry says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The oldest ABI of the registry, and a version that no toolkit has reached. */
enum { OLDEST = 2000, BEYOND = 20000 };

static size_t number_of_slots(void)
{
    return (sizeof(struct cushim_table) - sizeof(size_t)) / sizeof(cushim_function);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void there_is_one_symbol_per_slot(void **state)
{
    (void)state;
    assert_int_equal(cushim_symbol_count(), number_of_slots());
    assert_true(cushim_symbol_count() >= 670);
}

static void names_begin_with_cu_and_a_capital(void **state)
{
    (void)state;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *name = cushim_symbol_name(i);
        assert_memory_equal(name, "cu", 2);
        assert_in_range(name[2], 'A', 'Z');
    }
}

static void names_are_unique(void **state)
{
    const size_t count = cushim_symbol_count();
    const char **names = calloc(count, sizeof *names);

    (void)state;
    assert_non_null(names);
    for (size_t i = 0; i < count; i++)
        names[i] = cushim_symbol_name(i);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        assert_string_not_equal(names[i - 1], names[i]);
    free(names);
}

static void numbers_follow_the_order_of_the_slots(void **state)
{
#define ROW(slot)                                       \
    {                                                   \
        "cu" #slot, offsetof(struct cushim_table, slot) \
    }
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
        ROW(GetErrorString),        ROW(Init),
        ROW(DriverGetVersion),      ROW(MemAlloc),
        ROW(MemAlloc_v2),           ROW(EventQuery),
        ROW(EventElapsedTime),      ROW(EventElapsedTime_v2),
        ROW(ProfilerStop),          ROW(GLGetDevices),
        ROW(EventRecord_ptsz),      ROW(GetProcAddress_v2),
        ROW(VDPAUCtxCreate),        ROW(LaunchKernel),
        ROW(CheckpointProcessLock), ROW(WGLGetDevice),
    };
#undef ROW

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t index = (rows[i].offset - sizeof(size_t)) / sizeof(cushim_function);
        assert_string_equal(cushim_symbol_name(index), rows[i].name);
    }
}

static void versions_are_versions_of_cuda(void **state)
{
    (void)state;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        assert_in_range(cushim_symbol_since(i), OLDEST, BEYOND);
        assert_int_equal(cushim_symbol_since(i) % 10, 0);
    }
}

static void fallback_is_an_older_symbol_without_a_fallback_of_its_own(void **state)
{
    unsigned fallbacks = 0;

    (void)state;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const char *name = cushim_symbol_fallback(i);
        size_t older = 0;

        if (!name[0])
            continue;
        while (older < cushim_symbol_count() && strcmp(cushim_symbol_name(older), name) != 0)
            older++;
        assert_true(older < cushim_symbol_count());
        assert_true(cushim_symbol_since(older) < cushim_symbol_since(i));
        assert_string_equal(cushim_symbol_fallback(older), "");
        fallbacks++;
    }
    assert_true(fallbacks >= 1);
}

static void numbers_out_of_range_answer_nothing(void **state)
{
    const size_t beyond[] = {cushim_symbol_count(), cushim_symbol_count() + 1, 65536, SIZE_MAX};

    (void)state;
    for (size_t i = 0; i < COUNT(beyond); i++) {
        assert_string_equal(cushim_symbol_name(beyond[i]), "");
        assert_string_equal(cushim_symbol_fallback(beyond[i]), "");
        assert_int_equal(cushim_symbol_since(beyond[i]), 0);
        assert_int_equal(cushim_symbol_state(beyond[i]), CUSHIM_SYMBOL_UNKNOWN);
        assert_false(cushim_symbol_missed(beyond[i]));
    }
}

static void nothing_is_known_of_a_symbol_before_a_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        assert_int_equal(cushim_symbol_state(i), CUSHIM_SYMBOL_UNKNOWN);
        assert_false(cushim_symbol_missed(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_one_symbol_per_slot),
        cmocka_unit_test(names_begin_with_cu_and_a_capital),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(numbers_follow_the_order_of_the_slots),
        cmocka_unit_test(versions_are_versions_of_cuda),
        cmocka_unit_test(fallback_is_an_older_symbol_without_a_fallback_of_its_own),
        cmocka_unit_test(numbers_out_of_range_answer_nothing),
        cmocka_unit_test(nothing_is_known_of_a_symbol_before_a_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
