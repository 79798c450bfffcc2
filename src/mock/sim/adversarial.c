/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostility: what a driver may do to a program that counts on more than it was promised. Here: that
 * the end of work is told late. Nobody is told so once he could know better, which is when a call
 * has told of an end that came later, or when later work has left a trace that the host can look
 * at.
 */
#include "src/mock/sim/internal.h"

/* So often in a row at most, that polling ends. */
enum { MOST_DELAYED = 3 };

static bool coin(struct mock_sim *sim)
{
    return cushim__mock_random_number(&sim->delay_random) % 2 == 0;
}

static bool delay(struct mock_sim *sim)
{
    if (sim->delayed_answers >= MOST_DELAYED || !coin(sim))
        return false;
    sim->delayed_answers++;
    return true;
}

void cushim__mock_sim_reported(void)
{
    struct mock_sim *sim = cushim__mock_sim();

    sim->reported_ns = cushim__mock->now_ns;
    sim->delayed_answers = 0;
}

void cushim__mock_sim_shown(void)
{
    cushim__mock_sim()->shown_ns = cushim__mock->time_ns;
}

bool cushim__mock_sim_delays_answer(uint64_t end_ns)
{
    struct mock_sim *sim = cushim__mock_sim();

    return cushim__mock->settings.hostile && end_ns > sim->reported_ns && end_ns > sim->shown_ns &&
           delay(sim);
}

/* When the last work of a stream ended, or of those that block it. */
static uint64_t end_of(const struct mock_stream *stream)
{
    uint64_t end_ns = stream->free_ns;

    if (stream->kind != MOCK_LEGACY)
        return end_ns;
    for (const struct mock_stream *one = stream->group->streams; one; one = one->next) {
        if (cushim__mock_stream_blocks(one) && one->free_ns > end_ns)
            end_ns = one->free_ns;
    }
    return end_ns;
}

/* Its last work may be what has left the trace. */
bool cushim__mock_sim_delays_stream(const struct mock_stream *stream)
{
    struct mock_sim *sim = cushim__mock_sim();
    const uint64_t end_ns = cushim__mock->settings.hostile ? end_of(stream) : 0;

    return end_ns > sim->reported_ns && end_ns >= sim->shown_ns && delay(sim);
}
