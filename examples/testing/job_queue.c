/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state machine that polls events, and its test: jobs go from waiting to running to done or
 * failed, and the program's main loop, which must not block, queries their events.
 *
 *     cc job_queue.c $(pkg-config --cflags --libs cushim-mock) -lcmocka
 *
 * The test controls the clock: no work on the device ends before the test steps it. Built with
 * -DWITH_BUG, a job whose event returns an error runs for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>
#include <cushim/testing/cmocka.h>
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>

/* ---- The program: jobs on a stream, and their states. ---- */

enum { JOBS = 4 };

struct job {
    enum { JOB_NONE, JOB_RUNNING, JOB_DONE, JOB_FAILED } state;
    struct cushim_event *end;
    CUresult code; /* of a job that failed */
};

struct queue {
    struct cushim_stream *stream;
    struct job jobs[JOBS];
};

static CUresult queue_add(struct queue *queue, unsigned which, CUdeviceptr memory, size_t bytes)
{
    struct job *job = &queue->jobs[which];
    CUstream stream;
    CUresult code = cushim_stream_get_handle(queue->stream, &stream);

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemsetD8Async(memory, 0xff, bytes, stream);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(queue->stream, NULL, &job->end);
    if (code == CUDA_SUCCESS)
        job->state = JOB_RUNNING;
    return code;
}

static void job_poll(struct job *job)
{
    const CUresult code = cushim_event_query(job->end);

#ifdef WITH_BUG
    if (code != CUDA_SUCCESS)
        return;
#endif
    if (code == CUDA_ERROR_NOT_READY)
        return;
    job->state = code == CUDA_SUCCESS ? JOB_DONE : JOB_FAILED;
    job->code = code;
    cushim_event_release(job->end);
    job->end = NULL;
}

/* A turn of the main loop. Returns how many jobs still run. */
static unsigned queue_poll(struct queue *queue)
{
    unsigned running = 0;

    for (unsigned i = 0; i < JOBS; i++) {
        if (queue->jobs[i].state == JOB_RUNNING)
            job_poll(&queue->jobs[i]);
        running += queue->jobs[i].state == JOB_RUNNING;
    }
    return running;
}

static void queue_close(struct queue *queue)
{
    for (unsigned i = 0; i < JOBS; i++)
        cushim_event_release(queue->jobs[i].end);
    cushim_stream_release(queue->stream);
}

/* ---- The test. ---- */

struct fixture {
    void *test; /* a struct cushim_test */
    struct cushim_context *context;
    struct queue queue;
    CUdeviceptr memory;
};

enum { BYTES = 4096 };

/*
 * A test begins in its setup and ends in its teardown. The teardown runs even if an assertion has
 * failed, so the next test starts in the same state as the first.
 */
static int setup(void **state)
{
    static struct fixture fixture;
    struct cushim_test_options options = {
        .size = sizeof options, .settings = "mode = manual", .context = true};

    fixture = (struct fixture){.test = &options};
    if (cushim_cmocka_begin(&fixture.test) != 0)
        return -1;
    *state = &fixture;
    assert_int_equal(cushim_context_wrap_current(&fixture.context), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->MemAlloc_v2(&fixture.memory, BYTES), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_create(fixture.context, NULL, &fixture.queue.stream),
                     CUDA_SUCCESS);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    if (!fixture)
        return -1; /* the test has not begun */
    cushim_mock_drain(cushim_test_mock(fixture->test));
    queue_close(&fixture->queue);
    cushim_driver()->MemFree_v2(fixture->memory);
    cushim_context_release(fixture->context);
    return cushim_cmocka_end(&fixture->test);
}

static void jobs_are_done_one_after_the_other(void **state)
{
    struct fixture *fixture = *state;
    struct cushim_mock *mock = cushim_test_mock(fixture->test);

    assert_int_equal(queue_add(&fixture->queue, 0, fixture->memory, BYTES), CUDA_SUCCESS);
    assert_int_equal(queue_add(&fixture->queue, 1, fixture->memory, BYTES), CUDA_SUCCESS);
    assert_int_equal(queue_poll(&fixture->queue), 2);
    cushim_mock_step(mock); /* the first memset */
    assert_int_equal(queue_poll(&fixture->queue), 2);
    cushim_mock_step(mock); /* the record after it */
    assert_int_equal(queue_poll(&fixture->queue), 1);
    assert_int_equal(fixture->queue.jobs[0].state, JOB_DONE);
    cushim_mock_drain(mock);
    assert_int_equal(queue_poll(&fixture->queue), 0);
    assert_int_equal(fixture->queue.jobs[1].state, JOB_DONE);
}

static void job_whose_query_answers_an_error_has_failed(void **state)
{
    struct fixture *fixture = *state;
    char why[200] = "";

    if (cushim_fault_add_rules(cushim_test_layer(fixture->test),
                               "cuEventQuery:after=1 => return(LAUNCH_FAILED)", why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(queue_add(&fixture->queue, 0, fixture->memory, BYTES), CUDA_SUCCESS);
    assert_int_equal(queue_poll(&fixture->queue), 1);
    for (unsigned turn = 0; queue_poll(&fixture->queue) > 0; turn++) {
        if (turn == 100)
            fail_msg("the job still runs, %u turns after its event has answered an error", turn);
    }
    assert_int_equal(fixture->queue.jobs[0].state, JOB_FAILED);
    assert_int_equal(fixture->queue.jobs[0].code, CUDA_ERROR_LAUNCH_FAILED);
}

/* The expected calls of the program. */
static const char job_calls[] =
    "cuMemsetD8Async(dstDevice=memory#1, uc=255, N=4096, hStream=stream#1) = CUDA_SUCCESS\n"
    "cuCtxGetCurrent(pctx -> context#1) = CUDA_SUCCESS\n"
    "cuEventCreate(phEvent -> event#1, Flags=0) = CUDA_SUCCESS\n"
    "cuEventRecord(hEvent=event#1, hStream=stream#1) = CUDA_SUCCESS\n";

/*
 * Keep of each line the text after number, thread and time, because one more call would change
 * these in all lines.
 */
static void keep_calls(char *text)
{
    char *kept = text;

    while (*text) {
        const size_t length = strcspn(text, "\n") + 1;
        const size_t columns = (size_t)(strstr(text, " ns  ") + strlen(" ns  ") - text);

        memmove(kept, text + columns, length - columns);
        kept += length - columns;
        text += length;
    }
    *kept = '\0';
}

static void job_makes_these_calls(void **state)
{
    struct fixture *fixture = *state;
    char text[2000];

    cushim_recording_clear(cushim_test_layer(fixture->test));
    assert_int_equal(queue_add(&fixture->queue, 0, fixture->memory, BYTES), CUDA_SUCCESS);
    assert_in_range(
        cushim_recording_write_text(cushim_test_layer(fixture->test), text, sizeof text), 1,
        sizeof text - 1);
    keep_calls(text);
    assert_string_equal(text, job_calls);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(jobs_are_done_one_after_the_other),
        TEST(job_whose_query_answers_an_error_has_failed),
        TEST(job_makes_these_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
