/* SPDX-License-Identifier: Apache-2.0 */
/* How executed kernels fail: sticky codes, lines of the log, and launches that are refused. */

#include "tests/mock/fixture.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

enum { MS = 1000000 };

static const char image[] = HEAD
    /* p[4 * thread] = 7; the store is in line 11 */
    ".visible .entry store(.param .u64 p)\n"
    "{\n"
    "    .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
    "    mov.u32 %r2, 7;\n"
    "    st.global.u32 [%rd2], %r2;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry load(.param .u64 p)\n"
    "{\n"
    "    .reg .b32 %r; .reg .b64 %rd;\n"
    "    ld.param.u64 %rd, [p];\n"
    "    ld.global.u32 %r, [%rd];\n"
    "    st.global.u32 [%rd], %r;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry traps() { trap; ret; }\n"
    ".visible .entry spins() { again: bra again; }\n"
    ".visible .entry waits()\n"
    "{\n"
    "    .reg .pred %p; .reg .b32 %r;\n"
    "    mov.u32 %r, %tid.x;\n"
    "    setp.lt.u32 %p, %r, 32;\n"
    "    @%p bar.sync 1;\n"
    "    @!%p bar.sync 2;\n"
    "    ret;\n"
    "}\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,\n"
    "                           .param .b64 e);\n"
    ".global .align 1 .b8 condition[6] = {120, 32, 62, 32, 48, 0};\n"
    ".global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};\n"
    ".global .align 1 .b8 function[4] = {107, 40, 41, 0};\n"
    ".visible .entry asserts()\n"
    "{\n"
    "    .reg .b64 %rd<4>;\n"
    "    mov.u64 %rd1, condition; cvta.global.u64 %rd1, %rd1;\n"
    "    mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2;\n"
    "    mov.u64 %rd3, function; cvta.global.u64 %rd3, %rd3;\n"
    "    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "    st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 17;\n"
    "    st.param.b64 [d], %rd3; st.param.b64 [e], 1;\n"
    "    call.uni __assertfail, (a, b, c, d, e); }\n"
    "    ret;\n"
    "}\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 size);\n"
    /* out[0] = malloc(bytes), to which the kernel writes if there is any */
    ".visible .entry allocates(.param .u64 out, .param .u64 bytes)\n"
    "{\n"
    "    .reg .pred %p; .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes];\n"
    "    { .param .b64 s; .param .b64 r;\n"
    "    st.param.b64 [s], %rd2; call.uni (r), malloc, (s); ld.param.b64 %rd3, [r]; }\n"
    "    st.global.u64 [%rd1], %rd3;\n"
    "    setp.ne.u64 %p, %rd3, 0;\n"
    "    @%p st.u64 [%rd3], %rd2;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry unknown(.param .u64 p)\n"
    "{\n"
    "    .reg .b32 %r<8>;\n"
    "    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];\n"
    "    ret;\n"
    "}\n";

static void begin(const char *settings)
{
    kernel_begin(settings, image);
    fixture_log();
}

static int begin_auto(void **state)
{
    begin("mode = auto");
    return 0;
}

/* After a fault no call works, so the mock is destroyed with its contents. */
static int end_faulted(void **state)
{
    OK(cushim_mock_destroy(fixture_mock));
    return 0;
}

/*
 * The code with which a launch of this many threads ends, which every later call must return, too.
 */
static CUresult result_of(const char *name, unsigned threads, void **parameters)
{
    CUdeviceptr address;
    CUresult code;

    OK(driver->LaunchKernel(kernel_find(name), 1, 1, 1, threads, 1, 1, 0, kernel_stream, parameters,
                            NULL));
    code = driver->StreamSynchronize(kernel_stream);
    if (code != CUDA_SUCCESS)
        CODE(code, driver->MemAlloc_v2(&address, 4));
    return code;
}

