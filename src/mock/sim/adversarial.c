/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostility: what a driver may do to a program that counts on more than it was promised. Here: that
 * the end of work is told late. Nobody is told so once he could know better, which is when a call
 * has told of an end that came later, or when later work has left a trace that the host can look
 * at.
 */
#include "src/mock/api/context.h"
#include "src/mock/sim/internal.h"

/* So often in a row at most, that polling ends. */
enum { MOST_LIES = 3 };

static bool coin(struct cushim__engine *engine)
{
    return cushim__random_number(&engine->mood) % 2 == 0;
}

static bool lie(struct cushim__engine *engine)
{
    if (engine->lies >= MOST_LIES || !coin(engine))
        return false;
    engine->lies++;
    return true;
}

void cushim__engine_told(void)
{
    struct cushim__engine *engine = cushim__engine();

    engine->told_ns = engine->now_ns;
    engine->lies = 0;
}

void cushim__engine_shown(void)
{
    cushim__engine()->shown_ns = cushim__engine()->time_ns;
}

bool cushim__engine_hides(uint64_t end_ns)
{
    struct cushim__engine *engine = cushim__engine();

    return cushim__world->settings.hostile && end_ns > engine->told_ns &&
           end_ns > engine->shown_ns && lie(engine);
}

/* When the last work of a stream ended, or of those that block it. */
static uint64_t end_of(const struct cushim__stream *stream)
{
    uint64_t end_ns = stream->free_ns;

    if (stream->kind != CUSHIM__LEGACY)
        return end_ns;
    for (const struct cushim__stream *one = stream->object.context->streams; one; one = one->next) {
        if (cushim__stream_blocks(one) && one->free_ns > end_ns)
            end_ns = one->free_ns;
    }
    return end_ns;
}

/* Its last work may be what has left the trace. */
bool cushim__engine_hides_stream(const struct cushim__stream *stream)
{
    struct cushim__engine *engine = cushim__engine();
    const uint64_t end_ns = cushim__world->settings.hostile ? end_of(stream) : 0;

    return end_ns > engine->told_ns && end_ns >= engine->shown_ns && lie(engine);
}
