/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: finding functions and variables, and their addresses. */
#include <stdio.h>
#include <string.h>

#include "cubin.h"
#include "tests/mock/fixture.h"
#include "tests/support/folder.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

static const char image[] =
    HEAD ".visible .global .align 4 .b8 bytes[12];\n"
         ".visible .global .u64 seven = 7;\n"
         ".visible .global .u64 pointer = bytes+4;\n"
         ".visible .const .u32 five = 5;\n"
         ".visible .entry nothing() { ret; }\n"
         ".visible .entry many(.param .u8 a, .param .u64 b, .param .u16 c) { ret; }\n"
         ".visible .entry shared() { .shared .align 4 .b8 s[1024]; ret; }\n"
         ".visible .entry bounded() .maxntid 64, 1, 1 { ret; }\n";

static CUmodule module;

static int begin(void **state)
{
    (void)state;
    fixture_begin(NULL);
    OK(driver->ModuleLoadData(&module, image));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->ModuleUnload(module));
    fixture_end();
    return 0;
}

static void function_of_a_name_is_one(void **state)
{
    CUfunction one = NULL, other = NULL, missing = (CUfunction)1;
    const char *name = NULL;
    CUmodule owner = NULL;

    (void)state;
    OK(driver->ModuleGetFunction(&one, module, "nothing"));
    OK(driver->ModuleGetFunction(&other, module, "nothing"));
    assert_ptr_equal(one, other);
    OK(driver->FuncGetName(&name, one));
    assert_string_equal(name, "nothing");
    OK(driver->FuncGetModule(&owner, one));
    assert_ptr_equal(owner, module);
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetFunction(&missing, module, "missing"));
    assert_null(missing);
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetFunction(&missing, module, "bytes"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleGetFunction(&missing, module, ""));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleGetFunction(NULL, module, "nothing"));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->ModuleGetFunction(&missing, NULL, "nothing"));
}

