/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test in Catch2, with a failure on demand.
 *
 *     c++ catch2_test.cpp $(pkg-config --cflags --libs cushim-mock)                      version 2
 *     c++ catch2_test.cpp $(pkg-config --cflags --libs cushim-mock catch2-with-main)     version 3
 *
 * Built with -DWITH_BUG, the tested function leaks if its second allocation fails.
 */
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <cushim/cushim.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/test.h>

/* The tested function creates two buffers, or none. */
static CUresult buffers_create(CUdeviceptr *in, CUdeviceptr *out, size_t bytes)
{
    CUresult code = cushim_driver()->MemAlloc_v2(in, bytes);

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim_driver()->MemAlloc_v2(out, bytes);
#ifndef WITH_BUG
    if (code != CUDA_SUCCESS)
        cushim_driver()->MemFree_v2(*in);
#endif
    return code;
}

/* Each test has a mock, and fails if it leaves anything. */
struct Gpu {
    Gpu()
    {
        cushim_test_options options = CUSHIM_TEST_OPTIONS_INIT;

        options.context = true;
        REQUIRE(cushim_test_begin(&options, &begun) == CUDA_SUCCESS);
    }

    /* A destructor must not throw, as REQUIRE and FAIL do. */
    ~Gpu()
    {
        char text[4096];

        if (cushim_test_end(begun, text, sizeof text) != CUDA_SUCCESS)
            FAIL_CHECK(text);
    }

    cushim_test *begun = nullptr;
};

TEST_CASE_METHOD(Gpu, "nothing is left where the second buffer fails")
{
    CUdeviceptr in, out;
    char why[200];

    REQUIRE(cushim_fault_add_rules(cushim_test_layer(begun),
                                   "cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)", why,
                                   sizeof why) == CUDA_SUCCESS);
    CHECK(buffers_create(&in, &out, 1 << 20) == CUDA_ERROR_OUT_OF_MEMORY);
}
