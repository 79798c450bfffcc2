/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when the head of a stream may start, and when it ends. */
#include "src/mock/sim/internal.h"

static bool has_earlier(const struct mock_stream *stream, uint64_t number)
{
    return stream->head && stream->head->number < number;
}

/*
 * Return whether all work is done that an operation of the legacy default stream waits for. Numbers
 * only grow, so a stream that is done is not checked again for the same operation.
 */
static bool none_earlier(struct mock_stream_group *group, uint64_t number)
{
    if (group->awaited_number != number) {
        group->awaited_number = number;
        group->awaited = group->streams;
    }
    for (struct mock_stream *one = group->awaited; one; one = one->next) {
        group->awaited = one;
        if (one != group->legacy && cushim__mock_stream_blocks(one) && has_earlier(one, number))
            return false;
    }
    group->awaited = NULL;
    return true;
}

bool cushim__mock_order_allows(const struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;
    uint64_t number = stream->head->number;

    if (!group->legacy || !cushim__mock_stream_blocks(stream))
        return true;
    if (stream->kind != MOCK_LEGACY)
        return !has_earlier(group->legacy, number);
    return none_earlier(group, number);
}

static void wake(struct mock_stream *stream)
{
    if (stream->state == MOCK_BLOCKED && stream->ordered) {
        stream->ordered = false;
        stream->state = MOCK_IDLE;
        cushim__mock_run_make_runnable(stream);
    }
}

void cushim__mock_order_ended(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;

    if (!group->legacy || !cushim__mock_stream_blocks(stream))
        return;
    if (stream->kind != MOCK_LEGACY) {
        if (group->awaited == stream)
            wake(group->legacy);
        return;
    }
    for (struct mock_stream *one = group->streams; one; one = one->next) {
        if (one->head && !has_earlier(stream, one->head->number))
            wake(one);
    }
}

/*
 * Lanes: a device executes one copy at a time in each direction, and a number of kernels at once.
 */

static struct mock_lanes *lanes_of(const struct mock_stream *stream)
{
    unsigned device = (unsigned)stream->group->device;

    return &cushim__mock_sim()->lanes[device][stream->head->unit];
}

static bool is_unlimited(void)
{
    enum mock_schedule schedule = cushim__mock->settings.schedule;

    return schedule == MOCK_SCHEDULE_EAGER || schedule == MOCK_SCHEDULE_LAZY;
}

static bool limited(const struct mock_stream *stream)
{
    return stream->head->unit != MOCK_NO_UNIT && stream->head->unit != MOCK_HOST && !is_unlimited();
}

void cushim__mock_lanes_create(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    for (unsigned device = 0; device < MOCK_DEVICES_MAX; device++) {
        sim->lanes[device][MOCK_HOST_TO_DEVICE].free = 1;
        sim->lanes[device][MOCK_DEVICE_TO_HOST].free = 1;
        sim->lanes[device][MOCK_DEVICE_TO_DEVICE].free = 1;
        sim->lanes[device][MOCK_COMPUTE].free = cushim__mock->settings.concurrent_kernels;
    }
}

/* The queue of a priority. Lower numbers are higher priorities; the highest one has queue 0. */
static unsigned priority_queue_of(const struct mock_stream *stream)
{
    const int highest = cushim__mock->settings.profile.greatest_priority;
    const unsigned below = (unsigned)(stream->priority - highest);

    return below < MOCK_PRIORITY_QUEUES ? below : MOCK_PRIORITY_QUEUES - 1;
}

bool cushim__mock_lane_take(struct mock_stream *stream)
{
    struct mock_lanes *lanes;

    if (!limited(stream))
        return true;
    lanes = lanes_of(stream);
    if (lanes->free == 0) {
        stream->state = MOCK_QUEUED;
        stream->priority_queue = (uint8_t)priority_queue_of(stream);
        cushim__mock_queue_add(&lanes->waiting[stream->priority_queue], stream);
        return false;
    }
    lanes->free--;
    stream->has_lane = true;
    return true;
}

/* Return the stream of the highest priority that has waited longest; NULL if none waits. */
static struct mock_stream *take_next(struct mock_lanes *lanes)
{
    struct mock_stream *next = NULL;

    for (unsigned i = 0; !next && i < MOCK_PRIORITY_QUEUES; i++)
        next = cushim__mock_queue_take(&lanes->waiting[i]);
    return next;
}

void cushim__mock_lane_leave(struct mock_stream *stream)
{
    struct mock_lanes *lanes = lanes_of(stream);
    struct mock_stream *next;

    if (stream->state == MOCK_QUEUED)
        cushim__mock_queue_remove(&lanes->waiting[stream->priority_queue], stream);
    if (!stream->has_lane)
        return;
    stream->has_lane = false;
    lanes->free++;
    next = take_next(lanes);
    if (next) {
        next->state = MOCK_IDLE;
        cushim__mock_run_make_runnable(next);
    }
}

/*
 * Schedules: each produces one of the orders that a device could produce.
 *
 *     fifo    everything starts as soon as it can
 *     eager   everything has ended when the call that queued it returns, if it can end at all
 *     lazy    as late as is legal: when a call waits for it, or after a long time
 *     random  everything starts some time after it can
 *
 * With the setting `adversarial`, everything starts some time after it can in fifo, too, and takes
 * longer than it has to in every schedule.
 */

enum { LAZY_NS = 1000000, RANDOM_NS = 20000 };

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* This is xorshift64*, which gives the same numbers on every system. */
uint64_t cushim__mock_random_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static uint64_t random_number(void)
{
    return cushim__mock_random_number(&cushim__mock_sim()->random);
}

static bool starts_late(const struct mock_settings *settings)
{
    return settings->schedule == MOCK_SCHEDULE_RANDOM ||
           (settings->adversarial && settings->schedule == MOCK_SCHEDULE_FIFO);
}

/* Adversarial mode lets an operation take up to three times as long. */
uint64_t cushim__mock_schedule_part(uint64_t duration_ns)
{
    const uint64_t part_ns = duration_ns / 8;

    if (!cushim__mock->settings.adversarial || part_ns > UINT64_MAX / 32)
        return duration_ns;
    return duration_ns + part_ns * (random_number() % 17);
}

uint64_t cushim__mock_sim_share(uint64_t most)
{
    const struct mock_settings *settings = &cushim__mock->settings;

    if (settings->schedule != MOCK_SCHEDULE_RANDOM && !settings->adversarial)
        return most;
    return most / 16 + random_number() % (most - most / 16);
}

/* Return the time at which a head that can start now will start. */
static uint64_t start_of(const struct mock_stream *stream)
{
    const struct mock_settings *settings = &cushim__mock->settings;
    const struct mock_operation *head = stream->head;
    uint64_t start_ns = later(cushim__mock->executing_at_ns, stream->free_ns);

    if (settings->schedule == MOCK_SCHEDULE_EAGER)
        return start_ns;
    start_ns =
        later(start_ns, cushim__mock_time_after(head->submitted_ns, settings->costs.launch_ns));
    if (settings->schedule == MOCK_SCHEDULE_LAZY && head->number > stream->forced)
        start_ns = later(start_ns, cushim__mock_time_after(head->submitted_ns, LAZY_NS));
    if (starts_late(settings))
        start_ns = cushim__mock_time_after(start_ns, random_number() % RANDOM_NS);
    return start_ns;
}

uint64_t cushim__mock_schedule_end(const struct mock_stream *stream)
{
    return cushim__mock_time_after(start_of(stream),
                                   cushim__mock_schedule_part(stream->head->duration_ns));
}
