/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: a table that is current cannot be written by accident. */
#define _GNU_SOURCE
#include <signal.h>

#include "fake.h"
#include "forked.h"
#include "tests/support/environment.h"

static struct fake_source source;

/* Where the child writes, within the current table. */
static size_t offset;

static int write_into_the_current_table(void)
{
    volatile unsigned char *byte = (unsigned char *)(uintptr_t)cushim_driver() + offset;

    signal(SIGSEGV, SIG_DFL);
    *byte = 0;
    return 0;
}

/* That it is told where it is so, tests/security/sealed_test.c shows. */
static bool is_told_writable(void)
{
    struct cushim_report report = {.size = sizeof report};

    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    return report.table_writable;
}

static void assert_current_table_is_read_only(void)
{
    for (offset = 0; offset < sizeof(struct cushim_table); offset += 512)
        assert_int_equal(forked_answer(write_into_the_current_table), FORKED_DIED - SIGSEGV);
    offset = sizeof(struct cushim_table) - 1;
    assert_int_equal(forked_answer(write_into_the_current_table), FORKED_DIED - SIGSEGV);
    assert_false(is_told_writable());
}

static void boot_table_is_read_only(void **state)
{
    (void)state;
    assert_current_table_is_read_only();
}

static void table_of_the_loaded_driver_is_read_only(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_current_table_is_read_only();
}

static void absent_table_is_read_only(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_current_table_is_read_only();
}

static void table_of_the_callers_own_stays_writable(void **state)
{
    (void)state;
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
    assert_int_equal(forked_answer(write_into_the_current_table), 0);
    assert_false(is_told_writable()); /* it is about cushim's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(boot_table_is_read_only),
        forked_test(table_of_the_loaded_driver_is_read_only),
        forked_test(absent_table_is_read_only),
        forked_test(table_of_the_callers_own_stays_writable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
