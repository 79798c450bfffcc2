/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: which of the orders that a device could produce is produced.
 *
 *     fifo    everything starts as soon as it can
 *     eager   everything has ended when the call that queued it returns, if it can end at all
 *     lazy    as late as is legal: when somebody waits for it, or after a long time
 *     random  everything starts some time after it can
 *
 * With the setting `hostile` everything starts some time after it can in fifo, too, and takes
 * longer than it has to in any of them.
 */
#include "src/mock/sim/internal.h"

enum { LAZY_NS = 1000000, RANDOM_NS = 20000 };

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* xorshift64*: small, and the same everywhere. */
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
    return settings->schedule == MOCK_RANDOM ||
           (settings->hostile && settings->schedule == MOCK_FIFO);
}

/* Up to three times as long as it has to take. */
static uint64_t duration_of(const struct mock_operation *operation)
{
    const uint64_t part_ns = operation->duration_ns / 8;

    if (!cushim__mock->settings.hostile || part_ns > UINT64_MAX / 32)
        return operation->duration_ns;
    return operation->duration_ns + part_ns * (random_number() % 17);
}

/* When the head of a stream, which could start now, starts. */
static uint64_t start_of(const struct mock_stream *stream)
{
    const struct mock_settings *settings = &cushim__mock->settings;
    const struct mock_operation *head = stream->head;
    uint64_t start_ns = later(cushim__mock->time_ns, stream->free_ns);

    if (settings->schedule == MOCK_EAGER)
        return start_ns;
    start_ns =
        later(start_ns, cushim__mock_time_after(head->submitted_ns, settings->costs.launch_ns));
    if (settings->schedule == MOCK_LAZY && head->number > stream->demanded)
        start_ns = later(start_ns, cushim__mock_time_after(head->submitted_ns, LAZY_NS));
    if (starts_late(settings))
        start_ns = cushim__mock_time_after(start_ns, random_number() % RANDOM_NS);
    return start_ns;
}

bool cushim__mock_schedule_unlimited(void)
{
    enum mock_schedule schedule = cushim__mock->settings.schedule;

    return schedule == MOCK_EAGER || schedule == MOCK_LAZY;
}

uint64_t cushim__mock_schedule_end(const struct mock_stream *stream)
{
    return cushim__mock_time_after(start_of(stream), duration_of(stream->head));
}
