/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: loading images, finding functions and variables, and invalid images. Statements 150-157,
 * 197-200.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "system.h"

static CUresult load(const char *text)
{
    CUmodule module = (CUmodule)1;
    CUresult code = cu->ModuleLoadData(&module, text);

    CHECK(code == CUDA_SUCCESS ? module != (CUmodule)1 : module == (CUmodule)1);
    return code;
}

MEASURED_CASE(150, images_that_are_none_are_refused)
{
    static const char head[64] = "\177ELF\2\1\1";
    CUmodule module;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ModuleLoadData(&module, module_image));
    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadData(&module, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadData(NULL, module_image));
    CODE(CUDA_ERROR_INVALID_IMAGE, load(""));
    CODE(CUDA_ERROR_INVALID_IMAGE, load(" "));
    CODE(CUDA_ERROR_INVALID_IMAGE, load("hello world, this is not an image at all"));
    CODE(CUDA_ERROR_INVALID_IMAGE, load(head));
}

MEASURED_CASE(150, text_is_for_a_driver_and_a_device)
{
    char cut[sizeof module_image];

    begin_context();
    memcpy(cut, module_image, sizeof cut);
    strrchr(cut, '}')[0] = '\0';
    CODE(CUDA_ERROR_INVALID_PTX, load(cut));
    CODE(
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        load(".version 99.9\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"));
    CODE(
        CUDA_ERROR_INVALID_PTX,
        load(".version 6.0\n.target sm_999\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"));
    CODE(CUDA_ERROR_INVALID_PTX,
         load(".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry k()\n{\n ret;\n}\n"));
    OK(load(".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"));
    OK(load(".version 1.4\n.target sm_10\n.visible .entry k()\n{\n ret;\n}\n"));
    OK(load(".version 6.0\n.target sm_50\n.address_size 64\n"));
    OK(load("\n\n// c\n/* d */ .version 6.0\n.target sm_50\n.address_size 64\n"));
}

MEASURED_CASE(151, files_are_loaded)
{
    CUmodule module = NULL;
    const char *path;

    begin_context();
    path = file_write(module_image, sizeof module_image);
    OK(cu->ModuleLoad(&module, path));
    OK(cu->ModuleUnload(module));
    remove(path);
    CODE(CUDA_ERROR_FILE_NOT_FOUND, cu->ModuleLoad(&module, path));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoad(&module, NULL));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->ModuleLoad(&module, file_folder()));
    OK(cu->ModuleLoadFatBinary(&module, module_image));
    OK(cu->ModuleUnload(module));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadFatBinary(&module, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleUnload(NULL));
}

MEASURED_CASE(152, logs_return_their_length)
{
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    static const char cut[] =
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n";
    char info[512], error[512];
    void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error};
    CUmodule module = NULL;

    begin_context();
    memset(error, 'x', sizeof error);
    OK(cu->ModuleLoadDataEx(&module, module_image, COUNT(options), options, values));
    EQUAL(0, (uintptr_t)values[3]);
    EQUAL(0, error[0]);
    values[1] = (void *)sizeof info;
    values[3] = (void *)sizeof error;
    CODE(CUDA_ERROR_INVALID_PTX,
         cu->ModuleLoadDataEx(&module, cut, COUNT(options), options, values));
    EQUAL(0, (uintptr_t)values[1]);
    CHECK((uintptr_t)values[3] > 0 && (uintptr_t)values[3] < sizeof error);
    EQUAL(strlen(error), (uintptr_t)values[3]);

    memset(error, 'x', sizeof error);
    values[1] = (void *)sizeof info;
    values[3] = (void *)10;
    CODE(CUDA_ERROR_INVALID_PTX,
         cu->ModuleLoadDataEx(&module, cut, COUNT(options), options, values));
    EQUAL(10, (uintptr_t)values[3]);
    EQUAL('x', error[10]);
}

