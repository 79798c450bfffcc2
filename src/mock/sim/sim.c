/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submission: an operation gets a number and joins the queue of its stream, whose head run.c
 * executes. A stream whose head may start is made runnable: it joins a list that run.c works
 * through (cushim__mock_run_make_runnable).
 */
#include "src/mock/sim/sim.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/sim/internal.h"
#include "src/mock/sim/operation.h"
#include "src/race/race.h"

CUresult cushim__mock_sim_create(void)
{
    struct mock_sim *sim = calloc(1, sizeof *sim);

    if (!sim)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__condition_create(&sim->changed);
    cushim__condition_create(&sim->work);
    sim->random = cushim__mock->settings.seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    sim->delay_random = cushim__mock->settings.seed * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    cushim__mock->sim = sim;
    cushim__mock_lanes_create();
    return CUDA_SUCCESS;
}

void cushim__mock_sim_destroy(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!sim)
        return;
    cushim__mock_executor_stop();
    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (struct mock_stream *one = group->streams; one; one = one->next)
            cushim__mock_sim_forget(one);
        cushim__mock_helper_stop(group);
    }
    cushim__mock_run_clear();
    cushim__condition_destroy(&sim->changed);
    cushim__condition_destroy(&sim->work);
    free(sim->heap);
    free(sim);
    cushim__mock->sim = NULL;
}

void cushim__mock_sim_elapse(uint64_t duration_ns)
{
    if (cushim__mock->settings.mode == MOCK_MODE_MANUAL)
        return;
    if (cushim__mock->settings.mode == MOCK_MODE_THREADED) {
        cushim__mock->clock_ns = cushim__mock_time_after(cushim__mock->clock_ns, duration_ns);
        cushim__mock->executing_at_ns = cushim__mock->clock_ns;
        return;
    }
    cushim__mock_run_polled_some();
    cushim__mock_run_until(cushim__mock_time_after(cushim__mock->clock_ns, duration_ns));
}

/*
 * Work in parts may wait for what the program does after the call, so a call executes at most this
 * many parts.
 */
enum { EAGER_STEPS = 256 };

/* Queued work must run even if no call blocks: at once (`eager`), or on the executor. */
static void run_unattended(struct mock_stream *stream, const struct mock_operation *operation)
{
    if (operation->needs_executor)
        cushim__mock_sim_force(stream, operation->number);
    if (cushim__mock->settings.schedule == MOCK_SCHEDULE_EAGER) {
        const uint64_t most = cushim__mock_sim()->steps + EAGER_STEPS;

        while (cushim__mock_sim()->steps < most && cushim__mock_run_next())
            ;
        cushim__mock->executing_at_ns = cushim__mock->clock_ns;
    }
    cushim__mock_executor_wake();
}

/* Whether time has to pass for the operation while no call lets it pass. */
static bool needs_executor(const struct mock_operation *operation)
{
    const enum mock_mode mode = cushim__mock->settings.mode;

    return mode == MOCK_MODE_THREADED || (mode == MOCK_MODE_AUTO && operation->needs_executor);
}

CUresult cushim__mock_sim_reserve(struct mock_stream *stream, struct mock_operation *operation,
                                  size_t streams)
{
    CUresult code = CUDA_SUCCESS;

    operation->needs_executor |= operation->unit == MOCK_HOST;
    if (needs_executor(operation) && !cushim__mock_sim()->has_executor)
        code = cushim__mock_executor_start();
    if (code == CUDA_SUCCESS && operation->unit == MOCK_HOST)
        code = cushim__mock_helper_start(stream->group);
    if (code == CUDA_SUCCESS && !cushim__mock_heap_reserve(cushim__mock_sim()->active + streams))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    return code;
}

void cushim__mock_sim_name(struct mock_stream *stream)
{
    char name[MOCK_TAG_SIZE] = "CU_STREAM_PER_THREAD";

    if (!cushim__race_detector || stream->kind == MOCK_LEGACY)
        return;
    if (stream->kind == MOCK_CREATED)
        cushim__mock_object_tag(stream->object.handle, name, sizeof name);
    cushim__race_name_stream(&stream->race, name);
}

