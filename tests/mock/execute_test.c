/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed kernels in each mode of the clock and under each schedule: they run beside other work,
 * wait for it, and take their time. tests/kernel tests their results.
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/mock/fixture.h"

#define HEAD ".version 6.4\n.target sm_70\n.address_size 64\n"

enum { MS = 1000000 };

static const char image[] =
    /* waits until *flag is not 0, and writes its value to *result */
    HEAD ".visible .entry await(.param .u64 flag, .param .u64 result)\n"
         "{\n"
         "    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<3>;\n"
         "    ld.param.u64 %rd1, [flag];\n"
         "    ld.param.u64 %rd2, [result];\n"
         "again:\n"
         "    ld.volatile.global.u32 %r, [%rd1];\n"
         "    setp.eq.u32 %p, %r, 0;\n"
         "    @%p bra again;\n"
         "    st.global.u32 [%rd2], %r;\n"
         "    ret;\n"
         "}\n"
         /* p[0] = 3 * p[0] + digit, n times; the result shows the order of kernels */
         ".visible .entry append(.param .u64 p, .param .u32 digit, .param .u32 n)\n"
         "{\n"
         "    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd;\n"
         "    ld.param.u64 %rd, [p];\n"
         "    ld.param.u32 %r1, [digit];\n"
         "    ld.param.u32 %r2, [n];\n"
         "again:\n"
         "    ld.volatile.global.u32 %r3, [%rd];\n"
         "    mad.lo.u32 %r3, %r3, 3, %r1;\n"
         "    st.volatile.global.u32 [%rd], %r3;\n"
         "    sub.u32 %r2, %r2, 1;\n"
         "    setp.ne.u32 %p, %r2, 0;\n"
         "    @%p bra again;\n"
         "    ret;\n"
         "}\n"
         ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 list);\n"
         ".global .align 1 .b8 greeting[] = {105, 115, 32, 37, 100, 10, 0};\n" /* "is %d\n" */
         ".visible .entry say(.param .u32 number)\n"
         "{\n"
         "    .local .align 8 .b8 list[8];\n"
         "    .reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
         "    ld.param.u32 %r1, [number];\n"
         "    mov.u64 %rd1, list;\n"
         "    cvta.local.u64 %rd2, %rd1;\n"
         "    st.local.u32 [%rd1], %r1;\n"
         "    mov.u64 %rd3, greeting;\n"
         "    cvta.global.u64 %rd3, %rd3;\n"
         "    {\n"
         "    .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
         "    st.param.b64 [p0], %rd3;\n"
         "    st.param.b64 [p1], %rd2;\n"
         "    call.uni (r0), vprintf, (p0, p1);\n"
         "    ld.param.b32 %r2, [r0];\n"
         "    }\n"
         "    ret;\n"
         "}\n";

/* The settings with which every test of results runs. */
static const char *const settings[] = {
    "mode = auto",
    "mode = auto\nschedule = eager",
    "mode = auto\nschedule = lazy",
    "mode = auto\nschedule = random\nseed = 7",
    "mode = auto\nadversarial = yes\nseed = 3",
    "mode = threaded",
    "mode = threaded\nschedule = random\nseed = 11",
    "mode = manual",
    /* Devices with incomplete profiles; the image is for compute capability 7.0. */
    "mode = auto\nprofile = t4",
    "mode = auto\nprofile = a100",
    "mode = auto\nprofile = rtx4090",
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static bool is_manual;

static void begin(size_t index)
{
    is_manual = strstr(settings[index], "manual");
    kernel_begin(settings[index], image);
}

/* Wait for the stream; in manual mode, advance the clock instead. */
static void finish(void)
{
    if (is_manual)
        OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamSynchronize(kernel_stream));
}

/* Words of device memory, which are 0. */
static CUdeviceptr device_words(size_t count)
{
    const size_t bytes = count * sizeof(uint32_t);
    CUdeviceptr address;

    OK(driver->MemAlloc_v2(&address, bytes));
    memset(cushim_mock_memory(fixture_mock, address, bytes), 0, bytes);
    return address;
}

static uint32_t word_at(CUdeviceptr address, size_t index)
{
    uint32_t word;

    memcpy(&word, cushim_mock_memory(fixture_mock, address + index * sizeof word, sizeof word),
           sizeof word);
    return word;
}

static void launch(const char *name, unsigned blocks, unsigned threads, void **parameters)
{
    OK(driver->LaunchKernel(kernel_find(name), blocks, 1, 1, threads, 1, 1, 0, kernel_stream,
                            parameters, NULL));
}

