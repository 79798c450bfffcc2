/* SPDX-License-Identifier: Apache-2.0 */
/* Primary contexts without an object, with drivers of both ages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/context.h>
#include <cushim/event.h>
#include <cushim/primary_context.h>

#include "fake.h"

static struct cushim_context *retained(CUdevice device)
{
    struct cushim_context *context = NULL;

    assert_int_equal(cushim_context_retain_primary(&context, device), CUDA_SUCCESS);
    return context;
}

static void the_state_tells_whether_somebody_has_a_reference(void **state)
{
    struct cushim_context *context;
    unsigned flags = 77;
    bool active = true;

    (void)state;
    assert_int_equal(cushim_primary_context_state(1, &flags, &active), CUDA_SUCCESS);
    assert_int_equal(flags, 0);
    assert_false(active);
    context = retained(1);
    assert_int_equal(cushim_primary_context_state(1, NULL, &active), CUDA_SUCCESS);
    assert_true(active);
    assert_int_equal(cushim_primary_context_state(0, NULL, &active), CUDA_SUCCESS);
    assert_false(active);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void flags_are_set_even_while_it_is_active(void **state)
{
    struct cushim_context *context = retained(0);
    unsigned flags = 0;

    (void)state;
    assert_int_equal(cushim_primary_context_set_flags(0, CU_CTX_SCHED_SPIN), CUDA_SUCCESS);
    assert_int_equal(cushim_primary_context_state(0, &flags, NULL), CUDA_SUCCESS);
    assert_int_equal(flags, CU_CTX_SCHED_SPIN);
    assert_int_equal(cushim_primary_context_set_flags(0, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void an_older_driver_answers_in_its_own_way(void **state)
{
    struct cushim_context *context;

    (void)state;
    fake_lack("cuDevicePrimaryCtxSetFlags_v2");
    fake_lack("cuDevicePrimaryCtxReset_v2");
    assert_int_equal(cushim_primary_context_set_flags(0, CU_CTX_SCHED_SPIN), CUDA_SUCCESS);
    assert_int_equal(cushim_primary_context_reset(0), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxReset");
    context = retained(0);
    assert_int_equal(cushim_primary_context_set_flags(0, 0), CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void a_reset_ends_what_lives_in_it_but_no_reference(void **state)
{
    struct cushim_context *context = retained(0);
    struct cushim_event *event;

    (void)state;
    assert_int_equal(cushim_event_create(&event, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_primary_context_reset(0), CUDA_SUCCESS);
    assert_int_equal(fake_primary_references(0), 1);
    assert_int_equal(cushim_event_query(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(cushim_event_release(event), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void a_state_that_nobody_wants_is_refused(void **state)
{
    (void)state;
    assert_int_equal(cushim_primary_context_state(0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 0);
}

static CUresult ask(void *data)
{
    unsigned flags = 77;
    bool active = true;
    const CUresult code = cushim_primary_context_state(0, &flags, &active);

    (void)data;
    assert_int_equal(flags, code ? 77 : 0);
    assert_int_equal(active, code != CUDA_SUCCESS);
    return code;
}

static CUresult set_flags(void *data)
{
    (void)data;
    return cushim_primary_context_set_flags(0, 0);
}

static CUresult reset(void *data)
{
    (void)data;
    return cushim_primary_context_reset(0);
}

static void each_failing_call_is_reported_unchanged(void **state)
{
    (void)state;
    assert_int_equal(fake_sweep(ask, NULL, NULL), 1);
    assert_int_equal(fake_sweep(set_flags, NULL, NULL), 1);
    assert_int_equal(fake_sweep(reset, NULL, NULL), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_state_tells_whether_somebody_has_a_reference),
        TEST(flags_are_set_even_while_it_is_active),
        TEST(an_older_driver_answers_in_its_own_way),
        TEST(a_reset_ends_what_lives_in_it_but_no_reference),
        TEST(a_state_that_nobody_wants_is_refused),
        TEST(each_failing_call_is_reported_unchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
