/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The legacy default stream: its work waits for what was submitted before to the streams that block
 * it, and they wait for what was submitted before to it.
 */
#include "src/mock/api/context.h"
#include "src/mock/sim/internal.h"

static bool has_earlier(const struct cushim__stream *stream, uint64_t number)
{
    return stream->head && stream->head->number < number;
}

/*
 * Whether nothing is left that is before an operation of the legacy default stream. Numbers only
 * grow, so a stream that has nothing is not asked again for the same operation.
 */
static bool none_earlier(struct cushim__context *context, uint64_t number)
{
    if (context->awaited_number != number) {
        context->awaited_number = number;
        context->awaited = context->streams;
    }
    for (struct cushim__stream *one = context->awaited; one; one = one->next) {
        context->awaited = one;
        if (one != context->legacy && cushim__stream_blocks(one) && has_earlier(one, number))
            return false;
    }
    context->awaited = NULL;
    return true;
}

bool cushim__order_allows(const struct cushim__stream *stream)
{
    struct cushim__context *context = stream->object.context;
    uint64_t number = stream->head->number;

    if (!context->legacy || !cushim__stream_blocks(stream))
        return true;
    if (stream->kind != CUSHIM__LEGACY)
        return !has_earlier(context->legacy, number);
    return none_earlier(context, number);
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
        if (context->awaited == stream)
            wake(context->legacy);
        return;
    }
    for (struct cushim__stream *one = context->streams; one; one = one->next) {
        if (one->head && !has_earlier(stream, one->head->number))
            wake(one);
    }
}
