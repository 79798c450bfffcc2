/* SPDX-License-Identifier: Apache-2.0 */
/* Rarely used queries of contexts and devices: limits, flags, peers; and the first ABIs. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdio.h>

#include "tests/mock/fixture.h"

static int begin(void **state)
{
    (void)state;
    fixture_begin("devices = 2");
    return 0;
}

static void limits_are_rounded_held_or_refused(void **state)
{
    static const struct {
        int limit;
        size_t value, kept;
        CUresult code;
    } cases[] = {
        {CU_LIMIT_STACK_SIZE, 1000, 1008, CUDA_SUCCESS},
        {CU_LIMIT_STACK_SIZE, 523264, 523264, CUDA_SUCCESS},
        {CU_LIMIT_STACK_SIZE, 524000, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 1, 524288, CUDA_SUCCESS},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 524801, 525056, CUDA_SUCCESS},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 600000, 600064, CUDA_SUCCESS},
        {CU_LIMIT_PRINTF_FIFO_SIZE, SIZE_MAX, 0, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, 1, (size_t)4 << 20, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, 5000000, 5046272, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, SIZE_MAX, 0, CUDA_SUCCESS},
        {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, SIZE_MAX, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 1, 0, CUDA_ERROR_UNSUPPORTED_LIMIT},
        {7, 1, 0, CUDA_ERROR_NOT_PERMITTED}, /* shared memory, which cannot be changed */
        {1000, 1, 0, CUDA_ERROR_INVALID_VALUE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const CUlimit limit = (CUlimit)cases[i].limit;
        size_t before = 0, after = 0;
        const CUresult code = driver->CtxGetLimit(&before, limit);

        CODE(cases[i].code, driver->CtxSetLimit(limit, cases[i].value));
        CODE(code, driver->CtxGetLimit(&after, limit));
        assert_int_equal(after, cases[i].code == CUDA_SUCCESS ? cases[i].kept : before);
    }
}

static void limit_is_not_set_while_another_captures(void **state)
{
    const CUstream stream = fixture_stream();
    size_t before, after;
    CUgraph graph;

    (void)state;
    OK(driver->CtxGetLimit(&before, CU_LIMIT_STACK_SIZE));
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         driver->CtxSetLimit(CU_LIMIT_STACK_SIZE, before + 16));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->CtxGetLimit(&after, CU_LIMIT_STACK_SIZE));
    assert_int_equal(after, before);
    OK(driver->StreamDestroy_v2(stream));
}

static void settings_of_a_context_are_reported(void **state)
{
    cushim_CUexecAffinityParam affinity;
    CUsharedconfig banks = (CUsharedconfig)9;
    unsigned flags = 0;
    int multiprocessors;
    CUcontext context;

    (void)state;
    OK(driver->CtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    OK(driver->CtxGetSharedMemConfig(&banks));
    assert_int_equal(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxGetSharedMemConfig(NULL));
    OK(driver->DeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    OK(driver->CtxGetExecAffinity(&affinity, (cushim_CUexecAffinityType)0));
    assert_int_equal(affinity.param.smCount.val, multiprocessors);
    CODE((CUresult)224, driver->CtxGetExecAffinity(&affinity, (cushim_CUexecAffinityType)1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxGetExecAffinity(NULL, (cushim_CUexecAffinityType)0));
    OK(driver->CtxCreate_v2(&context, CU_CTX_SCHED_YIELD, 0));
    OK(driver->CtxGetFlags(&flags));
    assert_int_equal(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_YIELD);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxGetFlags(NULL));
    OK(driver->CtxDestroy_v2(context));
}

static void nothing_is_reported_without_a_context(void **state)
{
    cushim_CUexecAffinityParam affinity;
    CUsharedconfig banks;
    CUcontext context;
    unsigned flags;

    (void)state;
    OK(driver->CtxPopCurrent_v2(&context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetFlags(&flags));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetSharedMemConfig(&banks));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         driver->CtxGetExecAffinity(&affinity, (cushim_CUexecAffinityType)0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    OK(driver->CtxPushCurrent_v2(context));
}

/* A context with the flag for user-triggered dumps is reported with the flag for dumps as well. */
static void context_that_can_be_dumped_is_reported_so(void **state)
{
    CUcontext context;
    unsigned flags = 0;

    (void)state;
    OK(driver->CtxCreate_v2(&context, CU_CTX_USER_COREDUMP_ENABLE, 0));
    OK(driver->CtxGetFlags(&flags));
    assert_int_equal(flags & CU_CTX_COREDUMP_ENABLE, CU_CTX_COREDUMP_ENABLE);
    assert_int_equal(flags & CU_CTX_USER_COREDUMP_ENABLE, 0);
    OK(driver->CtxDestroy_v2(context));
}

static void two_devices_do_no_atomics_on_each_other(void **state)
{
    const cushim_CUatomicOperation operations[2] = {(cushim_CUatomicOperation)0,
                                                    (cushim_CUatomicOperation)1};
    unsigned capabilities[3] = {7, 7, 7};

    (void)state;
    OK(driver->DeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
    assert_true(capabilities[0] == 0 && capabilities[1] == 0 && capabilities[2] == 7);
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->DeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetP2PAtomicCapabilities(capabilities, operations, 0, 0, 1));
    capabilities[0] = capabilities[1] = 7;
    OK(driver->DeviceGetHostAtomicCapabilities(capabilities, operations, 2, 1));
    assert_true(capabilities[0] == 0 && capabilities[1] == 0 && capabilities[2] == 7);
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->DeviceGetHostAtomicCapabilities(capabilities, operations, 2, 2));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetHostAtomicCapabilities(capabilities, NULL, 2, 1));
}

static void attributes_of_a_pair_of_devices_are_reported(void **state)
{
    static const struct {
        int attribute, value;
    } known[] = {{CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0},
                 {CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1},
                 {CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 0},
                 {CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED, 0}};
    int value;

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        value = 7;
        OK(driver->DeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)known[i].attribute, 0, 1));
        assert_int_equal(value, known[i].value);
    }
    value = 7;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->DeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1, 1));
    assert_int_equal(value, 7);
}

