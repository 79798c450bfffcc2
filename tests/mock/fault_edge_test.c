/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sticky error while other streams wait: for an event, for a value in memory, for their turn on
 * the host. What waits is dropped, and never runs.
 */
#include <stdatomic.h>
#include <string.h>

#include <cushim/fault.h>

#include "tests/mock/world.h"
#include "tests/support/gate.h"

static CUfunction trap;
static CUmodule module;

static int begin_with(const char *settings)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_trap() { ret; }\n";

    world_begin(settings);
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&trap, module, "cushim_trap"));
    return 0;
}

static int begin_manual(void **state)
{
    (void)state;
    return begin_with("mode = manual\nschedule = fifo");
}

static int begin_threaded(void **state)
{
    (void)state;
    return begin_with("mode = threaded\nschedule = fifo");
}

/* After a fault no call works: the mock is dropped with what is in it. */
static int end(void **state)
{
    (void)state;
    OK(cushim_mock_destroy(world));
    world = NULL;
    return 0;
}

static atomic_uint ran;

static void CUDA_CB count(void *data)
{
    (void)data;
    atomic_fetch_add(&ran, 1);
}

static void work_behind_a_wait_never_runs(void **state)
{
    const CUstream faulty = world_stream(), waiting[2] = {world_stream(), world_stream()};
    const CUevent event = world_event();

    (void)state;
    atomic_store(&ran, 0);
    world_spin(faulty, 1000000);
    OK(driver->LaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, faulty, NULL, NULL));
    OK(driver->EventRecord(event, faulty));
    for (unsigned i = 0; i < 2; i++) {
        OK(driver->StreamWaitEvent(waiting[i], event, 0));
        OK(driver->LaunchHostFunc(waiting[i], count, NULL));
    }
    cushim_mock_drain(world);
    assert_int_not_equal(driver->StreamQuery(waiting[0]), CUDA_SUCCESS);
    assert_int_equal(atomic_load(&ran), 0);
    assert_int_equal(world_state().pending, 0);
}

static void work_behind_a_value_in_memory_never_runs(void **state)
{
    const CUstream faulty = world_stream(), polling = world_stream();
    void *host;

    (void)state;
    atomic_store(&ran, 0);
    OK(driver->MemAllocHost_v2(&host, 64));
    memset(host, 0, 64);
    OK(driver->StreamWaitValue32_v2(polling, (CUdeviceptr)(uintptr_t)host, 1,
                                    CU_STREAM_WAIT_VALUE_EQ));
    OK(driver->LaunchHostFunc(polling, count, NULL));
    cushim_mock_drain(world);
    OK(driver->LaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, faulty, NULL, NULL));
    cushim_mock_drain(world);
    assert_int_equal(world_state().pending, 0);
    *(volatile uint32_t *)host = 1;
    cushim_mock_drain(world);
    assert_int_not_equal(driver->StreamQuery(polling), CUDA_SUCCESS);
    assert_int_equal(atomic_load(&ran), 0);
}

static void function_that_waits_for_its_turn_on_the_host_never_runs(void **state)
{
    static struct gate gate = GATE;
    const CUstream busy = world_stream(), queued[2] = {world_stream(), world_stream()},
                   faulty = world_stream();

    (void)state;
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
    while (world_state().pending > 0)
        continue;
    assert_int_equal(atomic_load(&ran), 0);
}

static int begin_struck(void **state)
{
    (void)state;
    return begin_with("mode = auto\n"
                      "fault = op.kernel => sticky(ECC_UNCORRECTABLE)\n"
                      "fault = op.* => sticky(ILLEGAL_ADDRESS)");
}

static void of_two_rules_that_strike_one_operation_the_first_does(void **state)
{
    const CUstream stream = world_stream();

    (void)state;
    world_spin(stream, 1000);
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->StreamSynchronize(stream));
    assert_int_equal(cushim_fault_fired(cushim_layer_current(), 0), 1);
    assert_int_equal(cushim_fault_matched(cushim_layer_current(), 1), 1);
    assert_int_equal(cushim_fault_fired(cushim_layer_current(), 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_behind_a_wait_never_runs, begin_manual, end),
        cmocka_unit_test_setup_teardown(work_behind_a_value_in_memory_never_runs, begin_manual,
                                        end),
        cmocka_unit_test_setup_teardown(function_that_waits_for_its_turn_on_the_host_never_runs,
                                        begin_threaded, end),
        cmocka_unit_test_setup_teardown(of_two_rules_that_strike_one_operation_the_first_does,
                                        begin_struck, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
