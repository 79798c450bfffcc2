/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the mock driver against those of the driver that is loaded. The mock stands beside it,
 * as a table of its own: the same calls on like objects.
 */
#include <cushim/mock.h>
#include <cushim/mock_clock.h>

#include "cost.h"

static struct cushim_mock *mock;
static const struct cushim_table *table;
static CUcontext context;
static CUstream stream;
static CUevent start, end_event;

static void begin(void)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "mode = auto"};

    cost_note(cushim_mock_create(&options, &mock));
    table = cushim_mock_table(mock);
    cost_note(table->Init(0));
    cost_note(table->DevicePrimaryCtxRetain(&context, 0));
    cost_note(table->CtxSetCurrent(context));
    cost_note(table->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cost_note(table->EventCreate(&start, CU_EVENT_DEFAULT));
    cost_note(table->EventCreate(&end_event, CU_EVENT_DEFAULT));
    cost_note(table->EventRecord(start, stream));
    cost_note(table->EventRecord(end_event, stream));
    cost_note(table->StreamSynchronize(stream));
}

static void end(void)
{
    cost_note(table->EventDestroy_v2(start));
    cost_note(table->EventDestroy_v2(end_event));
    cost_note(table->StreamDestroy_v2(stream));
    cost_note(table->DevicePrimaryCtxRelease_v2(0));
    cost_note(cushim_mock_destroy(mock));
}

static CUresult make_on_mock(void)
{
    CUevent event = NULL;
    CUresult code = table->EventCreate(&event, 0);

    return code != CUDA_SUCCESS ? code : table->EventDestroy_v2(event);
}

static CUresult make(void)
{
    CUevent event = NULL;
    CUresult code = cost_raw.event_create(&event, 0);

    return code != CUDA_SUCCESS ? code : cost_raw.event_destroy(event);
}

COST_TIMED(mock_query, table->EventQuery(end_event))
COST_TIMED(raw_query, cost_raw.event_query(cost_end_handle))
COST_TIMED(mock_record, table->EventRecord(end_event, stream))
COST_TIMED(raw_record, cost_raw.event_record(cost_end_handle, cost_stream_handle))
COST_TIMED(mock_synchronize, table->EventSynchronize(start))
COST_TIMED(raw_synchronize, cost_raw.event_synchronize(cost_start_handle))
COST_TIMED(mock_elapsed, table->EventElapsedTime_v2(&cost_ms, start, end_event))
COST_TIMED(raw_elapsed, cost_raw.event_elapsed(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(mock_wait, table->StreamWaitEvent(stream, start, 0))
COST_TIMED(raw_wait, cost_raw.stream_wait_event(cost_stream_handle, cost_start_handle, 0))
COST_TIMED(mock_idle, table->StreamQuery(stream))
COST_TIMED(raw_idle, cost_raw.stream_query(cost_stream_handle))
COST_TIMED(mock_make, make_on_mock())
COST_TIMED(raw_make, make())

const struct cost_row cost_mock[] = {
    {.name = "mock-event-query",
     .ways = {{"mock", mock_query, begin, end}, {.name = "raw", .run = raw_query}}},
    {.name = "mock-event-record",
     .ways = {{"mock", mock_record, begin, end}, {.name = "raw", .run = raw_record}},
     .queues = true},
    {.name = "mock-event-synchronize",
     .ways = {{"mock", mock_synchronize, begin, end}, {.name = "raw", .run = raw_synchronize}}},
    {.name = "mock-event-elapsed",
     .ways = {{"mock", mock_elapsed, begin, end}, {.name = "raw", .run = raw_elapsed}}},
    {.name = "mock-stream-wait",
     .ways = {{"mock", mock_wait, begin, end}, {.name = "raw", .run = raw_wait}},
     .queues = true},
    {.name = "mock-stream-query",
     .ways = {{"mock", mock_idle, begin, end}, {.name = "raw", .run = raw_idle}}},
    {.name = "mock-event-pair",
     .ways = {{"mock", mock_make, begin, end}, {.name = "raw", .run = raw_make}}},
    {.name = NULL},
};
