/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helper threads: they execute host functions, which may block. Each context has one, so a host
 * function that blocks holds up those of the other streams of its context, as on the real driver.
 */
#include <stdlib.h>

#include "src/mock/api/context.h"
#include "src/mock/call.h"
#include "src/mock/sim/helper.h"
#include "src/mock/sim/internal.h"
#include "src/race/race_search.h"

struct cushim__helper {
    struct cushim__runner thread;
    struct cushim__condition work;
    struct cushim__queue queue;
    struct cushim__stream *stream; /* whose head it executes */
    bool stop;
};

static void execute(struct cushim__helper *helper, struct cushim__stream *stream)
{
    struct cushim__operation *head = stream->head;
    CUresult status = cushim__world->fault ? cushim__world->fault : stream->fault.code;

    helper->stream = stream;
    if (status == CUDA_SUCCESS || head->class->always) {
        cushim__races_saw_operation(head);
        cushim__engine_told();
        cushim__lock_release(&cushim__world->lock);
        cushim__in_host_function = true;
        head->class->host(head, status);
        cushim__in_host_function = false;
        cushim__lock_take(&cushim__world->lock);
    }
    helper->stream = NULL;
    cushim__engine()->on_host--;
    cushim__run_end(stream);
    cushim__executor_wake();
}

static void *run(void *data)
{
    struct cushim__helper *helper = data;

    cushim__lock_take(&cushim__world->lock);
    for (;;) {
        struct cushim__stream *stream = cushim__queue_take(&helper->queue);

        if (stream)
            execute(helper, stream);
        else if (helper->stop)
            break;
        else
            cushim__condition_wait(&helper->work, &cushim__world->lock);
    }
    cushim__lock_release(&cushim__world->lock);
    return NULL;
}

CUresult cushim__helper_start(struct cushim__context *context)
{
    struct cushim__helper *helper;

    if (context->helper)
        return CUDA_SUCCESS;
    helper = calloc(1, sizeof *helper);
    if (!helper)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__condition_create(&helper->work);
    if (!cushim__runner_start(&helper->thread, run, helper)) {
        cushim__condition_destroy(&helper->work);
        free(helper);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    context->helper = helper;
    return CUDA_SUCCESS;
}

void cushim__helper_give(struct cushim__stream *stream)
{
    const struct cushim__context *context = stream->object.context;

    cushim__queue_add(&context->helper->queue, stream);
    cushim__condition_signal(&context->helper->work);
}

bool cushim__helper_executes(const struct cushim__stream *stream)
{
    const struct cushim__helper *helper = stream->object.context->helper;

    return helper && helper->stream == stream;
}

void cushim__helper_forget(struct cushim__stream *stream)
{
    struct cushim__helper *helper = stream->object.context->helper;

    cushim__queue_remove(&helper->queue, stream);
    cushim__engine()->on_host--;
    cushim__engine()->outside_queued++;
    stream->head->outside = true;
    stream->state = CUSHIM__IDLE;
}

void cushim__helper_stop(struct cushim__context *context)
{
    struct cushim__helper *helper = context->helper;

    if (!helper)
        return;
    helper->stop = true;
    cushim__condition_signal(&helper->work);
    cushim__lock_release(&cushim__world->lock);
    cushim__runner_join(&helper->thread);
    cushim__lock_take(&cushim__world->lock);
    cushim__condition_destroy(&helper->work);
    free(helper);
    context->helper = NULL;
}
