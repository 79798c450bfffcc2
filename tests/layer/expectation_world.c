/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/layer/expectation_world.h"

char said[4096];
CUevent first, second;
CUstream stream;

int expectation_setup(void **state)
{
    kit_setup(state);
    OK(driver->EventCreate(&first, 0));
    OK(driver->EventCreate(&second, 0));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return 0;
}

int expectation_teardown(void **state)
{
    OK(cushim_errors_forbid(layer, false));
    cushim_expectations_clear(layer);
    OK(driver->EventDestroy_v2(first));
    OK(driver->EventDestroy_v2(second));
    OK(cushim_mock_drain(mock));
    OK(driver->StreamDestroy_v2(stream));
    return kit_teardown(state);
}

void expect(struct cushim_expectation what)
{
    char why[200] = "";

    what.size = sizeof what;
    if (cushim_expect(layer, &what, why, sizeof why) != CUDA_SUCCESS)
        fail_msg("%s", why);
}

void assert_verified(void)
{
    const CUresult code = cushim_layer_verify(layer, said, sizeof said);

    assert_string_equal(said, "");
    OK(code);
}

void assert_said(const char *text)
{
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, said, sizeof said));
    assert_string_equal(said, text);
}
