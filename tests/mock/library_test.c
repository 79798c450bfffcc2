/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA library objects: modules without a context, and their kernels. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/fixture.h"
#include "tests/support/folder.h"

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .global .align 4 .b8 bytes[12];\n"
                            ".visible .entry nothing() { ret; }\n"
                            ".visible .entry many(.param .u8 a, .param .u64 b) { ret; }\n";

static CUlibrary shared_library;

static int begin(void **state)
{
    (void)state;
    fixture_begin(NULL);
    OK(driver->LibraryLoadData(&shared_library, image, NULL, NULL, 0, NULL, NULL, 0));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->LibraryUnload(shared_library));
    fixture_end();
    return 0;
}

static void kernels_are_found_and_enumerated(void **state)
{
    CUkernel kernel = NULL, kernels[3] = {NULL};
    CUlibrary owner = NULL;
    const char *name = NULL;
    size_t offset = 0, size = 0;
    unsigned count = 0;

    (void)state;
    OK(driver->LibraryGetKernelCount(&count, shared_library));
    assert_int_equal(count, 2);
    OK(driver->LibraryEnumerateKernels(kernels, 3, shared_library));
    OK(driver->LibraryGetKernel(&kernel, shared_library, "many"));
    assert_ptr_equal(kernels[1], kernel);
    assert_null(kernels[2]);
    OK(driver->KernelGetName(&name, kernel));
    assert_string_equal(name, "many");
    OK(driver->KernelGetLibrary(&owner, kernel));
    assert_ptr_equal(owner, shared_library);
    OK(driver->KernelGetParamInfo(kernel, 1, &offset, &size));
    assert_int_equal(offset, 8);
    assert_int_equal(size, 8);
    CODE(CUDA_ERROR_NOT_FOUND, driver->LibraryGetKernel(&kernel, shared_library, "missing"));
}

static void variables_are_those_of_the_current_context(void **state)
{
    CUdeviceptr address = 0;
    CUcontext context;
    size_t size = 0;

    (void)state;
    OK(driver->LibraryGetGlobal(&address, &size, shared_library, "bytes"));
    assert_int_equal(size, 12);
    CODE(CUDA_ERROR_NOT_FOUND,
         driver->LibraryGetGlobal(&address, &size, shared_library, "missing"));
    OK(driver->CtxPopCurrent_v2(&context));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         driver->LibraryGetGlobal(&address, &size, shared_library, "bytes"));
    OK(driver->CtxPushCurrent_v2(context));
}

static void library_needs_no_context(void **state)
{
    CUcontext context;
    CUlibrary other;
    CUfunction function;
    CUkernel kernel;

    (void)state;
    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->LibraryLoadData(&other, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&kernel, other, "many"));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->KernelGetFunction(&function, kernel));
    OK(driver->LibraryUnload(other));
    OK(driver->CtxPushCurrent_v2(context));
}

static void library_has_a_module_in_each_context(void **state)
{
    CUfunction here, there;
    CUcontext context;
    CUkernel kernel;
    CUmodule inner;
    CUdeviceptr one, two;
    size_t size;

    (void)state;
    OK(driver->LibraryGetKernel(&kernel, shared_library, "many"));
    OK(driver->KernelGetFunction(&here, kernel));
    OK(driver->LibraryGetGlobal(&one, &size, shared_library, "bytes"));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->KernelGetFunction(&there, kernel));
    OK(driver->LibraryGetGlobal(&two, &size, shared_library, "bytes"));
    assert_ptr_not_equal(here, there);
    assert_int_not_equal(one, two);
    OK(driver->LibraryGetModule(&inner, shared_library));
    CODE(CUDA_ERROR_NOT_PERMITTED, driver->ModuleUnload(inner));
    OK(driver->CtxDestroy_v2(context));
}

static void what_is_set_of_a_kernel_holds_for_its_functions(void **state)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUfunction function;
    CUkernel kernel;
    int value = 0;

    (void)state;
    OK(driver->LibraryGetKernel(&kernel, shared_library, "many"));
    OK(driver->KernelSetAttribute(dynamic, 1000, kernel, 0));
    OK(driver->KernelGetFunction(&function, kernel));
    OK(driver->FuncGetAttribute(&value, dynamic, function));
    assert_int_equal(value, 1000);
    OK(driver->KernelSetAttribute(dynamic, 2000, kernel, 0));
    OK(driver->FuncGetAttribute(&value, dynamic, function));
    assert_int_equal(value, 2000);
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->KernelGetAttribute(&value, dynamic, kernel, 7));
}

