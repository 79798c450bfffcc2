/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: which of the orders that a device could produce is produced.
 *
 *     fifo    everything starts as soon as it can
 *     eager   everything has ended when the call that queued it returns, if it can end at all
 *     lazy    as late as is legal: when somebody waits for it, or after a long time
 *     random  everything starts some time after it can
 */
#include "src/mock/engine/state.h"

enum { LAZY_NS = 1000000, RANDOM_NS = 20000 };

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* xorshift64*: small, and the same everywhere. */
static uint64_t random_number(void)
{
    uint64_t *state = &cushim__engine()->random;

    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* When the head of a stream, which could start now, starts. */
static uint64_t start_of(const struct cushim__stream *stream)
{
    const struct cushim__settings *settings = &cushim__world->settings;
    const struct cushim__operation *head = stream->head;
    uint64_t start_ns = later(cushim__engine()->time_ns, stream->free_ns);

    if (settings->schedule == CUSHIM__EAGER)
        return start_ns;
    start_ns = later(start_ns, cushim__time_after(head->submitted_ns, settings->costs.launch_ns));
    if (settings->schedule == CUSHIM__LAZY && head->number > stream->demanded)
        start_ns = later(start_ns, cushim__time_after(head->submitted_ns, LAZY_NS));
    if (settings->schedule == CUSHIM__RANDOM)
        start_ns = cushim__time_after(start_ns, random_number() % RANDOM_NS);
    return start_ns;
}

bool cushim__schedule_unlimited(void)
{
    enum cushim__schedule schedule = cushim__world->settings.schedule;

    return schedule == CUSHIM__EAGER || schedule == CUSHIM__LAZY;
}

uint64_t cushim__schedule_end(const struct cushim__stream *stream)
{
    return cushim__time_after(start_of(stream), stream->head->duration_ns);
}
