/* SPDX-License-Identifier: Apache-2.0 */
/* For every id, the misuse is found once and under that id, and the correct use is not reported. */

#include <cushim/testing/check.h>

#include "src/check/rules/rules.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"
#include "tests/layer/testkit.h"

/* Ids that fork_test.c and tests/mock/race_execute_test.c test. */
static const char *const elsewhere[] = {"CUSHIM-handle-before-fork", "CUSHIM-kernel-race"};

enum { MOST = 300 };

static char said[8192];

static void begin(const struct check_case *one)
{
    const struct cushim_check_options options = {.size = sizeof options,
                                                 .settings = check_case_settings(one)};

    testkit_begin(&(struct cushim_test_options){
        .size = sizeof(struct cushim_test_options),
        .settings = one->needs & CASE_MANUAL ? "mode = manual" : "mode = auto",
        .context = true});
    order_below = cushim_layer_wrapped(layer);
    OK(cushim_check_start(layer, &options));
}

static void misuse_is_found(void **state)
{
    const struct check_case *one = *state;
    bool is_found;

    begin(one);
    check_case_run(one, true);
    is_found = check_case_is_found(one);
    cushim_check_stop(layer, said, sizeof said);
    if (!is_found)
        fail_msg("one %s is expected, and nothing else: %s", one->id, said);
    testkit_end(); /* reports the mock's misuses, and leaks */
}

static void right_use_is_not(void **state)
{
    const struct check_case *one = *state;

    begin(one);
    check_case_run(one, false);
    assert_int_equal(cushim_check_count(layer, NULL), 0);
    if (cushim_check_stop(layer, said, sizeof said) != CUDA_SUCCESS)
        fail_msg("%s", said);
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
}

/* Ends a test that failed in the middle of a case, so that the next one can begin. */
static int end(void **state)
{
    if (testkit)
        testkit_end();
    return 0;
}

static bool has_case(const char *id)
{
    if (strcmp(elsewhere[0], id) == 0 || strcmp(elsewhere[1], id) == 0)
        return true;
    for (size_t i = 0; check_lists[i]; i++) {
        for (const struct check_case *one = check_lists[i]; one->id; one++) {
            if (strcmp(one->id, id) == 0)
                return true;
        }
    }
    return false;
}

static void every_id_has_a_row_and_a_case(void **state)
{
    for (unsigned i = 0; i < CUSHIM__CHECK_IDS; i++) {
        const struct cushim__check_rule *rule = &cushim__check_rules[i];

        if (!rule->id)
            fail_msg("id %u has no row", i);
        if (!has_case(rule->id))
            fail_msg("%s has no case", rule->id);
    }
}

static struct CMUnitTest tests[MOST] = {cmocka_unit_test(every_id_has_a_row_and_a_case)};
static size_t count = 1;

/* Add a test with a name. */
static void add(CMUnitTestFunction function, const struct check_case *one, const char *what)
{
    static char names[MOST][100];

    if (count == MOST)
        abort();
    snprintf(names[count], sizeof *names, "%s, %s: %s", one->id, one->name, what);
    tests[count] = (struct CMUnitTest){names[count], function, NULL, end, (void *)one};
    count++;
}

int main(void)
{
    for (size_t i = 0; check_lists[i]; i++) {
        for (const struct check_case *one = check_lists[i]; one->id; one++) {
            if (one->needs & CASE_GPU)
                continue;
            add(misuse_is_found, one, "found");
            add(right_use_is_not, one, "not found");
        }
    }
    return _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
}
