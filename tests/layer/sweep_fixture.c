/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_fixture.h"

char sweep_why[8000];
struct cushim_sweep_options sweep_options;
struct cushim_sweep_result sweep_result;

int sweep_setup(void **state)
{
    sweep_why[0] = '\0';
    sweep_options = (struct cushim_sweep_options){.size = sizeof sweep_options,
                                                  .fail_releases = true,
                                                  .message = sweep_why,
                                                  .message_size = sizeof sweep_why};
    sweep_result = (struct cushim_sweep_result){.size = sizeof sweep_result};
    return 0;
}

int sweep_teardown(void **state)
{
    assert_null(cushim_layer_current());
    assert_null(cushim_mock_current());
    return 0;
}

int sweep_make_current(void *data)
{
    CUcontext context;

    return cushim_driver()->Init(0) || cushim_driver()->DevicePrimaryCtxRetain(&context, 0) ||
           cushim_driver()->CtxSetCurrent(context);
}

void sweep_end_current(void *data)
{
    cushim_driver()->CtxSetCurrent(NULL);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

CUresult sweep_run(int (*body)(void *data), void *data)
{
    return cushim_sweep_run(&sweep_options, body, data, &sweep_result);
}

CUresult sweep_once(enum bug bug)
{
    return sweep_run(sweep_body, &bug);
}

void sweep_assert_passed(CUresult code)
{
    if (code != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
}

void sweep_assert_found(enum bug bug, const char *line)
{
    assert_int_equal(sweep_once(bug), CUDA_ERROR_ILLEGAL_STATE);
    assert_string_equal(sweep_why, line);
    assert_int_equal(sweep_result.failures, 1);
}
