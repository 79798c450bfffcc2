/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that try to access host memory, or memory next to their own: each ends with a sticky
 * error, and the host's bytes do not change.
 */

#include "tests/mock/fixture.h"

enum { HOST_BYTES = 4096, DEVICE_BYTES = 64, CANARY = 0xa5 };

/*
 * %rd1 is a host address in the middle of a block, and %rd2 the address of 64 bytes of device
 * memory.
 */
#define BEGIN                                                                              \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                      \
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);\n"     \
    ".extern .func (.param .b64 r) malloc(.param .b64 size);\n"                            \
    ".extern .func free(.param .b64 p);\n"                                                 \
    ".func own() { ret; }\n"                                                               \
    ".global .align 8 .b8 text[8] = {37, 115, 0};\n"                                       \
    ".global .align 8 .b8 counts[8] = {37, 110, 0};\n"                                     \
    ".global .align 8 .u64 values[2];\n"                                                   \
    ".visible .entry k(.param .u64 host, .param .u64 device)\n{\n"                         \
    "    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p; .shared .align 16 .b8 s[64];\n" \
    "    .local .align 16 .b8 l[64];\n"                                                    \
    "    ld.param.u64 %rd1, [host]; ld.param.u64 %rd2, [device]; mov.u32 %r1, 7;\n"        \
    "    mov.u64 %rd8, 7;\n"
#define END "\n    ret;\n}\n"

/* free(%rd3) */
#define FREE "{ .param .b64 a; st.param.b64 [a], %rd3; call.uni free, (a); }\n"
/* %rd3 = malloc(16) */
#define MALLOC                                                                           \
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 16; call.uni (b), malloc, (a);\n" \
    "ld.param.b64 %rd3, [b]; }\n"
/* vprintf(%rd3, %rd4) */
#define PRINT                                                                  \
    "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd3;\n" \
    "st.param.b64 [b], %rd4; call.uni (c), vprintf, (a, b); }\n"
#define FORMAT(name) "mov.u64 %rd3, " name "; cvta.global.u64 %rd3, %rd3;\n"
#define VALUES "mov.u64 %rd4, values; cvta.global.u64 %rd4, %rd4; st.u64 [%rd4], %rd1;\n"

