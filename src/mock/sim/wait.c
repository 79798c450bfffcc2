/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that block: they drive the clock, or sleep until somebody else has. */
#include "src/mock/api/context.h"
#include "src/mock/sim/internal.h"
#include "src/race/race_search.h"

/* How often something outside the engine is asked, in time of the host. */
enum { POLL_NS = 50000 };

/* Work up to a number, of a stream or of a context. */
struct work {
    const struct cushim__stream *stream;   /* NULL: the context's streams */
    const struct cushim__context *context; /* whose streams count besides */
    bool blocking_only;
    uint64_t number;
};

static bool stream_done(const struct cushim__stream *stream, uint64_t number)
{
    return !stream->head || stream->head->number > number;
}

static bool work_done(const void *what)
{
    const struct work *work = what;

    if (work->stream && !stream_done(work->stream, work->number))
        return false;
    if (!work->context)
        return true;
    for (const struct cushim__stream *one = work->context->streams; one; one = one->next) {
        if ((!work->blocking_only || cushim__stream_blocks(one)) && !stream_done(one, work->number))
            return false;
    }
    return true;
}

void cushim__wait_for_change(void)
{
    struct cushim__engine *engine = cushim__engine();

    engine->waiters++;
    if (engine->polled.first || engine->outside > 0) {
        cushim__condition_wait_for(&engine->changed, &cushim__world->lock, POLL_NS);
        cushim__run_polled();
    } else {
        cushim__condition_wait(&engine->changed, &cushim__world->lock);
    }
    engine->waiters--;
}

/* One step towards what a call waits for. False: nothing will ever come. */
static bool drive(void)
{
    struct cushim__engine *engine = cushim__engine();

    if (cushim__world->settings.mode == CUSHIM__AUTO) {
        cushim__run_polled_some();
        if (!cushim__heap_first())
            cushim__run_polled();
        if (cushim__run_next()) {
            engine->time_ns = engine->now_ns;
            return true;
        }
        if (engine->on_host == 0 && engine->outside == 0 && !engine->polled.first)
            return false;
    }
    cushim__wait_for_change();
    return true;
}

CUresult cushim__engine_wait_refused(void)
{
    cushim__violation("it would have to wait, and in manual mode time passes in "
                      "cushim_mock_advance() and cushim_mock_step() only");
    return CUDA_ERROR_TIMEOUT;
}

CUresult cushim__engine_wait_until(bool (*done)(const void *what), const void *what,
                                   struct cushim__stream *demanded, uint64_t number)
{
    if (demanded)
        cushim__engine_demand(demanded, number);
    while (!done(what)) {
        if (cushim__world->fault)
            return cushim__world->fault;
        if (cushim__world->settings.mode == CUSHIM__MANUAL)
            return cushim__engine_wait_refused();
        if (!drive()) {
            cushim__violation("it waits for work that nothing will ever finish");
            return CUDA_ERROR_TIMEOUT;
        }
    }
    cushim__engine_told();
    return cushim__world->fault;
}

CUresult cushim__engine_wait_outside(bool (*done)(const void *what), const void *what)
{
    CUresult code;

    cushim__engine()->outside++;
    code = cushim__engine_wait_until(done, what, NULL, 0);
    cushim__engine()->outside--;
    return code;
}

void cushim__engine_wait_for_thread(bool (*done)(const void *what), const void *what)
{
    while (!done(what))
        cushim__wait_for_change();
}

void cushim__engine_tell(void)
{
    cushim__condition_broadcast(&cushim__engine()->changed);
}

/* A stream that somebody waits for is not freed, whatever other threads do with it. */
static CUresult wait_for_work(const struct work *work, struct cushim__stream *stream)
{
    CUresult code;

    cushim__stream_hold(stream);
    code = cushim__engine_wait_until(work_done, work, stream, work->number);
    cushim__stream_let_go(stream);
    return code;
}

CUresult cushim__engine_wait_stream(struct cushim__stream *stream)
{
    bool legacy = stream->kind == CUSHIM__LEGACY;
    struct work work = {.stream = stream,
                        .context = legacy ? stream->object.context : NULL,
                        .blocking_only = true,
                        .number = cushim__engine()->submitted};
    struct cushim__clock *clock = cushim__races_stream(stream);
    CUresult code;

    if (legacy) {
        for (struct cushim__stream *one = work.context->streams; one; one = one->next) {
            if (cushim__stream_blocks(one))
                cushim__engine_demand(one, work.number);
        }
    }
    code = wait_for_work(&work, stream);
    cushim__races_saw(clock, code == CUDA_SUCCESS);
    return code;
}

CUresult cushim__engine_wait_last(struct cushim__stream *stream)
{
    struct work work = {.stream = stream, .number = stream->tail ? stream->tail->number : 0};
    struct cushim__clock *clock = cushim__races_last(stream);
    CUresult code = wait_for_work(&work, stream);

    cushim__races_saw(clock, code == CUDA_SUCCESS);
    return code;
}

CUresult cushim__engine_wait_context(struct cushim__context *context)
{
    struct work work = {.context = context, .number = cushim__engine()->submitted};
    struct cushim__clock *clock = cushim__races_context(context);
    CUresult code;

    for (struct cushim__stream *one = context->streams; one; one = one->next)
        cushim__engine_demand(one, work.number);
    context->held++;
    code = cushim__engine_wait_until(work_done, &work, NULL, 0);
    context->held--;
    cushim__races_saw(clock, code == CUDA_SUCCESS);
    return code;
}

bool cushim__engine_busy(const struct cushim__stream *stream)
{
    struct work work = {.stream = stream,
                        .context = stream->kind == CUSHIM__LEGACY ? stream->object.context : NULL,
                        .blocking_only = true,
                        .number = UINT64_MAX};

    return !work_done(&work);
}
