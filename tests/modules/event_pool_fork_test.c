/* SPDX-License-Identifier: Apache-2.0 */
/* Event pools in a child that was forked while another thread of its parent had the lock. */
#include "testkit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "src/objects/event_pool.c"
#include "tests/support/counters.h"

enum { ADDED = 3 };

/* What a child with a mock does; returns how many of its calls do not do what they should. */
static int use_pool(struct cushim_event_pool *pool, struct cushim_event *acquired)
{
    struct cushim_event *event = NULL;
    size_t total = 0, free = 0;
    int wrong = cushim_event_pool_acquire(pool, &event) != CUDA_SUCCESS;

    wrong += event == NULL || event == acquired;
    wrong += cushim_event_release(event) != CUDA_SUCCESS;
    wrong += cushim_event_release(acquired) != CUDA_SUCCESS;
    wrong += cushim_event_pool_get_counts(pool, &total, &free) != CUDA_SUCCESS;
    return wrong + (total != ADDED) + (free != ADDED);
}

TEST(child_does_not_wait_for_a_thread_of_its_parent)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = ADDED};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;
    int status = -1;
    pid_t child;

    OK(cushim_event_pool_create(testkit.one, NULL, &options, &pool));
    OK(cushim_event_pool_acquire(pool, &event));
    lock_pool(pool); /* as another thread might have at the fork */
    child = fork();
    if (child == 0) {
        int wrong;

        alarm(120); /* ends a child that hangs */
        wrong = use_pool(pool, event);
        counters_write();
        _exit(wrong);
    }
    unlock_pool(pool);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(cushim_event_release(event));
    OK(cushim_event_pool_release(pool));
}