/* The host can also access a managed variable, with its initial value from the start. */
FIXTURE_TEST(managed_variables_are_read_and_written_by_host_and_kernel, "mode = auto\n")
{
    static const char text[] =
        HEAD ".visible .global .attribute(.managed) .align 4 .u32 shared[2] = {7, 8};\n"
             ".visible .entry add(.param .u32 n)\n{\n"
             ".reg .b32 %r<3>;\nld.param.u32 %r1, [n]; ld.global.u32 %r2, [shared+4];\n"
             "add.u32 %r2, %r2, %r1; st.global.u32 [shared], %r2;\nret;\n}\n";
    uint32_t n = 100, *host;
    void *parameters[] = {&n};
    unsigned managed = 0;
    CUfunction function;
    CUdeviceptr address;
    CUmodule module;
    size_t bytes;

    OK(driver->ModuleLoadData(&module, text));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "shared"));
    assert_int_equal(bytes, 8);
    OK(driver->PointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
    assert_int_equal(managed, 1);
    host = (uint32_t *)(uintptr_t)address;
    assert_int_equal(host[0], 7);
    host[1] = 50;
    OK(driver->ModuleGetFunction(&function, module, "add"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    OK(driver->CtxSynchronize());
    assert_int_equal(host[0], 150);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(address));
    OK(driver->ModuleUnload(module));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->PointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
}

/* The kernel polls until the copy, which is queued later on another stream, has executed. */
TEST_ALONE(kernel_waits_for_what_a_copy_writes)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        uint32_t value = 42;
        CUdeviceptr flag, result;
        void *parameters[] = {&flag, &result};
        CUstream other;

        begin(i);
        other = fixture_stream();
        flag = device_words(1);
        result = device_words(1);
        launch("await", 1, 1, parameters);
        OK(driver->MemcpyHtoDAsync_v2(flag, &value, sizeof value, other));
        finish();
        assert_int_equal(word_at(result, 0), 42);
        OK(driver->StreamDestroy_v2(other));
        OK(driver->MemFree_v2(flag));
        OK(driver->MemFree_v2(result));
        fixture_done(state);
    }
}

/* The kernel does not end before, and calls of the host return meanwhile. */
TEST_ALONE(kernel_waits_for_what_the_host_writes)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        void *page;
        CUdeviceptr flag, result;
        void *parameters[] = {&flag, &result};

        begin(i);
        OK(driver->MemHostAlloc(&page, sizeof(uint32_t), CU_MEMHOSTALLOC_DEVICEMAP));
        memset(page, 0, sizeof(uint32_t));
        OK(driver->MemHostGetDevicePointer_v2(&flag, page, 0));
        result = device_words(1);
        launch("await", 1, 1, parameters);
        for (unsigned asked = 0; asked < 20; asked++) {
            if (is_manual)
                OK(cushim_mock_advance(fixture_mock, MS));
            CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
        }
        __atomic_store_n((uint32_t *)page, 77, __ATOMIC_RELEASE);
        finish();
        assert_int_equal(word_at(result, 0), 77);
        OK(driver->MemFree_v2(result));
        OK(driver->MemFreeHost(page));
        fixture_done(state);
    }
}

static void *store_later(void *page)
{
    CUcontext context;

    /* This thread gets the mock's lock while the other thread waits for the kernel. */
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    for (unsigned i = 0; i < 50; i++)
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    __atomic_store_n((uint32_t *)page, 78, __ATOMIC_RELEASE);
    return NULL;
}

TEST_ALONE(thread_calls_while_another_waits_for_a_kernel)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        void *page;
        CUdeviceptr flag, result;
        void *parameters[] = {&flag, &result};
        pthread_t thread;

        if (strstr(settings[i], "manual"))
            continue;
        begin(i);
        OK(driver->MemAllocManaged(&flag, sizeof(uint32_t), CU_MEM_ATTACH_GLOBAL));
        page = (void *)(uintptr_t)flag;
        memset(page, 0, sizeof(uint32_t));
        result = device_words(1);
        launch("await", 1, 1, parameters);
        assert_int_equal(pthread_create(&thread, NULL, store_later, page), 0);
        finish();
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(word_at(result, 0), 78);
        OK(driver->MemFree_v2(result));
        OK(driver->MemFree_v2(flag));
        fixture_done(state);
    }
}

