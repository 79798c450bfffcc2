/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the mock that hang by a rule of faults, and who waits for them. */
#include <stdio.h>

#include <cushim/fault.h>

#include "src/mock/lock.h"
#include "tests/mock/world.h"

static struct cushim_layer *layer(void)
{
    return cushim_layer_current();
}

static unsigned ran;

static void CUDA_CB run_host(void *data)
{
    (void)data;
    ran++;
}

static void end_with_violation(const char *text)
{
    assert_string_equal(cushim_mock_violation(world, 0), text);
    assert_null(cushim_mock_violation(world, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
}

static void operation_that_hangs_is_never_ready_and_cannot_be_waited_for(void **state)
{
    CUstream stream, other;

    (void)state;
    world_begin("fault = op.kernel:nth=1 => hang");
    stream = world_stream();
    other = world_stream();
    world_spin(stream, 10);
    for (int i = 0; i < 1000; i++)
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    world_spin(other, 10);
    OK(driver->StreamSynchronize(other));
    CODE(CUDA_ERROR_TIMEOUT, driver->StreamSynchronize(stream));
    end_with_violation("cuStreamSynchronize: it waits for work that nothing will ever finish");
}

static void operation_that_hangs_in_manual_mode_is_not_executed(void **state)
{
    CUstream stream;

    (void)state;
    world_begin("mode = manual\nfault = op.kernel:nth=1 => hang");
    stream = world_stream();
    world_spin(stream, 10);
    world_spin(stream, 10);
    OK(cushim_mock_advance(world, 1000000000));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_int_equal(world_state().pending, 2);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(world));
    cushim_fault_release(layer());
    OK(cushim_mock_step(world));
    OK(cushim_mock_step(world));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

static void hang_holds_up_those_who_wait_for_it(const char *mode)
{
    CUstream stream, other;
    CUevent event;
    char settings[120];

    snprintf(settings, sizeof settings, "%s\nfault = op.host:nth=1 => hang", mode);
    world_begin(settings);
    stream = world_stream();
    other = world_stream();
    event = world_event();
    ran = 0;
    OK(driver->LaunchHostFunc(stream, run_host, NULL));
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(other, event, 0));
    world_spin(other, 10);
    /* Time enough for the executor of threaded mode to find nothing to do, and to sleep. */
    for (int i = 0; i < 1000; i++) {
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
        cushim__yield();
    }
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    cushim_fault_release(layer());
    OK(driver->StreamSynchronize(other));
    assert_int_equal(ran, 1);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(other));
    world_end();
}

static void release_lets_operations_go_on(void **state)
{
    (void)state;
    hang_holds_up_those_who_wait_for_it("mode = auto");
    hang_holds_up_those_who_wait_for_it("mode = threaded");
    hang_holds_up_those_who_wait_for_it("schedule = eager");
    hang_holds_up_those_who_wait_for_it("schedule = lazy");
    hang_holds_up_those_who_wait_for_it("mode = threaded\nschedule = random");
}

static void end_of_a_context_in_manual_mode_drops_what_hangs(void **state)
{
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;

    (void)state;
    world_begin("mode = manual\nfault = op.set => hang");
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->MemAlloc_v2(&memory, 16));
    OK(driver->MemsetD8Async(memory, 1, 16, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_int_equal(world_state().pending, 1);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(world_state().pending, 0);
    OK(cushim_mock_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operation_that_hangs_is_never_ready_and_cannot_be_waited_for),
        cmocka_unit_test(operation_that_hangs_in_manual_mode_is_not_executed),
        cmocka_unit_test(release_lets_operations_go_on),
        cmocka_unit_test(end_of_a_context_in_manual_mode_drops_what_hangs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
