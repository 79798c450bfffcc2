/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/sim/sim.h"

#include <stdlib.h>

#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/sim/helper.h"
#include "src/mock/sim/internal.h"
#include "src/race/race_search.h"

CUresult cushim__engine_create(void)
{
    struct cushim__engine *engine = calloc(1, sizeof *engine);

    if (!engine)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__condition_create(&engine->changed);
    cushim__condition_create(&engine->work);
    engine->random = cushim__world->settings.seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    engine->mood = cushim__world->settings.seed * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    cushim__world->engine = engine;
    cushim__lanes_create();
    return CUDA_SUCCESS;
}

void cushim__engine_destroy(void)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__context *context = NULL;

    if (!engine)
        return;
    cushim__executor_stop();
    while ((context = cushim__object_next(CUSHIM__CONTEXT, context))) {
        for (struct cushim__stream *one = context->streams; one; one = one->next)
            cushim__engine_forget(one);
        cushim__helper_stop(context);
    }
    cushim__run_forget_listed();
    cushim__condition_destroy(&engine->changed);
    cushim__condition_destroy(&engine->work);
    free(engine->heap);
    free(engine);
    cushim__world->engine = NULL;
}

uint64_t cushim__engine_now(void)
{
    return cushim__engine()->time_ns;
}

void cushim__engine_pass(uint64_t duration_ns)
{
    struct cushim__engine *engine = cushim__engine();

    if (cushim__world->settings.mode == CUSHIM__MANUAL)
        return;
    if (cushim__world->settings.mode == CUSHIM__THREADED) {
        engine->now_ns = cushim__time_after(engine->now_ns, duration_ns);
        engine->time_ns = engine->now_ns;
        return;
    }
    cushim__run_polled_some();
    cushim__run_until(cushim__time_after(engine->now_ns, duration_ns));
}

/* What was queued need not wait for a call that blocks. */
static void push(struct cushim__stream *stream, const struct cushim__operation *operation)
{
    if (operation->outside)
        cushim__engine_demand(stream, operation->number);
    if (cushim__world->settings.schedule == CUSHIM__EAGER) {
        while (cushim__run_next())
            ;
        cushim__engine()->time_ns = cushim__engine()->now_ns;
    }
    cushim__executor_wake();
}

CUresult cushim__engine_reserve(struct cushim__stream *stream, struct cushim__operation *operation,
                                size_t streams)
{
    CUresult code;

    operation->outside |= operation->unit == CUSHIM__HOST;
    code = cushim__executor_start(operation);
    if (code == CUDA_SUCCESS && operation->unit == CUSHIM__HOST)
        code = cushim__helper_start(stream->object.context);
    if (code == CUDA_SUCCESS && !cushim__heap_reserve(cushim__engine()->active + streams))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    return code;
}

CUresult cushim__engine_queue(struct cushim__stream *stream, struct cushim__operation *operation)
{
    struct cushim__engine *engine = cushim__engine();
    const CUresult code = cushim__engine_reserve(stream, operation, stream->head ? 0 : 1);

    if (code != CUDA_SUCCESS) {
        cushim__operation_destroy(operation);
        return code;
    }
    operation->number = ++engine->submitted;
    operation->submitted_ns = engine->now_ns;
    cushim__races_submit(stream, operation);
    operation->next = NULL;
    if (stream->tail) {
        stream->tail->next = operation;
    } else {
        stream->head = operation;
        engine->active++;
        cushim__run_list(stream);
    }
    stream->tail = operation;
    stream->pending++;
    engine->pending++;
    engine->outside_queued += operation->outside;
    cushim__trace("submit", operation->class->name, stream->id, operation->number, CUDA_SUCCESS);
    cushim__run_listed();
    if (cushim__world->settings.mode != CUSHIM__MANUAL)
        push(stream, operation);
    return CUDA_SUCCESS;
}

