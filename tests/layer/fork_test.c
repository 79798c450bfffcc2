/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks with a layer: a child can use it whichever thread held its lock, even if the mock is
 * destroyed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/driver.h>

#include "src/layer/layer.h"
#include "tests/layer/testkit.h"
#include "tests/support/counters.h"

enum { CHILD_SECONDS = 120, HELD_MS = 100 };

static atomic_bool is_held, is_over;

/*
 * Holds the layer's lock as a call of another thread does while this thread forks. A fork must wait
 * for the lock, so this releases it after a while. If the fork did not wait, the child would find
 * the lock taken and hang.
 */
static void *hold(void *unused)
{
    cushim__lock_take(&layer->lock);
    atomic_store(&is_held, true);
    for (unsigned ms = 0; ms < HELD_MS && !atomic_load(&is_over); ms++)
        usleep(1000);
    cushim__lock_release(&layer->lock);
    return unused;
}

/* Fork and use the layer in the child; returns whether the child succeeded. */
static bool child_uses(struct cushim_layer *used)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        cushim_recording_clear(used);
        counters_write();
        _exit(cushim_recording_count(used) == 0 ? 0 : 1);
    }
    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_BETWEEN(layer_that_another_thread_holds_is_free_in_the_child, testkit_setup, testkit_teardown)
{
    pthread_t thread;
    bool is_used;

    assert_int_equal(pthread_create(&thread, NULL, hold, NULL), 0);
    while (!atomic_load(&is_held))
        sched_yield();
    is_used = child_uses(layer);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    assert_true(is_used);
    assert_true(cushim_recording_count(layer) > 0); /* the child has its own recording */
}

TEST_ALONE(layer_without_a_mock_is_used_in_the_child)
{
    static const struct cushim_table *before;
    struct cushim_layer *alone;

    before = cushim_driver();
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = before},
        &alone));
    assert_null(cushim_mock_current());
    assert_true(child_uses(alone));
    cushim_layer_destroy(alone);
    assert_ptr_equal(cushim_driver(), before);
}
