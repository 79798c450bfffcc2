/* SPDX-License-Identifier: Apache-2.0 */
/* The time between two events (statements 35 to 48, 84). */
#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/event.h"
#include "src/mock/api/stream.h"
#include "src/race/race.h"

enum { TICK_NS = 32 }; /* what readings are multiples of */

static bool can_be_timed(const struct mock_event *event)
{
    return !event->imported && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

MOCK_EXACT(EventElapsedTime)(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    struct mock_event *start, *end;
    CUresult code = cushim__mock_event_find(hStart, &start);
    int64_t ticks;

    if (code == CUDA_SUCCESS)
        code = cushim__mock_event_find(hEnd, &end);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_elapsed_event(start);
    if (code == CUDA_SUCCESS && !start->record)
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_elapsed_event(end);
    if (code)
        return code;
    if (!pMilliseconds || !can_be_timed(start) || !can_be_timed(end) || !end->record ||
        start->object.context != end->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!start->record->done || !end->record->done ||
        cushim__mock_sim_delays_answer(later(start->record->time_ns, end->record->time_ns)))
        return CUDA_ERROR_NOT_READY;
    cushim__mock_sim_reported();
    cushim__race_saw(cushim__race_clock_retain(start->record->clock), true);
    cushim__race_saw(cushim__race_clock_retain(end->record->clock), true);
    ticks = (int64_t)(end->record->time_ns / TICK_NS) - (int64_t)(start->record->time_ns / TICK_NS);
    *pMilliseconds = (float)((double)ticks * TICK_NS / 1e6);
    return CUDA_SUCCESS;
}

MOCK_EXACT(EventElapsedTime_v2)(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return cushim__mock_EventElapsedTime(pMilliseconds, hStart, hEnd);
}
