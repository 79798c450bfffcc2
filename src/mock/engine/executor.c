/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that lets time pass without a call: in threaded mode as soon as there is work, in auto
 * mode until what is queued `outside` has begun: host functions, which a program may wait for by
 * means of its own, and records of events that another process may wait for.
 */
#include "src/mock/engine/state.h"

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
        pthread_mutex_unlock(&cushim__world->lock);
        pthread_mutex_lock(&cushim__world->lock);
        return;
    }
    if (needed && engine->polled.first) {
        cushim__wait_for_change();
        return;
    }
    engine->executor_sleeps = true;
    pthread_cond_wait(&engine->work, &cushim__world->lock);
    engine->executor_sleeps = false;
}

static void *run(void *data)
{
    struct cushim__engine *engine = data;

    pthread_mutex_lock(&cushim__world->lock);
    while (!engine->stop)
        work_once(engine);
    pthread_mutex_unlock(&cushim__world->lock);
    return NULL;
}

CUresult cushim__executor_start(const struct cushim__operation *operation)
{
    struct cushim__engine *engine = cushim__engine();
    enum cushim__mode mode = cushim__world->settings.mode;

    if (engine->has_executor || mode == CUSHIM__MANUAL ||
        (mode == CUSHIM__AUTO && !operation->outside))
        return CUDA_SUCCESS;
    if (pthread_create(&engine->executor, NULL, run, engine) != 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    engine->has_executor = true;
    return CUDA_SUCCESS;
}

void cushim__executor_wake(void)
{
    if (cushim__engine()->executor_sleeps)
        pthread_cond_signal(&cushim__engine()->work);
}

void cushim__executor_stop(void)
{
    struct cushim__engine *engine = cushim__engine();

    if (!engine->has_executor)
        return;
    engine->stop = true;
    pthread_cond_signal(&engine->work);
    pthread_cond_broadcast(&engine->changed);
    pthread_mutex_unlock(&cushim__world->lock);
    pthread_join(engine->executor, NULL);
    pthread_mutex_lock(&cushim__world->lock);
    engine->has_executor = false;
}
