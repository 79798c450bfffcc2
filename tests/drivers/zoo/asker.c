/* SPDX-License-Identifier: Apache-2.0 */
/* A library with cushim inside and a run path of its own: it looks where the program does not. */
#include <cushim/cushim.h>

CUresult zoo_ask(struct cushim_report *report);

__attribute__((visibility("default"))) CUresult zoo_ask(struct cushim_report *report)
{
    const CUresult code = cushim_load(NULL);

    report->size = sizeof *report;
    cushim_report_get(report);
    return code;
}
