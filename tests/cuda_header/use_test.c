/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses of the names of <cuda.h> other than calls, with <cushim/cuda.h>. Built once for each mode of
 * the default stream.
 */
#include <cuda.h>
#include <cushim/cuda.h>

/* Including <cuda.h> again, or a header that includes it, changes nothing. */
#if defined(__has_include)
#if __has_include(<cudaTypedefs.h>)
#include <cudaTypedefs.h>
#define HAS_TYPEDEFS
#endif
#endif
#include <cuda.h>

#include "tests/support/cmocka.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define OF_THE_MODE(legacy, per_thread) per_thread
#else
#define OF_THE_MODE(legacy, per_thread) legacy
#endif

static struct cushim_table table;
static const char *reached;
static cuuint64_t flags_seen;

static CUresult CUDAAPI alloc(CUdeviceptr *address, size_t bytes)
{
    reached = "MemAlloc_v2";
    *address = bytes;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI copy(CUdeviceptr to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    reached = "MemcpyHtoD_v2";
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI copy_per_thread(CUdeviceptr to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    reached = "MemcpyHtoD_v2_ptds";
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12000
static CUresult CUDAAPI address_of(const char *symbol, void **function, int version,
                                   cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
    (void)function, (void)version, (void)status;
    reached = symbol;
    flags_seen = flags;
    return CUDA_SUCCESS;
}
#endif

static int set_up(void **state)
{
    table = *cushim_driver();
    table.MemAlloc_v2 = alloc;
    table.MemcpyHtoD_v2 = copy;
    table.MemcpyHtoD_v2_ptds = copy_per_thread;
#if CUDA_VERSION >= 12000
    table.GetProcAddress_v2 = address_of;
#endif
    reached = "nothing";
    return cushim_table_install(&table, NULL) != CUDA_SUCCESS;
}

static int tear_down(void **state)
{
    return cushim_table_install(NULL, NULL) != CUDA_SUCCESS;
}

TEST_BETWEEN(name_reaches_the_slot_of_its_version_and_mode, set_up, tear_down)
{
    CUdeviceptr address = 0;

    assert_int_equal(cuMemAlloc(&address, 77), CUDA_SUCCESS);
    assert_string_equal(reached, "MemAlloc_v2");
    assert_int_equal(address, 77);
    assert_int_equal(cuMemcpyHtoD(address, reached, 1), CUDA_SUCCESS);
    assert_string_equal(reached, OF_THE_MODE("MemcpyHtoD_v2", "MemcpyHtoD_v2_ptds"));
}

/* A static initialiser, which may also be an imported function of a library. */
static CUresult(CUDAAPI *const allocators[])(CUdeviceptr *, size_t) = {cuMemAlloc, &cuMemAlloc_v2};

TEST_BETWEEN(address_is_constant_and_one, set_up, tear_down)
{
    CUdeviceptr address = 0;

    assert_true(allocators[0] == allocators[1]);
    assert_true(allocators[0] == cuMemAlloc);
    assert_int_equal(allocators[0](&address, 5), CUDA_SUCCESS);
    assert_int_equal(address, 5);
}

TEST_BETWEEN(address_follows_the_current_table, set_up, tear_down)
{
    CUresult(CUDAAPI * allocate)(CUdeviceptr *, size_t) = cuMemAlloc;
    CUdeviceptr address = 3;

    assert_int_equal(cushim_table_install(NULL, NULL), CUDA_SUCCESS);
    reached = "nothing";
    assert_int_not_equal(allocate(&address, 0), CUDA_SUCCESS);
    assert_string_equal(reached, "nothing");
}

/*
 * Members, parameters and variables may have names of functions; all their uses are renamed alike.
 */
struct driver {
    CUresult(CUDAAPI *cuMemAlloc)(CUdeviceptr *, size_t);
    int cuInit;
};

static int add(int cuMemFree, int cuInit)
{
    return cuMemFree + cuInit;
}

TEST_BETWEEN(name_can_be_that_of_a_member_and_of_a_variable, set_up, tear_down)
{
    struct driver driver = {.cuMemAlloc = cuMemAlloc, .cuInit = 5};
    CUdeviceptr address = 0;
    int cuDeviceGet = 2;

    assert_int_equal(driver.cuMemAlloc(&address, 9), CUDA_SUCCESS);
    assert_int_equal(address, 9);
    assert_int_equal(add(cuDeviceGet, driver.cuInit), 7);
}

/* CHECK(cuInit(0)) prints this text: an argument that becomes a string at once is not expanded. */
#define TEXT(call) #call

TEST_ALONE(name_in_a_text_is_as_it_was_written)
{
    assert_string_equal(TEXT(cuMemAlloc(&address, 1)), "cuMemAlloc(&address, 1)");
}

TEST_ALONE(typedefs_are_untouched)
{
#ifdef HAS_TYPEDEFS
    PFN_cuMemAlloc_v3020 allocate = cuMemAlloc;
    OF_THE_MODE(PFN_cuMemcpyHtoD_v3020, PFN_cuMemcpyHtoD_v7000_ptds) copy_in = cuMemcpyHtoD;

    assert_true(allocate == cuMemAlloc && copy_in == cuMemcpyHtoD);
#else
    skip();
#endif
}

TEST_BETWEEN(proc_address_asks_for_functions_of_the_mode, set_up, tear_down)
{
#if CUDA_VERSION >= 12000
    void *function = NULL;

    assert_int_equal(cuGetProcAddress("cuStreamQuery", &function, 12000, 0, NULL), CUDA_SUCCESS);
    assert_string_equal(reached, "cuStreamQuery");
    assert_int_equal(flags_seen, OF_THE_MODE(0, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
    assert_int_equal(cuGetProcAddress("cuStreamQuery", &function, 12000,
                                      CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(flags_seen, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
#else
    skip();
#endif
}