/* --- contexts with resources of their own --- */

/*
 * The behaviour for the second device is a choice of the mock; that the first context remains was
 * measured.
 */
static void primary_context_is_not_begun_after_a_fault(void **state)
{
    CUcontext context = NULL;

    (void)state;
    fixture_begin("devices = 2\nfault = cuStreamQuery:nth=1 => sticky(ILLEGAL_ADDRESS)");
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(NULL));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->DevicePrimaryCtxRetain(&context, 1));
    assert_null(context);
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    assert_non_null(context);
    OK(cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

static size_t persisting_l2(size_t asked)
{
    size_t kept = 7;

    OK(driver->CtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, asked));
    OK(driver->CtxGetLimit(&kept, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    return kept;
}

static void persisting_l2_is_in_sixteenths_of_the_l2(void **state)
{
    static const struct {
        const char *settings;
        size_t asked, kept;
    } cases[] = {
        {"", 1, 3932160},                                   /* L2 cache of an H200 */
        {"attribute.L2_CACHE_SIZE = 52428800", 1, 3276800}, /* L2 cache of an H100 */
        {"attribute.L2_CACHE_SIZE = 52428800", 3276801, 6553600},
        {"attribute.L2_CACHE_SIZE = 52428800", 0, 0},
        {"attribute.L2_CACHE_SIZE = 0", 5, 5}, /* no L2 cache */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture_begin(cases[i].settings);
        assert_int_equal(persisting_l2(cases[i].asked), cases[i].kept);
        OK(cushim_mock_destroy(fixture_mock));
        fixture_mock = NULL;
    }
}

static void atomics_of_the_host_are_not_reported_before_the_driver_is_initialised(void **state)
{
    const cushim_CUatomicOperation operation = (cushim_CUatomicOperation)0;
    struct cushim_mock *mock;
    unsigned capability = 7;

    (void)state;
    OK(cushim_mock_create(NULL, &mock));
    CODE(CUDA_ERROR_NOT_INITIALIZED,
         cushim_mock_table(mock)->DeviceGetHostAtomicCapabilities(&capability, &operation, 1, 0));
    assert_int_equal(capability, 7);
    OK(cushim_mock_destroy(mock));
}

/*
 * Contexts with the first ABIs: a usage count, and that a context is on at most one thread's stack.
 * Whether today's drivers behave like this was not measured: on an H200, such a context could not
 * be created beside a primary context.
 */

static CUcontext current(void)
{
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    return context;
}

static void the_last_detach_destroys(void **state)
{
    CUcontext primary, context, again = NULL;

    (void)state;
    primary = current();
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxAttach(&again, 0));
    assert_ptr_equal(again, context);
    OK(driver->CtxDetach(context));
    assert_ptr_equal(current(), context);
    OK(driver->CtxSynchronize());
    OK(driver->CtxDetach(context));
    assert_ptr_equal(current(), primary);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxDetach(context));
}

