/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of a device govern what they describe: a call that needs what the device lacks is
 * refused, and the others work. The codes are those of the CUDA reference where that names one.
 */

#include "tests/mock/fixture.h"

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry nothing() { ret; }\n";

enum { BYTES = 4096 };

static _Alignas(BYTES) char page[BYTES];

/* Each call may leave what it makes: the mock goes with it. */

static CUresult register_memory(void)
{
    return driver->MemHostRegister_v2(page, BYTES, 0);
}

static CUresult register_read_only(void)
{
    enum { READ_ONLY = 8 };

    return driver->MemHostRegister_v2(page, BYTES, READ_ONLY);
}

static CUresult map_memory(void)
{
    CUdeviceptr address;
    void *memory;

    OK(driver->MemAllocHost_v2(&memory, BYTES));
    return driver->MemHostGetDevicePointer_v2(&address, memory, 0);
}

static CUdeviceptr allocate(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, BYTES));
    return memory;
}

/* Copy as addresses of the host or the device, which the driver tells apart. */
static CUresult copy_unified(void)
{
    const CUdeviceptr from = allocate(), to = allocate();

    OK(driver->MemcpyDtoD_v2(to, from, BYTES));
    return driver->Memcpy(to, from, BYTES);
}

static CUresult allocate_managed(void)
{
    CUdeviceptr memory;

    return driver->MemAllocManaged(&memory, BYTES, CU_MEM_ATTACH_GLOBAL);
}

static CUdeviceptr managed(void)
{
    CUdeviceptr memory;

    OK(driver->MemAllocManaged(&memory, BYTES, CU_MEM_ATTACH_GLOBAL));
    return memory;
}

static CUresult prefetch_to_device(void)
{
    return driver->MemPrefetchAsync(managed(), BYTES, 0, kernel_stream);
}

/* The device of the stream has to be able, even if the memory goes to the host. */
static CUresult prefetch_to_host(void)
{
    return driver->MemPrefetchAsync(managed(), BYTES, CU_DEVICE_CPU, kernel_stream);
}

