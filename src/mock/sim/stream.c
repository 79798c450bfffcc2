/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how they come into a group, and when they are freed. */
#include <stdlib.h>

#include "src/mock/sim/internal.h"

void cushim__mock_group_begin(struct mock_stream_group *group, unsigned device)
{
    struct mock_sim *sim = cushim__mock_sim();

    group->device = device;
    group->previous = sim->last_group;
    *(sim->last_group ? &sim->last_group->next : &sim->groups) = group;
    sim->last_group = group;
}

/* The mock destroys the simulator before the contexts, so it may be gone here. */
void cushim__mock_group_end(struct mock_stream_group *group)
{
    struct mock_sim *sim = cushim__mock_sim();

    if (!sim)
        return;
    *(group->previous ? &group->previous->next : &sim->groups) = group->next;
    *(group->next ? &group->next->previous : &sim->last_group) = group->previous;
}

void cushim__mock_group_add(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;

    stream->race = (struct race_stream){
        .group = &group->race,
        .id = stream->id,
        .is_default = stream->kind == MOCK_LEGACY,
        .blocks = cushim__mock_stream_blocks(stream),
    };
    stream->previous = group->last_stream;
    *(group->last_stream ? &group->last_stream->next : &group->streams) = stream;
    group->last_stream = stream;
    stream->linked = true;
}

void cushim__mock_group_remove(struct mock_stream *stream)
{
    struct mock_stream_group *group = stream->group;

    if (!stream->linked)
        return;
    *(stream->previous ? &stream->previous->next : &group->streams) = stream->next;
    *(stream->next ? &stream->next->previous : &group->last_stream) = stream->previous;
    if (group->awaited == stream)
        group->awaited = stream->next;
    stream->next = stream->previous = NULL;
    stream->linked = false;
}

bool cushim__mock_stream_blocks(const struct mock_stream *stream)
{
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

void cushim__mock_stream_free(struct mock_stream *stream)
{
    if (stream->retain_count > 0 || stream->listed)
        return;
    cushim__mock_group_remove(stream);
    free(stream);
}

void cushim__mock_stream_retain(struct mock_stream *stream)
{
    stream->retain_count++;
}

void cushim__mock_stream_release(struct mock_stream *stream)
{
    stream->retain_count--;
    if (stream->destroyed && !stream->head)
        cushim__mock_stream_free(stream);
}

void cushim__mock_stream_end(struct mock_stream *stream)
{
    stream->destroyed = true;
    cushim__race_stream_gone(&stream->race);
    if (!stream->head)
        cushim__mock_stream_free(stream);
}
