/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/check/cases.h"

#include "tests/check/answers.h"

/* Functions of CUDA 12.8, called twice from one place and once from another. */
static void newer_function_is_called(void)
{
    CUdevice device;

    for (int i = 0; i < 2; i++)
        OK(driver->StreamGetDevice(NULL, &device));
    OK(driver->StreamGetDevice(NULL, &device));
}

/* Functions of CUDA 12.0 and 4.0. */
static void older_functions_are_called(void)
{
    unsigned long long id;
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    OK(driver->StreamGetId(NULL, &id));
}

static void look_up(int version)
{
    void *function;

    for (int i = 0; i < 2; i++)
        OK(driver->GetProcAddress_v2("cuEventElapsedTime", &function, version, 0, NULL));
}

static void newer_function_is_looked_up(void)
{
    look_up(12080);
}

static void older_function_is_looked_up(void)
{
    look_up(12020);
}

/* cushim's table falls back to the older function if a driver lacks the newer one. */
static void function_with_fallback_is_called(void)
{
    CUevent event;
    float ms;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventRecord(event, NULL));
    OK(driver->EventSynchronize(event));
    OK(driver->EventElapsedTime_v2(&ms, event, event));
    OK(driver->EventDestroy_v2(event));
}

static void older_event_functions_are_called(void)
{
    CUevent event;
    float ms;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventRecord(event, NULL));
    OK(driver->EventSynchronize(event));
    OK(driver->EventElapsedTime(&ms, event, event));
    OK(driver->EventDestroy_v2(event));
}

const struct check_case check_promise_cases[] = {
    {"CUSHIM-promise-call", "newer", newer_function_is_called, older_functions_are_called,
     CASE_PROMISE},
    {"CUSHIM-promise-lookup", "newer", newer_function_is_looked_up, older_function_is_looked_up,
     CASE_PROMISE},
    {"CUSHIM-promise-lookup", "fallback", function_with_fallback_is_called,
     older_event_functions_are_called, CASE_PROMISE},
    {NULL, NULL, NULL, NULL, 0},
};
