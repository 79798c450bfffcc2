/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that lets time pass without a call: in threaded mode as soon as there is work, in auto
 * mode until what is queued `outside` has begun: host functions, which a program may wait for by
 * means of its own, and records of events that another process may wait for.
 */
#include "src/mock/sim/internal.h"

static bool is_needed(const struct mock_sim *engine)
{
    return cushim__mock->settings.mode == MOCK_THREADED || engine->outside_queued > 0;
}

static void work_once(struct mock_sim *engine)
{
    bool needed = is_needed(engine);

    if (needed)
        cushim__mock_run_polled();
    if (needed && cushim__mock_run_next()) {
        engine->time_ns = engine->now_ns;
        /* Let callers in. */
        cushim__lock_offer(&cushim__mock->lock);
        return;
    }
    if (needed && engine->polled.first) {
        cushim__mock_wait_for_change();
        return;
    }
    engine->executor_sleeps = true;
    cushim__condition_wait(&engine->work, &cushim__mock->lock);
    engine->executor_sleeps = false;
}

static void *run(void *data)
{
    struct mock_sim *engine = data;

    cushim__lock_take(&cushim__mock->lock);
    while (!engine->stop)
        work_once(engine);
    cushim__lock_release(&cushim__mock->lock);
    return NULL;
}

CUresult cushim__mock_executor_start(const struct mock_operation *operation)
{
    struct mock_sim *engine = cushim__mock_sim();
    enum mock_mode mode = cushim__mock->settings.mode;

    if (engine->has_executor || mode == MOCK_MANUAL || (mode == MOCK_AUTO && !operation->outside))
        return CUDA_SUCCESS;
    if (!cushim__runner_start(&engine->executor, run, engine))
        return CUDA_ERROR_OPERATING_SYSTEM;
    engine->has_executor = true;
    return CUDA_SUCCESS;
}

void cushim__mock_executor_wake(void)
{
    if (cushim__mock_sim()->executor_sleeps)
        cushim__condition_signal(&cushim__mock_sim()->work);
}

void cushim__mock_executor_stop(void)
{
    struct mock_sim *engine = cushim__mock_sim();

    if (!engine->has_executor)
        return;
    engine->stop = true;
    cushim__condition_signal(&engine->work);
    cushim__condition_broadcast(&engine->changed);
    cushim__lock_release(&cushim__mock->lock);
    cushim__runner_join(&engine->executor);
    cushim__lock_take(&cushim__mock->lock);
    engine->has_executor = false;
}
