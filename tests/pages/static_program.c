/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is linked statically, and says why it has no driver: docs/platforms.md. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(void)
{
    struct cushim_report *report = NULL;

    cushim_driver_load(NULL);
    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return 1;
    printf("%s\n%s\n", cushim_report_reason(report), cushim_report_advice(report));
    cushim_report_destroy(report);
    return 0;
}
