/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the detector of growth that soak.c uses. */
#include "soak.h"
#include "tests/support/cmocka.h"

static struct figure figure;

static void fill(double allowance, double (*sample)(unsigned index))
{
    figure = (struct figure){.name = "test", .allowance = allowance};
    for (unsigned i = 0; i < FIGURE_SAMPLES; i++)
        figure_add(&figure, sample(i));
}

static double equal(unsigned index)
{
    (void)index;
    return 0.1;
}

static double rising(unsigned index)
{
    return 1000.0 + index;
}

static double falling(unsigned index)
{
    return 1000.0 - index;
}

static double noisy(unsigned index)
{
    return 1000.0 + index * 7 % 10;
}

/* A leak that occurs once, at the end. */
static double late(unsigned index)
{
    return index < FIGURE_SAMPLES - 1 ? 1000 : 1003;
}

/* The fitted line falls, because of two outliers; the means of the thirds rise. */
static double hidden(unsigned index)
{
    if (index == 6)
        return 1010;
    if (index == 13)
        return 990;
    return index < 13 ? 1000 : 1001;
}

static void equal_samples_grow_by_nothing(void **state)
{
    (void)state;
    fill(0, equal);
    assert_true(figure_growth(&figure) == 0);
    assert_true(figure_thirds(&figure) == 0);
    assert_true(figure_is_flat(&figure));
}

static void growth_is_that_of_the_line(void **state)
{
    (void)state;
    fill(18.5, rising);
    assert_true(figure_growth(&figure) > 18.99 && figure_growth(&figure) < 19.01);
    assert_true(figure_thirds(&figure) == 14);
    assert_false(figure_is_flat(&figure));
    fill(19.5, rising);
    assert_true(figure_is_flat(&figure));
}

static void what_shrinks_is_flat(void **state)
{
    (void)state;
    fill(0, falling);
    assert_true(figure_growth(&figure) < -18.99);
    assert_true(figure_is_flat(&figure));
}

static void noise_within_the_allowance_is_flat(void **state)
{
    (void)state;
    fill(10, noisy);
    assert_true(figure_is_flat(&figure));
}

static void one_late_step_is_growth(void **state)
{
    (void)state;
    fill(0, late);
    assert_false(figure_is_flat(&figure));
}

static void what_lies_between_hides_no_growth(void **state)
{
    (void)state;
    fill(0, hidden);
    assert_true(figure_growth(&figure) < 0);
    assert_true(figure_thirds(&figure) == 1);
    assert_false(figure_is_flat(&figure));
}

static void nothing_sampled_is_not_flat(void **state)
{
    (void)state;
    figure = (struct figure){.name = "test", .allowance = 1};
    assert_false(figure_is_flat(&figure));
}

static void what_is_only_printed_is_not_judged(void **state)
{
    (void)state;
    fill(0, rising);
    figure.is_printed_only = true;
    assert_true(figure_is_flat(&figure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_samples_grow_by_nothing),
        cmocka_unit_test(growth_is_that_of_the_line),
        cmocka_unit_test(what_shrinks_is_flat),
        cmocka_unit_test(noise_within_the_allowance_is_flat),
        cmocka_unit_test(one_late_step_is_growth),
        cmocka_unit_test(what_lies_between_hides_no_growth),
        cmocka_unit_test(nothing_sampled_is_not_flat),
        cmocka_unit_test(what_is_only_printed_is_not_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
