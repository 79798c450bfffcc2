/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that a fault rule makes hang, or that never run because an earlier one hangs; and
 * calls that wait for them.
 */
#include <stdatomic.h>

#include <cushim/testing/layer.h>

#include "src/base/lock.h"
#include "tests/mock/fixture.h"
#include "tests/support/gate.h"

static struct cushim_layer *layer(void)
{
    return cushim_layer_current();
}

static atomic_uint ran;

static void CUDA_CB count(void *data)
{
    atomic_fetch_add(&ran, 1);
}

static void end_with_misuse(const char *text)
{
    assert_string_equal(fixture_misuse(0), text);
    assert_null(cushim_mock_misuse(fixture_mock, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
}

#define TEST(name) TEST_FROM(name, begin_with, end, "mode = manual\nschedule = fifo")

TEST_ALONE(operation_that_hangs_is_never_ready_and_cannot_be_waited_for)
{
    CUstream stream, other;

    fixture_begin("fault = op.kernel:nth=1 => hang");
    stream = fixture_stream();
    other = fixture_stream();
    fixture_spin(stream, 10);
    for (int i = 0; i < 1000; i++)
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    fixture_spin(other, 10);
    OK(driver->StreamSynchronize(other));
    CODE(CUDA_ERROR_TIMEOUT, driver->StreamSynchronize(stream));
    end_with_misuse("cuStreamSynchronize: it waits for work that nothing will ever finish");
}

TEST_ALONE(operation_that_hangs_in_manual_mode_is_not_executed)
{
    CUstream stream;

    fixture_begin("mode = manual\nfault = op.kernel:nth=1 => hang");
    stream = fixture_stream();
    fixture_spin(stream, 10);
    fixture_spin(stream, 10);
    OK(cushim_mock_advance(fixture_mock, 1000000000));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_int_equal(fixture_state().pending, 2);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(fixture_mock));
    cushim_fault_resume(layer());
    OK(cushim_mock_step(fixture_mock));
    OK(cushim_mock_step(fixture_mock));
    OK(driver->StreamQuery(stream));
    fixture_end();
}

static void hang_holds_up_those_who_wait_for_it(const char *mode)
{
    CUstream stream, other;
    CUevent event;
    char settings[120];

    snprintf(settings, sizeof settings, "%s\nfault = op.host:nth=1 => hang", mode);
    fixture_begin(settings);
    stream = fixture_stream();
    other = fixture_stream();
    event = fixture_event();
    atomic_store(&ran, 0);
    OK(driver->LaunchHostFunc(stream, count, NULL));
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(other, event, 0));
    fixture_spin(other, 10);
    /* Enough time for the executor of threaded mode to find nothing to do, and to sleep. */
    for (int i = 0; i < 1000; i++) {
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
        cushim__system_yield(0);
    }
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    cushim_fault_resume(layer());
    OK(driver->StreamSynchronize(other));
    assert_int_equal(atomic_load(&ran), 1);
    fixture_end();
}

TEST_ALONE(release_lets_operations_go_on)
{
    hang_holds_up_those_who_wait_for_it("mode = auto");
    hang_holds_up_those_who_wait_for_it("mode = threaded");
    hang_holds_up_those_who_wait_for_it("schedule = eager");
    hang_holds_up_those_who_wait_for_it("schedule = lazy");
    hang_holds_up_those_who_wait_for_it("mode = threaded\nschedule = random");
}

TEST_ALONE(end_of_a_context_in_manual_mode_drops_what_hangs)
{
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;

    fixture_begin("mode = manual\nfault = op.set => hang");
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->MemAlloc_v2(&memory, 16));
    OK(driver->MemsetD8Async(memory, 1, 16, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_int_equal(fixture_state().pending, 1);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(fixture_state().pending, 0);
    OK(cushim_mock_destroy(fixture_mock));
}

/*
 * A sticky error while other streams wait for an event, for a value in memory, or for the
 * host-function thread. The waiting operations are dropped and never run.
 */

static CUfunction trap;
static CUmodule module;

static int begin_with(void **state)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_trap() { ret; }\n";

    fixture_begin(*state);
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&trap, module, "cushim_trap"));
    return 0;
}

