/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the handlers around fork(): that of the parts, whichever registered first. */

#include "forked.h"
#include "src/base/system.h"
#include "tests/support/cmocka.h"

/*
 * What has been called since the last fork, two characters for each call. When: < before the fork,
 * > after it in the parent, c in the child. Which part: o for the loader, a for the layer, m for
 * the mock.
 */
static char called[64];

static void call(const char *which)
{
    strncat(called, which, sizeof called - strlen(called) - 1);
}

static void loader_prepare(void)
{
    called[0] = '\0'; /* the first of all */
    call("<o");
}

static void loader_child(void)
{
    call("co");
}

static void layer_prepare(void)
{
    call("<a");
}

static void layer_parent(void)
{
    call(">a");
}

static void layer_child(void)
{
    call("ca");
}

static void mock_prepare(void)
{
    call("<m");
}

static void mock_parent(void)
{
    call(">m");
}

static void mock_child(void)
{
    call("cm");
}

static int register_handlers(void **state)
{
    for (int times = 0; times < 2; times++) {
        cushim__system_handle_forks(CUSHIM__FORK_MOCK, mock_prepare, mock_parent, mock_child);
        /* The loader has nothing to do in the parent. */
        cushim__system_handle_forks(CUSHIM__FORK_LOADER, loader_prepare, NULL, loader_child);
        cushim__system_handle_forks(CUSHIM__FORK_LAYER, layer_prepare, layer_parent, layer_child);
    }
    return 0;
}

static int compare_in_child(void)
{
    return strcmp(called, "<o<a<mcmcaco");
}

static void handlers_run_in_order_before_a_fork_and_in_reverse_order_after_it(void **state)
{
    assert_int_equal(forked_answer(compare_in_child), 0);
    assert_string_equal(called, "<o<a<m>m>a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_run_in_order_before_a_fork_and_in_reverse_order_after_it),
    };

    return cmocka_run_group_tests_name("fork handlers", tests, register_handlers, NULL);
}
