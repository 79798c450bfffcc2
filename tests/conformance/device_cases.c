/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts: peers, limits, settings and attributes. Statements 81, 85, 192-196. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "cases.h"
#include "tests/support/ptx.h"

/* The primary contexts of two devices, and a stream and an event in each. */
struct two {
    CUcontext contexts[2];
    CUstream streams[2];
    CUevent events[2];
};

static struct two begin_two(void)
{
    struct two two;
    int count = 0;

    begin_device();
    MUST(cu->DeviceGetCount(&count));
    if (count < 2)
        skip("one device");
    for (int i = 0; i < 2; i++) {
        MUST(cu->DevicePrimaryCtxRetain(&two.contexts[i], i));
        make_current(two.contexts[i]);
        two.streams[i] = begin_stream();
        two.events[i] = begin_event();
    }
    CHECK(two.contexts[0] != two.contexts[1]);
    return two;
}

TWO_DEVICES_CASE(081, record_across_devices_is_400, MEASURED)
{
    struct two two = begin_two();

    for (int i = 0; i < 2; i++) {
        make_current(two.contexts[i]);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(two.events[0], two.streams[1]));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(two.events[1], two.streams[0]));
    }
}

TWO_DEVICES_CASE(081, wait_across_devices_waits, MEASURED)
{
    struct two two = begin_two();

    for (int i = 0; i < 2; i++) {
        struct latch latch;
        CUevent after;

        make_current(two.contexts[i]);
        latch = latch_shut(two.streams[i]);
        OK(cu->EventRecord(two.events[i], two.streams[i]));
        make_current(two.contexts[1 - i]);
        after = begin_event();
        OK(cu->StreamWaitEvent(two.streams[1 - i], two.events[i], 0));
        OK(cu->EventRecord(after, two.streams[1 - i]));
        for (int round = 0; round < 1000; round++)
            CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(after));
        latch_open(&latch);
        OK(cu->EventSynchronize(after));
        OK(cu->EventQuery(two.events[i]));
    }
}

TWO_DEVICES_CASE(081, elapsed_across_devices_is_400, MEASURED)
{
    struct two two = begin_two();
    float ms = -7;

    for (int i = 0; i < 2; i++) {
        OK(cu->EventRecord(two.events[i], two.streams[i]));
        OK(cu->EventSynchronize(two.events[i]));
    }
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, two.events[0], two.events[1]));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime_v2(&ms, two.events[1], two.events[0]));
    CHECK(ms == -7);
}

MEASURED_CASE(085, unknown_limit_is_1)
{
    size_t value = 77;

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxGetLimit(&value, (CUlimit)99));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxSetLimit((CUlimit)99, 4096));
    EQUAL(77, value);
}

MEASURED_CASE(085, context_is_no_peer_of_itself)
{
    CUcontext context = begin_context();

    CODE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cu->CtxEnablePeerAccess(context, 0));
    CODE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cu->CtxDisablePeerAccess(context));
}

/* Rarely used limits, settings and attributes. Statements 192-196. */

/* Make the first device's primary context current; returns the size of the device's L2 cache. */
static size_t begin_l2(void)
{
    int bytes = 0;

    begin_context();
    MUST(cu->DeviceGetAttribute(&bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0));
    return (size_t)bytes;
}

MEASURED_CASE(192, limits_are_rounded_or_refused)
{
    const size_t l2 = begin_l2();
    const struct {
        int limit;
        size_t value, kept;
        CUresult code;
    } rows[] = {
        {CU_LIMIT_STACK_SIZE, 1000, 1008, CUDA_SUCCESS},
        {CU_LIMIT_STACK_SIZE, 523264, 523264, CUDA_SUCCESS},
        {CU_LIMIT_STACK_SIZE, 524000, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_STACK_SIZE, 524288, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 1, 524288, CUDA_SUCCESS},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 524801, 525056, CUDA_SUCCESS},
        {CU_LIMIT_PRINTF_FIFO_SIZE, 600000, 600064, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, 1, 4 << 20, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, 5000000, 5046272, CUDA_SUCCESS},
        {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 1, 0, CUDA_ERROR_UNSUPPORTED_LIMIT},
        {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 1, 32, CUDA_SUCCESS},
        {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128, 128, CUDA_SUCCESS},
        {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1, l2 / 16, CUDA_SUCCESS},
        {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, SIZE_MAX, 0, CUDA_ERROR_INVALID_VALUE},
        {7, 1, 0, CUDA_ERROR_NOT_PERMITTED}, /* CU_LIMIT_SHMEM_SIZE, which is fixed */
        {1000, 1, 0, CUDA_ERROR_INVALID_VALUE},
        {CU_LIMIT_PRINTF_FIFO_SIZE, SIZE_MAX, 0, CUDA_SUCCESS},
        {CU_LIMIT_MALLOC_HEAP_SIZE, SIZE_MAX, 0, CUDA_SUCCESS},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const CUlimit limit = (CUlimit)rows[i].limit;
        size_t before = 0, after = 0;
        const CUresult code = cu->CtxGetLimit(&before, limit);

        CODE(rows[i].code, cu->CtxSetLimit(limit, rows[i].value));
        CODE(code, cu->CtxGetLimit(&after, limit));
        EQUAL(rows[i].code == CUDA_SUCCESS ? rows[i].kept : before, after);
    }
}