CUresult cushim__engine_submit(struct cushim__stream *stream, void *operation)
{
    CUresult code = CUDA_SUCCESS;

    if (stream->capture)
        return cushim__capture_add(stream, operation);
    if (cushim__capture_count > 0 && stream->kind == CUSHIM__LEGACY)
        code = cushim__capture_legacy(stream);
    if (code != CUDA_SUCCESS) {
        cushim__operation_destroy(operation);
        return code;
    }
    return cushim__engine_queue(stream, operation);
}

void cushim__engine_recheck(struct cushim__stream *stream)
{
    if (stream->state != CUSHIM__BLOCKED || stream->ordered)
        return;
    stream->state = CUSHIM__IDLE;
    cushim__run_list(stream);
}

/* Tell what the work of a stream up to a number waits for in other streams. */
static void demand_others(struct cushim__stream *stream, uint64_t number)
{
    const struct cushim__operation *operation =
        stream->demanded_last ? stream->demanded_last->next : stream->head;

    for (; operation && operation->number <= number; operation = operation->next) {
        stream->demanded_last = operation;
        if (operation->class->demand)
            operation->class->demand(operation);
    }
}

/* Pass on what is demanded of a stream. */
static void demand(struct cushim__stream *stream)
{
    struct cushim__context *context = stream->object.context;
    uint64_t number = stream->demanded;

    demand_others(stream, number);
    if (context->legacy && cushim__stream_blocks(stream)) {
        if (stream->kind != CUSHIM__LEGACY) {
            cushim__engine_demand(context->legacy, number);
        } else {
            for (struct cushim__stream *one = context->streams; one; one = one->next) {
                if (cushim__stream_blocks(one))
                    cushim__engine_demand(one, number);
            }
        }
    }
    if (stream->state == CUSHIM__RUNNING && stream->head->number <= number) {
        stream->due_ns = cushim__schedule_end(stream);
        cushim__heap_moved(stream);
    }
}

static void list_demand(struct cushim__engine *engine, struct cushim__stream *stream)
{
    if (stream->demand_listed)
        return;
    stream->demand_listed = true;
    stream->next_demanded = NULL;
    if (engine->last_demanded)
        engine->last_demanded->next_demanded = stream;
    else
        engine->demanded = stream;
    engine->last_demanded = stream;
}

/* A list and no recursion: chains of streams may be as long as the program makes them. */
void cushim__engine_demand(struct cushim__stream *stream, uint64_t number)
{
    struct cushim__engine *engine = cushim__engine();

    if (cushim__world->settings.schedule != CUSHIM__LAZY || stream->demanded >= number)
        return;
    stream->demanded = number;
    list_demand(engine, stream);
    if (engine->demanding)
        return;
    engine->demanding = true;
    while (engine->demanded) {
        struct cushim__stream *first = engine->demanded;

        engine->demanded = first->next_demanded;
        if (!engine->demanded)
            engine->last_demanded = NULL;
        first->demand_listed = false;
        demand(first);
    }
    engine->demanding = false;
}

/* In manual mode a host function ends within the step that began it. */
static void finish_host_functions(void)
{
    while (cushim__engine()->on_host > 0)
        cushim__wait_for_change();
}

bool cushim__engine_step(void)
{
    bool executed;

    cushim__run_polled();
    executed = cushim__run_next();
    finish_host_functions();
    return executed;
}

void cushim__engine_advance(uint64_t duration_ns)
{
    struct cushim__engine *engine = cushim__engine();
    uint64_t until_ns = cushim__time_after(engine->now_ns, duration_ns);
    struct cushim__stream *stream;

    cushim__run_polled();
    while ((stream = cushim__heap_first()) && stream->due_ns <= until_ns)
        cushim__engine_step();
    cushim__run_until(until_ns);
}

void cushim__engine_number(struct cushim__stream *stream, struct cushim__operation *operation)
{
    if (!cushim__world->races)
        return;
    operation->number = ++cushim__engine()->submitted;
    cushim__races_submit(stream, operation);
}

uint64_t cushim__engine_submitted(void)
{
    return cushim__engine()->submitted;
}

size_t cushim__engine_pending(void)
{
    return cushim__engine()->pending;
}

uint64_t cushim__engine_executed(void)
{
    return cushim__engine()->executed;
}
