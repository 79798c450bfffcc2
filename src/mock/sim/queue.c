/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that wait in line. A stream stands in one line at most. */
#include "src/mock/sim/internal.h"

void cushim__mock_queue_add(struct mock_queue *queue, struct mock_stream *stream)
{
    stream->next_waiting = NULL;
    if (queue->last)
        queue->last->next_waiting = stream;
    else
        queue->first = stream;
    queue->last = stream;
}

struct mock_stream *cushim__mock_queue_take(struct mock_queue *queue)
{
    struct mock_stream *stream = queue->first;

    if (stream)
        cushim__mock_queue_remove(queue, stream);
    return stream;
}

void cushim__mock_queue_remove(struct mock_queue *queue, struct mock_stream *stream)
{
    struct mock_stream **link = &queue->first, *previous = NULL;

    while (*link && *link != stream) {
        previous = *link;
        link = &previous->next_waiting;
    }
    if (!*link)
        return;
    *link = stream->next_waiting;
    if (queue->last == stream)
        queue->last = previous;
    stream->next_waiting = NULL;
}