static void assert_logged(const char *text)
{
    if (!strstr(fixture_logged, text))
        fail_msg("\"%s\" is not in the log: %s", text, fixture_logged);
}

TEST_BETWEEN(store_beyond_the_end_is_named_with_the_memory, begin_auto, end_faulted)
{
    CUdeviceptr address;
    void *parameters[] = {&address};

    OK(driver->MemAlloc_v2(&address, 4 * 33));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, result_of("store", 64, parameters));
    assert_logged("the kernel 'store' (operation 1), line 11 of its PTX, block (0,0,0), thread "
                  "(33,0,0): write of 4 bytes at 0x");
    assert_logged("(memory#1+132, at its end)");
    assert_logged("CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_BETWEEN(freed_memory_is_none, begin_auto, end_faulted)
{
    CUdeviceptr address;
    void *parameters[] = {&address};

    OK(driver->MemAlloc_v2(&address, 4096));
    OK(driver->MemFree_v2(address));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, result_of("load", 1, parameters));
    assert_logged("read of 4 bytes at 0x");
}

TEST_BETWEEN(memory_that_was_locked_is_read_and_written, begin_auto, fixture_done)
{
    uint32_t *words = calloc(64, sizeof *words);
    CUdeviceptr address = (uintptr_t)words;
    void *parameters[] = {&address};

    OK(driver->MemHostRegister_v2(words, 64 * sizeof *words, 0));
    OK(result_of("store", 32, parameters));
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(words[i], i < 32 ? 7 : 0);
    assert_string_equal(fixture_logged, "");
    OK(driver->MemHostUnregister(words));
    free(words);
}

TEST_BETWEEN(misaligned_access_has_a_code_of_its_own, begin_auto, end_faulted)
{
    CUdeviceptr address, odd;
    void *parameters[] = {&odd};

    OK(driver->MemAlloc_v2(&address, 64));
    odd = address + 2;
    CODE(CUDA_ERROR_MISALIGNED_ADDRESS, result_of("load", 1, parameters));
    assert_logged("(memory#1+2 of 64 bytes)");
}

#ifndef _WIN32 /* there the mock has no virtual memory */
TEST_ALONE(virtual_memory_is_named_with_the_reason)
{
    static const struct {
        CUmemAccess_flags flags;
        unsigned page, offset;
        CUresult code;
        const char *logged;
    } rows[] = {
        {CU_MEM_ACCESS_FLAGS_PROT_NONE, 1, 8, 700, "(memory#1+2097160 of 4194304 bytes, see cuMem"},
        {CU_MEM_ACCESS_FLAGS_PROT_READ, 1, 8, 700, "(memory#1+2097160 of 4194304 bytes, see cuMem"},
        {CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 1, 2, 716, "(memory#1+2097154 of 4194304 bytes)"},
        {CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 0, 8, 700, "(memory#1 is reserved, but nothing is"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        CUdeviceptr address;
        void *parameters[] = {&address};

        begin("mode = auto");
        address =
            fixture_map(2, 1, rows[i].flags) + rows[i].page * (size_t)FIXTURE_PAGE + rows[i].offset;
        CODE(rows[i].code, result_of("store", 1, parameters));
        assert_logged(rows[i].logged);
        end_faulted(NULL);
    }
}
#endif

TEST_ALONE(kernel_that_fails_by_itself_is_named)
{
    static const struct {
        const char *settings, *kernel;
        unsigned threads;
        CUresult code;
        const char *logged;
    } cases[] = {
        {"mode = auto", "traps", 1, CUDA_ERROR_LAUNCH_FAILED, "the kernel 'traps'"},
        {"mode = auto", "asserts", 1, CUDA_ERROR_ASSERT,
         "k.cu:17: k(): block: [0,0,0], thread: [0,0,0] Assertion `x > 0` failed."},
        {"mode = auto\nkernel_limit = 1000000", "spins", 1, CUDA_ERROR_LAUNCH_TIMEOUT,
         "the kernel 'spins' (operation 1) has not ended after as many instructions as "
         "kernel_limit says; thread (0,0,0) of block (0,0,0) is at line "},
        {"mode = auto", "waits", 64, CUDA_ERROR_LAUNCH_TIMEOUT,
         "the kernel 'waits' (operation 1) hangs: each of its threads waits at a barrier for "
         "others; thread (0,0,0) of block (0,0,0) is at line "},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(cases[i].settings);
        CODE(cases[i].code, result_of(cases[i].kernel, cases[i].threads, NULL));
        assert_logged(cases[i].logged);
        end_faulted(state);
    }
}

/* A fault occurs at its virtual time, and not in the call. */
static int begin_manual(void **state)
{
    begin("mode = manual");
    return 0;
}

TEST_BETWEEN(fault_comes_at_its_time, begin_manual, end_faulted)
{
    CUdeviceptr address = 4096;
    void *parameters[] = {&address};

    OK(kernel_launch(kernel_find("load"), parameters, NULL));
    OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(kernel_stream));
    OK(cushim_mock_advance(fixture_mock, MS));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(kernel_stream));
}

