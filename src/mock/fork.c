/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks. The lock is held across one, so that the child finds the mock whole; the threads of the
 * mock are not in the child. If the parent had called cuInit, the child is one where almost nothing
 * works; if not, no thread was there either, and the child has a mock of its own.
 */
#include "src/mock/fork.h"

#include "src/base/fork.h"
#include "src/mock/call.h"
#include "src/mock/core/state.h"

static void before(void)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    cushim__mock_held_for_fork = NULL;
    if (!mock || cushim__mock_call_name()[0] || cushim__in_kernel)
        return;
    cushim__lock_take(&mock->lock);
    cushim__mock_held_for_fork = mock;
}

static void let_go(void)
{
    if (cushim__mock_held_for_fork)
        cushim__lock_release(&cushim__mock_held_for_fork->lock);
    cushim__mock_held_for_fork = NULL;
}

static void in_child(void)
{
    struct cushim_mock *mock = cushim__mock;

    let_go();
    if (!mock)
        return;
    cushim__mock_create_in_child();
    mock->threads_stay = true;
    mock->forked = mock->forked || mock->initialised;
    mock->violations = 0; /* those before were the parent's */
}

void cushim__mock_register_atfork(void)
{
    static const struct cushim__fork_handlers handlers = {before, let_go, in_child};

    cushim__set_fork_handlers(CUSHIM__FORK_MOCK, &handlers);
}
