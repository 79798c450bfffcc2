/* SPDX-License-Identifier: Apache-2.0 */
/* What a user of cushim writes first: say whether there is a driver, and if not, why. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(void)
{
    static struct cushim_report report = {.size = sizeof report};
    const CUresult code = cushim_load(NULL);
    int devices = 0;

    if (cushim_report_get(&report) != CUDA_SUCCESS)
        return 1;
    printf("%s\n", report.reason);
    /* Without a driver, a call returns the same reason as the load. */
    if (code != CUDA_SUCCESS)
        return cushim_driver()->CtxSynchronize() != code;
    if (cushim_init(NULL) == CUDA_SUCCESS &&
        cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS)
        printf("%d devices\n", devices);
    return 0;
}
