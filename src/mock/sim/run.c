/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the simulator: look at heads that may start, and work off what is due. */
#include "src/mock/sim/helper.h"
#include "src/mock/sim/internal.h"

/* How many streams that are polled a call asks: however many there are, calls stay cheap. */
enum { ASKED = 4 };

void cushim__mock_run_list(struct mock_stream *stream)
{
    struct mock_sim *engine = cushim__mock_sim();

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
static bool can_start(struct mock_stream *stream)
{
    struct mock_operation *head = stream->head;

    if (cushim__mock->fault)
        return true;
    if (!cushim__mock_order_allows(stream)) {
        stream->state = MOCK_BLOCKED;
        stream->ordered = true;
        return false;
    }
    if (head->class->ready && !head->class->ready(head, stream)) {
        if (stream->state != MOCK_BLOCKED) {
            stream->state = MOCK_POLLED;
            cushim__mock_queue_add(&cushim__mock_sim()->polled, stream);
        }
        return false;
    }
    return stream->lane || cushim__mock_lane_take(stream);
}

static void look(struct mock_stream *stream)
{
    if (!stream->head || stream->state != MOCK_IDLE || !can_start(stream))
        return;
    if (cushim__mock_fault_begin(stream)) {
        stream->state = MOCK_RUNNING;
        stream->due_ns = cushim__mock_schedule_end(stream);
        cushim__mock_heap_push(stream);
    } else {
        stream->state = MOCK_HUNG;
    }
    cushim__mock_trace("start", stream->head->class->name, stream->id, stream->head->number,
                       CUDA_SUCCESS);
}

/* Take the first stream off the list; NULL: there is none. Those that have ended are freed. */
static struct mock_stream *take_listed(void)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_stream *stream;

    while ((stream = engine->listed)) {
        engine->listed = stream->next_listed;
        if (!engine->listed)
            engine->last_listed = NULL;
        stream->listed = false;
        if (!stream->destroyed || stream->head)
            return stream;
        cushim__mock_stream_free(stream);
    }
    return NULL;
}

void cushim__mock_run_listed(void)
{
    struct mock_stream *stream;

    while ((stream = take_listed()))
        look(stream);
}

void cushim__mock_run_forget_listed(void)
{
    while (take_listed())
        continue;
}

void cushim__mock_run_polled(void)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_queue polled = engine->polled;
    struct mock_stream *stream;

    if (!polled.first)
        return;
    engine->polled = (struct mock_queue){NULL, NULL};
    while ((stream = cushim__mock_queue_take(&polled))) {
        stream->state = MOCK_IDLE;
        cushim__mock_run_list(stream);
    }
    cushim__mock_run_listed();
}

void cushim__mock_run_polled_some(void)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_stream *last = engine->polled.last, *stream = NULL;

    for (unsigned i = 0; i < ASKED && engine->polled.first && stream != last; i++) {
        stream = cushim__mock_queue_take(&engine->polled);
        stream->state = MOCK_IDLE;
        cushim__mock_run_list(stream);
        cushim__mock_run_listed();
    }
}

/* Take the head off its stream. */
static void take_head(struct mock_stream *stream)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_operation *head = stream->head;

    cushim__mock_lane_leave(stream);
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
    stream->state = MOCK_IDLE;
}

void cushim__mock_run_end(struct mock_stream *stream)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_operation *head = stream->head;
    CUresult code = CUDA_SUCCESS;

    if (!cushim__mock->fault && stream->fault.code != CUDA_SUCCESS)
        code = cushim__mock_fault_strike(stream);
    else if (head->class->execute && !cushim__mock->fault)
        code = head->class->execute(head);
    if (head->unit != MOCK_NO_UNIT)
        cushim__mock_sim_shown();
    cushim__mock_trace("end", head->class->name, stream->id, head->number, code);
    take_head(stream);
    cushim__mock_operation_destroy(head);
    if (stream->head)
        cushim__mock_run_list(stream);
    cushim__mock_order_ended(stream);
    cushim__mock_stream_hold(stream);
    if (code != CUDA_SUCCESS)
        cushim__mock_sim_fault(code);
    cushim__mock_stream_release(stream);
    cushim__mock_run_listed();
    if (engine->waiters > 0)
        cushim__condition_broadcast(&engine->changed);
}

bool cushim__mock_run_next(void)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_stream *stream = cushim__mock_heap_first();

    if (!stream)
        return false;
    cushim__mock_heap_remove(stream);
    engine->time_ns = stream->due_ns;
    if (engine->now_ns < stream->due_ns)
        engine->now_ns = stream->due_ns;
    if (stream->head->unit != MOCK_HOST) {
        cushim__mock_run_end(stream);
    } else {
        stream->state = MOCK_ON_HOST;
        engine->on_host++;
        engine->outside_queued--;
        stream->head->outside = false;
        cushim__mock_helper_give(stream);
    }
    return true;
}

void cushim__mock_run_until(uint64_t time_ns)
{
    struct mock_sim *engine = cushim__mock_sim();
    struct mock_stream *stream;

    while ((stream = cushim__mock_heap_first()) && stream->due_ns <= time_ns)
        cushim__mock_run_next();
    if (engine->now_ns < time_ns)
        engine->now_ns = time_ns;
    engine->time_ns = engine->now_ns;
}
