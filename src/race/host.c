/* SPDX-License-Identifier: Apache-2.0 */
/* What the host has seen to be finished: whatever is submitted later comes after it. */
#include "src/mock/sim/sim.h"
#include "src/race/timeline.h"

/* The host's clock has changed: up to where has it seen the operations of all strands? */
static bool update_floor(struct race_search *races)
{
    uint64_t floor = cushim__mock_sim_submitted();

    for (uint32_t i = 1; i < races->strand_count; i++) {
        struct race_timeline *strand = cushim__race_timeline_at(i);
        const uint64_t seen = cushim__race_clock_of(races->host, i);

        if (seen > strand->seen)
            strand->seen = seen;
        if (!cushim__race_timeline_is_seen(strand) && floor > strand->seen)
            floor = strand->seen;
    }
    return cushim__race_clock_raise(&races->host, floor, races->host ? races->host->open : 0);
}

/* `clock` is borrowed. */
static void see(struct race_clock *clock)
{
    struct race_search *races = cushim__race_search();

    if (cushim__race_clock_covers(races->host, clock))
        return;
    races->host_version++;
    if (!cushim__race_clock_join(&races->host, clock) || !cushim__race_value_close(&races->host) ||
        !update_floor(races))
        cushim__race_go_blind();
}

void cushim__race_saw(struct race_clock *clock, bool finished)
{
    if (cushim__race_search() && finished)
        see(clock);
    cushim__race_clock_release(clock);
}

void cushim__race_saw_operation(const struct mock_operation *operation)
{
    struct race_clock *clock;

    if (!cushim__race_search() || operation->strand == 0)
        return;
    clock = cushim__race_clock_retain(operation->before);
    if (cushim__race_clock_advance(&clock, operation->strand, operation->number))
        see(clock);
    else
        cushim__race_go_blind();
    cushim__race_clock_release(clock);
}

struct race_clock *cushim__race_everything(void)
{
    struct race_clock *clock = NULL;

    if (!cushim__race_clock_raise(&clock, cushim__mock_sim_submitted(), 0))
        cushim__race_go_blind();
    return clock;
}

void cushim__race_saw_all(void)
{
    if (cushim__race_search())
        cushim__race_saw(cushim__race_everything(), true);
}
