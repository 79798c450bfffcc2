/* SPDX-License-Identifier: Apache-2.0 */
/* The modules: by cushim's functions, by the driver's own, and through the table. */
#include "cost.h"

static CUresult make_by_module(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(&event, cost_context, NULL);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static CUresult make_by_pool(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_pool_acquire(cost_pool, &event);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static CUresult make_by_pointer(void)
{
    CUevent event = NULL;
    CUresult code = cost_raw.event_create(&event, 0);

    return code != CUDA_SUCCESS ? code : cost_raw.event_destroy(event);
}

COST_TIMED(module_query, cushim_event_query(cost_end))
COST_TIMED(raw_query, cost_raw.event_query(cost_end_handle))
COST_TIMED(table_query, cushim_driver()->EventQuery(cost_end_handle))
COST_TIMED(module_record, cushim_event_record(cost_end, cost_stream))
COST_TIMED(raw_record, cost_raw.event_record(cost_end_handle, cost_stream_handle))
COST_TIMED(table_record, cushim_driver()->EventRecord(cost_end_handle, cost_stream_handle))
COST_TIMED(module_elapsed, cushim_event_elapsed(cost_start, cost_end, &cost_ms))
COST_TIMED(raw_elapsed, cost_raw.event_elapsed(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(table_elapsed,
           cushim_driver()->EventElapsedTime_v2(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(old_elapsed, cost_raw.event_elapsed_old(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(module_synchronize, cushim_event_synchronize(cost_end))
COST_TIMED(raw_synchronize, cost_raw.event_synchronize(cost_end_handle))
COST_TIMED(table_synchronize, cushim_driver()->EventSynchronize(cost_end_handle))
COST_TIMED(module_idle, cushim_stream_query(cost_stream))
COST_TIMED(raw_idle, cost_raw.stream_query(cost_stream_handle))
COST_TIMED(table_idle, cushim_driver()->StreamQuery(cost_stream_handle))
COST_TIMED(module_wait, cushim_stream_wait_event(cost_stream, cost_end, 0))
COST_TIMED(raw_wait, cost_raw.stream_wait_event(cost_stream_handle, cost_end_handle, 0))
COST_TIMED(table_wait, cushim_driver()->StreamWaitEvent(cost_stream_handle, cost_end_handle, 0))
COST_TIMED(module_make, make_by_module())
COST_TIMED(pool_make, make_by_pool())
COST_TIMED(raw_make, make_by_pointer())

const struct cost_row cost_modules[] = {
    {.name = "event-query",
     .ways = {{.name = "module", .run = module_query},
              {.name = "raw", .run = raw_query},
              {.name = "table", .run = table_query}}},
    {.name = "event-record",
     .ways = {{.name = "module", .run = module_record},
              {.name = "raw", .run = raw_record},
              {.name = "table", .run = table_record}},
     .queues = true},
    {.name = "event-synchronize",
     .ways = {{.name = "module", .run = module_synchronize},
              {.name = "raw", .run = raw_synchronize},
              {.name = "table", .run = table_synchronize}}},
    {.name = "event-elapsed",
     .ways = {{.name = "module", .run = module_elapsed},
              {.name = "raw", .run = raw_elapsed},
              {.name = "table", .run = table_elapsed},
              {.name = "old", .run = old_elapsed}}},
    {.name = "stream-wait",
     .ways = {{.name = "module", .run = module_wait},
              {.name = "raw", .run = raw_wait},
              {.name = "table", .run = table_wait}},
     .queues = true},
    {.name = "stream-query",
     .ways = {{.name = "module", .run = module_idle},
              {.name = "raw", .run = raw_idle},
              {.name = "table", .run = table_idle}}},
    {.name = "event-pair",
     .ways = {{.name = "pool", .run = pool_make},
              {.name = "raw", .run = raw_make},
              {.name = "module", .run = module_make}}},
    {.name = NULL},
};
