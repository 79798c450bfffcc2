/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait for events. Statements 26, 28. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "latch.h"

/* A stream that is held up, one that has nothing to do, and one that waits. */
struct scene {
    CUstream busy, idle, waiter;
    CUevent event, after;
    struct latch latch;
};

/* `waiter` waits for an event that is recorded behind the latch in `busy`. */
static struct scene begin_scene(void)
{
    struct scene scene;

    begin_context();
    scene.busy = begin_stream();
    scene.idle = begin_stream();
    scene.waiter = begin_stream();
    scene.event = begin_event();
    scene.after = begin_event();
    scene.latch = latch_shut(scene.busy);
    OK(cu->EventRecord(scene.event, scene.busy));
    OK(cu->StreamWaitEvent(scene.waiter, scene.event, 0));
    OK(cu->EventRecord(scene.after, scene.waiter));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(scene.after));
    return scene;
}

/* Long enough for a waiter to pass that does not wait: other work starts and ends, many times. */
static void check_held_up(const struct scene *scene)
{
    CUevent other = begin_event();

    for (int i = 0; i < 200; i++) {
        OK(cu->EventRecord(other, scene->idle));
        OK(cu->EventSynchronize(other));
        CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(scene->after));
    }
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(scene->waiter));
}

static void check_released(const struct scene *scene)
{
    latch_open(&scene->latch);
    OK(cu->EventSynchronize(scene->after));
    OK(cu->StreamSynchronize(scene->waiter));
    OK(cu->StreamSynchronize(scene->busy));
}

static void waiter_keeps_the_record_that_it_found(void)
{
    struct scene scene = begin_scene();

    OK(cu->EventRecord(scene.event, scene.idle));
    OK(cu->EventSynchronize(scene.event));
    OK(cu->EventQuery(scene.event));
    check_held_up(&scene);
    check_released(&scene);
}

static void waiter_does_not_take_a_later_record(void)
{
    struct latch latch;
    struct scene scene = begin_scene();
    CUstream later = begin_stream();

    latch = latch_shut(later);
    OK(cu->EventRecord(scene.event, later));
    check_held_up(&scene);
    check_released(&scene); /* though the event is pending again */
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(scene.event));
    latch_open(&latch);
    OK(cu->EventSynchronize(scene.event));
}

static void wait_for_a_first_record_is_none(void)
{
    struct scene scene = begin_scene();
    CUevent fresh = begin_event();
    CUstream stream = begin_stream();

    OK(cu->StreamWaitEvent(stream, fresh, 0)); /* not recorded yet: nothing to wait for */
    OK(cu->EventRecord(fresh, scene.busy));
    OK(cu->StreamSynchronize(stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(fresh));
    check_released(&scene);
}

static void destroyed_event_still_holds_its_waiters(void)
{
    struct scene scene = begin_scene();

    OK(cu->EventDestroy_v2(scene.event));
    check_held_up(&scene);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(scene.busy)); /* the work goes on */
    check_released(&scene);
}

const struct conformance_case event_wait_cases[] = {
    MEASURED_CASE("026_waiter_keeps_the_record_that_it_found",
                  waiter_keeps_the_record_that_it_found),
    MEASURED_CASE("026_waiter_does_not_take_a_later_record", waiter_does_not_take_a_later_record),
    DOCUMENTED_CASE("026_wait_for_a_first_record_is_none", wait_for_a_first_record_is_none),
    DOCUMENTED_CASE("028_destroyed_event_still_holds_its_waiters",
                    destroyed_event_still_holds_its_waiters),
    {.name = NULL},
};