static const struct attempt {
    const char *body;
    CUresult code;
} attempts[] = {
    /* a host address */
    {"ld.u32 %r2, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.u32 [%rd1], %r1;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.global.u8 %r2, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.global.nc.u64 %rd3, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.volatile.global.u64 %rd3, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.release.gpu.global.u64 [%rd1], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"atom.add.u32 %r2, [%rd1], %r1;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"atom.global.cas.b64 %rd3, [%rd1], %rd8, %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"red.global.or.b32 [%rd1], %r1;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"cvta.to.global.u64 %rd3, %rd1; st.global.u8 [%rd3], %r1;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u32 %r3, s; cp.async.ca.shared.global [%r3], [%rd1], 16;", CUDA_ERROR_ILLEGAL_ADDRESS},
    /* a host address as an offset in another space */
    {"ld.shared.u32 %r2, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.shared.u64 [%rd1], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.local.u64 [%rd1], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.const.u64 %rd3, [%rd1];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"cvta.shared.u64 %rd3, %rd1; st.u64 [%rd3], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"cvta.local.u64 %rd3, %rd1; ld.u64 %rd3, [%rd3];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"atom.shared.add.u32 %r2, [%rd1], %r1;", CUDA_ERROR_ILLEGAL_ADDRESS},
    /* just outside an allocation */
    {"st.global.u64 [%rd2+64], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.global.u64 [%rd2-8], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u32 %r2, -100000; mad.wide.s32 %rd3, %r2, 8, %rd2; st.u64 [%rd3], %rd8;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, 0x10000000000; add.u64 %rd3, %rd2, %rd3; ld.u64 %rd4, [%rd3];",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, -16; ld.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, -8; atom.add.u64 %rd4, [%rd3], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"st.shared.u64 [s+65528], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u32 %r2, s; sub.u32 %r2, %r2, 64; st.shared.u64 [%r2], %rd8;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.u64 [%rd3+1048576], %rd8;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; st.u64 [%rd3+16777216], %rd8;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; st.u64 [%rd3-16777216], %rd8;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
    /* atomic operations across the end of an allocation, or misaligned */
    {"atom.global.add.u64 %rd3, [%rd2+60], %rd8;", CUDA_ERROR_MISALIGNED_ADDRESS},
    {"atom.global.add.u64 %rd3, [%rd2+64], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"atom.global.cas.b32 %r2, [%rd2+2], %r1, %r1;", CUDA_ERROR_MISALIGNED_ADDRESS},
    /* invalid function addresses */
    {"call %rd1, ();", CUDA_ERROR_INVALID_PC},
    {"call %rd2, ();", CUDA_ERROR_INVALID_PC},
    {"mov.u64 %rd3, -1; call %rd3, ();", CUDA_ERROR_INVALID_PC},
    {"mov.u64 %rd3, own; add.u64 %rd3, %rd3, 1; call %rd3, ();", CUDA_ERROR_INVALID_PC},
    {"mov.u64 %rd3, own; add.u64 %rd3, %rd3, 0x100000; call %rd3, ();", CUDA_ERROR_INVALID_PC},
    {"mov.u64 %rd3, own; .param .b32 a; call %rd3, (a);", CUDA_ERROR_INVALID_PC},
    /* invalid strings */
    {"mov.u64 %rd3, %rd1; mov.u64 %rd4, %rd2;\n" PRINT, CUDA_ERROR_ILLEGAL_ADDRESS},
    {"mov.u64 %rd3, 1; mov.u64 %rd4, %rd2;\n" PRINT, CUDA_ERROR_ILLEGAL_ADDRESS},
    {FORMAT("text") "mov.u64 %rd4, %rd1;\n" PRINT, CUDA_ERROR_ILLEGAL_ADDRESS},
    {FORMAT("text") VALUES PRINT, CUDA_ERROR_ILLEGAL_ADDRESS},
    {FORMAT("counts") VALUES PRINT, CUDA_SUCCESS}, /* %n has no effect in a kernel */
    /* memory that malloc() did not return */
    {"mov.u64 %rd3, %rd1;\n" FREE, CUDA_ERROR_LAUNCH_FAILED},
    {"mov.u64 %rd3, %rd2;\n" FREE, CUDA_ERROR_LAUNCH_FAILED},
    {MALLOC "add.u64 %rd3, %rd3, 8;\n" FREE, CUDA_ERROR_LAUNCH_FAILED},
    {MALLOC FREE FREE, CUDA_ERROR_LAUNCH_FAILED},
    {MALLOC FREE "st.u64 [%rd3], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {MALLOC "st.u64 [%rd3+16], %rd8;", CUDA_ERROR_ILLEGAL_ADDRESS},
    /* beyond the parameters */
    {"ld.param.u64 %rd3, [device+8]; st.global.u64 [%rd2], %rd3;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.param.u64 %rd3, [host+65536]; st.global.u64 [%rd2], %rd3;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.param.u64 %rd3, [host-8]; st.global.u64 [%rd2], %rd3;", CUDA_ERROR_ILLEGAL_ADDRESS},
    {"ld.param.v4.u32 {%r2, %r3, %r4, %r5}, [device]; st.global.u32 [%rd2], %r5;",
     CUDA_ERROR_MISALIGNED_ADDRESS},
    {"mov.u64 %rd3, host; ld.param.u64 %rd4, [%rd3+1024]; st.global.u64 [%rd2], %rd4;",
     CUDA_ERROR_ILLEGAL_ADDRESS},
};

static unsigned char host[HOST_BYTES];

static void assert_host_is_as_it_was(const char *body)
{
    for (size_t i = 0; i < HOST_BYTES; i++) {
        if (host[i] != CANARY)
            fail_msg("byte %u of the host was written by: %s", (unsigned)i, body);
    }
}

/*
 * Launch the kernel with an address of the host, which may be registered as read-only. Returns the
 * code of the fault, which every later call must return, too.
 */
static CUresult result_with(const void *at, bool registered, const char *body)
{
    enum { READ_ONLY = 8 };
    static char image[4096];
    uint64_t address = (uint64_t)(uintptr_t)at;
    CUdeviceptr memory, other;
    void *parameters[] = {&address, &memory};
    CUresult code;

    assert_in_range(snprintf(image, sizeof image, "%s%s%s", BEGIN, body, END), 0, sizeof image - 1);
    fixture_begin("mode = auto\nkernel_limit = 100000");
    if (registered)
        OK(driver->MemHostRegister_v2((void *)(uintptr_t)at, 16, READ_ONLY));
    OK(driver->MemAlloc_v2(&memory, DEVICE_BYTES));
    OK(driver->MemsetD8_v2(memory, 0, DEVICE_BYTES));
    OK(driver->ModuleLoadData(&kernel_module, image));
    OK(driver->LaunchKernel(kernel_find("k"), 1, 1, 1, 3, 1, 1, 0, NULL, parameters, NULL));
    code = driver->CtxSynchronize();
    CODE(code, driver->MemAlloc_v2(&other, 4));
    OK(cushim_mock_destroy(fixture_mock));
    return code;
}

static CUresult result_of(const char *body)
{
    return result_with(host + HOST_BYTES / 2, false, body);
}

TEST_ALONE(kernel_reads_but_does_not_write_what_is_registered_as_read_only)
{
    static const char constant[16] = "constant";

    CODE(CUDA_SUCCESS, result_with(constant, true, "ld.u32 %r2, [%rd1];"));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, result_with(constant, true, "st.u32 [%rd1], %r1;"));
    assert_string_equal("constant", constant);
}

TEST_ALONE(kernels_do_not_reach_the_host)
{
    memset(host, CANARY, sizeof host);
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const CUresult code = result_of(attempts[i].body);

        if (code != attempts[i].code)
            fail_msg("%d and not %d after: %s", (int)code, (int)attempts[i].code, attempts[i].body);
        assert_host_is_as_it_was(attempts[i].body);
    }
}
