/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks. The lock is held across one, so that the child finds the mock whole; the threads of the
 * mock are not in the child. If the parent had called cuInit, the child is one where almost nothing
 * works; if not, no thread was there either, and the child has a mock of its own. The layer's lock,
 * which comes before the mock's, is held likewise.
 */
#include "src/mock/fork.h"

#include <pthread.h>

#include "src/layer/fault/hang.h"
#include "src/layer/layer.h"
#include "src/mock/call.h"
#include "src/mock/core/state.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The layer whose lock this thread has taken for a fork; NULL: none. */
static _Thread_local struct cushim_layer *held_layer;

static void before(void)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    held_layer = cushim_layer_current();
    if (held_layer)
        cushim__lock_take(&held_layer->lock);
    cushim__mock_held_for_fork = NULL;
    if (!mock || cushim__mock_call_name()[0] || cushim__mock_in_kernel)
        return;
    cushim__lock_take(&mock->lock);
    cushim__mock_held_for_fork = mock;
}

static void let_go(void)
{
    if (cushim__mock_held_for_fork)
        cushim__lock_release(&cushim__mock_held_for_fork->lock);
    cushim__mock_held_for_fork = NULL;
    if (held_layer)
        cushim__lock_release(&held_layer->lock);
    held_layer = NULL;
}

static void in_child(void)
{
    struct cushim_mock *mock = cushim__mock;

    cushim__hang_in_child();
    let_go();
    if (!mock)
        return;
    cushim__mock_create_in_child();
    mock->threads_stay = true;
    mock->forked = mock->forked || mock->initialised;
    mock->violations = 0; /* those before were the parent's */
}

static void watch(void)
{
    pthread_atfork(before, let_go, in_child);
}

void cushim__mock_register_atfork(void)
{
    pthread_once(&once, watch);
}