MEASURED_CASE(152, options_are_checked)
{
    CUjit_option option = (CUjit_option)9999;
    void *value = (void *)100;
    CUmodule module;

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, NULL, NULL));
    OK(cu->ModuleLoadDataEx(&module, module_image, 0, NULL, NULL));
    option = CU_JIT_MAX_REGISTERS;
    value = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    value = (void *)100;
    OK(cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    option = CU_JIT_CACHE_MODE;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    option = CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    EQUAL(100, (uintptr_t)value);
    option = CU_JIT_WALL_TIME;
    OK(cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    CHECK(value != (void *)100 && (uintptr_t)value <= UINT32_MAX);
}

MEASURED_CASE(153, functions_are_found_by_name)
{
    CUfunction one = NULL, other = NULL, missing = (CUfunction)1;
    const char *name = NULL;
    CUmodule module = begin_module(), owner = NULL;

    OK(cu->ModuleGetFunction(&one, module, "plain"));
    OK(cu->ModuleGetFunction(&other, module, "plain"));
    CHECK(one == other);
    CODE(CUDA_ERROR_NOT_FOUND, cu->ModuleGetFunction(&missing, module, "nope"));
    CHECK(missing == NULL);
    CODE(CUDA_ERROR_NOT_FOUND, cu->ModuleGetFunction(&missing, module, "bytes"));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetFunction(&missing, module, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetFunction(&missing, module, ""));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetFunction(NULL, module, "plain"));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleGetFunction(&missing, NULL, "plain"));
    OK(cu->FuncGetName(&name, one));
    CHECK(name && strcmp(name, "plain") == 0);
    OK(cu->FuncGetModule(&owner, one));
    CHECK(owner == module);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetName(&name, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetName(NULL, one));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->FuncGetModule(&owner, NULL));
}

MEASURED_CASE(154, functions_are_counted)
{
    CUfunction functions[100] = {NULL};
    CUmodule module = begin_module();
    unsigned count = 0;

    OK(cu->ModuleGetFunctionCount(&count, module));
    EQUAL(MODULE_FUNCTIONS, count);
    OK(cu->ModuleEnumerateFunctions(functions, COUNT(functions), module));
    for (unsigned i = 0; i < count; i++) {
        const char *name = NULL;

        OK(cu->FuncGetName(&name, functions[i]));
        CHECK(name && *name);
    }
    CHECK(functions[count] == NULL);
    OK(cu->ModuleEnumerateFunctions(functions, 0, module));
}

MEASURED_CASE(155, variables_have_their_size)
{
    CUmodule module = begin_module();
    CUdeviceptr address = 5;
    size_t bytes = 5;

    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "bytes"));
    EQUAL(12, bytes);
    EQUAL(0, address % 256);
    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "hidden"));
    EQUAL(4, bytes);
    CODE(CUDA_ERROR_NOT_FOUND, cu->ModuleGetGlobal_v2(&address, &bytes, module, "nope"));
    EQUAL(0, address);
    EQUAL(0, bytes);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(&address, &bytes, module, "plain"));
    OK(cu->ModuleGetGlobal_v2(&address, NULL, module, "bytes"));
    OK(cu->ModuleGetGlobal_v2(NULL, &bytes, module, "bytes"));
    EQUAL(12, bytes);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(NULL, NULL, module, "bytes"));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(NULL, NULL, module, "nope"));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(&address, &bytes, module, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(&address, &bytes, module, ""));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleGetGlobal_v2(&address, &bytes, NULL, "bytes"));
}

MEASURED_CASE(156, variables_are_memory)
{
    CUmodule module = begin_module();
    CUdeviceptr address, start = 0;
    cuuint64_t value = 0;
    size_t bytes = 0;

    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "bytes"));
    OK(cu->MemGetAddressRange_v2(&start, &bytes, address));
    CHECK(start == address);
    EQUAL(12, bytes);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(address));
    OK(cu->MemsetD8_v2(address, 1, 12));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(address, 1, 13));
    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "seven"));
    EQUAL(8, bytes);
    OK(cu->MemcpyDtoH_v2(&value, address, 8));
    EQUAL(7, value);
    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "five"));
    EQUAL(4, bytes);
    value = 0;
    OK(cu->MemcpyDtoH_v2(&value, address, 4));
    EQUAL(5, value);
}

MEASURED_CASE(156, first_abi_of_variables_writes_zeros)
{
    CUmodule module = begin_module();
    unsigned address = 5, bytes = 5;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ModuleGetGlobal(&address, &bytes, module, "bytes"));
    EQUAL(0, address);
    EQUAL(0, bytes);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleGetGlobal(&address, &bytes, NULL, "bytes"));
}

