/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA library objects, the linker and the profiler. Statements 89, 167-172, 176, 177. */
#include <string.h>

#include "cases.h"

static CUlibrary load(void)
{
    CUlibrary library = NULL;

    MUST(cu->LibraryLoadData(&library, module_image, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

MEASURED_CASE(167, library_needs_no_context)
{
    CUlibrary library;
    CUfunction function;
    CUkernel kernel = NULL;
    CUdeviceptr address;
    const char *name = NULL;
    size_t bytes = 0;

    begin_device();
    library = load();
    OK(cu->LibraryGetKernel(&kernel, library, "take"));
    OK(cu->KernelGetName(&name, kernel));
    CHECK(name && strcmp(name, "take") == 0);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->KernelGetFunction(&function, kernel));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->LibraryGetGlobal(&address, &bytes, library, "bytes"));
    begin_context();
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->KernelGetFunction(&function, NULL));
    OK(cu->KernelGetFunction(&function, kernel));
    OK(cu->LibraryGetGlobal(&address, &bytes, library, "bytes"));
    EQUAL(12, bytes);
    OK(cu->LibraryUnload(library));
}

MEASURED_CASE(168, library_is_asked_for_what_it_has)
{
    CUlibrary library, owner = NULL;
    CUkernel kernel = NULL, missing;
    CUdeviceptr address;
    size_t bytes, offset = 0, size = 0;
    unsigned count = 0;
    int value = 0;

    begin_context();
    library = load();
    OK(cu->LibraryGetKernelCount(&count, library));
    EQUAL(MODULE_FUNCTIONS, count);
    OK(cu->LibraryGetKernel(&kernel, library, "take"));
    CODE(CUDA_ERROR_NOT_FOUND, cu->LibraryGetKernel(&missing, library, "nope"));
    CODE(CUDA_ERROR_NOT_FOUND, cu->LibraryGetGlobal(&address, &bytes, library, "nope"));
    CODE(CUDA_ERROR_NOT_FOUND, cu->LibraryGetManaged(&address, &bytes, library, "bytes"));
    OK(cu->KernelGetLibrary(&owner, kernel));
    CHECK(owner == library);
    OK(cu->KernelGetParamInfo(kernel, 1, &offset, &size));
    EQUAL(8, offset);
    EQUAL(4, size);
    OK(cu->KernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EQUAL(1024, value);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->LibraryUnload(NULL));
}

MEASURED_CASE(168, library_loads_anything)
{
    CUlibrary library = NULL;

    begin_context();
    OK(cu->LibraryLoadData(&library, "hello this is garbage text", NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->LibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CODE(CUDA_ERROR_FILE_NOT_FOUND,
         cu->LibraryLoadFromFile(&library, "/nope", NULL, NULL, 0, NULL, NULL, 0));
}

MEASURED_CASE(169, module_of_a_library_is_the_librarys)
{
    CUlibrary library;
    CUmodule module = NULL;
    CUkernel kernel;

    begin_context();
    library = load();
    OK(cu->LibraryGetModule(&module, library));
    CODE(CUDA_ERROR_NOT_PERMITTED, cu->ModuleUnload(module));
    OK(cu->LibraryGetKernel(&kernel, library, "cushim_nothing"));
    OK(cu->LaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cu->CtxSynchronize());
    OK(cu->LibraryUnload(library));
}

static CUlinkState begin_link(void)
{
    CUlinkState link = NULL;

    need_context();
    MUST(cu->LinkCreate_v2(0, NULL, NULL, &link));
    return link;
}

static CUresult add(CUlinkState link, int type, const void *bytes, size_t size)
{
    return cu->LinkAddData_v2(link, (CUjitInputType)type, (void *)(uintptr_t)bytes, size, NULL, 0,
                              NULL, NULL);
}

MEASURED_CASE(170, link_makes_an_image)
{
    static const unsigned char head[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    CUlinkState link;
    CUfunction function;
    CUmodule module = NULL;
    void *image = NULL;
    size_t size = 0;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->LinkCreate_v2(0, NULL, NULL, &link));
    begin_context();
    link = begin_link();
    OK(add(link, CU_JIT_INPUT_PTX, module_image, strlen(module_image) + 1));
    OK(cu->LinkComplete(link, &image, &size));
    CHECK(size > 64 && image && memcmp(image, head, sizeof head) == 0);
    OK(cu->ModuleLoadData(&module, image));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->LinkComplete(link, &image, &size));
    CODE(CUDA_ERROR_INVALID_VALUE,
         add(link, CU_JIT_INPUT_PTX, module_image, strlen(module_image) + 1));
    OK(cu->LinkDestroy(link));
    OK(cu->ModuleGetFunction(&function, module, "plain"));
}

MEASURED_CASE(170, link_takes_a_null_size)
{
    void *image = NULL;
    CUlinkState link = begin_link();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->LinkComplete(link, NULL, NULL));
    OK(cu->LinkDestroy(link));
    link = begin_link();
    OK(cu->LinkComplete(link, &image, NULL));
    OK(cu->LinkDestroy(link));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->LinkDestroy(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LinkCreate_v2(0, NULL, NULL, NULL));
}

