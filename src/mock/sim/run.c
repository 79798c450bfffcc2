/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the simulator, which starts the heads that can start and executes what is due. */
#include "src/mock/sim/internal.h"

/* A call polls at most this many streams, so that calls stay cheap however many there are. */
enum { ASKED = 4 };

void cushim__mock_run_make_runnable(struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (stream->runnable)
        return;
    stream->runnable = true;
    stream->next_runnable = NULL;
    if (sim->last_runnable)
        sim->last_runnable->next_runnable = stream;
    else
        sim->runnable = stream;
    sim->last_runnable = stream;
}

/* Return whether the head can start. If not, what allows it later makes the stream runnable. */
static bool can_start(struct mock_stream *stream)
{
    struct mock_operation *head = stream->head;

    if (cushim__mock->sticky_error)
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
    return stream->has_lane || cushim__mock_lane_take(stream);
}

/*
 * Injected faults: an operation that matches a fault rule takes longer, hangs, fails, or loses its
 * device.
 */

/* Apply the fault rules to the head of a stream as it begins. Returns false if it hangs. */
static bool begin_fault(struct mock_stream *stream)
{
    void (*const fault)(struct cushim__operation_fault *, const char *, int) =
        __atomic_load_n(&cushim__fault_of_operation, __ATOMIC_ACQUIRE);
    struct mock_operation *head = stream->head;

    stream->fault.code = CUDA_SUCCESS;
    if (!fault || cushim__mock->sticky_error)
        return true;
    fault(&stream->fault, head->class->name, stream->group->device);
    head->duration_ns = cushim__mock_time_after(head->duration_ns, stream->fault.delay_ns);
    return !stream->fault.hangs;
}

/* Apply them as it ends. Returns the code with which it fails. */
static CUresult end_fault(const struct mock_stream *stream)
{
    if (stream->fault.is_lost)
        cushim__device_lose(stream->fault.code, stream->fault.device);
    return stream->fault.code;
}

static void try_start(struct mock_stream *stream)
{
    if (!stream->head || stream->state != MOCK_IDLE || !can_start(stream))
        return;
    if (begin_fault(stream)) {
        stream->state = MOCK_RUNNING;
        stream->due_ns = cushim__mock_schedule_end(stream);
        cushim__mock_heap_push(stream);
    } else {
        stream->state = MOCK_HUNG;
    }
    cushim__mock_trace("start", stream->head->class->name, stream->id, stream->head->number,
                       CUDA_SUCCESS);
}

/*
 * Take the first stream off the list, and free those that have ended. Returns NULL if none is left.
 */
static struct mock_stream *take_runnable(void)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream *stream;

    while ((stream = sim->runnable)) {
        sim->runnable = stream->next_runnable;
        if (!sim->runnable)
            sim->last_runnable = NULL;
        stream->runnable = false;
        if (!stream->destroyed || stream->head)
            return stream;
        cushim__mock_stream_free(stream);
    }
    return NULL;
}

void cushim__mock_run_start(void)
{
    struct mock_stream *stream;

    while ((stream = take_runnable()))
        try_start(stream);
}

void cushim__mock_run_clear(void)
{
    while (take_runnable())
        continue;
}

void cushim__mock_run_polled(void)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_queue polled = sim->polled;
    struct mock_stream *stream;

    if (!polled.first)
        return;
    sim->polled = (struct mock_queue){NULL, NULL};
    while ((stream = cushim__mock_queue_take(&polled))) {
        stream->state = MOCK_IDLE;
        cushim__mock_run_make_runnable(stream);
    }
    cushim__mock_run_start();
}

void cushim__mock_run_polled_some(void)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream *last = sim->polled.last, *stream = NULL;

    for (unsigned i = 0; i < ASKED && sim->polled.first && stream != last; i++) {
        stream = cushim__mock_queue_take(&sim->polled);
        stream->state = MOCK_IDLE;
        cushim__mock_run_make_runnable(stream);
        cushim__mock_run_start();
    }
}

static void take_head(struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_operation *head = stream->head;

    cushim__mock_lane_leave(stream);
    sim->pending_for_executor -= head->needs_executor;
    if (stream->forced_last == head)
        stream->forced_last = NULL;
    stream->head = head->next;
    if (!stream->head) {
        stream->tail = NULL;
        sim->active--;
    }
    stream->pending--;
    sim->pending--;
    sim->executed++;
    stream->free_ns = cushim__mock->executing_at_ns;
    stream->state = MOCK_IDLE;
}

