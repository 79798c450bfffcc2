/* SPDX-License-Identifier: Apache-2.0 */
/* When functions are loaded, how many blocks of them run, what is no image. Statements 197-200. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "module.h"

#define REFUSED(call) CODE(CUDA_ERROR_INVALID_VALUE, call)

static int loaded(CUfunction function)
{
    cushim_CUfunctionLoadingState state = (cushim_CUfunctionLoadingState)9;

    OK(cu->FuncIsLoaded(&state, function));
    return (int)state;
}

static void function_is_loaded_once_it_is_wanted(void)
{
    CUfunction named, listed[MODULE_FUNCTIONS] = {NULL};
    CUmodule module = begin_module();

    named = begin_function(module, "plain");
    EQUAL(1, loaded(named));
    REFUSED(cu->FuncIsLoaded(NULL, named));
    OK(cu->ModuleEnumerateFunctions(listed, MODULE_FUNCTIONS, module));
    for (size_t i = 0; i < MODULE_FUNCTIONS; i++) {
        const char *name = "";

        OK(cu->FuncGetName(&name, listed[i]));
        EQUAL(strcmp(name, "plain") == 0, loaded(listed[i]));
        OK(cu->FuncLoad(listed[i]));
        EQUAL(1, loaded(listed[i]));
    }
}

static int blocks_of(CUfunction function)
{
    int blocks = 0;

    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 8192));
    return blocks;
}

static size_t CUDA_CB a_kilobyte_each(int threads)
{
    return (size_t)threads * 1024;
}

static void occupancy_goes_by_preferences(void)
{
    CUfunction function = begin_function(begin_module(), "plain");
    const CUfunction_attribute carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    int grid = 7, block = 7;

    EQUAL(25, blocks_of(function));
    OK(cu->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
    EQUAL(25, blocks_of(function));
    OK(cu->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    EQUAL(1, blocks_of(function));
    OK(cu->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_EQUAL));
    EQUAL(14, blocks_of(function));
    OK(cu->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_NONE));
    OK(cu->FuncSetAttribute(function, carveout, 0));
    EQUAL(1, blocks_of(function));
    OK(cu->FuncSetAttribute(function, carveout, 50));
    EQUAL(14, blocks_of(function));
    OK(cu->FuncSetAttribute(function, carveout, -1));
    REFUSED(cu->OccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, -1));
    CHECK(grid == 7 && block == 7);
    OK(cu->OccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 100));
    CHECK(grid == 4224 && block == 64);
    OK(cu->OccupancyMaxPotentialBlockSize(&grid, &block, function, a_kilobyte_each, 0, 0));
    CHECK(grid == 792 && block == 32);
}

static CUresult add(int type, const void *bytes, size_t count)
{
    CUlinkState link = NULL;

    MUST(cu->LinkCreate_v2(0, NULL, NULL, &link));
    return cu->LinkAddData_v2(link, (CUjitInputType)type, (void *)(uintptr_t)bytes, count, "x", 0,
                              NULL, NULL);
}

static void linker_refuses_what_it_cannot_read(void)
{
    static const char archive[] = "!<arch>\nfile.o/ and so on";
    static const unsigned char object[64] = {0x7f, 'E', 'L', 'F', [18] = 62};
    CUlinkState link = NULL;

    begin_context();
    CODE(CUDA_ERROR_INVALID_IMAGE, add(CU_JIT_INPUT_LIBRARY, archive, sizeof archive));
    CODE(CUDA_ERROR_INVALID_IMAGE, add(CU_JIT_INPUT_OBJECT, object, sizeof object));
    CODE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, add(5, module_image, strlen(module_image))); /* NVVM */
    REFUSED(add(99, module_image, strlen(module_image)));
    MUST(cu->LinkCreate_v2(0, NULL, NULL, &link));
    REFUSED(cu->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
}

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
#define ENTRY ".visible .entry k"

static void torn_text_is_refused(void)
{
    static const char *const texts[] = {
        ".version six\n",
        ".version 6.\n",
        ".version 6.0\n.target 50",
        ".version 6.0\n.target sm_50\n.address_size x",
        HEAD ".visible .entry (",
        HEAD ENTRY "(.reg .u64 a)",
        HEAD ENTRY "(.param .u64 a .param",
        HEAD ENTRY "(.param .align 3 .u64 a)",
        HEAD ENTRY "(.param .align 8192 .u64 a)",
        HEAD ENTRY "()",
        HEAD ENTRY "() .maxntid 0 { }",
        HEAD ENTRY "() { }\n" ENTRY "() { }",
        HEAD ".func f() {",
        HEAD ".global .u32 a[2;",
        HEAD ".global .u32 a[];",
        HEAD ".const .b8 a[65537];",
        HEAD ".global .texref t",
        HEAD ".global .u32 a = );",
        HEAD ".global .u64 a = generic(5);",
        HEAD ".global .u32 a, b = a;",
        HEAD ".global .u32 a[2] = {{{1}}};",
        HEAD ".global .u32 a[2][2] = {{1, 2, 3}};",
        HEAD ".global .f32 a[2] = {1.0 2.0};",
    };
    CUmodule module = NULL;

    begin_context();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!CODE(CUDA_ERROR_INVALID_PTX, cu->ModuleLoadData(&module, texts[i])))
            detail("text %d", (int)i);
    }
    CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cu->ModuleLoadData(&module, ".version 123456.7\n"));
    OK(cu->ModuleLoadData(&module, HEAD ENTRY "() .maxntid 65536 { }"));
}

const struct conformance_case module_edge_cases[] = {
    MEASURED_CASE("197_function_is_loaded_once_it_is_wanted", function_is_loaded_once_it_is_wanted),
    MEASURED_CASE("198_occupancy_goes_by_preferences", occupancy_goes_by_preferences),
    MEASURED_CASE("199_linker_refuses_what_it_cannot_read", linker_refuses_what_it_cannot_read),
    MEASURED_CASE("200_torn_text_is_refused", torn_text_is_refused),
    {.name = NULL},
};