MEASURED_CASE(171, link_checks_its_inputs)
{
    CUlinkState link = begin_link();

    CODE(CUDA_ERROR_INVALID_VALUE, add(link, CU_JIT_INPUT_PTX, NULL, 5));
    CODE(CUDA_ERROR_INVALID_VALUE, add(link, CU_JIT_INPUT_PTX, module_image, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, add(link, 77, module_image, strlen(module_image) + 1));
    CODE(CUDA_ERROR_FILE_NOT_FOUND,
         cu->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/nope.ptx", 0, NULL, NULL));
    OK(cu->LinkDestroy(link));
    link = begin_link();
    CODE(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_PTX, "garbage", 8));
    OK(cu->LinkDestroy(link));
}

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

static CUresult add_text(CUlinkState link, const char *text)
{
    return add(link, CU_JIT_INPUT_PTX, text, strlen(text) + 1);
}

static size_t size_of(CUmodule module, const char *name)
{
    CUdeviceptr address;
    size_t bytes = 0;

    OK(cu->ModuleGetGlobal_v2(&address, &bytes, module, name));
    return bytes;
}

MEASURED_CASE(176, names_are_of_their_text)
{
    static const char one[] = HEAD ".const .align 1 .u8 $LC0[4] = {1,2,3,4};\n"
                                   ".global .align 4 .u32 own;\n"
                                   ".visible .global .align 4 .u32 first;\n"
                                   ".visible .entry one(.param .u64 p) { ret; }\n";
    static const char two[] = HEAD ".const .align 1 .u8 $LC0[7] = {1,2,3,4,5,6,7};\n"
                                   ".global .align 4 .u32 own[3];\n"
                                   ".visible .global .align 4 .u32 second[2];\n"
                                   ".visible .entry two(.param .u64 p) { ret; }\n";
    CUfunction function;
    CUmodule module;
    void *image = NULL;
    CUlinkState link = begin_link();

    OK(add_text(link, one));
    OK(add_text(link, two));
    MUST(cu->LinkComplete(link, &image, NULL));
    MUST(cu->ModuleLoadData(&module, image));
    EQUAL(4, size_of(module, "$LC0"));
    EQUAL(4, size_of(module, "own"));
    EQUAL(4, size_of(module, "first"));
    EQUAL(8, size_of(module, "second"));
    OK(cu->ModuleGetFunction(&function, module, "one"));
    OK(cu->ModuleGetFunction(&function, module, "two"));
    MUST(cu->ModuleLoadData(&module, two));
    EQUAL(7, size_of(module, "$LC0"));
    EQUAL(12, size_of(module, "own"));
}

MEASURED_CASE(176, visible_names_are_of_all_texts)
{
    static const char defines[] = HEAD ".visible .global .u32 x = 4;\n"
                                       ".visible .entry one() { ret; }\n";
    static const char uses[] = HEAD ".extern .global .u32 x;\n"
                                    ".visible .entry two() {\n .reg .u32 %v;\n"
                                    " ld.global.u32 %v, [x];\n st.global.u32 [x], %v;\n ret;\n}\n";
    CUmodule module;
    void *image = NULL;
    CUlinkState link = begin_link();

    OK(add_text(link, defines));
    OK(add_text(link, uses));
    MUST(cu->LinkComplete(link, &image, NULL));
    MUST(cu->ModuleLoadData(&module, image));
    EQUAL(4, size_of(module, "x"));
    link = begin_link();
    OK(add_text(link, defines));
    CODE(CUDA_ERROR_INVALID_SOURCE, add_text(link, defines));
    CODE(CUDA_ERROR_INVALID_SOURCE, cu->LinkComplete(link, &image, NULL));
    link = begin_link();
    OK(add_text(link, uses));
    CODE(CUDA_ERROR_INVALID_SOURCE, cu->LinkComplete(link, &image, NULL));
    /* Without a linker, the declaration defines the variable. */
    MUST(cu->ModuleLoadData(&module, uses));
    EQUAL(4, size_of(module, "x"));
}

MEASURED_CASE(176, wrong_text_is_not_linked)
{
    void *image = NULL;
    CUlinkState link = begin_link();

    CODE(CUDA_ERROR_INVALID_IMAGE, add(link, CU_JIT_INPUT_PTX, "", 1));
    CODE(CUDA_ERROR_INVALID_PTX, add_text(link, HEAD "bogus\n"));
    CODE(CUDA_ERROR_INVALID_IMAGE,
         add(link, CU_JIT_INPUT_CUBIN, module_image, strlen(module_image) + 1));
    ONE_OF(cu->LinkComplete(link, &image, NULL), 0, 200);
}

MEASURED_CASE(177, variables_have_a_size)
{
    CUmodule module;
    CUdeviceptr address;
    size_t bytes;

    begin_context();
    CODE(CUDA_ERROR_INVALID_PTX, cu->ModuleLoadData(&module, HEAD ".visible .global .u32 a[0];\n"));
    CODE(CUDA_ERROR_INVALID_PTX,
         cu->ModuleLoadData(&module, HEAD ".visible .const .b8 a[65537];\n"));
    MUST(cu->ModuleLoadData(&module, HEAD ".visible .const .b8 a[65536];\n"));
    EQUAL(65536, size_of(module, "a"));
    MUST(cu->ModuleLoadData(&module, HEAD ".global .texref a;\n.visible .entry k() { ret; }\n"));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ModuleGetGlobal_v2(&address, &bytes, module, "a"));
}

