/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and libraries with executed kernels: PTX next to cubins, and managed variables. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "cubin.h"
#include "tests/mock/fixture.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

/*
 * Launch the kernel of a fat binary like nvcc's: a cubin, and PTX for the same kernel. The results
 * are the value that the kernel writes, and then the value of a variable that the host reads.
 */
static CUresult launch_scale(const char *text, uint32_t results[2])
{
    static unsigned char cubin[CUBIN_BYTES], fatbin[CUBIN_BYTES];
    const size_t size = cubin_make(cubin, 90);
    uint8_t first = 1;
    uint32_t last = 2;
    CUdeviceptr out, start;
    void *parameters[] = {&first, &out, &last};
    CUfunction function;
    CUmodule loaded;
    CUresult code;

    fatbin_begin(fatbin);
    fatbin_add(fatbin, FATBIN_CUBIN, 90, 0, cubin, size);
    fatbin_add(fatbin, FATBIN_PTX, 50, 0, text, strlen(text) + 1);
    OK(driver->ModuleLoadData(&loaded, fatbin));
    OK(driver->ModuleGetFunction(&function, loaded, "scale"));
    OK(driver->MemAlloc_v2(&out, sizeof *results));
    code = driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, parameters, NULL);
    OK(driver->MemcpyDtoH_v2(&results[0], out, sizeof *results));
    OK(driver->ModuleGetGlobal_v2(&start, NULL, loaded, "start"));
    OK(driver->MemcpyDtoH_v2(&results[1], start, sizeof *results));
    OK(driver->MemFree_v2(out));
    OK(driver->ModuleUnload(loaded));
    return code;
}

#define TEST(name) TEST_BETWEEN(name, fixture_auto, fixture_done)

/* Host and kernel share the variables that the cubin declares; the PTX may declare more. */
TEST(kernel_of_a_cubin_is_executed_by_the_text_beside_it)
{
    static const char text[] =
        HEAD ".func ten(.param .b32 p) { ret; }\n"
             ".visible .global .u64 start = 7;\n.visible .const .u32 table = 5;\n"
             ".global .u32 own = 100;\n.global .u32 zero;\n.global .u64 where = own;\n"
             ".global .b8 low[2] = {0xFF(own), 0xFF00(own)};\n.global .u64 function = ten;\n"
             ".visible .entry scale(.param .u8 a, .param .u64 out, .param .u32 n)\n{\n"
             ".reg .b64 o, p, q; .reg .b32 x, y; .reg .pred f; ld.param.u64 o, [out];\n"
             "mov.u32 x, %tid.x; mov.u32 y, %tid.y; or.b32 x, x, y; setp.ne.u32 f, x, 0; @f exit;\n"
             "ld.global.u32 x, [start]; ld.const.u32 y, [table]; add.u32 x, x, y;\n"
             "ld.global.u64 p, [where]; ld.global.u32 y, [p]; add.u32 x, x, y;\n"
             "ld.global.u32 y, [zero]; add.u32 x, x, y;\n"
             "cvt.u32.u64 y, p; and.b32 y, y, 0xffff; ld.global.u16 q, [low];\n"
             "cvt.u64.u32 p, y; setp.eq.u64 f, p, q; @f add.u32 x, x, 1000;\n"
             "ld.global.u64 p, [function]; mov.u64 q, ten; setp.eq.u64 f, p, q;\n"
             "@f add.u32 x, x, 10000; st.u32 [o], x; st.global.u32 [start], x; ret;\n}\n";
    uint32_t results[2] = {0};

    OK(launch_scale(text, results));
    assert_int_equal(results[0], 7 + 5 + 100 + 1000 + 10000);
    assert_int_equal(results[1], results[0]);
}

/* The PTX is not needed to load the cubin. */
TEST(text_that_is_wrong_beside_a_cubin_is_of_no_use)
{
    uint32_t results[2];

    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_scale(HEAD "nonsense", results));
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         launch_scale(HEAD ".extern .func missing();\n.visible .entry scale(.param .u8 a,"
                           " .param .u64 out, .param .u32 n)\n{ call missing; ret; }\n",
                      results));
}

TEST(managed_variable_of_a_library_is_the_host_s_too)
{
    static const char text[] = HEAD ".visible .global .align 4 .b8 bytes[12];\n"
                                    ".visible .global .attribute(.managed) .u64 shared;\n";
    CUdeviceptr address = 0;
    CUlibrary library;
    size_t size = 0;

    OK(driver->LibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_NOT_FOUND, driver->LibraryGetManaged(&address, &size, library, "bytes"));
    OK(driver->LibraryGetManaged(&address, &size, library, "shared"));
    assert_int_equal(size, 8);
    *(uint64_t *)(uintptr_t)address = 6;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LibraryGetManaged(NULL, NULL, library, "shared"));
    OK(driver->LibraryUnload(library));
}

/* An H100 accepted 50000 bytes, and reported 16 for a kernel with 4 bytes and dynamic memory. */
TEST(shared_memory_has_a_limit_and_is_counted)
{
    static const struct {
        const char *variables;
        int bytes; /* 0: refused */
    } cases[] = {
        {".shared .b8 s[50000];", 50000},
        {".shared .b8 s[232448];", 232448},
        {".shared .b8 s[232449];", 0},
        {".shared .b32 s; .extern .shared .align 16 .b8 dynamic[];", 16},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *use = strstr(cases[i].variables, "dynamic") ? "mov.u32 r, dynamic;" : "";
        char text[500];
        CUfunction function;
        CUmodule loaded;
        int bytes;

        snprintf(text, sizeof text,
                 HEAD "%s\n.visible .entry k()\n{ .reg .b32 r; mov.u32 r, s; "
                      "st.shared.b8 [r], r; %s ret; }\n",
                 cases[i].variables, use);
        CODE(cases[i].bytes > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX,
             driver->ModuleLoadData(&loaded, text));
        if (cases[i].bytes == 0)
            continue;
        OK(driver->ModuleGetFunction(&function, loaded, "k"));
        OK(driver->FuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
        assert_int_equal(bytes, cases[i].bytes);
        OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        OK(driver->CtxSynchronize());
        OK(driver->ModuleUnload(loaded));
    }
}