static void report_ended(const struct mock_operation *operation)
{
    void (*report)(uint64_t, uint64_t, uint64_t) =
        __atomic_load_n(&cushim__operation_ended, __ATOMIC_ACQUIRE);
    const uint64_t now = cushim__mock->executing_at_ns;

    if (report && operation->unit != MOCK_NO_UNIT)
        report(operation->number, now - operation->duration_ns, now);
}

void cushim__mock_run_end(struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_operation *head = stream->head;
    CUresult code = CUDA_SUCCESS;

    if (!cushim__mock->sticky_error && stream->fault.code != CUDA_SUCCESS)
        code = end_fault(stream);
    else if (head->class->execute && !cushim__mock->sticky_error)
        code = head->class->execute(head);
    if (head->unit != MOCK_NO_UNIT)
        cushim__mock_sim_effect_visible();
    cushim__mock_trace("end", head->class->name, stream->id, head->number, code);
    report_ended(head);
    take_head(stream);
    cushim__mock_operation_destroy(head);
    if (stream->head)
        cushim__mock_run_make_runnable(stream);
    cushim__mock_order_ended(stream);
    cushim__mock_stream_retain(stream);
    if (code != CUDA_SUCCESS)
        cushim__mock_sim_set_sticky_error(code);
    cushim__mock_stream_release(stream);
    cushim__mock_run_start();
    if (sim->waiters > 0)
        cushim__condition_broadcast(&sim->changed);
}

/* Do a part of the head's work. Returns false if the work has no parts, or is done. */
static bool step(struct mock_stream *stream)
{
    struct mock_operation *head = stream->head;
    uint64_t duration_ns = 0;

    if (!head->class->step || head->worked || stream->fault.code != CUDA_SUCCESS ||
        cushim__mock->sticky_error)
        return false;
    head->begun = true;
    head->worked = !head->class->step(head, &duration_ns);
    if (duration_ns == 0)
        duration_ns = 1; /* time passes in every part */
    head->duration_ns = cushim__mock_time_after(head->duration_ns, duration_ns);
    stream->due_ns =
        cushim__mock_time_after(stream->due_ns, cushim__mock_schedule_part(duration_ns));
    cushim__mock_heap_push(stream);
    cushim__mock_sim()->steps++;
    return true;
}

void cushim__mock_run_offer(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (sim->offered == sim->steps)
        return;
    sim->offered = sim->steps;
    cushim__lock_offer(&cushim__mock->lock);
}

bool cushim__mock_run_next(void)
{
    struct mock_sim *sim = cushim__mock_sim();
    struct mock_stream *stream = cushim__mock_heap_first();

    if (!stream)
        return false;
    cushim__mock_heap_remove(stream);
    cushim__mock->executing_at_ns = stream->due_ns;
    if (cushim__mock->clock_ns < stream->due_ns)
        cushim__mock->clock_ns = stream->due_ns;
    if (stream->head->unit != MOCK_HOST) {
        if (!step(stream))
            cushim__mock_run_end(stream);
    } else {
        stream->state = MOCK_ON_HOST;
        sim->on_host++;
        sim->pending_for_executor--;
        stream->head->needs_executor = false;
        cushim__mock_helper_give(stream);
    }
    return true;
}

void cushim__mock_run_until(uint64_t time_ns)
{
    struct mock_stream *stream;

    while ((stream = cushim__mock_heap_first()) && stream->due_ns <= time_ns)
        cushim__mock_run_next();
    if (cushim__mock->clock_ns < time_ns)
        cushim__mock->clock_ns = time_ns;
    cushim__mock->executing_at_ns = cushim__mock->clock_ns;
}

static void release(struct mock_stream *stream)
{
    if (stream->state != MOCK_HUNG)
        return;
    stream->state = MOCK_RUNNING;
    stream->due_ns = cushim__mock_schedule_end(stream);
    cushim__mock_heap_push(stream);
}

void cushim__mock_sim_release_hung(void)
{
    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (struct mock_stream *one = group->streams; one; one = one->next)
            release(one);
    }
    cushim__mock_executor_wake();
}
