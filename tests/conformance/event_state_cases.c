/* SPDX-License-Identifier: Apache-2.0 */
/* Events over time, and streams that wait for them. Statements 23-29, 33, 203. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "cases.h"

enum { WORK_MS = 20 };

DOCUMENTED_CASE(023, unrecorded_event_is_done)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    OK(cu->EventQuery(event));
    OK(cu->EventSynchronize(event));
    OK(cu->StreamWaitEvent(stream, event, 0));
    OK(cu->StreamSynchronize(stream));
    OK(cu->StreamQuery(stream));
}

DOCUMENTED_CASE(024, record_behind_pending_work_is_pending)
{
    struct gate gate = GATE;
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    gate_shut(&gate, stream);
    OK(cu->EventRecord(event, stream));
    for (int i = 0; i < 100; i++)
        CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
}

DOCUMENTED_CASE(024, record_behind_a_latch_is_pending)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();
    struct latch latch = latch_shut(stream);

    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
}

DOCUMENTED_CASE(024, synchronize_blocks)
{
    for (unsigned flags = 0; flags < 2; flags++) {
        CUstream stream = begin_stream();
        CUevent event = begin_event_with(flags == 1 ? CU_EVENT_BLOCKING_SYNC : 0);
        struct gate gate = GATE;
        struct opener opener;

        gate_shut(&gate, stream);
        OK(cu->EventRecord(event, stream));
        opener_start(&opener, &gate, WORK_MS);
        OK(cu->EventSynchronize(event));
        CHECK(atomic_load(&opener.opened));
        OK(cu->EventQuery(event));
        opener_join(&opener);
    }
}

DOCUMENTED_CASE(024, bytes_move_when_work_executes)
{
    enum { BYTES = 4096 };
    unsigned char *from = NULL, *to = NULL;
    struct gate gate = GATE;
    CUdeviceptr memory = 0;
    CUstream stream = begin_stream();

    MUST(cu->MemAllocHost_v2((void **)&from, BYTES));
    MUST(cu->MemAllocHost_v2((void **)&to, BYTES));
    MUST(cu->MemAlloc_v2(&memory, BYTES));
    memset(from, 1, BYTES);
    memset(to, 9, BYTES);
    gate_shut(&gate, stream);
    OK(cu->MemcpyHtoDAsync_v2(memory, from, BYTES, stream));
    OK(cu->MemsetD8Async(memory, 3, BYTES / 2, stream));
    OK(cu->MemcpyDtoHAsync_v2(to, memory, BYTES, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    EQUAL(9, to[0]);
    EQUAL(9, to[BYTES - 1]);
    memset(from, 2, BYTES); /* the copy reads the memory when it executes */
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
    EQUAL(3, to[0]);
    EQUAL(3, to[BYTES / 2 - 1]);
    EQUAL(2, to[BYTES / 2]);
    EQUAL(2, to[BYTES - 1]);
}

MEASURED_CASE(025, newest_record_counts)
{
    struct gate gate = GATE;
    CUstream busy = begin_stream(), idle = begin_stream();
    CUevent event = begin_event();

    gate_shut(&gate, busy);
    OK(cu->EventRecord(event, busy));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    OK(cu->EventRecord(event, idle));
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(busy));
    OK(cu->EventRecord(event, busy));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    gate_open(&gate);
    OK(cu->EventSynchronize(event));
}

DOCUMENTED_CASE(027, later_work_changes_nothing)
{
    struct gate gate = GATE;
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    OK(cu->EventRecord(event, stream));
    gate_shut(&gate, stream);
    OK(cu->EventQuery(event));
    OK(cu->EventSynchronize(event));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
    OK(cu->EventQuery(event));
}

