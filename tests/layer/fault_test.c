/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of calls, over a table of the test's own. */
#include <stdio.h>
#include <string.h>

#include <cushim/fault.h>

#include "src/layer/fault/rule.h"
#include "src/layer/layer.h"
#include "src/mock/call.h"
#include "src/mock/system.h"
#include "world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char event_memory, message[400];
#define EVENT ((CUevent)(void *)&event_memory)

static void add(void **state, const char *rules)
{
    if (cushim_fault_parse(*state, rules, message, sizeof message) != CUDA_SUCCESS)
        fail_msg("%s", message);
    assert_string_equal(message, "");
}

static CUresult allocate(void)
{
    CUdeviceptr address = 0;

    return cushim_driver()->MemAlloc_v2(&address, 16);
}

static CUresult query(void)
{
    return cushim_driver()->EventQuery(EVENT);
}

static void call_answers_the_code_and_is_not_made(void **state)
{
    add(state, "cuMemAlloc_v2:nth=2 => return(OUT_OF_MEMORY)");
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(fake_allocations, 2);
    assert_int_equal(cushim_fault_matched(*state, 0), 3);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

static void call_after_which_a_fault_comes_is_made(void **state)
{
    add(state, "cuMemAlloc_v2:phase=after,nth=1 => return(OUT_OF_MEMORY)");
    assert_int_equal(allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(allocate(), CUDA_SUCCESS);
}

static void not_ready_is_an_answer_as_others(void **state)
{
    add(state, "cuEventQuery:times=2 => return(NOT_READY)");
    assert_int_equal(query(), CUDA_ERROR_NOT_READY);
    assert_int_equal(query(), CUDA_ERROR_NOT_READY);
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(fake_queries, 1);
}

static void pattern_meets_all_that_are_like_it_and_nothing_else_is_watched(void **state)
{
    add(state, "cuMemAlloc* => return(OUT_OF_MEMORY)");
    assert_int_equal(allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_driver()->MemAllocHost_v2(NULL, 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_not_equal(cushim__watched[CUSHIM__SLOT(MemAllocPitch_v2)], 0);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(MemFree_v2)], 0);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(EventQuery)], 0);
}

static void nth_of_all_calls_is_one_call(void **state)
{
    add(state, "*:nth=3 => return(UNKNOWN)");
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_matched(*state, 0), 4);
}

static void every_rule_counts_and_the_first_that_is_due_answers(void **state)
{
    add(state, "cuEventQuery:nth=2 => return(UNKNOWN)\n"
               "cuEvent*:nth=2 => return(NOT_READY)\n"
               "*:after=2,times=1 => return(TIMEOUT)\n");
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(query(), CUDA_ERROR_TIMEOUT);
    assert_int_equal(query(), CUDA_SUCCESS);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cushim_fault_matched(*state, i), 4);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 0);
    assert_int_equal(cushim_fault_fired(*state, 2), 1);
}

static CUresult CUDAAPI answer_success(void)
{
    return CUDA_SUCCESS;
}

/* Let all functions of the fake succeed. */
static void let_all_succeed(struct cushim_layer *layer)
{
    CUresult(CUDAAPI * function)(void) = answer_success;

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        memcpy((char *)cushim_layer_next(layer) + sizeof(size_t) + slot * sizeof function,
               &function, sizeof function);
}

