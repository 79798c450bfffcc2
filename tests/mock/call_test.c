/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all calls share: their cost in time, the order of their checks, refusals and the trace.
 * tests/registry compares which functions work in which state with what a GPU returned.
 */

#include "tests/mock/fixture.h"

static char last[200];

static void note_trace(void *data, const struct cushim_mock_trace *entry)
{
    snprintf(last, sizeof last, "%s %s %d %d %d", entry->what, entry->name, (int)entry->stream,
             (int)entry->operation, (int)entry->code);
}

/* The time that a query of an event takes. */
static uint64_t query_ns(CUevent event)
{
    const uint64_t before = fixture_state().now_ns;

    OK(driver->EventQuery(event));
    return fixture_state().now_ns - before;
}

TEST_ALONE(call_costs_what_is_set_for_it_or_for_all)
{
    static const struct {
        const char *settings;
        uint64_t ns;
    } cases[] = {
        {"cost.call = 100 ns\ncost.cuEventQuery = 7 ns", 7},
        {"cost.cuEventQuery = 0 ns", 0},
        {"", 153}, /* statement 80 */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CUevent event;

        fixture_begin(cases[i].settings);
        event = fixture_event();
        assert_int_equal(query_ns(event), cases[i].ns);
        OK(driver->EventDestroy_v2(event));
        fixture_end();
    }
}

static void CUDA_CB query_often(void *event)
{
    for (int i = 0; i < 1000; i++)
        driver->EventQuery(event);
}

TEST_ALONE(call_that_is_refused_early_and_one_in_a_host_function_cost_nothing)
{
    uint64_t before;
    CUstream stream;
    CUevent event;
    int count;

    bare_create("");
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGetCount(&count));
    assert_int_equal(fixture_state().now_ns, 0);
    bare_end();
    fixture_begin("cost.cuEventQuery = 1 ms");
    stream = fixture_stream();
    event = fixture_event();
    before = fixture_state().now_ns;
    OK(driver->LaunchHostFunc(stream, query_often, event));
    OK(driver->StreamSynchronize(stream));
    assert_true(fixture_state().now_ns - before < 1000000);
    fixture_end();
}

TEST_ALONE(fault_that_comes_while_the_call_takes_its_time_is_its_answer)
{
    CUstream stream;
    CUevent event;

    fixture_begin("cost.cuEventQuery = 1 ms\nfault = op.kernel => sticky(ILLEGAL_ADDRESS)");
    stream = fixture_stream();
    event = fixture_event();
    fixture_spin(stream, 10);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->EventQuery(event));
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(context_that_has_ended_is_reported_before_a_sticky_error)
{
    CUcontext context, primary;
    CUdeviceptr memory;
    int count;

    fixture_begin("fault = cuStreamQuery:nth=1 => sticky(ILLEGAL_ADDRESS)");
    OK(driver->CtxGetCurrent(&primary));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(NULL));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->MemAlloc_v2(&memory, 64));
    OK(driver->CtxSetCurrent(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->MemAlloc_v2(&memory, 64));
    OK(driver->DeviceGetCount(&count));
    OK(driver->CtxSetCurrent(primary));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->MemAlloc_v2(&memory, 64));
    OK(cushim_mock_destroy(fixture_mock));
}

TEST_ALONE(refused_function_is_logged_once_if_any_other_would_work)
{
    unsigned count;

    bare_create("");
    fixture_log();
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->GLGetDevices_v2(&count, NULL, 0, 0));
    assert_int_equal(fixture_lines, 0);
    OK(driver->Init(0));
    for (unsigned i = 0; i < 2; i++) {
        CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GLGetDevices_v2(&count, NULL, 0, 0));
        assert_int_equal(fixture_lines, 1);
    }
    CONTAINS(fixture_logged, "cuGLGetDevices_v2 is not implemented");
    bare_end();
}

TEST_ALONE(trace_has_every_call_and_its_answer)
{
    unsigned count;

    bare_begin("");
    cushim_mock_set_trace(fixture_mock, note_trace, NULL);
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(NULL));
    assert_string_equal(last, "call cuEventQuery 0 0 400");
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GLGetDevices_v2(&count, NULL, 0, 0));
    assert_string_equal(last, "call cuGLGetDevices_v2 0 0 801");
    bare_end();
}
