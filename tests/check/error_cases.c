/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that programs misread, host functions that call the driver, and missing elapsed times. */
#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"

/* --- sticky errors --- */

static void kernel_fails(void)
{
    order_fault(order_streams[0]);
    MISUSE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamSynchronize(order_streams[0]));
}

static void kernel_fails_and_is_not_noticed(void)
{
    CUdeviceptr memory;

    order_fault(order_streams[0]);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamSynchronize(order_streams[0]));
    MISUSE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->MemAlloc_v2(&memory, 16));
}

static void kernel_does_not_fail(void)
{
    CUdeviceptr memory;

    order_spin(order_streams[0]);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, (size_t)1 << 60));
    OK(driver->StreamSynchronize(order_streams[0]));
}

/* --- ignored errors --- */

static void what_was_not_made_is_used(void)
{
    CUdeviceptr memory = 0;

    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, (size_t)1 << 60));
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(memory, 1, 16));
}

static void failure_is_noticed(void)
{
    CUdeviceptr memory;

    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, (size_t)1 << 60));
    OK(driver->MemAlloc_v2(&memory, 16));
    OK(driver->MemsetD8_v2(memory, 1, 16));
    OK(driver->MemFree_v2(memory));
}

/* --- host functions --- */

static void CUDA_CB calls_the_driver(void *data)
{
    CUdeviceptr memory;

    *(CUresult *)data = driver->MemAlloc_v2(&memory, 16);
}

static void CUDA_CB calls_what_is_allowed(void *data)
{
    int version;

    *(CUresult *)data = driver->DriverGetVersion(&version);
}

static CUresult call_in_host_function(CUhostFn function)
{
    CUresult code = CUDA_ERROR_UNKNOWN;

    OK(driver->LaunchHostFunc(order_streams[0], function, &code));
    OK(driver->StreamSynchronize(order_streams[0]));
    return code;
}

static void host_function_calls_the_driver(void)
{
    MISUSE(CUDA_ERROR_NOT_PERMITTED, call_in_host_function(calls_the_driver));
}

static void host_function_calls_what_it_may(void)
{
    OK(call_in_host_function(calls_what_is_allowed));
}

/* --- elapsed time --- */

/* The result for two events with these flags, recorded or not. */
static CUresult time_of(unsigned end_flags, bool is_recorded)
{
    CUevent start = order_event(0), end = order_event(end_flags);
    CUresult code;
    float ms;

    OK(driver->EventRecord(start, order_streams[0]));
    if (is_recorded)
        OK(driver->EventRecord(end, order_streams[0]));
    OK(driver->StreamSynchronize(order_streams[0]));
    code = driver->EventElapsedTime_v2(&ms, start, end);
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
    return code;
}

static void event_has_no_timing(void)
{
    MISUSE(CUDA_ERROR_INVALID_HANDLE, time_of(CU_EVENT_DISABLE_TIMING, true));
}

static void event_was_not_recorded(void)
{
    MISUSE(CUDA_ERROR_INVALID_HANDLE, time_of(0, false));
}

static void events_have_times(void)
{
    OK(time_of(0, true));
}

const struct check_case check_error_cases[] = {
    {"CUSHIM-error-sticky", "kernel", kernel_fails, kernel_does_not_fail, CASE_OBJECTS | CASE_LOST},
    {"CUSHIM-error-repeated", "memory", kernel_fails_and_is_not_noticed, kernel_does_not_fail,
     CASE_OBJECTS | CASE_LOST},
    {"CUSHIM-error-ignored", "memory", what_was_not_made_is_used, failure_is_noticed, CASE_OBJECTS},
    {"CUSHIM-host-function-calls", "memory", host_function_calls_the_driver,
     host_function_calls_what_it_may, CASE_OBJECTS},
    {"CUSHIM-event-time", "flags", event_has_no_timing, events_have_times, CASE_OBJECTS},
    {"CUSHIM-event-time", "not recorded", event_was_not_recorded, events_have_times, CASE_OBJECTS},
    {NULL, NULL, NULL, NULL, 0},
};
