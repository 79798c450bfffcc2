/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces functions of the mock in the programs of tests/mock: a test that asks for the table gets
 * the one that repeats calls, and when the mock is destroyed, it must have freed everything.
 */
#include <cushim/testing/mock.h>

#include "oom.h"
#include "retry.h"

const struct cushim_table *__real_cushim_mock_table(const struct cushim_mock *mock);
const struct cushim_table *__wrap_cushim_mock_table(const struct cushim_mock *mock);
CUresult __real_cushim_mock_destroy(struct cushim_mock *mock);
CUresult __wrap_cushim_mock_destroy(struct cushim_mock *mock);

const struct cushim_table *__wrap_cushim_mock_table(const struct cushim_mock *mock)
{
    retry_next = __real_cushim_mock_table(mock);
    return retry_next ? &retry_table : NULL;
}

CUresult __wrap_cushim_mock_destroy(struct cushim_mock *mock)
{
    const CUresult code = __real_cushim_mock_destroy(mock);
    char where[300];

    if (mock && oom_live() > 0) {
        oom_describe_live(where, sizeof where);
        retry_wrong("the mock is destroyed, and %zu blocks are not freed; the last was asked "
                    "for at %s\n",
                    oom_live(), where);
    }
    return code;
}
