/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The legacy default stream: its work waits for what was submitted before to the streams that block
 * it, and they wait for what was submitted before to it.
 */
#include "src/mock/calls/context/context.h"
#include "src/mock/engine/state.h"

static bool has_earlier(const struct cushim__stream *stream, uint64_t number)
{
    return stream->head && stream->head->number < number;
}

bool cushim__order_allows(const struct cushim__stream *stream)
{
    const struct cushim__context *context = stream->object.context;
    uint64_t number = stream->head->number;

    if (!context->legacy || !cushim__stream_blocks(stream))
        return true;
    if (stream->kind != CUSHIM__LEGACY)
        return !has_earlier(context->legacy, number);
    for (const struct cushim__stream *one = context->streams; one; one = one->next) {
        if (one != stream && cushim__stream_blocks(one) && has_earlier(one, number))
            return false;
    }
    return true;
}

static void wake(struct cushim__stream *stream)
{
    if (stream->state == CUSHIM__BLOCKED && stream->ordered) {
        stream->ordered = false;
        stream->state = CUSHIM__IDLE;
        cushim__run_list(stream);
    }
}

void cushim__order_ended(struct cushim__stream *stream)
{
    struct cushim__context *context = stream->object.context;

    if (!context->legacy || !cushim__stream_blocks(stream))
        return;
    if (stream->kind != CUSHIM__LEGACY) {
        wake(context->legacy);
        return;
    }
    for (struct cushim__stream *one = context->streams; one; one = one->next)
        wake(one);
}
