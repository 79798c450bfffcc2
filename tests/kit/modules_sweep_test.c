/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the modules on the mock, with each of its driver calls failing: once, and from
 * then on. The code comes through, outputs are untouched, the current context is as before, and
 * nothing is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/sweep.h>

#include "swept.h"

CUresult swept_output(CUresult code, bool is_untouched)
{
    if ((code != CUDA_SUCCESS) != is_untouched)
        cushim_sweep_wrong(is_untouched ? "what it answers is written"
                                        : "what it writes to is untouched if it fails");
    return code;
}

static int setup(void *data)
{
    const struct swept *swept = data;
    CUresult code;

    code = swept_world_make();
    if (code == CUDA_SUCCESS && !(swept->how & SWEPT_IN_CONTEXT))
        code = cushim_context_make_current(NULL);
    return (int)code;
}

static void teardown(void *data)
{
    (void)data;
    swept_world_end();
}

static int body(void *data)
{
    const struct swept *swept = data;
    const CUresult code = swept->call();
    const CUresult injected = cushim_sweep_injected(NULL);
    const bool is_usual = code == swept->usual;

    if (code == injected ||
        (is_usual && (!injected || swept->usual || swept->how & SWEPT_IS_SILENT)))
        return 0;
    return cushim_sweep_wrong("it answers what the driver did");
}

static void sweep_function(const struct swept *swept)
{
    char why[4000];
    const struct cushim_sweep_options options = {.size = sizeof options,
                                                 .settings = "devices = 2",
                                                 .setup = setup,
                                                 .teardown = teardown,
                                                 .fail_releases = true,
                                                 .message = why,
                                                 .message_size = sizeof why};
    struct cushim_sweep_result result = {.size = sizeof result};
    const CUresult code = cushim_sweep(&options, body, (void *)swept, &result);

    if (result.calls != swept->calls)
        fail_msg("%s makes %u driver calls, not %u\n%s", swept->function, (unsigned)result.calls,
                 swept->calls, why);
    if (swept->calls == 0) { /* a sweep of nothing, which says so */
        assert_int_equal(result.swept, 0);
        assert_int_equal(result.failures, 1);
        assert_int_equal(result.runs, 3);
        return;
    }
    if (code != CUDA_SUCCESS)
        fail_msg("%s: %s", swept->function, why);
    assert_int_equal(result.swept, 2 * swept->calls);
}

static void each_function_passes_each_failure_on(void **state)
{
    for (const struct swept *swept = *state; swept->function; swept++)
        sweep_function(swept);
}

static bool is_swept(const char *function)
{
    for (size_t i = 0; i < SWEPT_NOUNS; i++) {
        for (const struct swept *swept = swept_nouns[i]; swept->function; swept++) {
            if (strcmp(swept->function, function) == 0)
                return true;
        }
    }
    return false;
}

static bool is_of_a_module(const char *function)
{
    static const char *const nouns[] = {"cushim_device_",  "cushim_uuid_",
                                        "cushim_context_", "cushim_stream_",
                                        "cushim_event_",   "cushim_primary_context_"};

    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++) {
        if (strncmp(function, nouns[i], strlen(nouns[i])) == 0)
            return true;
    }
    return false;
}

static void each_function_that_is_exported_is_swept(void **state)
{
    FILE *exports = fopen(EXPORTS, "r");
    char line[200];
    unsigned found = 0;

    (void)state;
    assert_non_null(exports);
    while (fgets(line, sizeof line, exports)) {
        line[strcspn(line, "\t\n")] = '\0';
        if (!is_of_a_module(line))
            continue;
        if (!is_swept(line))
            fail_msg("%s is not swept", line);
        found++;
    }
    fclose(exports);
    assert_true(found > 100);
}

#define NOUN(rows)                                                                            \
    {                                                                                         \
        "each_function_passes_each_failure_on: " #rows, each_function_passes_each_failure_on, \
            NULL, NULL, (void *)(rows)                                                        \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        NOUN(swept_devices),
        NOUN(swept_contexts),
        NOUN(swept_streams),
        NOUN(swept_stream_work),
        NOUN(swept_events),
        NOUN(swept_event_pools),
        cmocka_unit_test(each_function_that_is_exported_is_swept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
