/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a layer: how they are added, told and removed. */
#include <stdio.h>
#include <string.h>

#include "fault_world.h"
#include "src/layer/watch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void rules_are_told_and_so_is_which_never_fired(void **state)
{
    fault_add(state, "# a comment\n"
                     "\n"
                     "cuMemAlloc_v2:nth=30 => out_of_memory   # and one behind a rule\n"
                     "cuEventQuery:nth=1=>return(999)\n"
                     "cuEventQuery:nth=9 => hang\n"
                     "cuInit => return(1)\n");
    assert_string_equal(cushim_fault_text(*state, 0),
                        "cuMemAlloc_v2:nth=30 => return(OUT_OF_MEMORY)");
    assert_string_equal(cushim_fault_text(*state, 1), "cuEventQuery:nth=1 => return(UNKNOWN)");
    assert_null(cushim_fault_text(*state, 4));
    for (int i = 0; i < 4; i++)
        fault_allocate();
    fault_query();
    assert_string_equal(cushim_fault_unused(*state, 0),
                        "cuMemAlloc_v2:nth=30 => return(OUT_OF_MEMORY): matched 4 times, never "
                        "fired");
    assert_string_equal(cushim_fault_unused(*state, 1),
                        "cuEventQuery:nth=9 => hang: matched once, never fired");
    assert_string_equal(cushim_fault_unused(*state, 2),
                        "cuInit => return(INVALID_VALUE): never matched");
    assert_null(cushim_fault_unused(*state, 3));
    cushim_fault_clear(*state);
    assert_null(cushim_fault_unused(*state, 0));
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(cushim__watched[CUSHIM__SLOT(EventQuery)], 0);
}