/* The race detector needs the number of an operation, so this follows its submission. */
static void submit_to_detector(struct mock_stream *stream, struct mock_operation *operation)
{
    const struct mock_operation_class *class = operation->class;
    struct race_access access;

    cushim__mock_sim_name(stream);
    if (!cushim__race_submit(&access, &stream->race, operation->number, class->name,
                             cushim__mock_call_name(), class->waits && class->waits(operation)))
        return;
    operation->before = access.before;
    operation->timeline = access.timeline;
    cushim__mock_call_place(&access.place);
    if (class->touch)
        class->touch(operation, &access);
    cushim__race_submitted(&access);
}

static void report_submitted(const struct mock_operation *operation)
{
    void (*report)(uint64_t) = __atomic_load_n(&cushim__operation_submitted, __ATOMIC_ACQUIRE);

    if (report && operation->unit != MOCK_NO_UNIT)
        report(operation->number);
}

CUresult cushim__mock_sim_submit(struct mock_stream *stream, struct mock_operation *operation)
{
    struct mock_sim *sim = cushim__mock_sim();
    const CUresult code = cushim__mock_sim_reserve(stream, operation, stream->head ? 0 : 1);

    if (code != CUDA_SUCCESS) {
        cushim__mock_operation_destroy(operation);
        return code;
    }
    operation->number = ++sim->submitted;
    operation->submitted_ns = cushim__mock->clock_ns;
    if (cushim__race_detector)
        submit_to_detector(stream, operation);
    operation->next = NULL;
    if (stream->tail) {
        stream->tail->next = operation;
    } else {
        stream->head = operation;
        sim->active++;
        cushim__mock_run_make_runnable(stream);
    }
    stream->tail = operation;
    stream->pending++;
    sim->pending++;
    sim->pending_for_executor += operation->needs_executor;
    cushim__mock_trace("submit", operation->class->name, stream->id, operation->number,
                       CUDA_SUCCESS);
    report_submitted(operation);
    cushim__mock_run_start();
    if (cushim__mock->settings.mode != MOCK_MODE_MANUAL)
        run_unattended(stream, operation);
    return CUDA_SUCCESS;
}

void cushim__mock_sim_recheck(struct mock_stream *stream)
{
    if (stream->state != MOCK_BLOCKED || stream->ordered)
        return;
    stream->state = MOCK_IDLE;
    cushim__mock_run_make_runnable(stream);
}

/* Force what a stream's work up to a number waits for. */
static void force_dependencies(struct mock_stream *stream, uint64_t number)
{
    const struct mock_operation *operation =
        stream->forced_last ? stream->forced_last->next : stream->head;

    for (; operation && operation->number <= number; operation = operation->next) {
        stream->forced_last = operation;
        if (operation->class->force)
            operation->class->force(operation);
    }
}

/* Force what a forced stream waits for, and then its own head. */
static void force(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;
    uint64_t number = stream->forced;

    force_dependencies(stream, number);
    if (group->legacy && cushim__mock_stream_blocks(stream)) {
        if (stream->kind != MOCK_LEGACY) {
            cushim__mock_sim_force(group->legacy, number);
        } else {
            for (struct mock_stream *one = group->streams; one; one = one->next) {
                if (cushim__mock_stream_blocks(one))
                    cushim__mock_sim_force(one, number);
            }
        }
    }
    if (stream->state == MOCK_RUNNING && !stream->head->begun && stream->head->number <= number) {
        stream->due_ns = cushim__mock_schedule_end(stream);
        cushim__mock_heap_moved(stream);
    }
}

