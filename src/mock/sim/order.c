/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The legacy default stream: its work waits for what was submitted before to the streams that block
 * it, and they wait for what was submitted before to it.
 */
#include "src/mock/sim/internal.h"

static bool has_earlier(const struct mock_stream *stream, uint64_t number)
{
    return stream->head && stream->head->number < number;
}

/*
 * Whether nothing is left that is before an operation of the legacy default stream. Numbers only
 * grow, so a stream that has nothing is not asked again for the same operation.
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
        cushim__mock_run_list(stream);
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