MEASURED_CASE(029, destroyed_stream_finishes_its_work)
{
    struct gate gate = GATE;
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    gate_shut(&gate, stream);
    OK(cu->EventRecord(event, stream));
    OK(cu->StreamDestroy_v2(stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    gate_open(&gate);
    OK(cu->EventSynchronize(event));
    OK(cu->EventQuery(event));
}

/* The CPU time in ms of a thread that waits for 2 * WORK_MS. */
static double busy_ms(unsigned flags)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event_with(flags);
    struct gate gate = GATE;
    struct opener opener;
    uint64_t busy;

    gate_shut(&gate, stream);
    OK(cu->EventRecord(event, stream));
    opener_start(&opener, &gate, 2 * WORK_MS);
    busy = thread_ns();
    OK(cu->EventSynchronize(event));
    busy = thread_ns() - busy;
    opener_join(&opener);
    OK(cu->EventQuery(event));
    return (double)busy / 1e6;
}

MEASURED_CASE(033, blocking_sync_lets_the_thread_sleep)
{
    double spinning = busy_ms(CU_EVENT_DEFAULT), sleeping, in_context;
    CUcontext blocking = NULL;

    sleeping = busy_ms(CU_EVENT_BLOCKING_SYNC);
    MUST(cu->CtxCreate_v2(&blocking, CU_CTX_SCHED_BLOCKING_SYNC, begin_device()));
    in_context = busy_ms(CU_EVENT_DEFAULT);
    if (backend_is_mock()) /* a mock's time is virtual, so only success is tested */
        return;
    detail("processor time of a wait of %d ms: %.1f ms, with BLOCKING_SYNC %.1f ms, without in a "
           "context with the flag %.1f ms",
           2 * WORK_MS, spinning, sleeping, in_context);
    CHECK(sleeping < spinning / 2);
    CHECK(sleeping < in_context / 2);
}

/* Streams that wait for events. Statements 26, 28. */

/* A blocked stream, an idle one, and one that waits. */
struct scene {
    CUstream busy, idle, waiter;
    CUevent event, after;
    struct latch latch;
};

/* `waiter` waits for an event that is recorded behind the latch in `busy`. */
static struct scene begin_scene(void)
{
    struct scene scene;

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

/*
 * Many events start and end here, which gives a stream that fails to wait enough time to continue.
 */
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

MEASURED_CASE(026, waiter_keeps_the_record_that_it_found)
{
    struct scene scene = begin_scene();

    OK(cu->EventRecord(scene.event, scene.idle));
    OK(cu->EventSynchronize(scene.event));
    OK(cu->EventQuery(scene.event));
    check_held_up(&scene);
    check_released(&scene);
}

MEASURED_CASE(026, waiter_does_not_take_a_later_record)
{
    struct scene scene = begin_scene();
    CUstream later = begin_stream();
    struct latch latch = latch_shut(later);

    OK(cu->EventRecord(scene.event, later));
    check_held_up(&scene);
    check_released(&scene); /* although the event is pending again */
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(scene.event));
    latch_open(&latch);
    OK(cu->EventSynchronize(scene.event));
}

DOCUMENTED_CASE(026, wait_for_a_first_record_is_none)
{
    struct scene scene = begin_scene();
    CUevent fresh = begin_event();
    CUstream stream = begin_stream();

    OK(cu->StreamWaitEvent(stream, fresh, 0)); /* never recorded, so nothing to wait for */
    OK(cu->EventRecord(fresh, scene.busy));
    OK(cu->StreamSynchronize(stream));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(fresh));
    check_released(&scene);
}

DOCUMENTED_CASE(028, destroyed_event_still_holds_its_waiters)
{
    struct scene scene = begin_scene();

    OK(cu->EventDestroy_v2(scene.event));
    check_held_up(&scene);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(scene.busy)); /* the work continues */
    check_released(&scene);
}

MEASURED_CASE(203, first_destruction_of_an_event_waits)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();
    struct gate gate = GATE;
    struct opener opener;

    gate_shut(&gate, stream);
    MUST(cu->EventRecord(event, stream));
    opener_start(&opener, &gate, WORK_MS);
    OK(cu->EventDestroy(event));
    CHECK(atomic_load(&opener.opened));
    opener_join(&opener);
}
