/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait for and write values in memory: here the test's own. */
#include "stream_world.h"

#include "loader/codes.h"

static CUdeviceptr address_of(volatile void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

static void wait_value32_is_a_latch(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < STREAM_KINDS; kind++) {
        struct cushim_stream *stream = stream_make(kind);
        volatile uint32_t latch[2] = {0, 1};

        assert_int_equal(
            cushim_stream_wait_value32(stream, address_of(latch), 1, CU_STREAM_WAIT_VALUE_EQ),
            CUDA_SUCCESS);
        assert_ptr_equal(fake_current(), world.current);
        assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
        latch[0] = 1;
        assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
        stream_drop(stream);
    }
}

static void wait_value64_compares_all_bits(void **state)
{
    const uint64_t high = UINT64_C(1) << 40;
    struct cushim_stream *stream = stream_create();
    volatile uint64_t latch = 0;

    (void)state;
    assert_int_equal(
        cushim_stream_wait_value64(stream, address_of(&latch), high, CU_STREAM_WAIT_VALUE_GEQ),
        CUDA_SUCCESS);
    assert_int_equal(cushim_stream_query(stream), CUDA_ERROR_NOT_READY);
    latch = high + 1;
    assert_int_equal(cushim_stream_query(stream), CUDA_SUCCESS);
    stream_drop(stream);
}

static void flags_choose_the_comparison(void **state)
{
    static const struct {
        unsigned flags;
        uint32_t memory, value;
        CUresult answer;
    } cases[] = {
        {CU_STREAM_WAIT_VALUE_GEQ, 5, 5, CUDA_SUCCESS},
        {CU_STREAM_WAIT_VALUE_GEQ, 4, 5, CUDA_ERROR_NOT_READY},
        {CU_STREAM_WAIT_VALUE_GEQ, 0, UINT32_MAX, CUDA_SUCCESS},
        {CU_STREAM_WAIT_VALUE_EQ, 6, 5, CUDA_ERROR_NOT_READY},
        {CU_STREAM_WAIT_VALUE_AND, 6, 2, CUDA_SUCCESS},
        {CU_STREAM_WAIT_VALUE_AND, 6, 1, CUDA_ERROR_NOT_READY},
        {CU_STREAM_WAIT_VALUE_NOR, 6, UINT32_MAX, CUDA_ERROR_NOT_READY},
        {CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH, 5, 5, CUDA_SUCCESS},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cushim_stream *stream = stream_create();
        volatile uint32_t memory = cases[i].memory;

        assert_int_equal(
            cushim_stream_wait_value32(stream, address_of(&memory), cases[i].value, cases[i].flags),
            CUDA_SUCCESS);
        assert_int_equal(cushim_stream_query(stream), cases[i].answer);
        stream_drop(stream);
    }
}

static void writes_come_after_earlier_work(void **state)
{
    (void)state;
    for (enum stream_kind kind = 0; kind < DEFAULT_BARE; kind++) {
        struct cushim_stream *stream = stream_make(kind);
        volatile uint32_t narrow[2] = {7, 7};
        volatile uint64_t wide = 7;

        fake_stream_hold(world.handle, stream_handle(stream), FAKE_FOREVER);
        assert_int_equal(cushim_stream_write_value32(stream, address_of(narrow), 8, 0),
                         CUDA_SUCCESS);
        assert_int_equal(cushim_stream_write_value64(stream, address_of(&wide), UINT64_MAX,
                                                     CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER),
                         CUDA_SUCCESS);
        assert_true(narrow[0] == 7 && wide == 7);
        assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
        assert_true(narrow[0] == 8 && narrow[1] == 7 && wide == UINT64_MAX);
        stream_drop(stream);
    }
}

static void unknown_flags_reach_the_driver(void **state)
{
    struct cushim_stream *stream = stream_create();
    volatile uint64_t memory = 0;
    const CUdeviceptr address = address_of(&memory);

    (void)state;
    assert_int_equal(cushim_stream_wait_value32(stream, address, 0, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_wait_value64(stream, address, 0, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_write_value32(stream, address, 1, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_stream_write_value64(stream, address, 1, 2), CUDA_ERROR_INVALID_VALUE);
    assert_true(memory == 0);
    stream_drop(stream);
}

static void codes_of_the_driver_come_through(void **state)
{
    static const char *const symbols[] = {"cuStreamWaitValue32_v2", "cuStreamWaitValue64_v2",
                                          "cuStreamWriteValue32_v2", "cuStreamWriteValue64_v2"};
    struct cushim_stream *stream = stream_default();
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    (void)state;
    for (int old = 0; old <= 1; old++) {
        assert_int_equal(cushim_stream_wait_value32(stream, 0, 0, 0), code);
        assert_int_equal(cushim_stream_wait_value64(stream, 0, 0, 0), code);
        assert_int_equal(cushim_stream_write_value32(stream, 0, 0, 0), code);
        assert_int_equal(cushim_stream_write_value64(stream, 0, 0, 0), code);
        assert_ptr_equal(fake_current(), world.current);
        for (size_t i = 0; i < COUNT(symbols) && !old; i++)
            fake_lack(symbols[i]);
        code = CUSHIM__REQUIRES_NEWER_DRIVER;
    }
    stream_drop(stream);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stream_world_setup, stream_world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wait_value32_is_a_latch),        TEST(wait_value64_compares_all_bits),
        TEST(flags_choose_the_comparison),    TEST(writes_come_after_earlier_work),
        TEST(unknown_flags_reach_the_driver), TEST(codes_of_the_driver_come_through),
    };

    return cmocka_run_group_tests_name("stream_memory", tests, NULL, NULL);
}
