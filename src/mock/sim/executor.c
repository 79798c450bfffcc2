/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that lets time pass without a call: in threaded mode as soon as there is work, in auto
 * mode until what is queued `outside` has begun: host functions, which a program may wait for by
 * means of its own, and records of events that another process may wait for.
 */
#include "src/mock/sim/internal.h"

static bool is_needed(const struct cushim__engine *engine)
{
    return cushim__world->settings.mode == CUSHIM__THREADED || engine->outside_queued > 0;
}

static void work_once(struct cushim__engine *engine)
{
    bool needed = is_needed(engine);

    if (needed)
        cushim__run_polled();
    if (needed && cushim__run_next()) {
        engine->time_ns = engine->now_ns;
        /* Let callers in. */
        cushim__lock_offer(&cushim__world->lock);
        return;
    }
    if (needed && engine->polled.first) {
        cushim__wait_for_change();
        return;
    }
    engine->executor_sleeps = true;
    cushim__condition_wait(&engine->work, &cushim__world->lock);
    engine->executor_sleeps = false;
}

static void *run(void *data)
{
    struct cushim__engine *engine = data;

    cushim__lock_take(&cushim__world->lock);
    while (!engine->stop)
        work_once(engine);
    cushim__lock_release(&cushim__world->lock);
    return NULL;
}

CUresult cushim__executor_start(const struct cushim__operation *operation)
{
    struct cushim__engine *engine = cushim__engine();
    enum cushim__mode mode = cushim__world->settings.mode;

    if (engine->has_executor || mode == CUSHIM__MANUAL ||
        (mode == CUSHIM__AUTO && !operation->outside))
        return CUDA_SUCCESS;
    if (!cushim__runner_start(&engine->executor, run, engine))
        return CUDA_ERROR_OPERATING_SYSTEM;
    engine->has_executor = true;
    return CUDA_SUCCESS;
}

void cushim__executor_wake(void)
{
    if (cushim__engine()->executor_sleeps)
        cushim__condition_signal(&cushim__engine()->work);
}

void cushim__executor_stop(void)
{
    struct cushim__engine *engine = cushim__engine();

    if (!engine->has_executor)
        return;
    engine->stop = true;
    cushim__condition_signal(&engine->work);
    cushim__condition_broadcast(&engine->changed);
    cushim__lock_release(&cushim__world->lock);
    cushim__runner_join(&engine->executor);
    cushim__lock_take(&cushim__world->lock);
    engine->has_executor = false;
}
