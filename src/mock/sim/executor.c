/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that lets time pass without a call: in threaded mode as soon as there is work, in auto
 * mode until what is queued `outside` has begun: host functions, which a program may wait for by
 * means of its own, and records of events that another process may wait for.
 */
#include "src/mock/sim/internal.h"

static bool is_needed(const struct mock_sim *sim)
{
    return cushim__mock->settings.mode == MOCK_THREADED || sim->outside_queued > 0;
}

static void work_once(struct mock_sim *sim)
{
    bool needed = is_needed(sim);

    if (needed)
        cushim__mock_run_polled();
    if (needed && cushim__mock_run_next()) {
        cushim__mock->time_ns = cushim__mock->now_ns;
        /* Let callers in. */
        cushim__lock_offer(&cushim__mock->lock);
        return;
    }
    if (needed && sim->polled.first) {
        cushim__mock_wait_for_change();
        return;
    }
    sim->executor_sleeps = true;
    cushim__condition_wait(&sim->work, &cushim__mock->lock);
    sim->executor_sleeps = false;
}

static void *run(void *data)
{
    struct mock_sim *sim = data;

    cushim__lock_take(&cushim__mock->lock);
    while (!sim->stop)
        work_once(sim);
    cushim__lock_release(&cushim__mock->lock);
    return NULL;
}

CUresult cushim__mock_executor_start(const struct mock_operation *operation)
{
    struct mock_sim *sim = cushim__mock_sim();
    enum mock_mode mode = cushim__mock->settings.mode;

    if (sim->has_executor || mode == MOCK_MANUAL || (mode == MOCK_AUTO && !operation->outside))
        return CUDA_SUCCESS;
    if (!cushim__runner_start(&sim->executor, run, sim))
        return CUDA_ERROR_OPERATING_SYSTEM;
    sim->has_executor = true;
    return CUDA_SUCCESS;
}

void cushim__mock_executor_wake(void)
{
    if (cushim__mock_sim()->executor_sleeps)
        cushim__condition_signal(&cushim__mock_sim()->work);
}

void cushim__mock_executor_stop(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!sim->has_executor)
        return;
    sim->stop = true;
    cushim__condition_signal(&sim->work);
    cushim__condition_broadcast(&sim->changed);
    cushim__lock_release(&cushim__mock->lock);
    cushim__runner_join(&sim->executor);
    cushim__lock_take(&cushim__mock->lock);
    sim->has_executor = false;
}
