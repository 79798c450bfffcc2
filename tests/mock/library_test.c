/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: modules without a context, and their kernels. */
#include "tests/mock/world.h"

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .global .align 4 .b8 bytes[12];\n"
                            ".visible .entry nothing() { ret; }\n"
                            ".visible .entry many(.param .u8 a, .param .u64 b) { ret; }\n";

static CUlibrary library;

static int begin(void **state)
{
    (void)state;
    world_begin(NULL);
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->LibraryUnload(library));
    world_end();
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
    OK(driver->LibraryGetKernelCount(&count, library));
    assert_int_equal(count, 2);
    OK(driver->LibraryEnumerateKernels(kernels, 3, library));
    OK(driver->LibraryGetKernel(&kernel, library, "many"));
    assert_ptr_equal(kernels[1], kernel);
    assert_null(kernels[2]);
    OK(driver->KernelGetName(&name, kernel));
    assert_string_equal(name, "many");
    OK(driver->KernelGetLibrary(&owner, kernel));
    assert_ptr_equal(owner, library);
    OK(driver->KernelGetParamInfo(kernel, 1, &offset, &size));
    assert_int_equal(offset, 8);
    assert_int_equal(size, 8);
    CODE(CUDA_ERROR_NOT_FOUND, driver->LibraryGetKernel(&kernel, library, "missing"));
}

static void variables_are_those_of_the_current_context(void **state)
{
    CUdeviceptr address = 0;
    CUcontext context;
    size_t size = 0;

    (void)state;
    OK(driver->LibraryGetGlobal(&address, &size, library, "bytes"));
    assert_int_equal(size, 12);
    CODE(CUDA_ERROR_NOT_FOUND, driver->LibraryGetGlobal(&address, &size, library, "missing"));
    CODE(CUDA_ERROR_NOT_FOUND, driver->LibraryGetManaged(&address, &size, library, "bytes"));
    OK(driver->CtxPopCurrent_v2(&context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->LibraryGetGlobal(&address, &size, library, "bytes"));
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
    OK(driver->LibraryGetKernel(&kernel, library, "many"));
    OK(driver->KernelGetFunction(&here, kernel));
    OK(driver->LibraryGetGlobal(&one, &size, library, "bytes"));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->KernelGetFunction(&there, kernel));
    OK(driver->LibraryGetGlobal(&two, &size, library, "bytes"));
    assert_ptr_not_equal(here, there);
    assert_int_not_equal(one, two);
    OK(driver->LibraryGetModule(&inner, library));
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
    OK(driver->LibraryGetKernel(&kernel, library, "many"));
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

#define LIBRARY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(kernels_are_found_and_enumerated),
        LIBRARY_TEST(variables_are_those_of_the_current_context),
        LIBRARY_TEST(library_needs_no_context),
        LIBRARY_TEST(library_has_a_module_in_each_context),
        LIBRARY_TEST(what_is_set_of_a_kernel_holds_for_its_functions),
        LIBRARY_TEST(library_of_garbage_is_found_out_when_it_is_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
