/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of contexts, devices and pointers, and seldom: limits, flags, peers, attributes. */
#include "tests/mock/world.h"

static int begin(void **state)
{
    (void)state;
    world_begin("devices = 2");
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
        {7, 1, 0, CUDA_ERROR_NOT_PERMITTED}, /* shared memory, which is fixed */
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
    const CUstream stream = world_stream();
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

static void settings_of_a_context_are_told(void **state)
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

static void nothing_is_told_without_a_context(void **state)
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

/* The one that asks for a dump by the user is told as the one that asks for a dump. */
static void context_that_can_be_dumped_is_told_so(void **state)
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

static void attributes_of_a_pair_of_devices_are_told(void **state)
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

static unsigned number_of(CUdeviceptr pointer, int attribute)
{
    unsigned long long value = 0;

    OK(driver->PointerGetAttribute(&value, (CUpointer_attribute)attribute, pointer));
    return (unsigned)value;
}

static void attributes_of_a_pointer_are_told(void **state)
{
    unsigned long long types = 7, id = 0, other_id = 0;
    CUdeviceptr memory, other, start;
    size_t bytes;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 1000));
    OK(driver->MemAlloc_v2(&other, 1000));
    assert_int_equal(number_of(memory, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), 0);
    assert_int_equal(number_of(memory, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE), 1);
    assert_int_equal(number_of(memory, CU_POINTER_ATTRIBUTE_MAPPED), 1);
    OK(driver->PointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 500));
    assert_int_equal(start, memory);
    OK(driver->PointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, memory + 500));
    assert_int_equal(bytes, 1000);
    OK(driver->PointerGetAttribute(&types, (CUpointer_attribute)14, memory));
    assert_int_equal(types, 0); /* no handle can be had of it */
    OK(driver->PointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, memory));
    OK(driver->PointerGetAttribute(&other_id, CU_POINTER_ATTRIBUTE_BUFFER_ID, other));
    assert_true(id != 0 && other_id != 0 && id != other_id);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttribute(&types, (CUpointer_attribute)1000, memory));
    OK(driver->MemFree_v2(other));
    OK(driver->MemFree_v2(memory));
}

/* --- worlds of their own --- */

/* The second device's is the mock's own; that the first's is there still was measured. */
static void primary_context_is_not_begun_after_a_fault(void **state)
{
    CUcontext context = NULL;

    (void)state;
    world_begin("devices = 2\nfault = cuStreamQuery:nth=1 => sticky(ILLEGAL_ADDRESS)");
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(NULL));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->DevicePrimaryCtxRetain(&context, 1));
    assert_null(context);
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    assert_non_null(context);
    OK(cushim_mock_destroy(world));
    world = NULL;
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
        {"", 1, 3932160},                                   /* an H200's */
        {"attribute.L2_CACHE_SIZE = 52428800", 1, 3276800}, /* an H100's */
        {"attribute.L2_CACHE_SIZE = 52428800", 3276801, 6553600},
        {"attribute.L2_CACHE_SIZE = 52428800", 0, 0},
        {"attribute.L2_CACHE_SIZE = 0", 5, 5}, /* one without an L2 */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        world_begin(cases[i].settings);
        assert_int_equal(persisting_l2(cases[i].asked), cases[i].kept);
        OK(cushim_mock_destroy(world));
        world = NULL;
    }
}

static void atomics_of_the_host_are_not_told_before_the_driver_is_initialised(void **state)
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, world_done)
    const struct CMUnitTest tests[] = {
        TEST(limits_are_rounded_held_or_refused),
        TEST(limit_is_not_set_while_another_captures),
        TEST(settings_of_a_context_are_told),
        TEST(nothing_is_told_without_a_context),
        TEST(context_that_can_be_dumped_is_told_so),
        TEST(two_devices_do_no_atomics_on_each_other),
        TEST(attributes_of_a_pair_of_devices_are_told),
        TEST(attributes_of_a_pointer_are_told),
        cmocka_unit_test(primary_context_is_not_begun_after_a_fault),
        cmocka_unit_test(persisting_l2_is_in_sixteenths_of_the_l2),
        cmocka_unit_test(atomics_of_the_host_are_not_told_before_the_driver_is_initialised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
