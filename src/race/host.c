/* SPDX-License-Identifier: Apache-2.0 */
/* What the host has seen to be finished: whatever is submitted later comes after it. */
#include "src/mock/sim/sim.h"
#include "src/race/timeline.h"

/* The host's clock has changed: up to where has it seen the operations of all strands? */
static bool update_floor(struct cushim__races *races)
{
    uint64_t floor = cushim__engine_submitted();

    for (uint32_t i = 1; i < races->strand_count; i++) {
        struct cushim__strand *strand = cushim__strand_at(i);
        const uint64_t seen = cushim__clock_of(races->host, i);

        if (seen > strand->seen)
            strand->seen = seen;
        if (!cushim__strand_is_seen(strand) && floor > strand->seen)
            floor = strand->seen;
    }
    return cushim__clock_raise(&races->host, floor, races->host ? races->host->open : 0);
}

/* `clock` is borrowed. */
static void see(struct cushim__clock *clock)
{
    struct cushim__races *races = cushim__races();

    if (cushim__clock_covers(races->host, clock))
        return;
    races->host_version++;
    if (!cushim__clock_join(&races->host, clock) || !cushim__value_close(&races->host) ||
        !update_floor(races))
        cushim__races_go_blind();
}

void cushim__races_saw(struct cushim__clock *clock, bool finished)
{
    if (cushim__races() && finished)
        see(clock);
    cushim__clock_release(clock);
}

void cushim__races_saw_operation(const struct cushim__operation *operation)
{
    struct cushim__clock *clock;

    if (!cushim__races() || operation->strand == 0)
        return;
    clock = cushim__clock_retain(operation->before);
    if (cushim__clock_advance(&clock, operation->strand, operation->number))
        see(clock);
    else
        cushim__races_go_blind();
    cushim__clock_release(clock);
}

struct cushim__clock *cushim__races_everything(void)
{
    struct cushim__clock *clock = NULL;

    if (!cushim__clock_raise(&clock, cushim__engine_submitted(), 0))
        cushim__races_go_blind();
    return clock;
}

void cushim__races_saw_all(void)
{
    if (cushim__races())
        cushim__races_saw(cushim__races_everything(), true);
}
