/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders operations on the device, beyond tests/check/order_edges.c: streams, events, default
 * streams, contexts.
 */
#include "tests/mock/race_fixture.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

/* Read on the other stream, which waits for the event if `waits`; destroys the event. */
static void read_behind(CUevent event, bool waits)
{
    if (waits)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
}

/* A wait for a completed record queues no operation, but it orders the streams. */
static void wait_for_an_event_that_is_done(bool ordered)
{
    CUevent event = fixture_event();

    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    fixture_spin(OTHER, 1000000);
    for (int i = 0; i < 1000; i++)
        OK(driver->CtxGetCurrent(&(CUcontext){NULL}));
    read_behind(event, ordered);
}

static void wait_before_the_use(bool ordered)
{
    CUevent event = fixture_event();

    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    if (!ordered)
        OK(driver->StreamWaitEvent(OTHER, event, 0));
}

static void wait_for_the_context(bool ordered)
{
    CUevent event = fixture_event();
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    race_write(ONE);
    if (ordered)
        OK(driver->CtxRecordEvent(context, event));
    read_behind(event, true);
}

static void context_that_waits(bool ordered)
{
    CUevent event = fixture_event();
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->CtxWaitEvent(context, event));
    race_read(OTHER);
}

/* The default stream also comes after a blocking stream that has been destroyed meanwhile. */
static void default_stream_behind_a_destroyed_one(bool ordered)
{
    CUstream stream = race_stream(ordered);

    race_write(stream);
    OK(driver->StreamDestroy_v2(stream));
    race_write(ordered ? NULL : OTHER);
}

/* The detector must not forget a destroyed stream when another stream waits for it. */
static void default_stream_behind_one_with_a_successor(bool ordered)
{
    CUstream stream = race_stream(ordered), successor;
    CUevent event = fixture_event();

    race_write(stream);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamDestroy_v2(stream));
    successor = fixture_stream();
    OK(driver->StreamWaitEvent(successor, event, 0));
    fixture_spin(successor, 1);
    race_read(NULL);
}

static void streams_of_two_contexts(bool ordered)
{
    CUevent event = fixture_event();
    CUcontext context;
    CUstream stream;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    stream = fixture_stream();
    OK(driver->CtxPopCurrent_v2(&context));
    race_write(ONE);
    OK(driver->EventRecord(event, ONE));
    if (ordered)
        OK(driver->StreamWaitEvent(stream, event, 0));
    OK(driver->MemcpyDtoHAsync_v2(race_host, race_memory, RACE_BYTES, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->CtxDestroy_v2(context));
}

static void context_of_a_stream_with_a_successor_elsewhere(bool ordered)
{
    CUstream stream = fixture_stream(), successor;
    CUevent event = fixture_event();
    CUcontext other;

    race_write(stream);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->CtxCreate_v2(&other, 0, 0));
    successor = fixture_stream();
    OK(driver->StreamWaitEvent(successor, event, 0));
    OK(driver->CtxPopCurrent_v2(&other));
    if (ordered)
        OK(driver->CtxSynchronize());
    race_read(OTHER);
    OK(driver->CtxDestroy_v2(other));
}

static const struct race_edge edges[] = {
    RACE_EDGE(wait_for_an_event_that_is_done),
    RACE_EDGE(wait_before_the_use),
    RACE_EDGE(wait_for_the_context),
    RACE_EDGE(context_that_waits),
    RACE_EDGE(default_stream_behind_a_destroyed_one),
    RACE_EDGE(default_stream_behind_one_with_a_successor),
    RACE_EDGE(streams_of_two_contexts),
    RACE_EDGE(context_of_a_stream_with_a_successor_elsewhere),
    {NULL, NULL},
};

int main(void)
{
    return race_edges_check(edges);
}
