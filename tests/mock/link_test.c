/* SPDX-License-Identifier: Apache-2.0 */
/* The linker: its output is complete, and another process can load it. */
#include <elf.h>

#include "cubin.h"
#include "tests/mock/fixture.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

static char one[] = HEAD ".visible .global .u32 x = 4;\n.visible .entry one() { ret; }\n";
static char two[] = HEAD ".extern .global .u32 x;\n.visible .entry cushim_nothing() { ret; }\n";

static CUlinkState begin_link(void)
{
    CUlinkState link = NULL;

    OK(driver->LinkCreate_v2(0, NULL, NULL, &link));
    return link;
}

static CUresult add_as(CUlinkState link, CUjitInputType type, const void *bytes, size_t size)
{
    return driver->LinkAddData_v2(link, type, (void *)(uintptr_t)bytes, size, "c", 0, NULL, NULL);
}

static CUresult add(CUlinkState link, const void *text, size_t size)
{
    return add_as(link, CU_JIT_INPUT_PTX, text, size);
}

static void *complete(CUlinkState link)
{
    void *bytes = NULL;

    OK(driver->LinkComplete(link, &bytes, NULL));
    assert_non_null(bytes);
    return bytes;
}

#define LINK_TEST(name) TEST_BETWEEN(name, fixture_auto, fixture_done)

LINK_TEST(linked_image_has_all_that_went_into_it)
{
    static unsigned char cubin[CUBIN_BYTES];
    const size_t size = cubin_make(cubin, 90);
    CUlinkState link = begin_link();
    CUdeviceptr address;
    CUfunction function;
    CUmodule module;
    size_t bytes = 0;

    OK(add(link, one, sizeof one));
    OK(add(link, two, sizeof two));
    cubin[16] = ET_REL;
    OK(add_as(link, CU_JIT_INPUT_CUBIN, cubin, size));
    OK(driver->ModuleLoadData(&module, complete(link)));
    OK(driver->LinkDestroy(link));
    OK(driver->ModuleGetFunction(&function, module, "one"));
    OK(driver->ModuleGetFunction(&function, module, "scale"));
    OK(driver->ModuleGetFunction(&function, module, "cushim_nothing"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "x"));
    assert_int_equal(bytes, 4);
}

LINK_TEST(cubin_that_is_no_object_spoils_the_link)
{
    static unsigned char cubin[CUBIN_BYTES];
    const size_t size = cubin_make(cubin, 90);
    CUlinkState link = begin_link();
    void *bytes = NULL;

    CODE(CUDA_ERROR_NO_BINARY_FOR_GPU, add_as(link, CU_JIT_INPUT_CUBIN, cubin, size));
    CODE(CUDA_ERROR_NO_BINARY_FOR_GPU, driver->LinkComplete(link, &bytes, NULL));
    OK(driver->LinkDestroy(link));
}

LINK_TEST(refused_text_leaves_nothing)
{
    static char wrong[] = HEAD ".visible .global .u32 left;\nbogus\n";
    static char right[] = HEAD ".visible .global .u32 left;\n";
    CUlinkState link = begin_link();

    CODE(CUDA_ERROR_INVALID_PTX, add(link, wrong, sizeof wrong));
    OK(add(link, right, sizeof right));
    complete(link);
    OK(driver->LinkDestroy(link));
}

LINK_TEST(what_is_weak_gives_way)
{
    static char weak[] = HEAD ".weak .global .u32 x = 3;\n.global .u32 own = 5;\n"
                              ".visible .global .u64 at = generic(own);\n";
    static char strong[] = HEAD ".global .u32 own[2];\n.visible .global .u32 x[2] = {1, 2};\n";
    CUlinkState link = begin_link();
    CUdeviceptr at, own;
    CUmodule module;
    size_t bytes = 0;
    uint64_t value = 0;

    OK(add(link, weak, sizeof weak));
    OK(add(link, strong, sizeof strong));
    OK(add(link, weak, sizeof HEAD - 1)); /* only the directives */
    OK(driver->ModuleLoadData(&module, complete(link)));
    OK(driver->ModuleGetGlobal_v2(NULL, &bytes, module, "x"));
    assert_int_equal(bytes, 8);
    OK(driver->ModuleGetGlobal_v2(&own, &bytes, module, "own"));
    assert_int_equal(bytes, 4);
    OK(driver->ModuleGetGlobal_v2(&at, NULL, module, "at"));
    OK(driver->MemcpyDtoH_v2(&value, at, sizeof value));
    assert_int_equal(value, own);
    OK(driver->LinkDestroy(link));
}

