/* SPDX-License-Identifier: Apache-2.0 */
/* What only the mock knows, and hands over to check. */
#include "tests/check/cases.h"

#include "tests/check/answers.h"

static void query_garbage(void)
{
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery((CUevent)0x1234));
}

static void query_event(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void release_user_object(unsigned references)
{
    CUuserObject object;

    OK(driver->UserObjectCreate(&object, NULL, do_nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    if (references > 1)
        MISUSE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRelease(object, references));
    OK(driver->UserObjectRelease(object, 1));
}

static void release_too_many(void)
{
    release_user_object(2);
}

static void release_one(void)
{
    release_user_object(1);
}

static void wait_for_stream(CUstream stream, CUresult wanted)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 16));
    if (wanted != CUDA_SUCCESS) {
        OK(driver->MemsetD8Async(memory, 0, 16, stream));
        MISUSE(wanted, driver->StreamSynchronize(stream));
        return;
    }
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemFree_v2(memory));
}

static void wait_that_does_not_end(void)
{
    wait_for_stream(NULL, CUDA_ERROR_TIMEOUT);
}

static void wait_for_nothing(void)
{
    wait_for_stream(NULL, CUDA_SUCCESS);
}

const struct check_case check_mock_cases[] = {
    {"CUSHIM-handle-unknown", "garbage as an event", query_garbage, query_event, CASE_MOCK},
    {"CUSHIM-call-undefined", "more references than there are", release_too_many, release_one,
     CASE_MOCK},
    {"CUSHIM-wait-endless", "manual mode", wait_that_does_not_end, wait_for_nothing, CASE_MANUAL},
    {0},
};
