/* SPDX-License-Identifier: Apache-2.0 */
/* The two functions for elapsed time. Statements 47, 48. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static void second_function_exists_from_12_8_on(void)
{
    const int version = driver_version();

    CHECK(backend_symbol("cuEventElapsedTime") != NULL);
    EQUAL(version >= 12080, backend_symbol("cuEventElapsedTime_v2") != NULL);
}

static void older_driver_has_one_function(void)
{
    float ms = -7;
    CUevent done;

    if (driver_version() >= 12080)
        skip("the driver is not older than 12.8");
    CHECK(backend_symbol("cuEventElapsedTime") != NULL);
    CHECK(backend_symbol("cuEventElapsedTime_v2") == NULL);
    begin_context();
    done = begin_done();
    OK(cu->EventElapsedTime(&ms, done, done));
    CHECK(ms == 0);
}

static void polling_belongs_to_the_query(void)
{
    struct gate gate = GATE;
    CUevent start, end;
    CUstream stream;
    float ms = -7;

    begin_context();
    stream = begin_stream();
    start = begin_event();
    end = begin_event();
    OK(cu->EventRecord(start, stream));
    gate_shut(&gate, stream);
    OK(cu->EventRecord(end, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventElapsedTime_v2(&ms, start, end));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(end));
    gate_open(&gate);
    while (cu->EventQuery(end) == CUDA_ERROR_NOT_READY)
        continue;
    OK(cu->EventQuery(end));
    OK(cu->EventElapsedTime_v2(&ms, start, end));
    CHECK(ms > 0);
}

const struct conformance_case elapsed_function_cases[] = {
    DOCUMENTED_CASE("047_polling_belongs_to_the_query", polling_belongs_to_the_query),
    DOCUMENTED_CASE("048_second_function_exists_from_12_8_on", second_function_exists_from_12_8_on),
    {
        .name = "048_older_driver_has_one_function",
        .run = older_driver_has_one_function,
        .class = DOCUMENTED,
        .may_skip = ON_GPU,
        .settings = "driver_version = 12.4\n",
    },
    {.name = NULL},
};
