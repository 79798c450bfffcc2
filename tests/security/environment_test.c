/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library reads of the environment while the process runs. The test replaces the C
 * library's functions and counts each reading. The list of all variables refers to unreadable
 * memory, so that direct access to it crashes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>

#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

enum { MOST = 16 };

static const char *names[MOST];
static unsigned count;
static bool is_counted;

static char *note(const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return NULL;
    }
    if (is_counted && count < MOST)
        names[count++] = name;
    return NULL;
}

/* No variable is set. */
char *getenv(const char *name)
{
    return note(name);
}

char *secure_getenv(const char *name)
{
    return note(name);
}

static char **environment;

static void begin_counting(void)
{
    environment = environ;
    environ =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)environ != MAP_FAILED);
    count = 0;
    is_counted = true;
}

static void end_counting(void)
{
    is_counted = false;
    munmap(environ, (size_t)sysconf(_SC_PAGESIZE));
    environ = environment;
}

static bool was_read(const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* The functions of this test return NULL, so they have replaced the C library's. */
TEST_ALONE(readings_are_counted)
{
    begin_counting();
    assert_null(getenv("ONE"));
    assert_null(secure_getenv("OTHER"));
    end_counting();
    assert_int_equal(count, 2);
    assert_true(was_read("ONE") && was_read("OTHER"));
}

/* Use a file, a fault, work, and a misuse that is reported. */
TEST_ALONE(mock_in_the_process_reads_but_the_drivers_own_variable)
{
    static const char text[] = "schema = 1\nmode = threaded\nfault = cuEventCreate:nth=9 => "
                               "return(UNKNOWN)\n";
    struct cushim_mock_options options = {
        .size = sizeof options,
        .file = folder_write("mock.conf", text, sizeof text - 1),
        .settings = "devices = 2",
    };
    const struct cushim_table *driver;
    struct cushim_mock *mock;
    CUcontext context;
    CUdeviceptr memory;
    CUstream stream;

    begin_counting();
    assert_int_equal(cushim_mock_create(&options, &mock), CUDA_SUCCESS);
    assert_int_equal(count, 0);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    assert_int_equal(driver->MemAlloc_v2(&memory, 4096), CUDA_SUCCESS);
    assert_int_equal(driver->MemsetD8Async(memory, 1, 4096, stream), CUDA_SUCCESS);
    assert_int_equal(driver->StreamSynchronize(stream), CUDA_SUCCESS);
    assert_int_equal(driver->EventQuery((CUevent)(uintptr_t)0x1234), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(driver->MemFree_v2(memory), CUDA_SUCCESS);
    assert_int_equal(driver->StreamDestroy_v2(stream), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_ERROR_ILLEGAL_STATE);
    end_counting();
    assert_int_equal(count, 1);
    assert_true(was_read("CUDA_VISIBLE_DEVICES"));
}

static bool is_driver_installed(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (library)
        dlclose(library);
    return library != NULL;
}

/*
 * One variable names a driver; the library reads the others only to know whether the dynamic linker
 * has to search.
 */
TEST_ALONE(load_reads_one_variable_for_itself_and_the_linkers)
{
    static const char *const known[] = {"CUSHIM_LIBRARY", "LD_LIBRARY_PATH", "LD_HWCAP_MASK",
                                        "GLIBC_TUNABLES", "LD_AUDIT"};
    char text[4096];
    unsigned found = 0;

    if (is_driver_installed()) {
        print_message("the driver of this machine reads variables of its own\n");
        skip();
    }
    begin_counting();
    cushim_driver_init(NULL);
    cushim_report_write_text(text, sizeof text);
    cushim_report_write_json(text, sizeof text);
    end_counting();
    assert_true(was_read("CUSHIM_LIBRARY"));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        found += was_read(known[i]);
    assert_int_equal(count, found);
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
