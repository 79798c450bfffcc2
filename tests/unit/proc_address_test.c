/* SPDX-License-Identifier: Apache-2.0 */
/* cuGetProcAddress_v2 as the second source of symbols, and what is remembered of each. */
#include <stdbool.h>
#include <string.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/system.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fake_source source;
static struct cushim_table table;

/* Like the driver's: one name, one ABI per version, one variant per stream flag. */
static const struct variant {
    const char *base, *symbol;
    int since;
    uint64_t flags;
    CUresult code; /* what the query answers */
    int status;    /* what it writes as status */
    bool has_function;
} variants[] = {
    {"cuEventRecord", "cuEventRecord", 2000, 1, CUDA_SUCCESS, 0, true},
    {"cuEventRecord", "cuEventRecord_ptsz", 7000, 2, CUDA_SUCCESS, 0, true},
    {"cuMemAlloc", "cuMemAlloc_v2", 3020, 1, CUDA_SUCCESS, 0, true},
    {"cuMemFree", "cuMemFree_v2", 3020, 1, CUDA_SUCCESS, 0, false},
    {"cuMemsetD8", "cuMemsetD8_v2", 3020, 1, CUDA_SUCCESS, 2, true},
    {"cuCtxSynchronize", "cuCtxSynchronize", 2000, 1, CUDA_ERROR_NOT_FOUND, 0, true},
};

static unsigned queries, newest;

static void found_by_proc_address(void)
{
}

static bool is_by_proc_address(const char *symbol)
{
    cushim_function slot;

    memcpy(&slot, (const char *)&table + sizeof(size_t) + symbol_number(symbol) * sizeof slot,
           sizeof slot);
    return slot == found_by_proc_address;
}

static CUresult CUDAAPI get_proc_address(const char *base, void **function, int version,
                                         uint64_t flags, int *status)
{
    queries++;
    newest = (unsigned)version > newest ? (unsigned)version : newest;
    *function = NULL;
    *status = 1;
    for (size_t i = 0; i < COUNT(variants); i++) {
        const struct variant *variant = &variants[i];
        const cushim_function found = found_by_proc_address;
        if (strcmp(variant->base, base) != 0 || variant->since != version ||
            variant->flags != flags)
            continue;
        if (variant->has_function)
            memcpy(function, &found, sizeof found);
        *status = variant->status;
        return variant->code;
    }
    return CUDA_ERROR_NOT_FOUND;
}

static cushim_function resolve_with_proc_address(const char *symbol, void *data)
{
    if (strcmp(symbol, "cuGetProcAddress_v2") == 0)
        return (cushim_function)get_proc_address;
    return fake_resolve(symbol, data);
}

static struct cushim_symbol_counts fill(void)
{
    struct cushim_symbol_counts counts;

    queries = newest = 0;
    table.size = sizeof table;
    assert_int_equal(cushim_table_fill(&table, resolve_with_proc_address, &source, &counts),
                     CUDA_SUCCESS);
    return counts;
}

static void proc_address_is_asked_for_the_base_name_at_the_version_of_the_abi(void **state)
{
    const struct cushim_symbol_counts counts = fill();

    (void)state;
    assert_true(is_by_proc_address("cuEventRecord"));
    assert_true(is_by_proc_address("cuEventRecord_ptsz"));
    assert_true(is_by_proc_address("cuMemAlloc_v2"));
    assert_false(is_by_proc_address("cuMemAlloc"));
    assert_int_equal(counts.core.by_proc_address, 3);
    assert_int_equal(counts.core.found, FAKE_SYMBOLS + 1 + 3);
}

static void
proc_address_that_succeeds_without_a_function_or_a_status_of_0_is_not_believed(void **state)
{
    (void)state;
    fill();
    assert_int_equal(table.MemFree_v2(0), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(table.MemsetD8_v2(0, 0, 0), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(table.CtxSynchronize(), CUSHIM__REQUIRES_NEWER_DRIVER);
}

static void exact_name_goes_before_proc_address(void **state)
{
    (void)state;
    fill();
    assert_int_equal(table.EventQuery(NULL), FAKE_ANSWER);
}

static void proc_address_is_never_asked_for_more_than_the_driver_knows(void **state)
{
    (void)state;
    fake.version = 3010;
    fill();
    assert_true(newest <= 3010);
    assert_true(queries > 0);
    assert_int_equal(table.MemAlloc_v2(NULL, 0), CUSHIM__REQUIRES_NEWER_DRIVER);
}

/* --- what the process-wide load remembers of each symbol --- */

static enum cushim_symbol_state state_of(const char *symbol)
{
    return cushim_symbol_state(symbol_number(symbol));
}

static void load_remembers_how_each_symbol_was_found(void **state)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .resolver = resolve_with_proc_address,
        .resolver_data = &source,
    };

    (void)state;
    source.lacks[0] = "cuEventElapsedTime_v2";
    assert_int_equal(cushim_load(&options), CUDA_SUCCESS);
    assert_int_equal(state_of("cuInit"), CUSHIM_SYMBOL_FOUND);
    assert_int_equal(state_of("cuMemAlloc_v2"), CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS);
    assert_int_equal(state_of("cuEventElapsedTime_v2"), CUSHIM_SYMBOL_FALLEN_BACK);
    assert_int_equal(state_of("cuMemFree_v2"), CUSHIM_SYMBOL_MISSING);
    assert_int_equal(state_of("cuWGLGetDevice"),
                     cushim__system_is_windows ? CUSHIM_SYMBOL_MISSING : CUSHIM_SYMBOL_FOREIGN);
}

static void filling_another_table_later_leaves_these_states_alone(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    source.lacks[0] = "cuEventQuery";
    fill();
    assert_int_equal(state_of("cuEventQuery"), CUSHIM_SYMBOL_FOUND);
    assert_int_equal(state_of("cuMemAlloc_v2"), CUSHIM_SYMBOL_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(proc_address_is_asked_for_the_base_name_at_the_version_of_the_abi),
        forked_test(proc_address_that_succeeds_without_a_function_or_a_status_of_0_is_not_believed),
        forked_test(exact_name_goes_before_proc_address),
        forked_test(proc_address_is_never_asked_for_more_than_the_driver_knows),
        forked_test(load_remembers_how_each_symbol_was_found),
        forked_test(filling_another_table_later_leaves_these_states_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
