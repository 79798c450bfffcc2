/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the simulator: look at heads that may start, and work off what is due. */
#include "src/mock/sim/helper.h"
#include "src/mock/sim/internal.h"

/* How many streams that are polled a call asks: however many there are, calls stay cheap. */
enum { ASKED = 4 };

void cushim__run_list(struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();

    if (stream->listed)
        return;
    stream->listed = true;
    stream->next_listed = NULL;
    if (engine->last_listed)
        engine->last_listed->next_listed = stream;
    else
        engine->listed = stream;
    engine->last_listed = stream;
}

/*
 * Whether the head can start; if not, whoever can tell when it can will look at the stream again.
 */
static bool can_start(struct cushim__stream *stream)
{
    struct cushim__operation *head = stream->head;

    if (cushim__world->fault)
        return true;
    if (!cushim__order_allows(stream)) {
        stream->state = CUSHIM__BLOCKED;
        stream->ordered = true;
        return false;
    }
    if (head->class->ready && !head->class->ready(head, stream)) {
        if (stream->state != CUSHIM__BLOCKED) {
            stream->state = CUSHIM__POLLED;
            cushim__queue_add(&cushim__engine()->polled, stream);
        }
        return false;
    }
    return stream->lane || cushim__lane_take(stream);
}

static void look(struct cushim__stream *stream)
{
    if (!stream->head || stream->state != CUSHIM__IDLE || !can_start(stream))
        return;
    if (cushim__fault_begin(stream)) {
        stream->state = CUSHIM__RUNNING;
        stream->due_ns = cushim__schedule_end(stream);
        cushim__heap_push(stream);
    } else {
        stream->state = CUSHIM__HUNG;
    }
    cushim__trace("start", stream->head->class->name, stream->id, stream->head->number,
                  CUDA_SUCCESS);
}

/* Take the first stream off the list; NULL: there is none. Those that have ended are freed. */
static struct cushim__stream *take_listed(void)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *stream;

    while ((stream = engine->listed)) {
        engine->listed = stream->next_listed;
        if (!engine->listed)
            engine->last_listed = NULL;
        stream->listed = false;
        if (!stream->destroyed || stream->head)
            return stream;
        cushim__stream_free(stream);
    }
    return NULL;
}

void cushim__run_listed(void)
{
    struct cushim__stream *stream;

    while ((stream = take_listed()))
        look(stream);
}

void cushim__run_forget_listed(void)
{
    while (take_listed())
        continue;
}

void cushim__run_polled(void)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__queue polled = engine->polled;
    struct cushim__stream *stream;

    if (!polled.first)
        return;
    engine->polled = (struct cushim__queue){NULL, NULL};
    while ((stream = cushim__queue_take(&polled))) {
        stream->state = CUSHIM__IDLE;
        cushim__run_list(stream);
    }
    cushim__run_listed();
}

void cushim__run_polled_some(void)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *last = engine->polled.last, *stream = NULL;

    for (unsigned i = 0; i < ASKED && engine->polled.first && stream != last; i++) {
        stream = cushim__queue_take(&engine->polled);
        stream->state = CUSHIM__IDLE;
        cushim__run_list(stream);
        cushim__run_listed();
    }
}

/* Take the head off its stream. */
static void take_head(struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__operation *head = stream->head;

    cushim__lane_leave(stream);
    engine->outside_queued -= head->outside;
    if (stream->demanded_last == head)
        stream->demanded_last = NULL;
    stream->head = head->next;
    if (!stream->head) {
        stream->tail = NULL;
        engine->active--;
    }
    stream->pending--;
    engine->pending--;
    engine->executed++;
    stream->free_ns = engine->time_ns;
    stream->state = CUSHIM__IDLE;
}

void cushim__run_end(struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__operation *head = stream->head;
    CUresult code = CUDA_SUCCESS;

    if (!cushim__world->fault && stream->fault.code != CUDA_SUCCESS)
        code = cushim__fault_strike(stream);
    else if (head->class->execute && !cushim__world->fault)
        code = head->class->execute(head);
    if (head->unit != CUSHIM__NO_UNIT)
        cushim__engine_shown();
    cushim__trace("end", head->class->name, stream->id, head->number, code);
    take_head(stream);
    cushim__operation_destroy(head);
    if (stream->head)
        cushim__run_list(stream);
    cushim__order_ended(stream);
    cushim__stream_hold(stream);
    if (code != CUDA_SUCCESS)
        cushim__engine_fault(code);
    cushim__stream_let_go(stream);
    cushim__run_listed();
    if (engine->waiters > 0)
        cushim__condition_broadcast(&engine->changed);
}

bool cushim__run_next(void)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *stream = cushim__heap_first();

    if (!stream)
        return false;
    cushim__heap_remove(stream);
    engine->time_ns = stream->due_ns;
    if (engine->now_ns < stream->due_ns)
        engine->now_ns = stream->due_ns;
    if (stream->head->unit != CUSHIM__HOST) {
        cushim__run_end(stream);
    } else {
        stream->state = CUSHIM__ON_HOST;
        engine->on_host++;
        engine->outside_queued--;
        stream->head->outside = false;
        cushim__helper_give(stream);
    }
    return true;
}

void cushim__run_until(uint64_t time_ns)
{
    struct cushim__engine *engine = cushim__engine();
    struct cushim__stream *stream;

    while ((stream = cushim__heap_first()) && stream->due_ns <= time_ns)
        cushim__run_next();
    if (engine->now_ns < time_ns)
        engine->now_ns = time_ns;
    engine->time_ns = engine->now_ns;
}
