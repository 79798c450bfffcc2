/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations that are refused, and verdicts that do not fit. */
#include "tests/layer/expectation_world.h"

static void expectation_that_makes_no_sense_is_refused(void **state)
{
    static const struct {
        struct cushim_expectation what;
        const char *message;
    } cases[] = {
        {{.function = "cuEventRecrod"},
         "the driver has no function cuEventRecrod; did you mean cuEventRecord?"},
        {{.function = "frobnicate"}, "the driver has no function frobnicate"},
        {{.function = "cuFrob*"}, "no function fits cuFrob*"},
        {{.function = NULL}, "no function is named"},
        {{.function = "cuEventQuery", .arguments = {[1] = {.kind = CUSHIM_MATCH_NULL}}},
         "cuEventQuery has 1 parameters, and there are 2 matchers"},
        {{.function = "cuEvent*", .arguments = {[9] = {.kind = CUSHIM_MATCH_NULL}}},
         "no function that fits cuEvent* has 10 parameters"},
        {{.function = "cuEventQuery", .minimum = 3, .maximum = 2},
         "cuEventQuery: the minimum 3 is above the maximum 2"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TAG}}},
         "cuEventQuery: the matcher of hEvent has no text"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_PREDICATE}}},
         "cuEventQuery: the matcher of hEvent has no predicate"},
        {{.function = "cuEventQuery", .arguments = {{.kind = (enum cushim_match_kind)77}}},
         "cuEventQuery: the matcher of hEvent has an unknown kind"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TEXT, .text = "a"}}},
         "cuEventQuery: the matcher of hEvent wants a text, which this is not"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TAG, .text = ""}}},
         "cuEventQuery: the matcher of hEvent has an empty tag"},
        {{.function = "cuMemAlloc_v2",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 2, .last = 1}}},
         "cuMemAlloc_v2: the matcher of bytesize has a range that ends before it begins"},
        {{.function = "cuDeviceGet",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 1, .last = (uint64_t)-1}}},
         "cuDeviceGet: the matcher of ordinal has a range that ends before it begins"},
        {{.function = "cuDeviceGet*",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 2, .last = 1}}},
         "cuDeviceGet*: a matcher has a range that ends before it begins"},
        {{.function = "cuDeviceGet",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_TAG, .text = "event#1"}}},
         "cuDeviceGet: the matcher of ordinal wants a tag, which this has not"},
    };
    char why[200];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cushim_expectation what = cases[i].what;

        what.size = sizeof what;
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect(layer, &what, why, sizeof why));
        assert_string_equal(why, cases[i].message);
    }
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_forbid(layer, "cuEventQeury", why, sizeof why));
    assert_string_equal(why, "the driver has no function cuEventQeury; did you mean cuEventQuery?");
    assert_verified();
}

static void what_is_missing_is_refused(void **state)
{
    struct cushim_expectation what = {.size = 3, .function = "cuInit"};

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect(layer, &what, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect(layer, NULL, NULL, 0));
    what.size = sizeof what;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect(NULL, &what, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_forbid(NULL, "cuInit", NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_errors_forbid(NULL, true));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect_errors_begin(NULL, CUDA_SUCCESS));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect_errors_end(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_verify(NULL, said, sizeof said));
    cushim_expectations_clear(NULL);
}

static void verdict_that_does_not_fit_says_so(void **state)
{
    char small[20];

    (void)state;
    EXPECT(.function = "cuEventQuery");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, small, sizeof small));
    assert_string_equal(small, "expected exactl...\n");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, NULL, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, expectation_setup, expectation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(expectation_that_makes_no_sense_is_refused),
        TEST(what_is_missing_is_refused),
        TEST(verdict_that_does_not_fit_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
