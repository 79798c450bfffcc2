/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that block: they advance the clock, or sleep until another thread has done so. */
#include "src/mock/sim/internal.h"
#include "src/race/race.h"

/* The interval, in real time, at which conditions without a notification are polled. */
enum { POLL_NS = 50000 };

/* Work up to a number that a call waits for: of one stream, or of the streams of a context. */
struct work {
    const struct mock_stream *stream;      /* NULL if only the group's streams count */
    const struct mock_stream_group *group; /* NULL, or a group whose streams are waited for too */
    bool blocking_only;
    uint64_t number;
};

static bool stream_done(const struct mock_stream *stream, uint64_t number)
{
    return !stream->head || stream->head->number > number;
}

static bool work_done(const void *what)
{
    const struct work *work = what;

    if (work->stream && !stream_done(work->stream, work->number))
        return false;
    if (!work->group)
        return true;
    for (const struct mock_stream *one = work->group->streams; one; one = one->next) {
        if ((!work->blocking_only || cushim__mock_stream_blocks(one)) &&
            !stream_done(one, work->number))
            return false;
    }
    return true;
}

void cushim__mock_wait_for_change(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    sim->waiters++;
    if (sim->polled.first || sim->process_waiters > 0) {
        cushim__condition_wait_for(&sim->changed, &cushim__mock->lock, POLL_NS);
        cushim__mock_run_polled();
    } else {
        cushim__condition_wait(&sim->changed, &cushim__mock->lock);
    }
    sim->waiters--;
}

/* Execute the next work, or wait for a change. Returns false if no work is left that could end. */
static bool drive(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (cushim__mock->settings.mode == MOCK_MODE_AUTO) {
        cushim__mock_run_polled_some();
        if (!cushim__mock_heap_first())
            cushim__mock_run_polled();
        if (cushim__mock_run_next()) {
            cushim__mock->executing_at_ns = cushim__mock->clock_ns;
            cushim__mock_run_offer();
            return true;
        }
        if (sim->on_host == 0 && sim->process_waiters == 0 && !sim->polled.first)
            return false;
    }
    cushim__mock_wait_for_change();
    return true;
}

CUresult cushim__mock_sim_wait_refused(void)
{
    cushim__mock_misuse(CUSHIM__MOCK_FOUND_WAIT,
                        "it would have to wait, and in manual mode time passes in "
                        "cushim_mock_advance() and cushim_mock_step() only");
    return CUDA_ERROR_TIMEOUT;
}

CUresult cushim__mock_sim_wait_until(bool (*done)(const void *what), const void *what,
                                     struct mock_stream *forced, uint64_t number)
{
    if (forced)
        cushim__mock_sim_force(forced, number);
    while (!done(what)) {
        if (cushim__mock->sticky_error)
            return cushim__mock->sticky_error;
        if (cushim__mock->settings.mode == MOCK_MODE_MANUAL)
            return cushim__mock_sim_wait_refused();
        if (!drive()) {
            cushim__mock_misuse(CUSHIM__MOCK_FOUND_WAIT,
                                "it waits for work that nothing will ever finish");
            return CUDA_ERROR_TIMEOUT;
        }
    }
    cushim__mock_sim_end_reported();
    return cushim__mock->sticky_error;
}

CUresult cushim__mock_sim_wait_for_process(bool (*done)(const void *what), const void *what)
{
    CUresult code;

    cushim__mock_sim()->process_waiters++;
    code = cushim__mock_sim_wait_until(done, what, NULL, 0);
    cushim__mock_sim()->process_waiters--;
    return code;
}

void cushim__mock_sim_changed(void)
{
    cushim__condition_broadcast(&cushim__mock_sim()->changed);
}

/* The stream is retained, since another thread may destroy it during the wait. */
static CUresult wait_for_work(const struct work *work, struct mock_stream *stream)
{
    CUresult code;

    cushim__mock_stream_retain(stream);
    code = cushim__mock_sim_wait_until(work_done, work, stream, work->number);
    cushim__mock_stream_release(stream);
    return code;
}