static CUresult advise_location(void)
{
    const CUmem_advise location = CU_MEM_ADVISE_SET_PREFERRED_LOCATION;

    OK(driver->MemAdvise(managed(), BYTES, location, CU_DEVICE_CPU));
    OK(driver->MemAdvise(managed(), BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    return driver->MemAdvise(managed(), BYTES, location, 0);
}

static CUresult advise_access(void)
{
    const CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    const CUmem_advise access = CU_MEM_ADVISE_SET_ACCESSED_BY;

    OK(driver->MemAdvise(managed(), BYTES, access, CU_DEVICE_CPU));
    return driver->MemAdvise_v2(managed(), BYTES, access, device);
}

static CUresult launch_cooperative(void)
{
    return driver->LaunchCooperativeKernel(kernel_find("nothing"), 1, 1, 1, 1, 1, 1, 0,
                                           kernel_stream, NULL);
}

static CUresult launch_with(int id, const void *value, size_t bytes)
{
    CUlaunchAttribute attribute;
    CUlaunchConfig config = {
        BLOCKS(2, 1),
        .hStream = kernel_stream,
        .attrs = &attribute,
        .numAttrs = 1,
    };

    memset(&attribute, 0, sizeof attribute);
    attribute.id = (CUlaunchAttributeID)id;
    memcpy(&attribute.value, value, bytes);
    return driver->LaunchKernelEx(&config, kernel_find("nothing"), NULL, NULL);
}

static CUresult launch_with_cooperation(void)
{
    enum { COOPERATIVE = 2 };
    const int yes = 1, no = 0;

    OK(launch_with(COOPERATIVE, &no, sizeof no));
    return launch_with(COOPERATIVE, &yes, sizeof yes);
}

static CUresult launch_clusters(void)
{
    enum { CLUSTER = 4 };
    const unsigned two[3] = {2, 1, 1}, none[3] = {0, 0, 0};

    OK(launch_with(CLUSTER, none, sizeof none));
    return launch_with(CLUSTER, two, sizeof two);
}

static CUresult allocate_in_stream(void)
{
    CUdeviceptr memory;

    return driver->MemAllocAsync(&memory, BYTES, kernel_stream);
}

static CUresult find_pool(void)
{
    CUmemoryPool pool;
    CUresult code = driver->DeviceGetDefaultMemPool(&pool, 0);

    CODE(code, driver->DeviceGetMemPool(&pool, 0));
    return code;
}

static CUresult make_pool_for(int handles)
{
    CUmemPoolProps properties;
    CUmemoryPool pool;

    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = (CUmemAllocationHandleType)handles;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return driver->MemPoolCreate(&pool, &properties);
}

static CUresult make_pool(void)
{
    return make_pool_for(CU_MEM_HANDLE_TYPE_NONE);
}

static CUresult make_pool_for_descriptors(void)
{
    OK(make_pool());
    return make_pool_for(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

static CUresult flush_writes(void)
{
    enum { CURRENT_CONTEXT = 0, TO_OWNER = 100 };

    return driver->FlushGPUDirectRDMAWrites(
        (cushim_CUflushGPUDirectRDMAWritesTarget)CURRENT_CONTEXT,
        (cushim_CUflushGPUDirectRDMAWritesScope)TO_OWNER);
}

static CUresult share_event(void)
{
    CUipcEventHandle handle;
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    return driver->IpcGetEventHandle(&handle, event);
}

static CUresult share_memory(void)
{
    CUipcMemHandle handle;

    return driver->IpcGetMemHandle(&handle, allocate());
}

static CUresult write_wide_value(void)
{
    const CUdeviceptr word = allocate();

    OK(driver->StreamWriteValue32_v2(kernel_stream, word, 7, 0));
    return driver->StreamWriteValue64_v2(kernel_stream, word, 5, 0);
}

static CUresult write_wide_value_in_batch(void)
{
    CUstreamBatchMemOpParams one;

    memset(&one, 0, sizeof one);
    one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    one.writeValue.address = allocate();
    return driver->StreamBatchMemOp_v2(kernel_stream, 1, &one, 0);
}

static CUresult wait_for_nor(void)
{
    const CUdeviceptr word = allocate();

    OK(driver->StreamWriteValue32_v2(kernel_stream, word, 7, 0));
    OK(driver->StreamWaitValue32_v2(kernel_stream, word, 7, CU_STREAM_WAIT_VALUE_EQ));
    return driver->StreamWaitValue32_v2(kernel_stream, word, 0, CU_STREAM_WAIT_VALUE_NOR);
}

#ifndef _WIN32 /* there the mock has no virtual memory */
static CUresult reserve_addresses(void)
{
    CUdeviceptr start;

    return driver->MemAddressReserve(&start, 2 << 20, 0, 0, 0);
}

static CUresult make_physical(int types)
{
    CUmemAllocationProp prop;
    CUmemGenericAllocationHandle handle;

    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = (CUmemAllocationHandleType)types;
    return driver->MemCreate(&handle, 2 << 20, &prop, 0);
}

static CUresult make_plain_physical(void)
{
    return make_physical(0);
}

static CUresult make_shared_physical(void)
{
    return make_physical(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

static CUresult describe_range(void)
{
    int file;

    return driver->MemGetHandleForAddressRange(&file, allocate(), BYTES, (CUmemRangeHandleType)1,
                                               0);
}
#endif

/* DEVICE_UNAVAILABLE, which older headers lack. */
enum { UNAVAILABLE = 46 };

static const struct row {
    const char *attribute; /* as settings name it */
    int value;             /* with which the device is not able */
    CUresult code;
    CUresult (*call)(void);
} rows[] = {
    {"CAN_MAP_HOST_MEMORY", 0, CUDA_ERROR_NOT_SUPPORTED, map_memory},
    {"UNIFIED_ADDRESSING", 0, CUDA_ERROR_NOT_SUPPORTED, copy_unified},
    {"MANAGED_MEMORY", 0, CUDA_ERROR_NOT_SUPPORTED, allocate_managed},
    {"CONCURRENT_MANAGED_ACCESS", 0, CUDA_ERROR_INVALID_DEVICE, prefetch_to_device},
    {"CONCURRENT_MANAGED_ACCESS", 0, CUDA_ERROR_INVALID_DEVICE, prefetch_to_host},
    {"CONCURRENT_MANAGED_ACCESS", 0, CUDA_ERROR_INVALID_DEVICE, advise_location},
    {"CONCURRENT_MANAGED_ACCESS", 0, CUDA_ERROR_INVALID_DEVICE, advise_access},
    {"COOPERATIVE_LAUNCH", 0, CUDA_ERROR_NOT_SUPPORTED, launch_cooperative},
    {"COOPERATIVE_LAUNCH", 0, CUDA_ERROR_NOT_SUPPORTED, launch_with_cooperation},
    {"CLUSTER_LAUNCH", 0, CUDA_ERROR_NOT_SUPPORTED, launch_clusters},
    {"HOST_REGISTER_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, register_memory},
    {"READ_ONLY_HOST_REGISTER_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, register_read_only},
    {"MEMORY_POOLS_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, allocate_in_stream},
    {"MEMORY_POOLS_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, find_pool},
    {"MEMORY_POOLS_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, make_pool},
    {"MEMPOOL_SUPPORTED_HANDLE_TYPES", 8, CUDA_ERROR_INVALID_VALUE, make_pool_for_descriptors},
    {"GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", 0, CUDA_ERROR_NOT_SUPPORTED, flush_writes},
    {"CAN_USE_64_BIT_STREAM_MEM_OPS", 0, CUDA_ERROR_NOT_SUPPORTED, write_wide_value},
    {"CAN_USE_64_BIT_STREAM_MEM_OPS", 0, CUDA_ERROR_NOT_SUPPORTED, write_wide_value_in_batch},
    {"CAN_USE_STREAM_WAIT_VALUE_NOR", 0, CUDA_ERROR_NOT_SUPPORTED, wait_for_nor},
    {"IPC_EVENT_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, share_event},
    {"IPC_EVENT_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, share_memory},
#ifndef _WIN32
    {"VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, reserve_addresses},
    {"VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, make_plain_physical},
    {"HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED,
     make_shared_physical},
    {"DMA_BUF_SUPPORTED", 0, CUDA_ERROR_NOT_SUPPORTED, describe_range},
#endif
};

TEST_ALONE(calls_need_what_attributes_say)
{
    char settings[120];

    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("attribute.%s = %d\n", rows[i].attribute, rows[i].value);
        snprintf(settings, sizeof settings, "attribute.%s = %d\n", rows[i].attribute,
                 rows[i].value);
        kernel_begin(settings, image);
        CODE(rows[i].code, rows[i].call());
        OK(cushim_mock_destroy(fixture_mock));
        kernel_begin("", image);
        OK(rows[i].call());
        OK(cushim_mock_destroy(fixture_mock));
    }
}

TEST_ALONE(multicast_objects_are_checked_and_refused)
{
    CUmulticastObjectProp prop;
    CUmemGenericAllocationHandle handle = 0;
    size_t bytes = 0;

    memset(&prop, 0, sizeof prop);
    prop.numDevices = 2;
    prop.size = 2 << 20;
    kernel_begin("", image);
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->MulticastGetGranularity(&bytes, &prop, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->MulticastCreate(NULL, &prop));
    OK(cushim_mock_destroy(fixture_mock));
    kernel_begin("attribute.MULTICAST_SUPPORTED = 1\n", image);
    OK(driver->MulticastGetGranularity(&bytes, &prop, 0));
    assert_int_equal(bytes, 2 << 20);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MulticastGetGranularity(NULL, &prop, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->MulticastCreate(&handle, &prop));
    prop.numDevices = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MulticastCreate(&handle, &prop));
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(no_context_begins_where_compute_is_prohibited)
{
    CUcontext context;

    bare_begin("attribute.COMPUTE_MODE = 2\n");
    CODE(UNAVAILABLE, driver->DevicePrimaryCtxRetain(&context, 0));
    CODE(UNAVAILABLE, driver->CtxCreate_v2(&context, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxCreate_v2(&context, 0x1000, 0));
    bare_end();
}

TEST_ALONE(all_streams_have_one_priority_without_priorities)
{
    static const char *const settings[] = {"attribute.STREAM_PRIORITIES_SUPPORTED = 0",
                                           "adversarial = yes"};

    for (size_t i = 0; i < COUNT(settings); i++) {
        int least = 7, greatest = 7, priority = 7, supported = 7;
        CUstream stream;

        fixture_begin(settings[i]);
        OK(driver->CtxGetStreamPriorityRange(&least, &greatest));
        assert_true(least == 0 && greatest == 0);
        OK(driver->StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
        OK(driver->StreamGetPriority(stream, &priority));
        assert_int_equal(priority, 0);
        OK(driver->DeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,
                                      0));
        assert_int_equal(supported, 0);
        OK(driver->StreamDestroy_v2(stream));
        fixture_end();
    }
}

/* The profile says nothing about pools, so they work. */
TEST_ALONE(what_a_profile_does_not_know_works)
{
    int value;

    kernel_begin("mode = auto\nprofile = t4\n", image);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetAttribute(&value, (CUdevice_attribute)115 /* MEMORY_POOLS_SUPPORTED */,
                                    0));
    OK(allocate_in_stream());
    OK(share_event());
    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_clusters());
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(log_names_the_attribute_once)
{
    kernel_begin("mode = auto\nattribute.COOPERATIVE_LAUNCH = 0\n", image);
    fixture_log();
    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_cooperative());
    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_cooperative());
    assert_int_equal(fixture_lines, 1);
    CONTAINS(fixture_logged, "cuLaunchCooperativeKernel");
    CONTAINS(fixture_logged, "attribute.COOPERATIVE_LAUNCH = 0");
    fixture_done(state);
}