/* After a fault no call works, so the mock is destroyed with its contents. */
static int end(void **state)
{
    bare_end();
    return 0;
}

TEST(work_behind_a_wait_never_runs)
{
    const CUstream faulty = fixture_stream(), waiting[2] = {fixture_stream(), fixture_stream()};
    const CUevent event = fixture_event();

    atomic_store(&ran, 0);
    fixture_spin(faulty, 1000000);
    OK(driver->LaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, faulty, NULL, NULL));
    OK(driver->EventRecord(event, faulty));
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->StreamWaitEvent(waiting[i], event, 0));
        OK(driver->LaunchHostFunc(waiting[i], count, NULL));
    }
    cushim_mock_drain(fixture_mock);
    assert_int_not_equal(driver->StreamQuery(waiting[0]), CUDA_SUCCESS);
    assert_int_equal(atomic_load(&ran), 0);
    assert_int_equal(fixture_state().pending, 0);
}

TEST(work_behind_a_value_in_memory_never_runs)
{
    const CUstream faulty = fixture_stream(), polling = fixture_stream();
    void *host;

    atomic_store(&ran, 0);
    OK(driver->MemAllocHost_v2(&host, 64));
    memset(host, 0, 64);
    OK(driver->StreamWaitValue32_v2(polling, (CUdeviceptr)(uintptr_t)host, 1,
                                    CU_STREAM_WAIT_VALUE_EQ));
    OK(driver->LaunchHostFunc(polling, count, NULL));
    cushim_mock_drain(fixture_mock);
    OK(driver->LaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, faulty, NULL, NULL));
    cushim_mock_drain(fixture_mock);
    assert_int_equal(fixture_state().pending, 0);
    *(volatile uint32_t *)host = 1;
    cushim_mock_drain(fixture_mock);
    assert_int_not_equal(driver->StreamQuery(polling), CUDA_SUCCESS);
    assert_int_equal(atomic_load(&ran), 0);
}

TEST_FROM(function_that_waits_for_its_turn_on_the_host_never_runs, begin_with, end,
          "mode = threaded\nschedule = fifo")
{
    static struct gate gate = GATE;
    const CUstream busy = fixture_stream(), queued[2] = {fixture_stream(), fixture_stream()},
                   faulty = fixture_stream();

    atomic_store(&ran, 0);
    gate_prepare(&gate);
    OK(driver->LaunchHostFunc(busy, gate_stand, &gate));
    gate_await(&gate);
    for (unsigned i = 0; i < 2; i++)
        OK(driver->LaunchHostFunc(queued[i], count, NULL));
    OK(driver->LaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, faulty, NULL, NULL));
    while (driver->StreamQuery(faulty) == CUDA_ERROR_NOT_READY)
        continue;
    gate_open(&gate);
    while (fixture_state().pending > 0)
        continue;
    assert_int_equal(atomic_load(&ran), 0);
}

TEST_FROM(of_two_rules_that_strike_one_operation_the_first_does, begin_with, end,
          "mode = auto\nfault = op.kernel => sticky(ECC_UNCORRECTABLE)\n"
          "fault = op.* => sticky(ILLEGAL_ADDRESS)")
{
    const CUstream stream = fixture_stream();

    fixture_spin(stream, 1000);
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->StreamSynchronize(stream));
    assert_int_equal(cushim_fault_fired(cushim_layer_current(), 0), 1);
    assert_int_equal(cushim_fault_matched(cushim_layer_current(), 1), 1);
    assert_int_equal(cushim_fault_fired(cushim_layer_current(), 1), 0);
}