MEASURED_CASE(192, persisting_cache_is_limited_by_the_device)
{
    enum { MAX_PERSISTING_L2_CACHE_SIZE = 108 };
    const CUdevice_attribute attribute = (CUdevice_attribute)MAX_PERSISTING_L2_CACHE_SIZE;
    const size_t part = begin_l2() / 16;
    size_t kept = 0;
    int most = 0;

    MUST(cu->DeviceGetAttribute(&most, attribute, 0));
    const struct {
        size_t value, kept;
        CUresult code;
    } rows[] = {
        {1 << 20, part, CUDA_SUCCESS},
        {(size_t)most - 1, (size_t)most, CUDA_SUCCESS},
        {part + 1, 2 * part, CUDA_SUCCESS},
        {(size_t)most, (size_t)most, CUDA_SUCCESS},
        {(size_t)most + 1, (size_t)most, CUDA_ERROR_INVALID_VALUE},
        {0, 0, CUDA_SUCCESS},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        CODE(rows[i].code, cu->CtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, rows[i].value));
        OK(cu->CtxGetLimit(&kept, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
        EQUAL(rows[i].kept, kept);
    }
}

MEASURED_CASE(192, heap_is_smaller_than_a_huge_limit)
{
    const size_t huge = (size_t)1 << 50, large = (size_t)1 << 34;
    size_t kept = 0;

    begin_context();
    OK(cu->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, large));
    OK(cu->CtxGetLimit(&kept, CU_LIMIT_MALLOC_HEAP_SIZE));
    EQUAL(large, kept);
    OK(cu->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, huge));
    OK(cu->CtxGetLimit(&kept, CU_LIMIT_MALLOC_HEAP_SIZE));
    CHECK(kept > large && kept < huge);
}

/* Two kernels: one prints an empty text, the other stores what malloc() returns. */
static const char using_limits[] =
    PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);\n"
             ".extern .func (.param .b64 r) malloc(.param .b64 bytes);\n"
             ".global .align 1 .b8 empty[1] = {0};\n"
             ".visible .entry prints()\n{\n"
             "    .reg .b64 %text;\n"
             "    .reg .b32 %count;\n"
             "    mov.u64 %text, empty;\n"
             "    cvta.global.u64 %text, %text;\n"
             "    { .param .b64 format; .param .b64 values; .param .b32 r;\n"
             "    st.param.b64 [format], %text;\n"
             "    st.param.b64 [values], 0;\n"
             "    call.uni (r), vprintf, (format, values);\n"
             "    ld.param.b32 %count, [r]; }\n"
             "    ret;\n}\n"
             ".visible .entry allocates(.param .u64 out)\n{\n"
             "    .reg .b64 %memory, %out;\n"
             "    ld.param.u64 %out, [out];\n"
             "    { .param .b64 bytes; .param .b64 r;\n"
             "    st.param.b64 [bytes], 64;\n"
             "    call.uni (r), malloc, (bytes);\n"
             "    ld.param.b64 %memory, [r]; }\n"
             "    st.global.u64 [%out], %memory;\n"
             "    ret;\n}\n";

CASE(192, limits_stay_once_kernels_have_used_them, .class = DOCUMENTED, .may_skip = ON_MOCK)
{
    static const struct {
        const char *kernel;
        CUlimit limit;
        size_t before, after;
    } rows[] = {
        {"prints", CU_LIMIT_PRINTF_FIFO_SIZE, 4 << 20, 8 << 20},
        {"allocates", CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20, 32 << 20},
    };
    CUdeviceptr out = begin_memory(8);
    void *parameters[] = {&out};
    CUmodule module;

    MUST(cu->ModuleLoadData(&module, using_limits));
    for (size_t i = 0; i < COUNT(rows); i++)
        OK(cu->CtxSetLimit(rows[i].limit, rows[i].before));
    for (size_t i = 0; i < COUNT(rows); i++) {
        CUfunction kernel = begin_function(module, rows[i].kernel);
        const CUresult code = cu->LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);

        if (code == CUDA_ERROR_NOT_SUPPORTED)
            skip("the mock was built without the execution of kernels");
        MUST(code);
    }
    MUST(cu->CtxSynchronize());
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t value = 0;

        REFUSED(cu->CtxSetLimit(rows[i].limit, rows[i].after));
        OK(cu->CtxGetLimit(&value, rows[i].limit));
        EQUAL(rows[i].before, value);
    }
}