static void text_with_one_wrong_line_adds_nothing(void **state)
{
    assert_int_equal(cushim_fault_parse(*state,
                                        "cuInit => hang\n"
                                        "# a comment\n"
                                        "  cuMemAlloc_v2 => return(OUT_OF_MEMROY)\n",
                                        fault_message, sizeof fault_message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message,
                        "faults:3:27: there is no error \"OUT_OF_MEMROY\"; did you mean "
                        "\"OUT_OF_MEMORY\"?");
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(
        cushim_fault_parse(*state, "cuInit => ha\x01ng", fault_message, sizeof fault_message),
        CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "faults:1:13: a control character, of code 1");
    assert_int_equal(cushim_fault_parse(*state, "cuInit", NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_fault_parse(*state, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_fault_parse(NULL, "cuInit => hang", NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

static void more_than_64_rules_are_refused(void **state)
{
    char text[66 * 32] = "";

    for (int i = 0; i < 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "cuInit:nth=%d => hang\n", i + 1);
    assert_int_equal(cushim_fault_parse(*state, text, fault_message, sizeof fault_message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "faults:65:1: there are 64 rules already");
    assert_null(cushim_fault_text(*state, 0));
    strrchr(text, ':')[-6] = '\0';
    fault_add(state, text);
    assert_non_null(cushim_fault_text(*state, 63));
    assert_int_equal(
        cushim_fault_parse(*state, "cuInit => hang", fault_message, sizeof fault_message),
        CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "faults:1:1: there are 64 rules already");
    assert_int_equal(cushim_fault_add(*state,
                                      &(struct cushim_fault){.size = sizeof(struct cushim_fault),
                                                             .site = "cuInit",
                                                             .effect = CUSHIM_FAULT_HANG},
                                      fault_message, sizeof fault_message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "fault: there are 64 rules already");
}

static void operation_without_a_mock_is_refused(void **state)
{
    assert_int_equal(
        cushim_fault_parse(*state, "op.copy => hang", fault_message, sizeof fault_message),
        CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(fault_message, "faults:1:1: operations are a mock's, and there is none");
}

#define FAULT .size = sizeof(struct cushim_fault)

static void struct_is_the_rule_that_it_says(void **state)
{
    static const struct {
        struct cushim_fault fault;
        const char *text;
    } cases[] = {
        {{FAULT, .site = "cuMemAlloc_v2@dev2", .nth = 3, .code = CUDA_ERROR_OUT_OF_MEMORY},
         "cuMemAlloc_v2@dev2:nth=3 => return(OUT_OF_MEMORY)"},
        {{FAULT, .site = "*", .after = 1, .every = 2, .times = 3, .probability = 0.25, .seed = 9,
          .phase = CUSHIM_FAULT_AFTER, .effect = CUSHIM_FAULT_STICKY,
          .code = CUDA_ERROR_ILLEGAL_ADDRESS},
         "*:after=1,every=2,p=0.25,seed=9,times=3,phase=after => sticky(ILLEGAL_ADDRESS)"},
        {{FAULT, .site = "cuInit", .effect = CUSHIM_FAULT_LOST}, "cuInit => lost(UNKNOWN)"},
        {{FAULT, .site = "cuInit", .effect = CUSHIM_FAULT_DELAY, .delay_ns = 1500},
         "cuInit => delay(1500 ns)"},
        {{FAULT, .site = "cuInit", .effect = CUSHIM_FAULT_HANG, .probability = 1},
         "cuInit:p=1 => hang"},
        {{FAULT, .site = "cuEvent*", .effect = CUSHIM_FAULT_MISSING}, "cuEvent* => missing"},
        {{FAULT, .site = "*", .effect = CUSHIM_FAULT_OLDER, .version = 11080}, "* => older(11.8)"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cushim_fault_add(*state, &cases[i].fault, fault_message, sizeof fault_message) !=
            CUDA_SUCCESS)
            fail_msg("%s", fault_message);
        assert_string_equal(fault_message, "");
        assert_string_equal(cushim_fault_text(*state, i), cases[i].text);
    }
}

static void struct_that_cannot_be_is_refused(void **state)
{
    static const struct {
        struct cushim_fault fault;
        const char *why;
    } cases[] = {
        {{.size = 3}, "fault: the size of the struct cannot be"},
        {{FAULT}, "fault: the site is NULL"},
        {{FAULT, .site = "cuInit:nth=2", .code = 1},
         "fault: a site has letters, digits, \"_\", \".\", \"*\" and \"@\" alone"},
        {{FAULT, .site = "cuInitt", .code = 1},
         "fault: there is no function \"cuInitt\"; did you mean \"cuInit\"?"},
        {{FAULT, .site = "cuInit", .nth = 1, .times = 2, .code = 1},
         "fault: nth means one match alone, so times does not go with it"},
        {{FAULT, .site = "cuInit"},
         "fault: the code is an error by its name or by its number from 1 to 9999, not \"0\""},
        {{FAULT, .site = "cuInit", .probability = 1.5, .code = 1},
         "fault: the probability is from 1e-9 to 1"},
        {{FAULT, .site = "cuInit", .probability = -0.5, .code = 1},
         "fault: the probability is from 1e-9 to 1"},
        {{FAULT, .site = "cuInit", .effect = (enum cushim_fault_effect)7},
         "fault: there is no such effect or phase"},
        {{FAULT, .site = "cuInit", .phase = (enum cushim_fault_phase)2, .code = 1},
         "fault: there is no such effect or phase"},
        {{FAULT, .site = "cuInit", .effect = CUSHIM_FAULT_DELAY},
         "fault: the delay is from 1 ns to 1000 s"},
        {{FAULT, .site = "cuInit", .effect = CUSHIM_FAULT_OLDER, .version = 11085},
         "fault: the version is one of CUDA from 10.0 to 13.0, as 11.8 or 11080, not \"11085\""},
        {{FAULT, .site = "op.copy", .effect = CUSHIM_FAULT_HANG},
         "fault: operations are a mock's, and there is none"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            cushim_fault_add(*state, &cases[i].fault, fault_message, sizeof fault_message),
            CUDA_ERROR_INVALID_VALUE);
        assert_string_equal(fault_message, cases[i].why);
    }
    assert_int_equal(cushim_fault_add(*state, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_null(cushim_fault_text(*state, 0));
}

static void seed_is_that_of_rules_added_later(void **state)
{
    uint64_t fired[3];

    cushim_fault_seed_set(*state, 1);
    fault_add(state, "cuEventQuery:p=0.5 => delay(1 ns)");
    cushim_fault_seed_set(*state, 2);
    fault_add(state, "cuEventQuery:p=0.5 => delay(1 ns)\ncuEventQuery:p=0.5,seed=1 => delay(1 ns)");
    for (int i = 0; i < 500; i++)
        fault_query();
    for (size_t i = 0; i < 3; i++)
        fired[i] = cushim_fault_fired(*state, i);
    assert_int_equal(fired[0], fired[2]);
    assert_int_not_equal(fired[0], fired[1]);
}

static void rules_end_with_their_layer(void **state)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuEventQuery => sticky(ILLEGAL_ADDRESS)");
    assert_int_equal(fault_query(), CUDA_ERROR_ILLEGAL_ADDRESS);
    cushim_layer_destroy(*state);
    assert_int_equal(layer_setup(state), 0);
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, layer_setup, layer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rules_are_told_and_so_is_which_never_fired),
        TEST(text_with_one_wrong_line_adds_nothing),
        TEST(more_than_64_rules_are_refused),
        TEST(operation_without_a_mock_is_refused),
        TEST(struct_is_the_rule_that_it_says),
        TEST(struct_that_cannot_be_is_refused),
        TEST(seed_is_that_of_rules_added_later),
        TEST(rules_end_with_their_layer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