static void list_forced(struct mock_sim *sim, struct mock_stream *stream)
{
    if (stream->forced_listed)
        return;
    stream->forced_listed = true;
    stream->next_forced = NULL;
    if (sim->last_forced)
        sim->last_forced->next_forced = stream;
    else
        sim->forced = stream;
    sim->last_forced = stream;
}

/* This is a list, not a recursion, since a program may make chains of streams of any length. */
void cushim__mock_sim_force(struct mock_stream *stream, uint64_t number)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (cushim__mock->settings.schedule != MOCK_SCHEDULE_LAZY || stream->forced >= number)
        return;
    stream->forced = number;
    list_forced(sim, stream);
    if (sim->forcing)
        return;
    sim->forcing = true;
    while (sim->forced) {
        struct mock_stream *first = sim->forced;

        sim->forced = first->next_forced;
        if (!sim->forced)
            sim->last_forced = NULL;
        first->forced_listed = false;
        force(first);
    }
    sim->forcing = false;
}

/* In manual mode a host function ends within the step that began it. */
static void finish_host_functions(void)
{
    while (cushim__mock_sim()->on_host > 0)
        cushim__mock_wait_for_change();
}

bool cushim__mock_sim_step(void)
{
    bool executed;

    cushim__mock_run_polled();
    executed = cushim__mock_run_next();
    finish_host_functions();
    cushim__mock_run_offer();
    return executed;
}

void cushim__mock_sim_advance(uint64_t duration_ns)
{
    uint64_t until_ns = cushim__mock_time_after(cushim__mock->clock_ns, duration_ns);
    struct mock_stream *stream;

    cushim__mock_run_polled();
    while ((stream = cushim__mock_heap_first()) && stream->due_ns <= until_ns)
        cushim__mock_sim_step();
    cushim__mock_run_until(until_ns);
}

void cushim__mock_sim_number(struct mock_stream *stream, struct mock_operation *operation)
{
    if (!cushim__race_detector)
        return;
    operation->number = ++cushim__mock_sim()->submitted;
    submit_to_detector(stream, operation);
}

uint64_t cushim__mock_sim_submitted(void)
{
    return cushim__mock_sim()->submitted;
}

bool cushim__mock_sim_pending_until(uint64_t number)
{
    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (const struct mock_stream *one = group->streams; one; one = one->next) {
            if (one->head && one->head->number <= number)
                return true;
        }
    }
    return false;
}

size_t cushim__mock_sim_pending(void)
{
    return cushim__mock_sim()->pending;
}

uint64_t cushim__mock_sim_executed(void)
{
    return cushim__mock_sim()->executed;
}

void *cushim__mock_operation_create(const struct mock_operation_class *class, enum mock_unit unit,
                                    uint64_t duration_ns)
{
    struct mock_operation *operation = calloc(1, class->size);

    if (operation) {
        operation->class = class;
        operation->unit = (uint8_t)unit;
        operation->duration_ns = duration_ns;
    }
    return operation;
}

void *cushim__mock_operation_copy(const struct mock_operation *operation)
{
    struct mock_operation *copy = malloc(operation->class->size);

    if (!copy)
        return NULL;
    memcpy(copy, operation, operation->class->size);
    copy->next = NULL;
    if (operation->class->copy && !operation->class->copy(operation, copy)) {
        free(copy);
        return NULL;
    }
    return copy;
}

void cushim__mock_operation_destroy(void *operation)
{
    struct mock_operation *old = operation;

    if (!old)
        return;
    if (old->class->drop)
        old->class->drop(old);
    cushim__race_clock_release(old->before);
    free(old);
}

void cushim__mock_operation_seen(const struct mock_operation *operation)
{
    if (cushim__race_detector && operation->timeline != 0)
        cushim__race_saw_operation(operation->number, operation->timeline, operation->before);
}

uint64_t cushim__mock_operation_duration(size_t bytes, uint64_t bytes_per_us)
{
    uint64_t whole = bytes / bytes_per_us, rest = bytes % bytes_per_us;

    return whole * 1000 + rest * 1000 / bytes_per_us;
}