MEASURED_CASE(193, settings_of_a_context_are_returned)
{
    const CUexecAffinityType count = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    CUsharedconfig banks = (CUsharedconfig)9;
    CUexecAffinityParam affinity;
    CUcontext context = NULL;
    unsigned flags = 0;
    int processors = 0;

    begin_context();
    memset(&affinity, 0, sizeof affinity);
    OK(cu->CtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    OK(cu->CtxGetSharedMemConfig(&banks));
    EQUAL(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE, banks);
    REFUSED(cu->CtxSetSharedMemConfig((CUsharedconfig)9));
    REFUSED(cu->CtxGetSharedMemConfig(NULL));
    MUST(cu->DeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    OK(cu->CtxGetExecAffinity((void *)&affinity, count));
    EQUAL(processors, affinity.param.smCount.val);
    CODE(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
         cu->CtxGetExecAffinity((void *)&affinity, (CUexecAffinityType)1));
    REFUSED(cu->CtxGetExecAffinity(NULL, count));
    MUST(cu->CtxCreate_v2(&context, CU_CTX_SCHED_YIELD, 0));
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_SCHED_YIELD, flags & CU_CTX_SCHED_MASK);
    OK(cu->CtxSetFlags(CU_CTX_MAP_HOST));
    OK(cu->CtxGetFlags(&flags));
    EQUAL(0, flags);
    REFUSED(cu->CtxGetFlags(NULL));
    REFUSED(cu->CtxSetCacheConfig((CUfunc_cache)9));
    REFUSED(cu->CtxSetFlags(0x1000));
    REFUSED(cu->CtxSetFlags(3));
    make_current(NULL);
    make_current(NULL); /* the primary context was below */
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetFlags(&flags));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetSharedMemConfig(&banks));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetExecAffinity((void *)&affinity, count));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
}

