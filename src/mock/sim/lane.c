/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: a device copies in each direction one thing at a time, and runs a number of kernels at
 * once.
 */
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"
#include "src/mock/sim/internal.h"

static struct cushim__lanes *lanes_of(const struct cushim__stream *stream)
{
    unsigned device = (unsigned)stream->object.context->device->ordinal;

    return &cushim__engine()->lanes[device][stream->head->unit];
}

static bool limited(const struct cushim__stream *stream)
{
    return stream->head->unit != CUSHIM__NO_UNIT && stream->head->unit != CUSHIM__HOST &&
           !cushim__schedule_unlimited();
}

void cushim__lanes_create(void)
{
    struct cushim__engine *engine = cushim__engine();

    for (unsigned device = 0; device < CUSHIM__DEVICES_MAX; device++) {
        engine->lanes[device][CUSHIM__HOST_TO_DEVICE].free = 1;
        engine->lanes[device][CUSHIM__DEVICE_TO_HOST].free = 1;
        engine->lanes[device][CUSHIM__DEVICE_TO_DEVICE].free = 1;
        engine->lanes[device][CUSHIM__COMPUTE].free = cushim__world->settings.kernels;
    }
}

/* The line for a priority: lower numbers are higher, and the highest that there is has line 0. */
static unsigned line_of(const struct cushim__stream *stream)
{
    const int highest = cushim__world->settings.profile.greatest_priority;
    const unsigned below = (unsigned)(stream->priority - highest);

    return below < CUSHIM__LINES ? below : CUSHIM__LINES - 1;
}

bool cushim__lane_take(struct cushim__stream *stream)
{
    struct cushim__lanes *lanes;

    if (!limited(stream))
        return true;
    lanes = lanes_of(stream);
    if (lanes->free == 0) {
        stream->state = CUSHIM__QUEUED;
        stream->line = (uint8_t)line_of(stream);
        cushim__queue_add(&lanes->waiting[stream->line], stream);
        return false;
    }
    lanes->free--;
    stream->lane = true;
    return true;
}

/* Who waits longest among those of the highest priority. NULL: nobody waits. */
static struct cushim__stream *take_next(struct cushim__lanes *lanes)
{
    struct cushim__stream *next = NULL;

    for (unsigned line = 0; !next && line < CUSHIM__LINES; line++)
        next = cushim__queue_take(&lanes->waiting[line]);
    return next;
}

void cushim__lane_leave(struct cushim__stream *stream)
{
    struct cushim__lanes *lanes = lanes_of(stream);
    struct cushim__stream *next;

    if (stream->state == CUSHIM__QUEUED)
        cushim__queue_remove(&lanes->waiting[stream->line], stream);
    if (!stream->lane)
        return;
    stream->lane = false;
    lanes->free++;
    next = take_next(lanes);
    if (next) {
        next->state = CUSHIM__IDLE;
        cushim__run_list(next);
    }
}
