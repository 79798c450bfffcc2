/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the modules on the mock, with each of its driver calls failing, once and
 * permanently. The code is returned, outputs are unchanged, the current context is restored, and
 * nothing is leaked.
 */

#include <cushim/testing/sweep.h>

#include "sweep.h"
#include "tests/support/cmocka.h"

static bool was_wrong;

static int wrong(const char *claim)
{
    was_wrong = true;
    return cushim_sweep_fail(claim);
}

CUresult sweep_output(CUresult code, bool is_untouched)
{
    if ((code != CUDA_SUCCESS) != is_untouched)
        wrong(is_untouched ? "what it answers is written"
                           : "what it writes to is untouched if it fails");
    return code;
}

static int setup(void *data)
{
    const struct sweep_row *row = data;
    const CUresult code = sweep_fixture_make();

    if (code == CUDA_SUCCESS && !(row->how & SWEEP_IN_CONTEXT) &&
        sweep_stream != SWEEP_DEFAULT_BARE)
        return (int)cushim_context_make_current(NULL);
    return (int)code;
}

static void teardown(void *data)
{
    sweep_fixture_destroy();
}

static int body(void *data)
{
    const struct sweep_row *row = data;
    const CUresult code = row->call();
    const CUresult injected = cushim_sweep_injected(NULL);
    const CUresult usual = sweep_stream >= SWEEP_CLOSED ? CUDA_ERROR_INVALID_HANDLE : row->usual;

    /* A function that is silent, or that is refused anyway, need not return the injected code. */
    if (injected ? code == injected || (code == usual && (usual || row->how & SWEEP_IS_SILENT))
                 : code == usual)
        return 0;
    return wrong("it answers what the driver did");
}

/* Sweep a function; returns the number of its driver calls. */
static unsigned sweep(const struct sweep_row *row)
{
    char why[4000], settings[100];
    const struct cushim_sweep_options options = {.size = sizeof options,
                                                 .settings = settings,
                                                 .setup = setup,
                                                 .teardown = teardown,
                                                 .fail_releases = true,
                                                 .message = why,
                                                 .message_size = sizeof why};
    struct cushim_sweep_result result = {.size = sizeof result};
    CUresult code;

    was_wrong = false;
    snprintf(settings, sizeof settings, "devices = 2\n%s", row->settings ? row->settings : "");
    code = cushim_sweep_run(&options, body, (void *)row, &result);
    if (was_wrong || (code != CUDA_SUCCESS && result.calls > 0))
        fail_msg("%s, stream %d: %s", row->function, (int)sweep_stream, why);
    if (result.calls == 0) { /* nothing was swept, which the message says */
        assert_int_equal(result.swept, 0);
        assert_int_equal(result.failures, 1);
    } else {
        assert_int_equal(result.swept, 2 * result.calls);
    }
    return (unsigned)result.calls;
}

static void each_function_passes_each_failure_on(void **state)
{
    for (const struct sweep_row *row = *state; row->function; row++) {
        const unsigned calls = sweep(row);

        if (calls != row->calls)
            fail_msg("%s makes %u driver calls, not %u", row->function, calls, row->calls);
    }
}

static void each_function_on_each_kind_of_stream_passes_each_failure_on(void **state)
{
    for (sweep_stream = SWEEP_WRAPPED; sweep_stream < SWEEP_CLOSED; sweep_stream++) {
        for (const struct sweep_row *row = sweep_streams; row->function; row++) {
            if (row->how & SWEEP_ON_STREAM && sweep(row) == 0)
                fail_msg("%s, stream %d: no driver call", row->function, (int)sweep_stream);
        }
    }
}

static void closed_and_null_streams_are_refused_before_any_driver_call(void **state)
{
    for (sweep_stream = SWEEP_CLOSED; sweep_stream < SWEEP_STREAMS; sweep_stream++) {
        for (const struct sweep_row *row = sweep_streams; row->function; row++) {
            if (row->how & SWEEP_ON_STREAM && sweep(row) > 0)
                fail_msg("%s, stream %d: driver calls", row->function, (int)sweep_stream);
        }
    }
}

static int restore(void **state)
{
    sweep_stream = SWEEP_CREATED;
    return 0;
}

#define TABLE(rows)                                                                           \
    {                                                                                         \
        "each_function_passes_each_failure_on: " #rows, each_function_passes_each_failure_on, \
            NULL, NULL, (void *)(rows)                                                        \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE(sweep_devices),
        TABLE(sweep_contexts),
        TABLE(sweep_streams),
        TABLE(sweep_events),
        cmocka_unit_test_teardown(each_function_on_each_kind_of_stream_passes_each_failure_on,
                                  restore),
        cmocka_unit_test_teardown(closed_and_null_streams_are_refused_before_any_driver_call,
                                  restore),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