CUresult cushim__mock_sim_wait_stream(struct mock_stream *stream)
{
    bool legacy = stream->kind == MOCK_LEGACY;
    struct work work = {.stream = stream,
                        .group = legacy ? stream->group : NULL,
                        .blocking_only = true,
                        .number = cushim__mock_sim()->submitted};
    struct race_clock *clock = cushim__race_stream(&stream->race);
    CUresult code;

    if (legacy) {
        for (struct mock_stream *one = work.group->streams; one; one = one->next) {
            if (cushim__mock_stream_blocks(one))
                cushim__mock_sim_force(one, work.number);
        }
    }
    code = wait_for_work(&work, stream);
    cushim__race_saw(clock, code == CUDA_SUCCESS);
    return code;
}

CUresult cushim__mock_sim_wait_last(struct mock_stream *stream, bool is_seen)
{
    struct work work = {.stream = stream, .number = stream->tail ? stream->tail->number : 0};
    struct race_clock *clock = cushim__race_last(&stream->race);
    CUresult code = wait_for_work(&work, stream);

    cushim__race_saw(clock, is_seen && code == CUDA_SUCCESS);
    return code;
}

CUresult cushim__mock_sim_wait_group(struct mock_stream_group *group)
{
    struct work work = {.group = group, .number = cushim__mock_sim()->submitted};
    struct race_clock *clock = cushim__race_group(&group->race);
    CUresult code;

    for (struct mock_stream *one = group->streams; one; one = one->next)
        cushim__mock_sim_force(one, work.number);
    group->waiting_calls++;
    code = cushim__mock_sim_wait_until(work_done, &work, NULL, 0);
    group->waiting_calls--;
    cushim__race_saw(clock, code == CUDA_SUCCESS);
    return code;
}

bool cushim__mock_sim_busy(const struct mock_stream *stream)
{
    struct work work = {.stream = stream,
                        .group = stream->kind == MOCK_LEGACY ? stream->group : NULL,
                        .blocking_only = true,
                        .number = UINT64_MAX};

    return !work_done(&work);
}

/*
 * Adversarial mode: what a driver may do to a program that relies on more than the reference
 * promises. Here, a query may report the end of work late, unless the program can already know of
 * the end: a call has reported a later end, or later work has had an effect that the host can see.
 */

/* At most this many answers in a row are delayed, so that every polling loop ends. */
enum { MOST_DELAYED = 3 };

static bool coin(struct mock_sim *sim)
{
    return cushim__mock_random_number(&sim->delay_random) % 2 == 0;
}

static bool delay(struct mock_sim *sim)
{
    if (sim->delayed_answers >= MOST_DELAYED || !coin(sim))
        return false;
    sim->delayed_answers++;
    return true;
}

void cushim__mock_sim_end_reported(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    sim->end_reported_ns = cushim__mock->clock_ns;
    sim->delayed_answers = 0;
}

void cushim__mock_sim_effect_visible(void)
{
    cushim__mock_sim()->effect_visible_ns = cushim__mock->executing_at_ns;
}

bool cushim__mock_sim_delays_answer(uint64_t end_ns)
{
    struct mock_sim *sim = cushim__mock_sim();

    return cushim__mock->settings.adversarial && end_ns > sim->end_reported_ns &&
           end_ns > sim->effect_visible_ns && delay(sim);
}

/* Return when the last work of a stream ended; for a legacy stream, also of the blocking ones. */
static uint64_t end_of(const struct mock_stream *stream)
{
    uint64_t end_ns = stream->free_ns;

    if (stream->kind != MOCK_LEGACY)
        return end_ns;
    for (const struct mock_stream *one = stream->group->streams; one; one = one->next) {
        if (cushim__mock_stream_blocks(one) && one->free_ns > end_ns)
            end_ns = one->free_ns;
    }
    return end_ns;
}

/* The end may equal effect_visible_ns: the visible effect may be that of the last work itself. */
bool cushim__mock_sim_delays_stream(const struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();
    const uint64_t end_ns = cushim__mock->settings.adversarial ? end_of(stream) : 0;

    return end_ns > sim->end_reported_ns && end_ns >= sim->effect_visible_ns && delay(sim);
}
