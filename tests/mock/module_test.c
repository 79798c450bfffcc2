/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: their order of functions, what goes with them, and images other than PTX. */
#include "cubin.h"
#include "tests/mock/fixture.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

static const char image[] =
    HEAD ".visible .global .align 4 .b8 bytes[12];\n"
         ".visible .global .u64 pointer = bytes+4;\n"
         ".visible .entry nothing() { ret; }\n"
         ".visible .entry shared() { .shared .align 4 .b8 s[1024]; ret; }\n";

static CUmodule module;

static int begin(void **state)
{
    fixture_begin(NULL);
    OK(driver->ModuleLoadData(&module, image));
    return 0;
}

#define MODULE_TEST(name) TEST_BETWEEN(name, begin, fixture_done)

MODULE_TEST(functions_are_enumerated_in_their_order)
{
    static const char *const names[] = {"nothing", "shared"};
    CUfunction functions[3] = {NULL};
    unsigned count = 0;

    OK(driver->ModuleGetFunctionCount(&count, module));
    assert_int_equal(count, COUNT(names));
    OK(driver->ModuleEnumerateFunctions(functions, COUNT(functions), module));
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *name = NULL;

        OK(driver->FuncGetName(&name, functions[i]));
        assert_string_equal(name, names[i]);
    }
    assert_null(functions[COUNT(names)]);
}

MODULE_TEST(limit_of_dynamic_shared_memory_is_less_by_its_own)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUfunction shared;

    OK(driver->ModuleGetFunction(&shared, module, "shared"));
    OK(driver->FuncSetAttribute(shared, dynamic, 232448 - 1024));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncSetAttribute(shared, dynamic, 232448 - 1023));
}

MODULE_TEST(variable_holds_the_address_of_another)
{
    CUdeviceptr address, bytes = 0, value = 0;

    OK(driver->ModuleGetGlobal_v2(&bytes, NULL, module, "bytes"));
    OK(driver->ModuleGetGlobal_v2(&address, NULL, module, "pointer"));
    OK(driver->MemcpyDtoH_v2(&value, address, sizeof value));
    assert_int_equal(value, bytes + 4);
}

MODULE_TEST(variables_go_with_their_module)
{
    static const char large[] = HEAD ".visible .global .b8 large[67108864];\n";
    const size_t before = fixture_state().memory_bytes;
    CUmodule other;

    OK(driver->ModuleLoadData(&other, large));
    assert_true(fixture_state().memory_bytes >= before + 67108864);
    OK(driver->ModuleUnload(other));
    assert_int_equal(fixture_state().memory_bytes, before);
}

MODULE_TEST(module_of_a_destroyed_context_is_gone)
{
    struct cushim_mock_state before = fixture_state();
    CUcontext context;
    CUmodule other;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->ModuleLoadData(&other, image));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(fixture_state().handles, before.handles);
    assert_int_equal(fixture_state().memory_bytes, before.memory_bytes);
}

MODULE_TEST(cubin_and_fat_binary_are_loaded)
{
    static unsigned char cubin[CUBIN_BYTES], fatbin[CUBIN_BYTES];
    const size_t size = cubin_make(cubin, 90);
    CUdeviceptr address;
    CUfunction scale;
    CUmodule loaded;
    size_t bytes = 0;
    int registers = 0;

    fatbin_begin(fatbin);
    fatbin_add(fatbin, FATBIN_CUBIN, 90, 0, cubin, size);
    for (int i = 0; i < 2; i++) {
        OK(i == 0 ? driver->ModuleLoadData(&loaded, cubin)
                  : driver->ModuleLoadFatBinary(&loaded, fatbin));
        OK(driver->ModuleGetFunction(&scale, loaded, "scale"));
        OK(driver->FuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale));
        assert_int_equal(registers, 40);
        OK(driver->ModuleGetGlobal_v2(&address, &bytes, loaded, "zeros"));
        assert_int_equal(bytes, 12);
        OK(driver->ModuleUnload(loaded));
    }
}

FIXTURE_TEST(text_of_a_newer_version_is_for_a_newer_driver, "driver_version = 11.0")
{
    CUmodule loaded;

    OK(driver->ModuleLoadData(&loaded, ".version 7.0\n.target sm_50\n.address_size 64\n"));
    OK(driver->ModuleUnload(loaded));
    CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
         driver->ModuleLoadData(&loaded, ".version 7.1\n.target sm_50\n.address_size 64\n"));
}

MODULE_TEST(options_are_taken_if_they_change_nothing)
{
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {(void *)(uintptr_t)32, (void *)(uintptr_t)3};
    CUmodule loaded;

    OK(driver->ModuleLoadDataEx(&loaded, image, COUNT(options), options, values));
    OK(driver->ModuleUnload(loaded));
    options[0] = CU_JIT_TARGET;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->ModuleLoadDataEx(&loaded, image, 1, options, values));
    values[0] = (void *)(uintptr_t)90; /* the mock's own */
    OK(driver->ModuleLoadDataEx(&loaded, image, 1, options, values));
    options[0] = CU_JIT_GLOBAL_SYMBOL_COUNT;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->ModuleLoadDataEx(&loaded, image, 1, options, values));
}
