/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of the parent's objects in a forked child. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/testing/check.h>

#include "tests/layer/testkit.h"
#include "tests/support/counters.h"

enum { CHILD_SECONDS = 120 };

static int setup(void **state)
{
    testkit_begin(
        &(struct cushim_test_options){.size = sizeof(struct cushim_test_options), .context = true});
    OK(cushim_check_start(layer, NULL));
    return 0;
}

static int teardown(void **state)
{
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
    return 0;
}

/* Act in a child; returns the number of findings there. */
static size_t count_in_child(void (*act)(CUevent), CUevent event, const char *id)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        act(event);
        counters_write();
        _exit((int)cushim_check_count(layer, id));
    }
    while (waitpid(child, &status, 0) != child)
        continue;
    assert_true(WIFEXITED(status));
    return (size_t)WEXITSTATUS(status);
}

static void query(CUevent event)
{
    driver->EventQuery(event);
    driver->StreamWaitEvent(NULL, event, 0);
}

static void initialize(CUevent event)
{
    (void)event;
    driver->Init(0);
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(child_that_uses_an_event_of_its_parent_is_found)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    assert_int_equal(count_in_child(query, event, "CUSHIM-handle-before-fork"), 2);
    assert_int_equal(count_in_child(query, event, "CUSHIM-event-destroyed"), 0);
    assert_int_equal(cushim_check_count(layer, NULL), 0);
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

static CUdeviceptr memory;

static void use_memory(CUevent event)
{
    (void)event;
    driver->MemsetD8_v2(memory + 1, 1, 1);
    driver->MemFree_v2(memory);
}

TEST(child_that_uses_memory_of_its_parent_is_found)
{
    OK(driver->MemAlloc_v2(&memory, 16));
    assert_int_equal(count_in_child(use_memory, NULL, "CUSHIM-handle-before-fork"), 2);
    assert_int_equal(count_in_child(use_memory, NULL, NULL), 2);
    use_memory(NULL);
    assert_int_equal(cushim_check_count(layer, NULL), 0);
}

TEST(child_that_uses_none_is_not)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    assert_int_equal(count_in_child(initialize, event, NULL), 0);
    OK(driver->EventDestroy_v2(event));
}

/* The parent reports its findings itself. */
TEST(child_has_no_findings_of_its_parent)
{
    char text[2000];
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
    assert_int_equal(count_in_child(initialize, event, NULL), 0);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, text, sizeof text));
}
