/* SPDX-License-Identifier: Apache-2.0 */
/* docs/checks.md: a program whose misuse is found; with an argument, it checks itself. */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/check.h>
#include <cushim/testing/test.h>

static int run_test(void)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};
    struct cushim_test *test = NULL;
    char text[4096];
    CUevent event;
    CUresult code;

    if (cushim_test_begin(&options, &test) != CUDA_SUCCESS)
        return 1;
    if (cushim_check_start(cushim_test_layer(test), NULL) != CUDA_SUCCESS)
        return 1;
    cushim_driver()->EventCreate(&event, 0);
    cushim_driver()->EventDestroy_v2(event);
    code = cushim_driver()->EventQuery(event);
    if (cushim_test_end(test, text, sizeof text) != CUDA_SUCCESS)
        printf("%s", text);
    return code != CUDA_ERROR_INVALID_HANDLE;
}

int main(int count, char **words)
{
    const struct cushim_table *driver;
    CUcontext context;
    CUevent event;

    (void)words;
    if (count > 1)
        return run_test();
    if (cushim_driver_init(NULL) != CUDA_SUCCESS)
        return 1;
    driver = cushim_driver();
    driver->DevicePrimaryCtxRetain(&context, 0);
    driver->CtxSetCurrent(context);
    driver->EventCreate(&event, 0);
    driver->EventDestroy_v2(event);
    printf("cuEventQuery returned %d\n", (int)driver->EventQuery(event));
    driver->DevicePrimaryCtxRelease_v2(0);
    return 0;
}