static void sticky_error_stays_but_for_what_works_after_a_fault(void **state)
{
    let_all_succeed(*state);
    add(state, "cuMemAlloc_v2:nth=2 => sticky(ECC_UNCORRECTABLE)");
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(query(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(cushim_driver()->CtxSynchronize(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(cushim_driver()->CtxGetCurrent(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    cushim_fault_clear(*state);
    assert_int_equal(query(), CUDA_SUCCESS);
}

static void sticky_error_after_a_call_lets_it_be_made(void **state)
{
    add(state, "cuMemAlloc_v2:nth=1,phase=after => sticky(ECC_UNCORRECTABLE)");
    assert_int_equal(allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(query(), CUDA_ERROR_ECC_UNCORRECTABLE);
}

static void lost_device_fails_functions_of_devices_too(void **state)
{
    int number = 0;

    let_all_succeed(*state);
    add(state, "cuEventQuery:nth=1 => lost");
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
    assert_int_equal(query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 1), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRelease_v2(0), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->MemFree_v2(1), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetCount(&number), CUDA_SUCCESS);
    cushim_fault_clear(*state);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
}

static int device_now;
static unsigned device_asked;

static CUresult CUDAAPI current_device(CUdevice *device)
{
    device_asked++;
    *device = device_now;
    return device_now < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

static void device_that_is_lost_is_the_one_of_the_rule(void **state)
{
    int number = 0;

    let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    add(state, "cuEventQuery@dev1 => lost(ILLEGAL_STATE)");
    assert_int_equal(query(), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 1), CUDA_ERROR_ILLEGAL_STATE);
}

static void rule_of_a_device_asks_for_the_current_one(void **state)
{
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    add(state, "cuEventQuery@dev1 => return(UNKNOWN)");
    device_asked = 0;
    device_now = 0;
    assert_int_equal(query(), CUDA_SUCCESS);
    device_now = -1;
    assert_int_equal(query(), CUDA_SUCCESS);
    device_now = 1;
    assert_int_equal(query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_matched(*state, 0), 1);
    assert_true(device_asked > 2);
}

static void function_of_devices_is_met_by_its_argument(void **state)
{
    int yes = 0;

    let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    add(state, "cuDevice*@dev1 => return(NO_DEVICE)");
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&yes, 1, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&yes, 1, 1), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver()->DeviceCanAccessPeer(&yes, 0, 1), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver()->DeviceCanAccessPeer(&yes, 0, 2), CUDA_SUCCESS);
}

static void delayed_call_takes_so_much_longer(void **state)
{
    uint64_t before, after;

    add(state, "cuEventQuery:nth=1 => delay(20 ms)\ncuEventQuery => delay(1 ms)\n");
    before = cushim__host_ns();
    assert_int_equal(query(), CUDA_SUCCESS);
    after = cushim__host_ns();
    assert_int_equal(fake_queries, 1);
    assert_true(after - before >= 21000000);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 1);
}

static void missing_symbol_answers_36_and_is_not_found(void **state)
{
    void *found = NULL;

    add(state, "cuEvent* => missing");
    assert_int_equal(query(), 36);
    assert_int_equal(fake_queries, 0);
    assert_int_equal(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0),
                     CUDA_ERROR_NOT_FOUND);
    assert_null(found);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
    cushim_fault_clear(*state);
    assert_int_equal(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0),
                     CUDA_SUCCESS);
    assert_non_null(found);
}

/* A driver that has all versions of cuMemAlloc. */
static CUresult CUDAAPI find_allocate(const char *symbol, void **function, int version,
                                      cuuint64_t flags,
                                      cushim_CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    assert_string_equal(symbol, "cuMemAlloc");
    if (version >= 3020)
        memcpy(function, &fake_table.MemAlloc_v2, sizeof *function);
    else
        memcpy(function, &fake_table.MemAlloc, sizeof *function);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)0;
    return CUDA_SUCCESS;
}

static void version_before_one_that_is_missing_is_found(void **state)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)9;
    void *found = NULL, *expected;

    cushim_layer_next(*state)->GetProcAddress_v2 = find_allocate;
    add(state, "cuMemAlloc_v2 => missing");
    memcpy(&expected, &cushim_layer_table(*state)->MemAlloc, sizeof expected);
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status),
                     CUDA_SUCCESS);
    assert_ptr_equal(found, expected);
    assert_int_equal(status, 0);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

static CUresult CUDAAPI other_allocate(CUdeviceptr *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI find_other(const char *symbol, void **function, int version,
                                   cuuint64_t flags)
{
    CUresult(CUDAAPI * found)(CUdeviceptr *, size_t) = other_allocate;

    (void)symbol;
    (void)flags;
    if (version < 3020)
        return CUDA_ERROR_NOT_FOUND;
    memcpy(function, &found, sizeof *function);
    return CUDA_SUCCESS;
}

static void function_that_is_not_of_the_table_is_hidden_by_its_version(void **state)
{
    void *found = NULL;

    cushim_layer_next(*state)->GetProcAddress = find_other;
    add(state, "cuMemAlloc_v2 => missing");
    assert_int_equal(cushim_driver()->GetProcAddress("cuMemAlloc", &found, 12000, 0),
                     CUDA_ERROR_NOT_FOUND);
    assert_null(found);
    assert_int_equal(cushim_driver()->GetProcAddress("cuMemFree", &found, 12000, 0), CUDA_SUCCESS);
    assert_non_null(found);
}

static CUresult CUDAAPI version_of_13(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

static void older_driver_lacks_what_came_later_and_says_so(void **state)
{
    int version = 0;

    let_all_succeed(*state);
    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    add(state, "* => older(12.7)");
    assert_int_equal(cushim_driver()->DriverGetVersion(&version), CUDA_SUCCESS);
    assert_int_equal(version, 12070);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36); /* of 12.8 */
    assert_int_equal(cushim_driver()->EventElapsedTime(NULL, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(EventElapsedTime)], 0);
    assert_int_equal(cushim_fault_matched(*state, 0), 2);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
}

static void version_that_the_site_does_not_meet_stays(void **state)
{
    int version = 0;

    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    add(state, "cuEvent* => older(12.7)");
    assert_int_equal(cushim_driver()->DriverGetVersion(&version), CUDA_SUCCESS);
    assert_int_equal(version, 13000);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36);
}

