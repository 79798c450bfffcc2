/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call every public function with each pointer NULL in turn, and with no NULL. No call crashes. If
 * the header says that a parameter is not NULL, the call is refused, makes no driver call and
 * writes nothing. The calls are generated from the headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/testing/check.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/recording.h>
#include <cushim/testing/sweep.h>
#include <cushim/testing/test.h>
#include <cushim/testing/trace.h>

#include "tests/support/child.h"
#include "tests/support/cmocka.h"

enum { MOST_PARAMETERS = 8, OUTPUT_SIZE = 16384 };

struct row {
    const char *function, *parameter; /* the parameter that is NULL; empty: none */
    CUresult (*call)(int null);
    int null;
    CUresult refusal; /* according to the header; CUDA_SUCCESS: it may be NULL */
};

/* The arguments for pointers that are not NULL. */
static struct {
    struct cushim_test *test;
    struct cushim_mock *mock;
    struct cushim_layer *layer;
    struct cushim_context *context;
    struct cushim_stream *stream;
    struct cushim_event *event;
    struct cushim_event_pool *pool;
    struct cushim_report *report;
    CUcontext context_handle;
    CUstream stream_handle;
    CUevent event_handle;
    max_align_t outputs[MOST_PARAMETERS][OUTPUT_SIZE / sizeof(max_align_t)];
    max_align_t before[MOST_PARAMETERS][OUTPUT_SIZE / sizeof(max_align_t)];
} fixture;

static unsigned calls, refusals;

static void make_fixture(void)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};

    check_int(cushim_test_begin(&options, &fixture.test), CUDA_SUCCESS);
    fixture.mock = cushim_test_mock(fixture.test);
    fixture.layer = cushim_test_layer(fixture.test);
    check_int(cushim_context_wrap_current(&fixture.context), CUDA_SUCCESS);
    check_int(cushim_stream_create(fixture.context, NULL, &fixture.stream), CUDA_SUCCESS);
    check_int(cushim_event_create(fixture.context, NULL, &fixture.event), CUDA_SUCCESS);
    check_int(cushim_event_pool_create(fixture.context, NULL, NULL, &fixture.pool), CUDA_SUCCESS);
    check_int(cushim_report_create(&fixture.report), CUDA_SUCCESS);
    check_int(cushim_context_get_handle(fixture.context, &fixture.context_handle), CUDA_SUCCESS);
    check_int(cushim_stream_get_handle(fixture.stream, &fixture.stream_handle), CUDA_SUCCESS);
    check_int(cushim_event_get_handle(fixture.event, &fixture.event_handle), CUDA_SUCCESS);
}

/* Zeroed memory for a parameter; if it is a struct that begins with its size, the size is set. */
static void *fixture_output(int position, size_t size)
{
    memcpy(fixture.outputs[position], &size, sizeof size);
    memcpy(fixture.before[position], &size, sizeof size);
    return fixture.outputs[position];
}

static cushim_function fixture_resolve(const char *symbol, void *data)
{
    return NULL;
}

static void fixture_log(void *data, const char *message)
{
}

#include "rows.h"

static void make_call(const void *data)
{
    const struct row *row = data;
    size_t driver_calls;
    CUresult code;

    make_fixture();
    driver_calls = cushim_recording_count(fixture.layer);
    code = row->call(row->null);
    if (row->refusal == CUDA_SUCCESS)
        return;
    if (code != row->refusal)
        child_fail("NULL is answered with %d for %s\n", (int)code, row->parameter);
    if (memcmp(fixture.outputs, fixture.before, sizeof fixture.outputs) != 0)
        child_fail("the call fails with %d, but has written to an output\n", (int)code);
    if (cushim_recording_count(fixture.layer) != driver_calls)
        child_fail("the call fails with %d, but has called the driver\n", (int)code);
}

TEST_ALONE(null_arguments_are_rejected)
{
    unsigned failures = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char title[128];

        snprintf(title, sizeof title, "%s(%s = NULL)", rows[i].function, rows[i].parameter);
        failures += !child_passes(title, make_call, &rows[i]);
        calls++;
        refusals += rows[i].refusal != CUDA_SUCCESS;
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const int failed = run_all_tests(NULL, NULL);

    fprintf(stderr, "calls with NULL: %u made, %u of them refused by the header, %s\n", calls,
            refusals, failed ? "some lost" : "0 crashed");
    return failed;
}