static void library_of_garbage_is_found_out_when_it_is_used(void **state)
{
    CUlibrary garbage;
    CUkernel kernel;

    (void)state;
    OK(driver->LibraryLoadData(&garbage, "garbage", NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_IMAGE, driver->LibraryGetKernel(&kernel, garbage, "many"));
    OK(driver->LibraryUnload(garbage));
}

/* Special cases of libraries and linkers: files, options, contexts, unimplemented features. */

static char edge_image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                           ".visible .global .align 4 .b8 bytes[12];\n"
                           ".visible .entry nothing() { ret; }\n"
                           ".visible .entry fixed().reqntid 32, 2, 1 { ret; }\n";

static int edge_begin(void **state)
{
    (void)state;
    fixture_begin("unregistered_kernels = skip");
    return 0;
}

static CUlibrary load(void)
{
    CUlibrary library;

    OK(driver->LibraryLoadData(&library, edge_image, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static void library_is_loaded_from_a_file(void **state)
{
    const char *path = folder_write("image.ptx", edge_image, strlen(edge_image));
    CUlibrary library = NULL;
    unsigned count = 0;

    (void)state;
    OK(driver->LibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernelCount(&count, library));
    assert_int_equal(count, 2);
    OK(driver->LibraryUnload(library));
    library = NULL;
    CODE(CUDA_ERROR_FILE_NOT_FOUND,
         driver->LibraryLoadFromFile(&library, "/nowhere/image.ptx", NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    assert_null(library);
}

static void unknown_options_are_refused(void **state)
{
    CUlibraryOption known = CU_LIBRARY_BINARY_IS_PRESERVED, unknown = (CUlibraryOption)99;
    CUlibrary library = NULL;
    void *value = NULL;

    (void)state;
    OK(driver->LibraryLoadData(&library, edge_image, NULL, NULL, 0, &known, &value, 1));
    OK(driver->LibraryUnload(library));
    library = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadData(&library, edge_image, NULL, NULL, 0, &unknown, &value, 1));
    /* A choice of the mock: a driver dereferences NULL. */
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadData(&library, edge_image, NULL, NULL, 0, NULL, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadFromFile(&library,
                                     folder_write("image.ptx", edge_image, strlen(edge_image)),
                                     NULL, NULL, 0, &unknown, &value, 1));
    assert_null(library);
}

static void library_that_is_loaded_in_two_contexts_is_unloaded_in_both(void **state)
{
    CUlibrary library = load(), other = load();
    CUdeviceptr here, there;
    CUcontext context;
    CUmodule module;
    size_t size;

    (void)state;
    OK(driver->LibraryGetGlobal(&here, &size, library, "bytes"));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->LibraryGetGlobal(&there, &size, library, "bytes"));
    assert_int_not_equal(here, there);
    OK(driver->LibraryGetModule(&module, library));
    /* The first library to be loaded is not the first in the list. */
    OK(driver->LibraryUnload(library));
    OK(driver->LibraryGetGlobal(&there, &size, other, "bytes"));
    OK(driver->CtxDestroy_v2(context));
    OK(driver->LibraryUnload(other));
}

static void kernel_keeps_the_cache_that_it_is_given(void **state)
{
    CUlibrary library = load();
    CUfunction function;
    CUkernel kernel;

    (void)state;
    OK(driver->LibraryGetKernel(&kernel, library, "nothing"));
    OK(driver->KernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->KernelSetCacheConfig(kernel, (CUfunc_cache)9, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->KernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1));
    OK(driver->KernelGetFunction(&function, kernel));
    OK(driver->LibraryUnload(library));
}

static void function_that_is_had_is_loaded(void **state)
{
    CUfunctionLoadingState loading = (CUfunctionLoadingState)9;
    CUfunction function, listed[2];
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, edge_image));
    OK(driver->ModuleEnumerateFunctions(listed, 2, module));
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->FuncIsLoaded(&loading, listed[i]));
        assert_int_equal(loading, 0);
    }
    OK(driver->FuncLoad(listed[1]));
    OK(driver->FuncIsLoaded(&loading, listed[1]));
    assert_int_equal(loading, 1);
    OK(driver->LaunchKernel(listed[0], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->FuncIsLoaded(&loading, listed[0]));
    assert_int_equal(loading, 1);
    OK(driver->ModuleUnload(module));
    OK(driver->ModuleLoadData(&module, edge_image));
    OK(driver->ModuleGetFunction(&function, module, "nothing"));
    OK(driver->FuncIsLoaded(&loading, function));
    assert_int_equal(loading, 1);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncIsLoaded(NULL, function));
    OK(driver->ModuleUnload(module));
}

static void kernel_that_demands_a_block_is_launched_with_no_other(void **state)
{
    CUfunction function;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, edge_image));
    OK(driver->ModuleGetFunction(&function, module, "fixed"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->CtxSynchronize());
    OK(driver->ModuleUnload(module));
}

/* One KiB for each thread. */
static size_t CUDA_CB dynamic_of(int threads)
{
    return (size_t)threads * 1024;
}