static void attach_and_detach_refuse_what_is_wrong(void **state)
{
    CUcontext primary, context, untouched = (CUcontext)7;

    (void)state;
    primary = current();
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxAttach(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxAttach(&untouched, 1));
    OK(driver->CtxCreate(&context, 0, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDetach(primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDetach(NULL));
    OK(driver->CtxDetach(context));
    OK(driver->CtxDetach(primary)); /* the primary context is not counted */
    assert_ptr_equal(current(), primary);
    OK(driver->CtxPopCurrent(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxAttach(&untouched, 0));
    assert_ptr_equal(untouched, (CUcontext)7);
    OK(driver->CtxPushCurrent(primary));
}

static void the_first_abi_destroys_what_is_not_current(void **state)
{
    CUcontext primary, context;

    (void)state;
    primary = current();
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxPushCurrent_v2(primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxDestroy(primary));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxDestroy(NULL));
    OK(driver->CtxDestroy(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxDestroy(context));
}

static void one_that_is_on_a_stack_is_not_pushed(void **state)
{
    CUcontext context, popped = NULL;

    (void)state;
    OK(driver->CtxCreate(&context, 0, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxPushCurrent(context));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxPushCurrent(NULL));
    OK(driver->CtxPopCurrent(&popped));
    assert_ptr_equal(popped, context);
    OK(driver->CtxPushCurrent(context));
    OK(driver->CtxDestroy(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->CtxPushCurrent(context));
}

static void the_abi_of_its_creation_is_reported(void **state)
{
    CUcontext context;
    unsigned version = 0;

    (void)state;
    OK(driver->CtxCreate(&context, 0, 0));
    OK(driver->CtxGetApiVersion(context, &version));
    assert_int_equal(version, 3010);
    OK(driver->CtxDestroy(context));
    OK(driver->CtxCreate_v3(&context, NULL, 0, 0, 0));
    OK(driver->CtxGetApiVersion(context, &version));
    assert_int_equal(version, 3020);
    OK(driver->CtxDestroy_v2(context));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxCreate_v3(&context, NULL, 1, 0, 0));
}

/* The lines of the mock's log. */
struct lines {
    unsigned count;
    char last[100];
};

static void note(void *data, const char *line)
{
    struct lines *lines = data;

    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", line);
}

static void first_call_of_a_superseded_abi_is_logged(void **state)
{
    struct lines lines = {0};
    CUcontext context;

    (void)state;
    cushim_mock_set_log(fixture_mock, note, &lines);
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(lines.count, 0);
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->CtxCreate_v2(&context, 0, 0));
        OK(driver->CtxDestroy(context));
        assert_int_equal(lines.count, 1);
    }
    assert_string_equal(lines.last, "cuCtxDestroy is the ABI of CUDA 2.0, replaced by "
                                    "cuCtxDestroy_v2 in CUDA 4.0");
    cushim_mock_set_log(fixture_mock, NULL, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fixture_done)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(limits_are_rounded_held_or_refused),
        TEST(limit_is_not_set_while_another_captures),
        TEST(settings_of_a_context_are_reported),
        TEST(nothing_is_reported_without_a_context),
        TEST(context_that_can_be_dumped_is_reported_so),
        TEST(two_devices_do_no_atomics_on_each_other),
        TEST(attributes_of_a_pair_of_devices_are_reported),
        cmocka_unit_test(primary_context_is_not_begun_after_a_fault),
        cmocka_unit_test(persisting_l2_is_in_sixteenths_of_the_l2),
        cmocka_unit_test(atomics_of_the_host_are_not_reported_before_the_driver_is_initialised),
        TEST_IN(the_last_detach_destroys, fixture_auto, fixture_done),
        TEST_IN(attach_and_detach_refuse_what_is_wrong, fixture_auto, fixture_done),
        TEST_IN(the_first_abi_destroys_what_is_not_current, fixture_auto, fixture_done),
        TEST_IN(one_that_is_on_a_stack_is_not_pushed, fixture_auto, fixture_done),
        TEST_IN(the_abi_of_its_creation_is_reported, fixture_auto, fixture_done),
        TEST_IN(first_call_of_a_superseded_abi_is_logged, fixture_auto, fixture_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