MEASURED_CASE(169, kernel_is_no_function_everywhere)
{
    CUlibrary library;
    CUkernel kernel;
    const char *name;
    int value;

    begin_context();
    library = load();
    CODE(CUDA_ERROR_NOT_FOUND, cu->LibraryGetKernel(&kernel, library, ""));
    MUST(cu->LibraryGetKernel(&kernel, library, "take"));
    CODE(CUDA_ERROR_INVALID_HANDLE,
         cu->FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)kernel));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->FuncGetName(&name, (CUfunction)kernel));
    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&value, (CUfunction)kernel, 32, 0));
}

MEASURED_CASE(089, unloading_waits)
{
    CUfunction function;
    CUkernel kernel;
    CUstream stream = begin_stream();
    CUlibrary library = load();

    MUST(cu->LibraryGetKernel(&kernel, library, "plain"));
    MUST(cu->KernelGetFunction(&function, kernel));
    queue_spin(begin_kernel("cushim_spin"), stream, 20000000);
    OK(cu->LibraryUnload(library));
    OK(cu->StreamQuery(stream));
}

MEASURED_CASE(172, profiler_is_switched)
{
    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->ProfilerStart());
    begin_context();
    OK(cu->ProfilerStart());
    OK(cu->ProfilerStop());
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->ProfilerInitialize("a", "b", 0));
}
