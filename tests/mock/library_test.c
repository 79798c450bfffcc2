/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA library objects: their kernels, files and contexts; and when functions are loaded. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

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
    fixture_begin("unregistered_kernels = skip");
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->ModuleLoadData(&module, image));
    return 0;
}

static int end(void **state)
{
    OK(driver->ModuleUnload(module));
    if (library)
        OK(driver->LibraryUnload(library));
    fixture_end();
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, end)

TEST(kernels_are_enumerated)
{
    CUkernel kernel = NULL, kernels[3] = {NULL};

    OK(driver->LibraryEnumerateKernels(kernels, 3, library));
    OK(driver->LibraryGetKernel(&kernel, library, "fixed"));
    assert_ptr_equal(kernels[1], kernel);
    assert_null(kernels[2]);
}

TEST(what_is_set_of_a_kernel_holds_for_its_functions)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUfunction function;
    CUkernel kernel;
    int value = 0;

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

TEST(library_of_garbage_is_found_out_when_it_is_used)
{
    CUlibrary garbage;
    CUkernel kernel;

    OK(driver->LibraryLoadData(&garbage, "garbage", NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_IMAGE, driver->LibraryGetKernel(&kernel, garbage, "many"));
    OK(driver->LibraryUnload(garbage));
}

TEST(options_and_files_are_checked)
{
    const char *path = folder_write("image.ptx", image, strlen(image));
    CUlibraryOption known = CU_LIBRARY_BINARY_IS_PRESERVED, unknown = (CUlibraryOption)99;
    CUlibrary other = NULL;
    unsigned count = 0;
    void *value = NULL;

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

TEST(library_that_is_loaded_in_two_contexts_is_unloaded_in_both)
{
    CUdeviceptr here, there;
    CUfunction function, same;
    CUlibrary other = NULL;
    CUcontext context;
    CUkernel kernel;
    size_t size;

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

TEST(function_that_is_launched_is_loaded)
{
    CUfunctionLoadingState loading = (CUfunctionLoadingState)9;
    CUfunction listed[2];

    OK(driver->ModuleEnumerateFunctions(listed, 2, module));
    OK(driver->FuncIsLoaded(&loading, listed[0]));
    assert_int_equal(loading, 0);
    OK(driver->LaunchKernel(listed[0], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->FuncIsLoaded(&loading, listed[0]));
    assert_int_equal(loading, 1);
}

TEST(kernel_that_demands_a_block_is_launched_with_no_other)
{
    CUfunction function;

    OK(driver->ModuleGetFunction(&function, module, "fixed"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->CtxSynchronize());
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
