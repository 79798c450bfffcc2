/* SPDX-License-Identifier: Apache-2.0 */
/* Polls of many handles in a sweep, and what it says of contexts and tables that are not right. */
#include <string.h>

#include "sweep_world.h"

enum { EVENTS = 18, TOLD_APART = 16, ROUNDS = 3 };

static unsigned events_polled;

static int make_context(void *data)
{
    CUcontext context;

    (void)data;
    return cushim_driver()->Init(0) || cushim_driver()->DevicePrimaryCtxRetain(&context, 0) ||
           cushim_driver()->CtxPushCurrent_v2(context);
}

static void drop_context(void *data)
{
    CUcontext context;

    (void)data;
    cushim_driver()->CtxPopCurrent_v2(&context);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

static CUresult poll_all(const CUevent *events)
{
    CUresult first = CUDA_SUCCESS;

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < events_polled; i++) {
            const CUresult code = cushim_driver()->EventQuery(events[i]);

            first = first ? first : code;
        }
    }
    return first;
}

static int poll_in_turns(void *data)
{
    CUevent events[EVENTS] = {NULL};
    CUresult code = CUDA_SUCCESS;

    (void)data;
    for (unsigned i = 0; i < events_polled && code == CUDA_SUCCESS; i++)
        code = cushim_driver()->EventCreate(&events[i], 0);
    if (code == CUDA_SUCCESS)
        code = poll_all(events);
    for (unsigned i = 0; i < events_polled && events[i]; i++)
        cushim_driver()->EventDestroy_v2(events[i]);
    return code != cushim_sweep_injected(NULL);
}

/* How many polls of so many handles, each one three times, count. */
static uint64_t polls_counted(unsigned handles)
{
    events_polled = handles;
    sweep_options.functions = "cuEventQuery";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.setup = make_context;
    sweep_options.teardown = drop_context;
    if (cushim_sweep(&sweep_options, poll_in_turns, NULL, &sweep_result) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
    return sweep_result.calls;
}

static void polls_in_turns_count_twice_for_each_handle(void **state)
{
    (void)state;
    assert_int_equal(polls_counted(2), 2 * 2);
    assert_int_equal(polls_counted(TOLD_APART), TOLD_APART * 2);
}

static void polls_of_more_handles_than_are_told_apart_all_count(void **state)
{
    (void)state;
    assert_int_equal(polls_counted(EVENTS), TOLD_APART * 2 + (EVENTS - TOLD_APART) * ROUNDS);
}

/* --- contexts --- */

static CUcontext other;

static int make_two_contexts(void *data)
{
    return cushim_driver()->Init(0) || cushim_driver()->CtxCreate_v2(&other, 0, 0) ||
           make_context(data);
}

static void drop_two_contexts(void *data)
{
    drop_context(data);
    cushim_driver()->CtxDestroy_v2(other);
}

static int set_other(void *data)
{
    (void)data;
    return cushim_driver()->CtxSetCurrent(other) != cushim_sweep_injected(NULL);
}

static void other_context_left_current_is_found(void **state)
{
    (void)state;
    sweep_options.setup = make_two_contexts;
    sweep_options.teardown = drop_two_contexts;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(cushim_sweep(&sweep_options, set_other, NULL, &sweep_result),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_non_null(strstr(sweep_why, "another context is current than before"));
    sweep_options.leaves_context = true;
    assert_int_equal(cushim_sweep(&sweep_options, set_other, NULL, &sweep_result), CUDA_SUCCESS);
}

/* --- tables --- */

static void table_that_cannot_be_installed_is_no_world_to_sweep_in(void **state)
{
    const struct cushim_table *const before = cushim_driver();
    static struct cushim_table empty;

    (void)state;
    empty.size = sizeof empty;
    sweep_options.table = &empty;
    assert_int_equal(cushim_sweep(&sweep_options, poll_in_turns, NULL, &sweep_result),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "no mock or no layer can be made: CUDA_ERROR_INVALID_VALUE\n");
    assert_ptr_equal(cushim_driver(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(polls_in_turns_count_twice_for_each_handle),
        SWEEP_TEST(polls_of_more_handles_than_are_told_apart_all_count),
        SWEEP_TEST(other_context_left_current_is_found),
        SWEEP_TEST(table_that_cannot_be_installed_is_no_world_to_sweep_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
