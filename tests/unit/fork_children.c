/* SPDX-License-Identifier: Apache-2.0 */
#include "fork_children.h"

#include <string.h>

#include "tests/support/calls.h"

struct fake_source source;

int load_and_query(void)
{
    const CUresult code = fake_load(&source);
    return code == CUDA_SUCCESS ? (int)fake_query() : (int)code;
}

int query(void)
{
    return (int)fake_query();
}

int load(void)
{
    return (int)cushim_load(NULL);
}

int initialise(void)
{
    return (int)cushim_init(NULL);
}

int initialise_and_query(void)
{
    const CUresult code = cushim_init(NULL);
    return code == CUDA_SUCCESS ? (int)fake_query() : (int)code;
}

int count_other_answers(void)
{
    static unsigned char memory[CUSHIM_CALL_BYTES];
    int others = 0;

    for (size_t i = 0; i < cushim_call_count; i++)
        others += cushim_calls[i](cushim_driver(), memory) != CUDA_ERROR_NOT_INITIALIZED;
    return others;
}

int state_of_report(void)
{
    struct cushim_report report = {.size = sizeof report};

    if (cushim_report_get(&report) != CUDA_SUCCESS || !report.reason[0])
        return -1;
    if (report.state == CUSHIM_STATE_FORKED &&
        (report.code != CUDA_ERROR_NOT_INITIALIZED || !strstr(report.advice, "fork")))
        return -1;
    return (int)report.state;
}