/* Two kernels that change the same word, on two streams. */
static uint32_t appended(const char *text)
{
    uint32_t digits[] = {1, 2}, steps = 20000, result;
    CUdeviceptr address;
    CUstream streams[2];

    kernel_begin(text, image);
    address = device_words(1);
    for (size_t i = 0; i < 2; i++) {
        void *parameters[] = {&address, &digits[i], &steps};

        streams[i] = fixture_stream();
        OK(driver->LaunchKernel(kernel_find("append"), 1, 1, 1, 1, 1, 1, 0, streams[i], parameters,
                                NULL));
    }
    OK(driver->CtxSynchronize());
    result = word_at(address, 0);
    for (size_t i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    OK(driver->MemFree_v2(address));
    fixture_done(NULL);
    return result;
}

TEST_ALONE(kernels_on_two_streams_interleave_by_the_seed)
{
    const uint32_t one = appended("schedule = random\nseed = 1");
    bool differs = false;

    assert_int_equal(appended("schedule = random\nseed = 1"), one);
    for (unsigned seed = 2; seed < 10; seed++) {
        char text[60];

        snprintf(text, sizeof text, "schedule = random\nseed = %u", seed);
        differs |= appended(text) != one;
    }
    assert_true(differs);
}

TEST_ALONE(nodes_of_graphs_are_executed_at_each_launch)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        uint32_t digit = 1, steps = 2;
        CUdeviceptr address;
        void *parameters[] = {&address, &digit, &steps};
        CUgraphExec exec;
        CUgraph graph;

        begin(i);
        address = device_words(1);
        capture_begin(kernel_stream);
        launch("append", 1, 1, parameters);
        launch("append", 1, 1, parameters);
        graph = capture_end(kernel_stream);
        OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
        OK(driver->GraphLaunch(exec, kernel_stream));
        OK(driver->GraphLaunch(exec, kernel_stream));
        finish();
        /* Eight applications of 3 * p + 1. */
        assert_int_equal(word_at(address, 0), (6561 - 1) / 2);
        OK(driver->GraphExecDestroy(exec));
        OK(driver->GraphDestroy(graph));
        OK(driver->MemFree_v2(address));
        fixture_done(state);
    }
}

/*
 * The time that `append` takes for this many steps, measured with events, while another stream
 * works for `meanwhile_ns`.
 */
static float duration_of(uint32_t steps, uint64_t meanwhile_ns)
{
    uint32_t digit = 1;
    CUdeviceptr address = device_words(1);
    void *parameters[] = {&address, &digit, &steps};
    CUevent start = fixture_event(), end = fixture_event();
    CUstream other = fixture_stream();
    float ms = -1;

    OK(driver->EventRecord(start, kernel_stream));
    launch("append", 1, 1, parameters);
    OK(driver->EventRecord(end, kernel_stream));
    fixture_spin(other, meanwhile_ns);
    OK(driver->StreamSynchronize(other));
    OK(driver->EventSynchronize(end));
    OK(driver->EventElapsedTime(&ms, start, end));
    OK(driver->StreamDestroy_v2(other));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
    OK(driver->MemFree_v2(address));
    return ms;
}

TEST_ALONE(kernel_takes_as_long_as_its_instructions)
{
    float one, hundred;

    kernel_begin("mode = auto", image);
    one = duration_of(10000, 0);
    hundred = duration_of(1000000, 0);
    assert_true(one > 0.05f && one < 5);
    assert_true(hundred > 50 * one && hundred < 150 * one);
    fixture_done(state);
}

/* The kernel starts by itself after a millisecond, before any call waits for it. */
TEST_ALONE(wait_for_a_kernel_under_way_does_not_move_it)
{
    float alone, awaited;

    kernel_begin("mode = auto", image);
    alone = duration_of(1000000, 0);
    fixture_done(state);
    kernel_begin("mode = auto\nschedule = lazy", image);
    awaited = duration_of(1000000, 3 * MS);
    fixture_done(state);
    assert_true(awaited > 0.999f * alone && awaited < 1.001f * alone);
}

/* A launch that must not end in the call ends later: see the schedule `eager`. */
TEST_ALONE(manual_time_executes_as_much_as_passes)
{
    uint32_t digit = 1, steps = 1000000;
    CUdeviceptr address;
    void *parameters[] = {&address, &digit, &steps};
    uint32_t before;

    kernel_begin("mode = manual", image);
    address = device_words(1);
    launch("append", 1, 1, parameters);
    OK(cushim_mock_advance(fixture_mock, MS));
    before = word_at(address, 0);
    assert_int_not_equal(before, 0);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(cushim_mock_advance(fixture_mock, MS));
    assert_int_not_equal(word_at(address, 0), before);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(kernel_stream));
    fixture_done(state);
}

/* The output of a kernel is on standard output when the program has waited for the kernel. */
TEST_ALONE(text_of_a_kernel_is_printed_at_its_end)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        uint32_t number = 12;
        void *parameters[] = {&number};
        char printed[64] = "";
        FILE *file = tmpfile();
        const int former = dup(STDOUT_FILENO);

        assert_non_null(file);
        begin(i);
        fflush(stdout);
        dup2(fileno(file), STDOUT_FILENO);
        launch("say", 1, 2, parameters);
        finish();
        fflush(stdout);
        dup2(former, STDOUT_FILENO);
        close(former);
        rewind(file);
        assert_int_equal(fread(printed, 1, sizeof printed - 1, file), 12);
        assert_string_equal(printed, "is 12\nis 12\n");
        fclose(file);
        fixture_done(state);
    }
}
