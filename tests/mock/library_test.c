/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA library objects: their kernels, files and contexts; and when functions are loaded. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/fixture.h"
#include "tests/support/folder.h"

static char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                      ".visible .global .align 4 .b8 bytes[12];\n"
                      ".visible .entry nothing() { ret; }\n"
                      ".visible .entry fixed().reqntid 32, 2, 1 { ret; }\n";

static CUlibrary library;
static CUmodule module;

static int begin(void **state)
{
    (void)state;
    fixture_begin("unregistered_kernels = skip");
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->ModuleLoadData(&module, image));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->ModuleUnload(module));
    if (library)
        OK(driver->LibraryUnload(library));
    fixture_end();
    return 0;
}

static void kernels_are_enumerated(void **state)
{
    CUkernel kernel = NULL, kernels[3] = {NULL};

    (void)state;
    OK(driver->LibraryEnumerateKernels(kernels, 3, library));
    OK(driver->LibraryGetKernel(&kernel, library, "fixed"));
    assert_ptr_equal(kernels[1], kernel);
    assert_null(kernels[2]);
}

static void what_is_set_of_a_kernel_holds_for_its_functions(void **state)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUfunction function;
    CUkernel kernel;
    int value = 0;

    (void)state;
    OK(driver->LibraryGetKernel(&kernel, library, "nothing"));
    OK(driver->KernelSetAttribute(dynamic, 1000, kernel, 0));
    OK(driver->KernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    OK(driver->KernelGetFunction(&function, kernel));
    OK(driver->FuncGetAttribute(&value, dynamic, function));
    assert_int_equal(value, 1000);
    OK(driver->KernelSetAttribute(dynamic, 2000, kernel, 0));
    OK(driver->FuncGetAttribute(&value, dynamic, function));
    assert_int_equal(value, 2000);
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->KernelGetAttribute(&value, dynamic, kernel, 7));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->KernelSetCacheConfig(kernel, (CUfunc_cache)9, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->KernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1));
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

static void options_and_files_are_checked(void **state)
{
    const char *path = folder_write("image.ptx", image, strlen(image));
    CUlibraryOption known = CU_LIBRARY_BINARY_IS_PRESERVED, unknown = (CUlibraryOption)99;
    CUlibrary other = NULL;
    unsigned count = 0;
    void *value = NULL;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadData(&other, image, NULL, NULL, 0, &unknown, &value, 1));
    /* A choice of the mock: a driver dereferences NULL. */
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadData(&other, image, NULL, NULL, 0, NULL, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadFromFile(&other, path, NULL, NULL, 0, &unknown, &value, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LibraryLoadFromFile(&other, NULL, NULL, NULL, 0, NULL, NULL, 0));
    assert_null(other);
    OK(driver->LibraryLoadFromFile(&other, path, NULL, NULL, 0, &known, &value, 1));
    OK(driver->LibraryGetKernelCount(&count, other));
    assert_int_equal(count, 2);
    OK(driver->LibraryUnload(other));
}

static void library_that_is_loaded_in_two_contexts_is_unloaded_in_both(void **state)
{
    CUdeviceptr here, there;
    CUfunction function, same;
    CUlibrary other = NULL;
    CUcontext context;
    CUkernel kernel;
    size_t size;

    (void)state;
    OK(driver->LibraryLoadData(&other, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&kernel, library, "nothing"));
    OK(driver->KernelGetFunction(&function, kernel));
    OK(driver->LibraryGetGlobal(&here, &size, library, "bytes"));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->KernelGetFunction(&same, kernel));
    OK(driver->LibraryGetGlobal(&there, &size, library, "bytes"));
    assert_ptr_not_equal(function, same);
    assert_int_not_equal(here, there);
    /* The first library to be loaded is not the first in the list. */
    OK(driver->LibraryUnload(library));
    library = NULL;
    OK(driver->LibraryGetGlobal(&there, &size, other, "bytes"));
    OK(driver->CtxDestroy_v2(context));
    OK(driver->LibraryUnload(other));
}

static void function_that_is_launched_is_loaded(void **state)
{
    CUfunctionLoadingState loading = (CUfunctionLoadingState)9;
    CUfunction listed[2];

    (void)state;
    OK(driver->ModuleEnumerateFunctions(listed, 2, module));
    OK(driver->FuncIsLoaded(&loading, listed[0]));
    assert_int_equal(loading, 0);
    OK(driver->LaunchKernel(listed[0], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->FuncIsLoaded(&loading, listed[0]));
    assert_int_equal(loading, 1);
}

static void kernel_that_demands_a_block_is_launched_with_no_other(void **state)
{
    CUfunction function;

    (void)state;
    OK(driver->ModuleGetFunction(&function, module, "fixed"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->CtxSynchronize());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(kernels_are_enumerated),
        TEST(what_is_set_of_a_kernel_holds_for_its_functions),
        TEST(library_of_garbage_is_found_out_when_it_is_used),
        TEST(options_and_files_are_checked),
        TEST(library_that_is_loaded_in_two_contexts_is_unloaded_in_both),
        TEST(function_that_is_launched_is_loaded),
        TEST(kernel_that_demands_a_block_is_launched_with_no_other),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