/* Duplicate kernels, variables and functions; of weak definitions, the first one is used. */
LINK_TEST(what_two_texts_define_is_refused)
{
    static char twice[][120] = {
        HEAD ".visible .global .u32 x = 4;\n",
        HEAD ".visible .entry x() { ret; }\n",
        HEAD ".visible .func x() { ret; }\n",
    };
    static char weak[] = HEAD ".weak .entry x() { ret; }\n";
    CUlinkState link;
    void *bytes = NULL;

    for (size_t i = 0; i < COUNT(twice); i++) {
        link = begin_link();
        OK(add(link, twice[i], sizeof twice[i]));
        CODE(CUDA_ERROR_INVALID_SOURCE, add(link, twice[i], sizeof twice[i]));
        CODE(CUDA_ERROR_INVALID_SOURCE, driver->LinkComplete(link, &bytes, NULL));
        OK(driver->LinkDestroy(link));
    }
    link = begin_link();
    OK(add(link, weak, sizeof weak));
    OK(add(link, weak, sizeof weak));
    complete(link);
    OK(driver->LinkDestroy(link));
}

/*
 * That the linker accepts host object files is a choice of the mock; only damaged files were
 * measured.
 */
LINK_TEST(files_of_the_host_are_passed_over)
{
    static const unsigned char head[32] = {0x7f, 'E', 'L', 'F', [16] = 1, [18] = 62};
    static const unsigned char object[64] = {0x7f, 'E', 'L', 'F', [16] = 1, [18] = 62};
    static const char archive[] = "!<arch>\n"
                                  "file.o/         0           0     0     644     0         `\n";
    CUlinkState link = begin_link();
    CUmodule module;

    OK(add_as(link, CU_JIT_INPUT_LIBRARY, archive, sizeof archive));
    OK(add_as(link, CU_JIT_INPUT_OBJECT, object, sizeof object));
    OK(driver->ModuleLoadData(&module, complete(link)));
    OK(driver->ModuleUnload(module));
    OK(driver->LinkDestroy(link));
    link = begin_link();
    CODE(CUDA_ERROR_INVALID_IMAGE, add_as(link, CU_JIT_INPUT_OBJECT, head, sizeof head));
    OK(driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, folder_write("one", one, sizeof one), 0, NULL,
                              NULL));
    CODE(CUDA_ERROR_INVALID_IMAGE,
         driver->LinkAddFile_v2(link, CU_JIT_INPUT_PTX, folder_write("empty", "", 0), 0, NULL,
                                NULL));
    OK(driver->LinkDestroy(link));
}

/* The other process, which loads the output. */
static int load_what_was_linked(const char *path)
{
    CUfunction function = NULL;
    CUmodule module;

    fixture_begin(NULL);
    if (driver->ModuleLoad(&module, path) != CUDA_SUCCESS ||
        driver->ModuleGetFunction(&function, module, "one") != CUDA_SUCCESS)
        return 1;
    fixture_end();
    return 0;
}

static void start_anew(const void *path)
{
    child_restart((const char *const[]){"--load", path, NULL});
}

LINK_TEST(linked_image_is_loaded_by_another_process)
{
    CUlinkState link = begin_link();
    void *bytes = NULL;
    size_t size = 0;

    OK(add(link, one, sizeof one));
    OK(driver->LinkComplete(link, &bytes, &size));
    folder_write("linked", bytes, size);
    OK(driver->LinkDestroy(link));
    assert_true(child_passes("another process", start_anew, folder_path("linked")));
}

LINK_TEST(errors_are_in_the_log_of_the_link)
{
    static const char text[] = HEAD ".extern .global .u32 far;\n.visible .entry k() { .reg .b32 r; "
                                    "ld.global.u32 r, [far]; ret; }\n";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    char error[200];
    void *values[] = {error, (void *)sizeof error}, *bytes;
    CUlinkState link = NULL;

    OK(driver->LinkCreate_v2(COUNT(options), options, values, &link));
    assert_int_equal((size_t)values[1], 0);
    CODE(CUDA_ERROR_INVALID_PTX, add(link, HEAD "bogus\n", sizeof HEAD + 6));
    assert_int_equal((size_t)values[1], strlen(error));
    CONTAINS(error, "line 4");
    OK(driver->LinkDestroy(link));

    values[1] = (void *)sizeof error;
    OK(driver->LinkCreate_v2(COUNT(options), options, values, &link));
    OK(add(link, text, sizeof text));
    CODE(CUDA_ERROR_INVALID_SOURCE, driver->LinkComplete(link, &bytes, NULL));
    assert_string_equal(error, "error   : Undefined reference to 'far'");
    OK(driver->LinkDestroy(link));
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--load") == 0)
        return load_what_was_linked(argv[2]);
    return run_all_tests(folder_create, folder_remove);
}