static int begin_pair(void **state)
{
    begin("mode = auto\ndevices = 2");
    return 0;
}

/* Memory of the second device; the flag says whether the first device may access it. */
static CUdeviceptr peer_memory(bool enabled)
{
    CUcontext first, other;
    CUdeviceptr address;

    OK(driver->CtxGetCurrent(&first));
    OK(driver->DevicePrimaryCtxRetain(&other, 1));
    OK(driver->CtxPushCurrent_v2(other));
    OK(driver->MemAlloc_v2(&address, 64));
    OK(driver->CtxPopCurrent_v2(&other));
    if (enabled)
        OK(driver->CtxEnablePeerAccess(other, 0));
    return address;
}

TEST_BETWEEN(memory_of_another_device_is_none, begin_pair, end_faulted)
{
    CUdeviceptr address = peer_memory(false);
    void *parameters[] = {&address};

    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, result_of("load", 1, parameters));
}

TEST_BETWEEN(memory_of_a_peer_is_read_and_written, begin_pair, fixture_done)
{
    CUdeviceptr address = peer_memory(true);
    void *parameters[] = {&address};
    CUcontext context;

    OK(result_of("store", 1, parameters));
    assert_int_equal(*(uint32_t *)cushim_mock_memory(fixture_mock, address, 4), 7);
    OK(driver->MemFree_v2(address));
    OK(driver->CtxGetCurrent(&context));
    OK(driver->DevicePrimaryCtxRelease_v2(1));
}

/* The result of malloc() for this many bytes in a kernel that does not free them. */
static CUdeviceptr allocated_by_a_kernel(CUdeviceptr out, uint64_t bytes)
{
    CUdeviceptr given;
    void *parameters[] = {&out, &bytes};

    OK(result_of("allocates", 1, parameters));
    memcpy(&given, cushim_mock_memory(fixture_mock, out, 8), 8);
    return given;
}

/*
 * If the host has no memory (tests/out_of_memory), a kernel's malloc() returns 0, too, and takes
 * nothing from the heap. So this tries again.
 */
static CUdeviceptr assert_a_kernel_allocates(CUdeviceptr out, uint64_t bytes)
{
    CUdeviceptr given;
    int attempts = 8;

    while ((given = allocated_by_a_kernel(out, bytes)) == 0)
        assert_true(--attempts > 0);
    return given;
}

