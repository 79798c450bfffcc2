/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test in cmocka, with a failure on demand.
 *
 *     cc cmocka_test.c $(pkg-config --cflags --libs cushim-mock) -lcmocka
 *
 * Built with -DWITH_BUG, the tested function leaks if its second allocation fails.
 */
#include <cushim/cushim.h>
#include <cushim/testing/cmocka.h>
#include <cushim/testing/layer.h>

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

static void nothing_is_left_where_the_second_buffer_fails(void **state)
{
    CUdeviceptr in, out;
    char why[200];

    if (cushim_fault_add_rules(cushim_test_layer(*state),
                               "cuMemAlloc:nth=2 => return(OUT_OF_MEMORY)", why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(buffers_create(&in, &out, 1 << 20), CUDA_ERROR_OUT_OF_MEMORY);
}

int main(void)
{
    static const struct cushim_test_options options = {.size = sizeof options, .context = true};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(nothing_is_left_where_the_second_buffer_fails,
                                                 cushim_cmocka_begin, cushim_cmocka_end,
                                                 (void *)&options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
