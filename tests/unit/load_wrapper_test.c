/* SPDX-License-Identifier: Apache-2.0 */
/* Loading by a library that has no symbols of the driver and needs one that has them. */
#include "fake.h"
#include "forked.h"

static void library_that_only_leads_to_the_driver_stays_the_same_library(void **state)
{
    (void)state;
    assert_int_equal(fake_load_library(FAKE_WRAPPER), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
    assert_int_equal(fake_load_library(FAKE_WRAPPER), CUDA_SUCCESS);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(library_that_only_leads_to_the_driver_stays_the_same_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
