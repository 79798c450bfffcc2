/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: what is loaded, and what is found in it. Statements 150-157. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "file.h"
#include "module.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CUresult load(const char *text)
{
    CUmodule module = (CUmodule)1;
    CUresult code = cu->ModuleLoadData(&module, text);

    CHECK(code == CUDA_SUCCESS ? module != (CUmodule)1 : module == (CUmodule)1);
    return code;
}

static void images_that_are_none_are_refused(void)
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

static void text_is_for_a_driver_and_a_device(void)
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

static void files_are_loaded(void)
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

static void logs_tell_their_length(void)
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

static void options_are_checked(void)
{
    CUjit_option option = (CUjit_option)9999;
    void *value = (void *)100;
    CUmodule module;

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, NULL, NULL));
    OK(cu->ModuleLoadDataEx(&module, module_image, 0, NULL, NULL));
    option = CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    EQUAL(100, (uintptr_t)value);
    option = CU_JIT_WALL_TIME;
    OK(cu->ModuleLoadDataEx(&module, module_image, 1, &option, &value));
    CHECK(value != (void *)100 && (uintptr_t)value <= UINT32_MAX);
}

static void functions_are_found_by_name(void)
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

static void functions_are_counted(void)
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

static void variables_have_their_size(void)
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
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleGetGlobal_v2(&address, &bytes, NULL, "bytes"));
}

static void variables_are_memory(void)
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

static void first_abi_of_variables_writes_zeros(void)
{
    CUmodule module = begin_module();
    unsigned address = 5, bytes = 5;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ModuleGetGlobal(&address, &bytes, module, "bytes"));
    EQUAL(0, address);
    EQUAL(0, bytes);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ModuleGetGlobal(&address, &bytes, NULL, "bytes"));
}

static void modules_are_used_from_other_contexts(void)
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

static void loading_is_lazy(void)
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)0;

    begin_device();
    OK(cu->ModuleGetLoadingMode(&mode));
    EQUAL(CU_MODULE_LAZY_LOADING, mode);
}

const struct conformance_case module_cases[] = {
    MEASURED_CASE("150_images_that_are_none_are_refused", images_that_are_none_are_refused),
    MEASURED_CASE("150_text_is_for_a_driver_and_a_device", text_is_for_a_driver_and_a_device),
    MEASURED_CASE("151_files_are_loaded", files_are_loaded),
    MEASURED_CASE("151_loading_is_lazy", loading_is_lazy),
    MEASURED_CASE("152_logs_tell_their_length", logs_tell_their_length),
    MEASURED_CASE("152_options_are_checked", options_are_checked),
    MEASURED_CASE("153_functions_are_found_by_name", functions_are_found_by_name),
    MEASURED_CASE("154_functions_are_counted", functions_are_counted),
    MEASURED_CASE("155_variables_have_their_size", variables_have_their_size),
    MEASURED_CASE("156_variables_are_memory", variables_are_memory),
    MEASURED_CASE("156_first_abi_of_variables_writes_zeros", first_abi_of_variables_writes_zeros),
    MEASURED_CASE("157_modules_are_used_from_other_contexts", modules_are_used_from_other_contexts),
    {.name = NULL},
};
