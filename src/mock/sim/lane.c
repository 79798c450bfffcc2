/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: a device copies in each direction one thing at a time, and runs a number of kernels at
 * once.
 */
#include "src/mock/core/device.h"
#include "src/mock/sim/internal.h"

static struct mock_lanes *lanes_of(const struct mock_stream *stream)
{
    unsigned device = (unsigned)stream->group->device;

    return &cushim__mock_sim()->lanes[device][stream->head->unit];
}

static bool limited(const struct mock_stream *stream)
{
    return stream->head->unit != MOCK_NO_UNIT && stream->head->unit != MOCK_HOST &&
           !cushim__mock_schedule_unlimited();
}

void cushim__mock_lanes_create(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    for (unsigned device = 0; device < MOCK_DEVICES_MAX; device++) {
        sim->lanes[device][MOCK_HOST_TO_DEVICE].free = 1;
        sim->lanes[device][MOCK_DEVICE_TO_HOST].free = 1;
        sim->lanes[device][MOCK_DEVICE_TO_DEVICE].free = 1;
        sim->lanes[device][MOCK_COMPUTE].free = cushim__mock->settings.kernels;
    }
}

/* The line for a priority: lower numbers are higher, and the highest that there is has line 0. */
static unsigned line_of(const struct mock_stream *stream)
{
    const int highest = cushim__mock->settings.profile.greatest_priority;
    const unsigned below = (unsigned)(stream->priority - highest);

    return below < MOCK_LINES ? below : MOCK_LINES - 1;
}

bool cushim__mock_lane_take(struct mock_stream *stream)
{
    struct mock_lanes *lanes;

    if (!limited(stream))
        return true;
    lanes = lanes_of(stream);
    if (lanes->free == 0) {
        stream->state = MOCK_QUEUED;
        stream->line = (uint8_t)line_of(stream);
        cushim__mock_queue_add(&lanes->waiting[stream->line], stream);
        return false;
    }
    lanes->free--;
    stream->lane = true;
    return true;
}

/* Who waits longest among those of the highest priority. NULL: nobody waits. */
static struct mock_stream *take_next(struct mock_lanes *lanes)
{
    struct mock_stream *next = NULL;

    for (unsigned line = 0; !next && line < MOCK_LINES; line++)
        next = cushim__mock_queue_take(&lanes->waiting[line]);
    return next;
}

void cushim__mock_lane_leave(struct mock_stream *stream)
{
    struct mock_lanes *lanes = lanes_of(stream);
    struct mock_stream *next;

    if (stream->state == MOCK_QUEUED)
        cushim__mock_queue_remove(&lanes->waiting[stream->line], stream);
    if (!stream->lane)
        return;
    stream->lane = false;
    lanes->free++;
    next = take_next(lanes);
    if (next) {
        next->state = MOCK_IDLE;
        cushim__mock_run_list(next);
    }
}
