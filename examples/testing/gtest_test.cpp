/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests in GoogleTest, with a failure on demand and a deadline that passes in no time.
 *
 *     c++ gtest_test.cpp $(pkg-config --cflags --libs cushim-mock gtest_main)
 *
 * Built with -DWITH_BUG, the tested function leaks if its second allocation fails.
 */
#include <gtest/gtest.h>

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

/* This tested function says whether the work of a stream has ended in time. */
static const char *wait_for(cushim_stream *stream)
{
    const uint64_t half_a_minute = 30000000000;

    switch (cushim_stream_synchronize_for(stream, half_a_minute)) {
    case CUDA_SUCCESS:
        return "done";
    case CUDA_ERROR_TIMEOUT:
        return "late";
    default:
        return "failed";
    }
}

/* Each test has a mock, and fails if it leaves anything. */
class Gpu : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        cushim_test_options options = CUSHIM_TEST_OPTIONS_INIT;

        options.context = true;
        ASSERT_EQ(cushim_test_begin(&options, &test), CUDA_SUCCESS);
    }

    void TearDown() override
    {
        char text[4096];

        EXPECT_EQ(cushim_test_end(test, text, sizeof text), CUDA_SUCCESS) << text;
    }

    void add_rule(const char *rule)
    {
        char why[200];

        ASSERT_EQ(cushim_fault_add_rules(cushim_test_layer(test), rule, why, sizeof why),
                  CUDA_SUCCESS)
            << why;
    }

    cushim_test *test = nullptr;
};

TEST_F(Gpu, NothingIsLeftWhereTheSecondBufferFails)
{
    CUdeviceptr in, out;

    add_rule("cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)");
    EXPECT_EQ(buffers_create(&in, &out, 1 << 20), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Gpu, WorkThatDoesNotEndIsLate)
{
    add_rule("cuStreamQuery => return(TIMEOUT)");
    EXPECT_STREQ(wait_for(cushim_stream_legacy()), "late");
}
