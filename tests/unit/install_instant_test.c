/* SPDX-License-Identifier: Apache-2.0 */
/* A load and an install at one instant: neither undoes what the other has done. */
#include "fake.h"
#include "forked.h"
#include "loader/loader.h"

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

/* What happens at the instant, once. */
static void (*at_the_instant)(void);

const struct cushim_table *__real_cushim__absent_table(void);
const struct cushim_table *__wrap_cushim__absent_table(void);

/*
 * The linker puts this in its place: it is called where the absent table is about to become the
 * current one.
 */
const struct cushim_table *__wrap_cushim__absent_table(void)
{
    void (*act)(void) = at_the_instant;

    at_the_instant = NULL;
    if (act)
        act();
    return __real_cushim__absent_table();
}

static void load_a_driver(void)
{
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
}

static void install_a_mock(void)
{
    assert_int_equal(cushim_table_install(fake_mock(), NULL), CUDA_SUCCESS);
}

static void driver_that_is_loaded_while_a_table_is_taken_out_is_current(void **state)
{
    const struct cushim_table *former = NULL;

    (void)state;
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    install_a_mock();
    at_the_instant = load_a_driver;
    assert_int_equal(cushim_table_install(NULL, &former), CUDA_SUCCESS);
    assert_null(at_the_instant);
    assert_ptr_equal(former, fake_mock());
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_false(cushim__is_installed());
}

static void table_that_is_installed_while_a_load_fails_stays(void **state)
{
    (void)state;
    at_the_instant = install_a_mock;
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_null(at_the_instant);
    assert_int_equal(fake_query(), FAKE_MOCK_ANSWER);
    assert_int_equal(cushim_table_install(NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(driver_that_is_loaded_while_a_table_is_taken_out_is_current),
        forked_test(table_that_is_installed_while_a_load_fails_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