static void fault_comes_before_a_function_of_ones_own(void **state)
{
    let_all_succeed(*state);
    add(state, "cuMemAlloc_v2:nth=1 => out_of_memory");
    assert_int_equal(allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(allocate(), CUDA_SUCCESS);
    assert_int_equal(fake_allocations, 0);
}

static void rules_are_told_and_so_is_which_never_fired(void **state)
{
    add(state, "# a comment\n"
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
        allocate();
    query();
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
                                        message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:3:27: there is no error \"OUT_OF_MEMROY\"; did you mean "
                                 "\"OUT_OF_MEMORY\"?");
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(cushim_fault_parse(*state, "cuInit => ha\x01ng", message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:1:13: a control character, of code 1");
    assert_int_equal(cushim_fault_parse(*state, "cuInit", NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_fault_parse(*state, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_fault_parse(NULL, "cuInit => hang", NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

static void more_than_64_rules_are_refused(void **state)
{
    char text[66 * 32] = "";

    for (int i = 0; i < 65; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "cuInit:nth=%d => hang\n", i + 1);
    assert_int_equal(cushim_fault_parse(*state, text, message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:65:1: there are 64 rules already");
    assert_null(cushim_fault_text(*state, 0));
    strrchr(text, ':')[-6] = '\0';
    add(state, text);
    assert_non_null(cushim_fault_text(*state, 63));
    assert_int_equal(cushim_fault_parse(*state, "cuInit => hang", message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:1:1: there are 64 rules already");
    assert_int_equal(cushim_fault_add(*state,
                                      &(struct cushim_fault){.size = sizeof(struct cushim_fault),
                                                             .site = "cuInit",
                                                             .effect = CUSHIM_FAULT_HANG},
                                      message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "fault: there are 64 rules already");
}

static void operation_without_a_mock_is_refused(void **state)
{
    assert_int_equal(cushim_fault_parse(*state, "op.copy => hang", message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message, "faults:1:1: operations are a mock's, and there is none");
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
        if (cushim_fault_add(*state, &cases[i].fault, message, sizeof message) != CUDA_SUCCESS)
            fail_msg("%s", message);
        assert_string_equal(message, "");
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
        assert_int_equal(cushim_fault_add(*state, &cases[i].fault, message, sizeof message),
                         CUDA_ERROR_INVALID_VALUE);
        assert_string_equal(message, cases[i].why);
    }
    assert_int_equal(cushim_fault_add(*state, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_null(cushim_fault_text(*state, 0));
}

static void seed_is_that_of_rules_added_later(void **state)
{
    uint64_t fired[3];

    cushim_fault_seed_set(*state, 1);
    add(state, "cuEventQuery:p=0.5 => delay(1 ns)");
    cushim_fault_seed_set(*state, 2);
    add(state, "cuEventQuery:p=0.5 => delay(1 ns)\ncuEventQuery:p=0.5,seed=1 => delay(1 ns)");
    for (int i = 0; i < 500; i++)
        query();
    for (size_t i = 0; i < 3; i++)
        fired[i] = cushim_fault_fired(*state, i);
    assert_int_equal(fired[0], fired[2]);
    assert_int_not_equal(fired[0], fired[1]);
}

static void rules_end_with_their_layer(void **state)
{
    let_all_succeed(*state);
    add(state, "cuEventQuery => sticky(ILLEGAL_ADDRESS)");
    assert_int_equal(query(), CUDA_ERROR_ILLEGAL_ADDRESS);
    cushim_layer_destroy(*state);
    assert_int_equal(layer_setup(state), 0);
    assert_null(cushim_fault_text(*state, 0));
    assert_int_equal(query(), CUDA_SUCCESS);
    assert_int_equal(allocate(), CUDA_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, layer_setup, layer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(call_answers_the_code_and_is_not_made),
        TEST(call_after_which_a_fault_comes_is_made),
        TEST(not_ready_is_an_answer_as_others),
        TEST(pattern_meets_all_that_are_like_it_and_nothing_else_is_watched),
        TEST(nth_of_all_calls_is_one_call),
        TEST(every_rule_counts_and_the_first_that_is_due_answers),
        TEST(sticky_error_stays_but_for_what_works_after_a_fault),
        TEST(sticky_error_after_a_call_lets_it_be_made),
        TEST(lost_device_fails_functions_of_devices_too),
        TEST(device_that_is_lost_is_the_one_of_the_rule),
        TEST(rule_of_a_device_asks_for_the_current_one),
        TEST(function_of_devices_is_met_by_its_argument),
        TEST(delayed_call_takes_so_much_longer),
        TEST(missing_symbol_answers_36_and_is_not_found),
        TEST(version_before_one_that_is_missing_is_found),
        TEST(function_that_is_not_of_the_table_is_hidden_by_its_version),
        TEST(older_driver_lacks_what_came_later_and_says_so),
        TEST(version_that_the_site_does_not_meet_stays),
        TEST(fault_comes_before_a_function_of_ones_own),
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
