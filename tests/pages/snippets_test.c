/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the guides that are parts of a program: each stands here as it stands on its page. */
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/testing/check.h>
#include <cushim/testing/cmocka.h>
#include <cushim/testing/mock.h>

#include "../support/cmocka.h"

static const struct cushim_test_options in_context = {.size = sizeof in_context, .context = true};

#define IN_CONTEXT(name) TEST_FROM(name, cushim_cmocka_begin, cushim_cmocka_end, &in_context)

/* docs/getting-started.md: Calling the driver. */
IN_CONTEXT(memory_is_allocated_through_the_table)
{
    CUdeviceptr memory = 0;
    CUresult code = cushim_driver()->MemAlloc_v2(&memory, 1 << 20);

    assert_int_equal(code, CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->MemFree_v2(memory), CUDA_SUCCESS);
}

/* docs/getting-started.md: Reading an error. */
TEST_ALONE(every_code_has_name_meaning_and_advice)
{
    const CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    fprintf(stderr, "%s: %s.\n%s\n", cushim_error_name(code), cushim_error_string(code),
            cushim_error_advice(code));
    assert_string_equal(cushim_error_name(code), "CUDA_ERROR_OUT_OF_MEMORY");
}

/* docs/getting-started.md and docs/diagnosing.md: the report. */
TEST_ALONE(report_begins_with_the_state)
{
    char text[4096];

    cushim_report_write_text(text, sizeof text);
    fputs(text, stderr);
    assert_memory_equal(text, "state ", strlen("state "));
}

static void explain(struct cushim_event *start, struct cushim_event *end)
{
    float ms = 0;

    /* docs/getting-started.md: Using objects. */
    CUresult code = cushim_event_get_elapsed(start, end, &ms);

    if (code != CUDA_SUCCESS)
        puts(cushim_event_explanation(start, end, code)); /* the cause, and what to do */
    assert_int_equal(code, CUDA_ERROR_INVALID_HANDLE);
}

IN_CONTEXT(elapsed_of_unrecorded_events_is_explained)
{
    struct cushim_context *context = NULL;
    struct cushim_event *event = NULL;

    cushim_check_stop(cushim_test_layer(*state), NULL, 0); /* the mistake is intended */
    assert_int_equal(cushim_context_wrap_current(&context), CUDA_SUCCESS);
    assert_int_equal(cushim_event_create(context, NULL, &event), CUDA_SUCCESS);
    explain(event, event);
    cushim_event_release(event);
    cushim_context_release(context);
}

/* docs/testing.md: With cmocka. */
static const struct cushim_test_options manual = {.size = sizeof manual,
                                                  .settings = "mode = manual"};

TEST_FROM(upload_copies_once, cushim_cmocka_begin, cushim_cmocka_end, (void *)&manual)
{
    assert_non_null(cushim_test_mock(*state));
}

static void run_the_test(void)
{
    cushim_driver()->Init(0);
    cushim_driver()->EventQuery((CUevent)0x1234);
}

/* docs/mock.md: In the process. */
TEST_ALONE(mock_is_created_and_destroyed)
{
    const char *text;

    {
        struct cushim_mock *mock;
        char why[200];
        struct cushim_mock_options options = {
            .size = sizeof options,
            .settings = "mode = manual\ndevices = 2\n",
            .message = why,
            .message_size = sizeof why,
        };

        if (cushim_mock_create(&options, &mock) != CUDA_SUCCESS)
            fail_msg("%s", why);
        cushim_mock_install(mock); /* from here on cushim_driver() is the mock's table */
        run_the_test();
        for (size_t i = 0; (text = cushim_mock_misuse(mock, i)); i++)
            puts(text);
        assert_int_equal(cushim_mock_destroy(mock), CUDA_ERROR_ILLEGAL_STATE);
    }
}