static void functions_are_enumerated_in_their_order(void **state)
{
    static const char *const names[] = {"nothing", "many", "shared", "bounded"};
    CUfunction functions[6] = {NULL};
    unsigned count = 0;

    (void)state;
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

static void parameters_are_reported_as_declared(void **state)
{
    static const size_t layout[][2] = {{0, 1}, {8, 8}, {16, 2}};
    CUfunction many;
    size_t offset = 99, size = 99;

    (void)state;
    OK(driver->ModuleGetFunction(&many, module, "many"));
    for (size_t i = 0; i < COUNT(layout); i++) {
        OK(driver->FuncGetParamInfo(many, i, &offset, &size));
        assert_int_equal(offset, layout[i][0]);
        assert_int_equal(size, layout[i][1]);
    }
    OK(driver->FuncGetParamInfo(many, 1, &offset, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncGetParamInfo(many, 1, NULL, &size));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncGetParamInfo(many, 3, &offset, &size));
    assert_int_equal(offset, 8);
    assert_int_equal(size, 2);
}

static int attribute(const char *name, CUfunction_attribute number)
{
    CUfunction function;
    int value = -99;

    OK(driver->ModuleGetFunction(&function, module, name));
    OK(driver->FuncGetAttribute(&value, number, function));
    return value;
}

static void attributes_are_those_of_the_declaration(void **state)
{
    (void)state;
    assert_int_equal(attribute("nothing", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
    assert_int_equal(attribute("bounded", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
    assert_int_equal(attribute("nothing", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 4);
    assert_int_equal(attribute("nothing", CU_FUNC_ATTRIBUTE_PTX_VERSION), 50);
    assert_int_equal(attribute("nothing", CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
    assert_int_equal(attribute("shared", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
    assert_int_equal(attribute("shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 48128);
}

static void attributes_that_can_be_set_have_their_limits(void **state)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUfunction shared;

    (void)state;
    OK(driver->ModuleGetFunction(&shared, module, "shared"));
    OK(driver->FuncSetAttribute(shared, dynamic, 232448 - 1024));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncSetAttribute(shared, dynamic, 232448 - 1023));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncSetAttribute(shared, dynamic, -1));
    assert_int_equal(attribute("shared", dynamic), 232448 - 1024);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_NUM_REGS, 8));
}

static void variables_have_their_true_size_and_value(void **state)
{
    CUdeviceptr address = 5, bytes = 0;
    size_t size = 5;
    uint64_t value = 0;

    (void)state;
    OK(driver->ModuleGetGlobal_v2(&bytes, &size, module, "bytes"));
    assert_int_equal(size, 12);
    OK(driver->ModuleGetGlobal_v2(&address, &size, module, "seven"));
    assert_int_equal(size, 8);
    OK(driver->MemcpyDtoH_v2(&value, address, size));
    assert_int_equal(value, 7);
    OK(driver->ModuleGetGlobal_v2(&address, NULL, module, "pointer"));
    OK(driver->MemcpyDtoH_v2(&value, address, sizeof value));
    assert_int_equal(value, bytes + 4);
    OK(driver->ModuleGetGlobal_v2(&address, &size, module, "five"));
    value = 0;
    OK(driver->MemcpyDtoH_v2(&value, address, size));
    assert_int_equal(value, 5);

    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetGlobal_v2(&address, &size, module, "missing"));
    assert_int_equal(address, 0);
    assert_int_equal(size, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleGetGlobal_v2(&address, &size, module, "many"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleGetGlobal_v2(NULL, NULL, module, "bytes"));
}

static void variables_end_where_they_end(void **state)
{
    CUdeviceptr address, start = 0;
    size_t size = 0;

    (void)state;
    OK(driver->ModuleGetGlobal_v2(&address, &size, module, "bytes"));
    OK(driver->MemGetAddressRange_v2(&start, &size, address + 3));
    assert_int_equal(start, address);
    assert_int_equal(size, 12);
    OK(driver->MemsetD8_v2(address, 1, 12));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(address, 1, 13));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(address));
}

static void variables_go_with_their_module(void **state)
{
    static const char large[] = HEAD ".visible .global .b8 large[67108864];\n";
    const size_t before = fixture_state().memory_bytes;
    CUmodule other;

    (void)state;
    OK(driver->ModuleLoadData(&other, large));
    assert_true(fixture_state().memory_bytes >= before + 67108864);
    OK(driver->ModuleUnload(other));
    assert_int_equal(fixture_state().memory_bytes, before);
}

static void module_of_a_destroyed_context_is_gone(void **state)
{
    struct cushim_mock_state before = fixture_state();
    CUcontext context;
    CUmodule other;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->ModuleLoadData(&other, image));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(fixture_state().handles, before.handles);
    assert_int_equal(fixture_state().memory_bytes, before.memory_bytes);
}

static void cubin_and_fat_binary_are_loaded(void **state)
{
    static unsigned char cubin[CUBIN_BYTES], fatbin[CUBIN_BYTES];
    const size_t size = cubin_make(cubin, 90);
    CUdeviceptr address;
    CUfunction scale;
    CUmodule loaded;
    size_t bytes = 0;
    int registers = 0;

    (void)state;
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

static void text_of_a_newer_version_is_for_a_newer_driver(void **state)
{
    CUmodule loaded;

    (void)state;
    fixture_begin("driver_version = 11.0");
    OK(driver->ModuleLoadData(&loaded, ".version 7.0\n.target sm_50\n.address_size 64\n"));
    OK(driver->ModuleUnload(loaded));
    CODE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
         driver->ModuleLoadData(&loaded, ".version 7.1\n.target sm_50\n.address_size 64\n"));
    fixture_end();
}

static void module_is_loaded_from_a_file(void **state)
{
    const char *path = folder_write("module", image, sizeof image - 1);
    CUmodule loaded = NULL;
    CUfunction many;

    (void)state;
    OK(driver->ModuleLoad(&loaded, path));
    OK(driver->ModuleGetFunction(&many, loaded, "many"));
    OK(driver->ModuleUnload(loaded));
    assert_int_equal(remove(path), 0);
    CODE(CUDA_ERROR_FILE_NOT_FOUND, driver->ModuleLoad(&loaded, path));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->ModuleLoad(&loaded, folder_path(".")));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleLoad(&loaded, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleLoadData(&loaded, NULL));
}

static void logs_of_the_compiler_are_as_long_as_they_say(void **state)
{
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_WALL_TIME};
    char info[64] = "untouched", error[200] = "untouched";
    void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)-1};
    CUmodule loaded = NULL;

    (void)state;
    OK(driver->ModuleLoadDataEx(&loaded, image, COUNT(options), options, values));
    OK(driver->ModuleUnload(loaded));
    assert_int_equal((size_t)values[1], 0);
    assert_int_equal((size_t)values[3], 0);
    assert_string_equal(info, "");
    assert_string_equal(error, "");
    assert_ptr_not_equal(values[4], (void *)-1);

    values[3] = (void *)sizeof error;
    CODE(CUDA_ERROR_INVALID_PTX,
         driver->ModuleLoadDataEx(&loaded, HEAD "bogus\n", COUNT(options), options, values));
    assert_int_equal((size_t)values[3], strlen(error));
    assert_non_null(strstr(error, "line 4"));

    memset(error, 'x', sizeof error);
    values[3] = (void *)10;
    CODE(CUDA_ERROR_INVALID_PTX,
         driver->ModuleLoadDataEx(&loaded, HEAD "bogus\n", COUNT(options), options, values));
    assert_int_equal((size_t)values[3], 10);
    assert_int_equal(error[9], 0);
    assert_int_equal(error[10], 'x');
}

static void options_that_make_no_sense_are_refused(void **state)
{
    CUjit_option option = (CUjit_option)9999;
    void *value = (void *)100;
    CUmodule loaded;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleLoadDataEx(&loaded, image, 1, &option, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleLoadDataEx(&loaded, image, 1, NULL, NULL));
    option = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ModuleLoadDataEx(&loaded, image, 1, &option, &value));
    assert_ptr_equal(value, (void *)100);
}

#define MODULE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODULE_TEST(function_of_a_name_is_one),
        MODULE_TEST(functions_are_enumerated_in_their_order),
        MODULE_TEST(parameters_are_reported_as_declared),
        MODULE_TEST(attributes_are_those_of_the_declaration),
        MODULE_TEST(attributes_that_can_be_set_have_their_limits),
        MODULE_TEST(variables_have_their_true_size_and_value),
        MODULE_TEST(variables_end_where_they_end),
        MODULE_TEST(variables_go_with_their_module),
        MODULE_TEST(module_of_a_destroyed_context_is_gone),
        MODULE_TEST(cubin_and_fat_binary_are_loaded),
        cmocka_unit_test(text_of_a_newer_version_is_for_a_newer_driver),
        MODULE_TEST(module_is_loaded_from_a_file),
        MODULE_TEST(logs_of_the_compiler_are_as_long_as_they_say),
        MODULE_TEST(options_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
