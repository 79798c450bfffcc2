/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the simulator: the executor, and the helpers. */
#include <stdlib.h>

#include "src/mock/core/state.h"
#include "src/mock/sim/internal.h"
#include "src/race/race.h"

static bool is_needed(const struct mock_sim *sim)
{
    return cushim__mock->settings.mode == MOCK_MODE_THREADED || sim->pending_for_executor > 0;
}

static void work_once(struct mock_sim *sim)
{
    bool needed = is_needed(sim);

    if (needed)
        cushim__mock_run_polled();
    if (needed && cushim__mock_run_next()) {
        cushim__mock->executing_at_ns = cushim__mock->clock_ns;
        /* Release the lock for a moment, so that calls of the program can take it. */
        cushim__lock_offer(&cushim__mock->lock);
        return;
    }
    if (needed && sim->polled.first) {
        cushim__mock_wait_for_change();
        return;
    }
    sim->executor_sleeps = true;
    cushim__condition_wait(&sim->work, &cushim__mock->lock);
    sim->executor_sleeps = false;
}

static void *run(void *data)
{
    struct mock_sim *sim = data;

    cushim__lock_take(&cushim__mock->lock);
    while (!sim->stop)
        work_once(sim);
    cushim__lock_release(&cushim__mock->lock);
    return NULL;
}

CUresult cushim__mock_executor_start(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!cushim__thread_start(&sim->executor, run, sim))
        return CUDA_ERROR_OPERATING_SYSTEM;
    sim->has_executor = true;
    return CUDA_SUCCESS;
}

void cushim__mock_executor_stop(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!sim->has_executor)
        return;
    sim->stop = true;
    cushim__condition_signal(&sim->work);
    cushim__condition_broadcast(&sim->changed);
    cushim__lock_release(&cushim__mock->lock);
    cushim__thread_join(&sim->executor);
    cushim__lock_take(&cushim__mock->lock);
    sim->has_executor = false;
}

/*
 * Helper threads execute host functions, which may block. Each context has one, so a host function
 * that blocks delays those of the other streams of its context, as with the real driver.
 */

struct mock_helper {
    struct cushim__thread thread;
    struct cushim__condition work;
    struct mock_queue queue;
    struct mock_stream *stream; /* the stream whose head this thread executes */
    bool stop;
};

static void execute(struct mock_helper *helper, struct mock_stream *stream)
{
    struct mock_operation *head = stream->head;
    CUresult status = cushim__mock->sticky_error ? cushim__mock->sticky_error : stream->fault.code;

    helper->stream = stream;
    if (status == CUDA_SUCCESS || head->class->always) {
        cushim__mock_operation_seen(head);
        cushim__mock_sim_end_reported();
        cushim__lock_release(&cushim__mock->lock);
        cushim__mock_call.in_host_function = true;
        head->class->host(head, status);
        cushim__mock_call.in_host_function = false;
        cushim__lock_take(&cushim__mock->lock);
    }
    helper->stream = NULL;
    cushim__mock_sim()->on_host--;
    cushim__mock_run_end(stream);
    cushim__mock_executor_wake();
}

static void *helper_run(void *data)
{
    struct mock_helper *helper = data;

    cushim__lock_take(&cushim__mock->lock);
    for (;;) {
        struct mock_stream *stream = cushim__mock_queue_take(&helper->queue);

        if (stream)
            execute(helper, stream);
        else if (helper->stop)
            break;
        else
            cushim__condition_wait(&helper->work, &cushim__mock->lock);
    }
    cushim__lock_release(&cushim__mock->lock);
    return NULL;
}

CUresult cushim__mock_helper_start(struct mock_stream_group *group)
{
    struct mock_helper *helper;

    if (group->helper)
        return CUDA_SUCCESS;
    helper = calloc(1, sizeof *helper);
    if (!helper)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__condition_create(&helper->work);
    if (!cushim__thread_start(&helper->thread, helper_run, helper)) {
        cushim__condition_destroy(&helper->work);
        free(helper);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    group->helper = helper;
    return CUDA_SUCCESS;
}

void cushim__mock_helper_give(struct mock_stream *stream)
{
    const struct mock_stream_group *group = stream->group;

    cushim__mock_queue_add(&group->helper->queue, stream);
    cushim__condition_signal(&group->helper->work);
}

bool cushim__mock_helper_executes(const struct mock_stream *stream)
{
    const struct mock_helper *helper = stream->group->helper;

    return helper && helper->stream == stream;
}

void cushim__mock_helper_forget(struct mock_stream *stream)
{
    struct mock_helper *helper = stream->group->helper;

    cushim__mock_queue_remove(&helper->queue, stream);
    cushim__mock_sim()->on_host--;
    cushim__mock_sim()->pending_for_executor++;
    stream->head->needs_executor = true;
    stream->state = MOCK_IDLE;
}

void cushim__mock_helper_stop(struct mock_stream_group *group)
{
    struct mock_helper *helper = group->helper;

    if (!helper)
        return;
    helper->stop = true;
    cushim__condition_signal(&helper->work);
    cushim__lock_release(&cushim__mock->lock);
    cushim__thread_join(&helper->thread);
    cushim__lock_take(&cushim__mock->lock);
    cushim__condition_destroy(&helper->work);
    free(helper);
    group->helper = NULL;
}