MEASURED_CASE(157, modules_are_used_from_other_contexts)
{
    CUmodule module = begin_module();
    CUfunction function;
    CUdeviceptr address;
    size_t bytes;

    make_current(begin_other_context());
    OK(cu->ModuleGetFunction(&function, module, "plain"));
    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, "bytes"));
    OK(cu->ModuleUnload(module));
}

MEASURED_CASE(151, loading_is_lazy)
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)0;

    begin_device();
    OK(cu->ModuleGetLoadingMode(&mode));
    EQUAL(CU_MODULE_LAZY_LOADING, mode);
}

/* When functions are loaded, occupancy, and invalid images. Statements 197-200. */

static int loaded(CUfunction function)
{
    cushim_CUfunctionLoadingState state = (cushim_CUfunctionLoadingState)9;

    OK(cu->FuncIsLoaded(&state, function));
    return (int)state;
}

MEASURED_CASE(197, function_is_loaded_once_it_is_wanted)
{
    CUfunction named, listed[MODULE_FUNCTIONS] = {NULL};
    cushim_CUfunctionLoadingState state;
    CUmodule module = begin_module();

    named = begin_function(module, "plain");
    EQUAL(1, loaded(named));
    REFUSED(cu->FuncIsLoaded(NULL, named));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->FuncIsLoaded(&state, NULL));
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

/* Limits that do not count, and the clusters that a kernel requires. */
MEASURED_CASE(161, occupancy_ignores_lower_limits)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry pair() .reqnctapercluster 2, 1, 1 { ret; }\n";
    CUmodule module = begin_module();
    CUfunction plain = begin_function(module, "plain"), pair;
    size_t dynamic = 0;
    int value = -1;

    OK(cu->FuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&value, plain, 128, 1));
    EQUAL(16, value);
    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&value, plain, 128, 60000));
    EQUAL(0, value);
    OK(cu->OccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 32, 64));
    EQUAL(0, dynamic);
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->OccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 33, 64));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->OccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 2, 2048));
    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&value, begin_function(module, "bounded"), 257,
                                                     0));
    EQUAL(7, value);
    MUST(cu->ModuleLoadData(&module, text));
    pair = begin_function(module, "pair");
    for (int i = 0; i < 3; i++) {
        OK(cu->FuncGetAttribute(&value, (CUfunction_attribute)(11 + i), pair));
        EQUAL(i == 0 ? 2 : 1, value);
    }
}

MEASURED_CASE(198, occupancy_goes_by_preferences)
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

MEASURED_CASE(199, linker_refuses_what_it_cannot_read)
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

MEASURED_CASE(200, torn_text_is_refused)
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
        HEAD ENTRY "() { .reg .b32 r; addd.s32 r, r, r; ret; }",
        HEAD ENTRY "() { .reg .b32 r; ret; ADD.s32 r, r, r; }",
        HEAD ".func f() { frobnicate; }" ENTRY "() { ret; }",
        HEAD ENTRY "() { .reg .b32 r; add.s32 r, r, r ret; }",
        HEAD ENTRY "() { ret;; }",
        HEAD ENTRY "() { .foo 3; ret; }",
        HEAD ENTRY "() .maxfoo 3 { ret; }",
        HEAD ".foo 3;" ENTRY "() { ret; }",
    };
    static const char misspelt[] = HEAD ENTRY "() {\naddd.s32; }";
    char errors[1000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {errors, (void *)(uintptr_t)sizeof errors};
    CUmodule module = NULL;

    begin_context();
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!CODE(CUDA_ERROR_INVALID_PTX, cu->ModuleLoadData(&module, texts[i])))
            detail("text %d", (int)i);
    }
    CODE(CUDA_ERROR_INVALID_PTX, cu->ModuleLoadDataEx(&module, misspelt, 2, options, values));
    if (!CHECK(strstr(errors, "line 5") && strstr(errors, "'addd'")))
        detail("%s", errors);
    CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cu->ModuleLoadData(&module, ".version 123456.7\n"));
    OK(cu->ModuleLoadData(&module, HEAD ENTRY "() .maxntid 65536 { }"));
}
