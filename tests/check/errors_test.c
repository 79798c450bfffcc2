/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings about misread errors, missing elapsed times, memory that is freed while work may use
 * it, and copies of pageable memory.
 */

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"

static const char sticky[] = "CUSHIM-error-sticky", repeated[] = "CUSHIM-error-repeated";
static const char ignored[] = "CUSHIM-error-ignored";
static const char event_time[] = "CUSHIM-event-time";
static const char host_used[] = "CUSHIM-host-memory-used", pageable[] = "CUSHIM-copy-pageable";

/* --- sticky errors --- */

static void order_begin_with(const char *fault)
{
    char message[200];

    order_begin("mode = auto");
    if (cushim_fault_add_rules(order_layer, fault, message, sizeof message) != CUDA_SUCCESS)
        fail_msg("%s", message);
}

#define TEST(name) TEST_BETWEEN(name, order_setup, order_teardown)

TEST_ALONE(the_first_sticky_error_names_the_work_that_may_have_caused_it)
{
    const struct cushim__finding *finding;

    order_begin_with("op.kernel => sticky(ILLEGAL_ADDRESS)");
    order_write(order_streams[0]);
    OK(driver->StreamSynchronize(order_streams[0]));
    order_write(order_streams[1]);
    order_spin(order_streams[0]);
    assert_int_equal(driver->StreamSynchronize(order_streams[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
    order_take(sticky, 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    CONTAINS(finding->what, "cuStreamSynchronize returned CUDA_ERROR_ILLEGAL_ADDRESS");
    CONTAINS(finding->what, "the last first: cuLaunchKernel \"cushim_spin\" of call 14, "
                            "cuMemsetD8Async of call 13");
    LACKS(finding->what, "call 11");
    order_end_lost();
}

TEST_ALONE(kernels_of_libraries_have_names)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry of_a_library() { ret; }\n";
    const struct cushim__finding *finding;
    CUfunction function;
    cushim_CUlibrary library;
    cushim_CUkernel kernel;

    order_begin_with("op.kernel => sticky(ILLEGAL_ADDRESS)");
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&kernel, library, "of_a_library"));
    OK(driver->KernelGetFunction(&function, kernel));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, order_streams[0], NULL, NULL));
    assert_int_equal(driver->StreamSynchronize(order_streams[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
    order_take(sticky, 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    CONTAINS(finding->what, "cuLaunchKernel \"of_a_library\" of call");
    order_end_lost();
}

TEST_ALONE(what_only_repeats_a_sticky_error_is_counted)
{
    const struct cushim__finding *finding = NULL;
    CUdeviceptr memory;

    order_begin_with("op.kernel => sticky(ILLEGAL_ADDRESS)");
    order_spin(order_streams[0]);
    assert_int_equal(driver->StreamSynchronize(order_streams[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(driver->MemAlloc_v2(&memory, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    order_take(sticky, 1);
    cushim__check_finish();
    order_take(repeated, 1);
    while ((finding = cushim__finding_next(finding))->id != CUSHIM__CHECK_ERROR_REPEATED)
        continue;
    CONTAINS(finding->what, "5 calls have only repeated");
    order_end_lost();
}

/* No work has failed: an injected error proves nothing about the program. */
TEST_ALONE(an_injected_error_is_not_sticky)
{
    CUdeviceptr memory;

    order_begin_with("cuMemAlloc_v2:nth=1 => return(ILLEGAL_ADDRESS)");
    assert_int_equal(driver->MemAlloc_v2(&memory, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(driver->CtxSynchronize());
    order_take(sticky, 0);
    order_end_lost();
}

TEST(other_errors_are_not_sticky)
{
    CUdeviceptr memory;

    assert_int_equal(driver->MemAlloc_v2(&memory, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(driver->StreamSynchronize(order_streams[0]), CUDA_SUCCESS);
    cushim__check_finish();
    order_take("CUSHIM-context-pushed", 1); /* the fixture's own context, which is still pushed */
    order_take(sticky, 0);
    order_take(repeated, 0);
}

/* After a failed wait it is correct to free memory, because there is nothing more to wait for. */
TEST_ALONE(memory_ends_after_a_wait_that_has_failed)
{
    static const char *const faults[] = {"op.copy => lost", "op.copy => sticky(ILLEGAL_ADDRESS)",
                                         "cuStreamSynchronize => return(UNKNOWN)"};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        order_begin_with(faults[i]);
        order_read(order_streams[0]);
        assert_int_not_equal(driver->StreamSynchronize(order_streams[0]), CUDA_SUCCESS);
        driver->MemFreeHost(order_host);
        assert_int_equal(cushim_check_count(order_layer, host_used), 0);
        order_end_lost();
    }
}

/* A refused call has waited for nothing. */
TEST_ALONE(memory_ends_after_a_wait_that_was_refused)
{
    order_begin_with("cuStreamSynchronize => return(INVALID_VALUE)");
    order_read(order_streams[0]);
    assert_int_equal(driver->StreamSynchronize(order_streams[0]), CUDA_ERROR_INVALID_VALUE);
    OK(driver->MemFreeHost(order_host));
    order_take(host_used, 1);
    order_end_lost();
}

/* --- ignored errors --- */

TEST(what_was_not_made_is_used)
{
    CUdeviceptr memory;

    assert_int_equal(driver->MemAlloc_v2(&memory, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(driver->MemsetD8_v2(memory, 1, 16), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(driver->MemsetD8_v2(memory, 1, 16), CUDA_ERROR_INVALID_VALUE);
    order_take(ignored, 1);
}

TEST(a_failure_that_is_noticed_is_nothing)
{
    CUdeviceptr memory;

    assert_int_equal(driver->MemAlloc_v2(&memory, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(driver->MemAlloc_v2(&memory, 16));
    OK(driver->MemsetD8_v2(memory, 1, 16));
    OK(driver->MemFree_v2(memory));
    assert_int_equal(driver->MemAlloc_v2(&memory, (size_t)-1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(driver->MemsetD8_v2(order_memory, 1, 16));
    assert_int_equal(driver->MemsetD8_v2(0, 1, 16), CUDA_ERROR_INVALID_VALUE);
    order_take(ignored, 0);
}

/* --- elapsed time --- */

/* The result for two events with these flags, recorded or not. */
static CUresult time_of(unsigned start_flags, unsigned end_flags, bool is_recorded)
{
    CUevent start = order_event(start_flags), end = order_event(end_flags);
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

static void expect_reason(const char *reason)
{
    const struct cushim__finding *finding;

    order_take(event_time, 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    if (!strstr(finding->what, reason))
        fail_msg("%s", finding->what);
}

TEST(an_event_without_timing_has_none)
{
    assert_int_equal(time_of(CU_EVENT_DISABLE_TIMING, 0, true), CUDA_ERROR_INVALID_HANDLE);
    expect_reason("event#1 was created with CU_EVENT_DISABLE_TIMING");
}

TEST(an_event_that_was_not_recorded_has_none)
{
    assert_int_equal(time_of(0, 0, false), CUDA_ERROR_INVALID_HANDLE);
    expect_reason("event#2 was never recorded");
}

TEST(an_event_of_a_capture_has_none)
{
    CUevent start = order_event(0), end = order_event(0);
    CUgraph graph;
    float ms;

    OK(driver->EventRecord(start, order_streams[0]));
    OK(driver->StreamBeginCapture_v2(order_streams[0], CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->EventRecord(end, order_streams[0]));
    OK(driver->StreamEndCapture(order_streams[0], &graph));
    OK(driver->StreamSynchronize(order_streams[0]));
    assert_int_not_equal(driver->EventElapsedTime_v2(&ms, start, end), CUDA_SUCCESS);
    expect_reason("event#2 was last recorded in a capture");
    OK(driver->GraphDestroy(graph));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
}

TEST(events_of_two_contexts_have_none)
{
    CUevent start = order_event(0), end;
    CUcontext other;
    float ms;

    OK(driver->EventRecord(start, NULL));
    OK(driver->CtxSynchronize());
    OK(driver->CtxCreate_v2(&other, 0, 0));
    end = order_event(0);
    OK(driver->EventRecord(end, NULL));
    OK(driver->CtxSynchronize());
    assert_int_equal(driver->EventElapsedTime_v2(&ms, start, end), CUDA_ERROR_INVALID_HANDLE);
    expect_reason("the events are of two contexts");
    OK(driver->EventDestroy_v2(end));
    OK(driver->CtxDestroy_v2(other));
    OK(driver->EventDestroy_v2(start));
}

/* Pending work is not the fault of the events. */
TEST(an_event_that_is_pending_is_not_reported)
{
    CUevent start = order_event(0), end = order_event(0);
    float ms;

    OK(driver->EventRecord(start, order_streams[0]));
    order_spin(order_streams[0]);
    OK(driver->EventRecord(end, order_streams[0]));
    assert_int_equal(driver->EventElapsedTime_v2(&ms, start, end), CUDA_ERROR_NOT_READY);
    order_take(event_time, 0);
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
}

/* --- memory --- */

TEST(page_locked_memory_is_freed_behind_a_copy)
{
    const struct cushim__finding *finding;

    order_read(order_streams[0]);
    OK(driver->MemFreeHost(order_host));
    order_host = NULL;
    order_take(host_used, 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    assert_string_equal(finding->what, "memory#2 is freed while a copy on stream#1 may use it: "
                                       "nothing has waited for that");
    assert_string_equal(cushim__slot_name(finding->earlier.slot), "cuMemcpyDtoHAsync_v2");
}

/* One place in the program is one finding. */
TEST(pageable_memory_in_asynchronous_copies)
{
    static char memory[64];

    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemcpyHtoDAsync_v2(order_memory, memory, sizeof memory, order_streams[0]));
    order_take(pageable, 1);
    OK(driver->MemcpyDtoHAsync_v2(memory, order_memory, sizeof memory, order_streams[0]));
    assert_int_equal(cushim_check_count(order_layer, pageable), 2);
    order_take_all();
}
