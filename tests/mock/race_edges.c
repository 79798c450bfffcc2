/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/race_edges.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const settings[] = {
    "mode = auto",     "mode = threaded",   "schedule = eager",
    "schedule = lazy", "schedule = random", "schedule = random\nseed = 7",
};

static const struct race_edge *edges;

/* Run an edge, and count the races. */
static size_t races_of(const struct race_edge *edge, bool ordered, const char *text)
{
    size_t count;

    race_begin(text);
    edge->run(ordered);
    count = race_count();
    if (ordered && count > 0)
        print_error("%s, %s: %s\n", edge->name, text, cushim_mock_race(world, 0));
    if (!ordered && count != 1)
        print_error("%s, %s: %zu races\n", edge->name, text, count);
    race_end();
    return count;
}

/* So many races are found of each edge. */
static void check(bool ordered, size_t want)
{
    size_t wrong = 0;

    for (const struct race_edge *edge = edges; edge->name; edge++) {
        for (size_t i = 0; i < COUNT(settings); i++)
            wrong += races_of(edge, ordered, settings[i]) != want;
    }
    assert_int_equal(wrong, 0);
}

static void what_is_ordered_is_no_race(void **state)
{
    (void)state;
    check(true, 0);
}

static void what_nothing_orders_is_one_race_in_every_schedule(void **state)
{
    (void)state;
    check(false, 1);
}

int race_edges_check(const struct race_edge *these)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ordered_is_no_race),
        cmocka_unit_test(what_nothing_orders_is_one_race_in_every_schedule),
    };

    edges = these;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