static void occupancy_goes_by_limits_caches_and_shared_memory(void **state)
{
    int grid = 0, block = 0, least = 0, most = 0, half = 0, blocks = 0;
    CUfunction function;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, edge_image));
    OK(driver->ModuleGetFunction(&function, module, "nothing"));
    OK(driver->OccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 100));
    assert_in_range(block, 1, 100);
    OK(driver->OccupancyMaxPotentialBlockSize(&grid, &block, function, dynamic_of, 0, 0));
    assert_in_range(block, 1, 48); /* 48 KiB for each block, unless the program raises the limit */
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->OccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, -1));
    OK(driver->OccupancyMaxActiveBlocksPerMultiprocessor(&most, function, 32, 8192));
    OK(driver->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    OK(driver->OccupancyMaxActiveBlocksPerMultiprocessor(&least, function, 32, 8192));
    assert_in_range(least, 1, most - 1);
    OK(driver->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_EQUAL));
    OK(driver->OccupancyMaxActiveBlocksPerMultiprocessor(&half, function, 32, 8192));
    assert_in_range(half, least + 1, most - 1);
    OK(driver->FuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_NONE));
    OK(driver->FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    OK(driver->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 8192));
    assert_int_equal(blocks, half);
    OK(driver->ModuleUnload(module));
}

static void first_abi_of_a_variable_works_in_no_context_of_today(void **state)
{
    unsigned address = 7, size = 7;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, edge_image));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->ModuleGetGlobal(&address, &size, module, "bytes"));
    assert_true(address == 0 && size == 0);
    OK(driver->ModuleUnload(module));
}

static void options_that_change_nothing_here_are_taken(void **state)
{
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {(void *)(uintptr_t)32, (void *)(uintptr_t)3};
    CUmodule module = NULL;

    (void)state;
    OK(driver->ModuleLoadDataEx(&module, edge_image, 2, options, values));
    OK(driver->ModuleUnload(module));
    module = NULL;
    options[1] = (CUjit_option)999;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->ModuleLoadDataEx(&module, edge_image, 2, options, values));
    assert_null(module);
}

/* --- the linker --- */

static CUresult add(CUlinkState link, int type, const void *bytes, size_t size)
{
    return driver->LinkAddData_v2(link, (CUjitInputType)type, (void *)(uintptr_t)bytes, size, NULL,
                                  0, NULL, NULL);
}

/*
 * That the linker accepts host object files is a choice of the mock; only damaged files were
 * measured.
 */
static void linker_passes_over_files_of_the_host_and_refuses_what_it_does_not_know(void **state)
{
    static const char torn[] = "!<arch>\nfile.o/ and so on";
    static const unsigned char head[32] = {0x7f, 'E', 'L', 'F', [16] = 1, [18] = 62};
    static const unsigned char object[64] = {0x7f, 'E', 'L', 'F', [16] = 1, [18] = 62};
    static const char archive[] = "!<arch>\n"
                                  "file.o/         0           0     0     644     0         `\n";
    const char *path = folder_write("image.ptx", edge_image, strlen(edge_image));
    CUlinkState link = NULL;

    (void)state;
    OK(driver->LinkCreate_v2(0, NULL, NULL, &link));
    OK(add(link, CU_JIT_INPUT_LIBRARY, archive, sizeof archive));
    OK(add(link, CU_JIT_INPUT_OBJECT, object, sizeof object));
    CODE(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_LIBRARY, torn, sizeof torn));
    CODE(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_OBJECT, head, sizeof head));
    CODE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, add(link, 5, edge_image, sizeof edge_image)); /* NVVM */
    CODE(CUDA_ERROR_INVALID_VALUE, add(link, 99, edge_image, sizeof edge_image));
    OK(driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
    CODE(CUDA_ERROR_FILE_NOT_FOUND,
         driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/nowhere/image.ptx", 0, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_IMAGE,
         driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, folder_write("empty", "", 0), 0, NULL,
                                NULL));
    OK(driver->LinkDestroy(link));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, edge_begin, fixture_done)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST_IN(kernels_are_found_and_enumerated, begin, end),
        TEST_IN(variables_are_those_of_the_current_context, begin, end),
        TEST_IN(library_needs_no_context, begin, end),
        TEST_IN(library_has_a_module_in_each_context, begin, end),
        TEST_IN(what_is_set_of_a_kernel_holds_for_its_functions, begin, end),
        TEST_IN(library_of_garbage_is_found_out_when_it_is_used, begin, end),
        TEST(library_is_loaded_from_a_file),
        TEST(unknown_options_are_refused),
        TEST(library_that_is_loaded_in_two_contexts_is_unloaded_in_both),
        TEST(kernel_keeps_the_cache_that_it_is_given),
        TEST(function_that_is_had_is_loaded),
        TEST(kernel_that_demands_a_block_is_launched_with_no_other),
        TEST(occupancy_goes_by_limits_caches_and_shared_memory),
        TEST(first_abi_of_a_variable_works_in_no_context_of_today),
        TEST(options_that_change_nothing_here_are_taken),
        TEST(linker_passes_over_files_of_the_host_and_refuses_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