MEASURED_CASE(194, a_device_is_no_peer_of_itself)
{
    const cushim_CUatomicOperation operations[2] = {(cushim_CUatomicOperation)0,
                                                    (cushim_CUatomicOperation)1};
    unsigned reported[3] = {7, 7, 7};
    int value = 7;

    CODE(CUDA_ERROR_NOT_INITIALIZED,
         cu->DeviceGetHostAtomicCapabilities(reported, operations, 1, 0));
    begin_device();
    OK(cu->DeviceGetHostAtomicCapabilities(reported, operations, 2, 0));
    CHECK(reported[0] == 0 && reported[1] == 0 && reported[2] == 7);
    CODE(CUDA_ERROR_INVALID_DEVICE,
         cu->DeviceGetHostAtomicCapabilities(reported, operations, 2, 99));
    REFUSED(cu->DeviceGetHostAtomicCapabilities(reported, NULL, 2, 0));
    REFUSED(cu->DeviceGetHostAtomicCapabilities(reported, operations, 0, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         cu->DeviceGetP2PAtomicCapabilities(reported, operations, 2, 0, 0));
    REFUSED(cu->DeviceGetP2PAtomicCapabilities(reported, operations, 0, 0, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         cu->DeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    EQUAL(7, value);
}

static CUresult set(CUstream stream, int attribute, const CUstreamAttrValue *value)
{
    return cu->StreamSetAttribute(stream, (CUstreamAttrID)attribute, value);
}

static CUstreamAttrValue get(CUstream stream, int attribute)
{
    CUstreamAttrValue value;

    memset(&value, 0x77, sizeof value);
    OK(cu->StreamGetAttribute(stream, (CUstreamAttrID)attribute, &value));
    return value;
}

MEASURED_CASE(195, attributes_of_a_stream_are_checked_kept_and_copied)
{
    enum { POLICY = 3, PRIORITY = 8, DOMAIN_MAP, DOMAIN };
    CUstream stream, other;
    CUstreamAttrValue value;
    int least = 0, greatest = 0;

    begin_context();
    MUST(cu->CtxGetStreamPriorityRange(&least, &greatest));
    stream = begin_stream();
    other = begin_stream();
    memset(&value, 0, sizeof value);
    REFUSED(set(stream, POLICY, &value));
    value.syncPolicy = (CUsynchronizationPolicy)5;
    REFUSED(set(stream, POLICY, &value));
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(set(stream, POLICY, &value));
    memset(&value, 0, sizeof value);
    value.memSyncDomainMap.default_ = 200;
    REFUSED(set(stream, DOMAIN_MAP, &value));
    value.memSyncDomainMap.default_ = 2;
    value.memSyncDomainMap.remote = 3;
    OK(set(stream, DOMAIN_MAP, &value));
    memset(&value, 0, sizeof value);
    value.memSyncDomain = (CUlaunchMemSyncDomain)9;
    REFUSED(set(stream, DOMAIN, &value));
    value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    OK(set(stream, DOMAIN, &value));
    memset(&value, 0, sizeof value);
    value.priority = least + 10;
    OK(set(stream, PRIORITY, &value));
    EQUAL(least, get(stream, PRIORITY).priority);
    value.priority = greatest - 10;
    OK(set(stream, PRIORITY, &value));
    EQUAL(greatest, get(stream, PRIORITY).priority);
    OK(cu->StreamCopyAttributes(other, stream));
    EQUAL(CU_SYNC_POLICY_YIELD, get(other, POLICY).syncPolicy);
    EQUAL(2, get(other, DOMAIN_MAP).memSyncDomainMap.default_);
    EQUAL(CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE, get(other, DOMAIN).memSyncDomain);
    EQUAL(greatest, get(other, PRIORITY).priority);
}

/* Callers with older headers pass a smaller union. */
MEASURED_CASE(201, attribute_is_written_without_what_lies_beyond)
{
    static const struct {
        int attribute;
        size_t bytes;
    } rows[] = {{1, 32}, {3, 4}, {8, 4}, {9, 2}, {10, 4}};
    CUstream stream = begin_stream();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        union {
            CUstreamAttrValue value;
            unsigned char bytes[256];
        } answers[2];
        bool exact = true;

        for (int fill = 0; fill < 2; fill++) {
            memset(&answers[fill], fill ? 0x55 : 0xaa, sizeof answers[fill]);
            OK(cu->StreamGetAttribute(stream, (CUstreamAttrID)rows[i].attribute,
                                      &answers[fill].value));
        }
        for (size_t byte = 0; byte < sizeof answers[0].bytes; byte++)
            exact &= (byte < rows[i].bytes) == (answers[0].bytes[byte] == answers[1].bytes[byte]);
        CHECK(exact);
    }
}

MEASURED_CASE(196, first_destruction_of_a_stream_waits)
{
    struct gate gate = GATE;
    struct opener opener;
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamDestroy(NULL));
    gate_shut(&gate, stream);
    MUST(cu->EventRecord(event, stream));
    opener_start(&opener, &gate, 20);
    OK(cu->StreamDestroy(stream));
    OK(cu->EventQuery(event));
    opener_join(&opener);
}

TWO_DEVICES_CASE(092, ranges_are_those_of_the_current_device, MEASURED)
{
    struct two two = begin_two();
    CUdeviceptr memory, base = 7;
    size_t bytes = 7;

    make_current(two.contexts[0]);
    memory = begin_memory(1000);
    make_current(two.contexts[1]);
    CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, &bytes, memory + 8));
    EQUAL(0, base);
    EQUAL(0, bytes);
    make_current(begin_other_context());
    OK(cu->MemGetAddressRange_v2(&base, &bytes, memory + 8));
    CHECK(base == memory);
    EQUAL(1000, bytes);
}

TWO_DEVICES_CASE(092, memory_of_another_device_needs_access, MEASURED)
{
    struct two two = begin_two();
    CUdeviceptr memory, address = 0;
    int value = -1;

    make_current(two.contexts[0]);
    memory = begin_memory(4096);
    make_current(two.contexts[1]);
    for (int attribute = 1; attribute < 6; attribute++) {
        OK(cu->DeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)attribute, 0, 1));
        EQUAL(attribute > 1 && attribute < 5, value);
    }
    for (int access = 0; access < 2; access++) {
        const CUresult code = access ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

        if (access)
            MUST(cu->CtxEnablePeerAccess(two.contexts[0], 0));
        CODE(code, cu->MemsetD8_v2(memory, 1, 4096));
        OK(cu->CtxSynchronize());
        CODE(code, cu->MemsetD8Async(memory, 1, 16, two.streams[1]));
        OK(cu->StreamSynchronize(two.streams[1]));
        OK(cu->MemsetD8Async(memory, 1, 16, two.streams[0]));
        OK(cu->StreamSynchronize(two.streams[0]));
        CODE(code, cu->PointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory));
        CODE(access ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND,
             cu->MemGetAddressRange_v2(&address, NULL, memory));
    }
}
