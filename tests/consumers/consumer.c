/* SPDX-License-Identifier: Apache-2.0 */
/* A user's first program: it prints whether there is a driver, and if not, why. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(void)
{
    struct cushim_report *report;
    const CUresult code = cushim_driver_load(NULL);
    int devices = 0;

    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return 1;
    printf("%s\n", cushim_report_reason(report));
    cushim_report_destroy(report);
    /* Without a driver, a call returns the same reason as the load. */
    if (code != CUDA_SUCCESS)
        return cushim_driver()->CtxSynchronize() != code;
    if (cushim_driver_init(NULL) == CUDA_SUCCESS &&
        cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS)
        printf("%d devices\n", devices);
    return 0;
}