/* Later kernels can use the memory, as no kernel has freed it. */
TEST_BETWEEN(heap_is_limited_and_keeps_its_limit_once_kernels_have_used_it, begin_auto,
             fixture_done)
{
    enum { MB = 1 << 20 };
    CUdeviceptr out, given;
    void *parameters[] = {&given};
    size_t limit;

    OK(driver->MemAlloc_v2(&out, 8));
    OK(driver->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4 * MB));
    OK(driver->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 8 * MB));
    given = assert_a_kernel_allocates(out, 5 * MB);
    assert_int_equal(*(uint64_t *)cushim_mock_memory(fixture_mock, given, 8), 5 * MB);
    OK(result_of("load", 1, parameters));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4 * MB));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->CtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 * MB));
    OK(driver->CtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(limit, 8 * MB);
    assert_true(allocated_by_a_kernel(out, 4 * MB) == 0);
    assert_true(allocated_by_a_kernel(out, UINT64_MAX) == 0);
    assert_a_kernel_allocates(out, 3 * MB);
    assert_true(allocated_by_a_kernel(out, 16) == 0);
    /* The limit can still change, because the kernels have not printed anything. */
    OK(driver->CtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 * MB));
}

TEST_BETWEEN(kernel_that_cannot_be_executed_is_refused_with_its_instruction, begin_auto,
             fixture_done)
{
    CUdeviceptr address;
    void *parameters[] = {&address};

    OK(driver->MemAlloc_v2(&address, 4));
    CODE(CUDA_ERROR_NOT_SUPPORTED, kernel_launch(kernel_find("unknown"), parameters, NULL));
    assert_logged("the kernel 'unknown' cannot be executed: line 65 of its PTX: ");
    assert_logged("ldmatrix");
    OK(result_of("store", 1, parameters));
}

TEST_BETWEEN(text_that_is_wrong_is_refused_as_by_ptxas, begin_auto, fixture_done)
{
    static const char wrong[] = HEAD ".visible .entry k()\n{\n    .reg .b32 %r;\n"
                                     "    add.u32 %r, %r;\n    ret;\n}\n";
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;

    CODE(CUDA_ERROR_INVALID_PTX, driver->ModuleLoadDataEx(&module, wrong, 2, options, values));
    assert_ptr_equal(strstr(log, "ptxas application ptx input, line 7; error   : "), log);
    CONTAINS(log, "\nptxas fatal   : Ptx assembly aborted due to errors\n");
    assert_int_equal((uintptr_t)values[1], strlen(log));
}

/* Two PTX texts; one calls a function and reads a variable of the other. */
TEST_BETWEEN(texts_that_are_linked_are_one_program, begin_auto, fixture_done)
{
    static const char caller[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                      ".extern .global .align 4 .u32 base;\n"
                                      ".visible .entry k(.param .u64 p)\n"
                                      "{\n"
                                      "    .reg .b32 %r<4>; .reg .b64 %rd;\n"
                                      "    ld.param.u64 %rd, [p]; ld.global.u32 %r1, [base];\n"
                                      "    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                                      "    call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
                                      "    st.global.u32 [%rd], %r2;\n"
                                      "    ret;\n"
                                      "}\n";
    static const char callee[] =
        HEAD ".visible .global .align 4 .u32 base = 21;\n"
             ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;\n"
             "    ret;\n"
             "}\n";
    CUdeviceptr address;
    void *parameters[] = {&address}, *cubin;
    CUfunction function;
    CUlinkState link;
    CUmodule module;
    size_t bytes;

    OK(driver->MemAlloc_v2(&address, 4));
    OK(driver->LinkCreate_v2(0, NULL, NULL, &link));
    OK(driver->LinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "a", 0, NULL,
                              NULL));
    OK(driver->LinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "b", 0, NULL,
                              NULL));
    OK(driver->LinkComplete(link, &cubin, &bytes));
    OK(driver->ModuleLoadData(&module, cubin));
    OK(driver->LinkDestroy(link));
    OK(driver->ModuleGetFunction(&function, module, "k"));
    OK(kernel_launch(function, parameters, NULL));
    OK(driver->StreamSynchronize(kernel_stream));
    assert_int_equal(*(uint32_t *)cushim_mock_memory(fixture_mock, address, 4), 42);
}
