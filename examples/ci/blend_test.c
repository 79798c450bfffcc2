/* SPDX-License-Identifier: Apache-2.0 */
/* A test that runs without a GPU. A leak or a misuse of the driver makes it fail, too. */
#include <cushim/testing/cmocka.h>

#include "blend.h"

static const struct cushim_test_options on_mock = {.size = sizeof on_mock, .context = true};

static const struct cushim_test_options short_of_memory = {
    .size = sizeof short_of_memory,
    .context = true,
    .faults = "cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)",
};

static void halves_become_one_image(void **state)
{
    unsigned char image[4] = {0};

    (void)state;
    assert_int_equal(blend(image, (const unsigned char *)"ab", (const unsigned char *)"cd", 2),
                     CUDA_SUCCESS);
    assert_memory_equal(image, "abcd", 4);
}

static void memory_that_runs_out_is_reported(void **state)
{
    unsigned char image[4] = {0};

    (void)state;
    assert_int_equal(blend(image, (const unsigned char *)"ab", (const unsigned char *)"cd", 2),
                     CUDA_ERROR_OUT_OF_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(halves_become_one_image, cushim_cmocka_begin,
                                                 cushim_cmocka_end, (void *)&on_mock),
        cmocka_unit_test_prestate_setup_teardown(memory_that_runs_out_is_reported,
                                                 cushim_cmocka_begin, cushim_cmocka_end,
                                                 (void *)&short_of_memory),
    };

    return cmocka_run_group_tests_name("blend", tests, NULL, NULL);
}
