/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and events whose context was destroyed with the driver itself. The driver may crash over
 * them (statement 17), so each is asked for in one more process: what it answers there is what the
 * modules answer, and to let go of one is no failure.
 */
#include <stdio.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "tests/support/process.h"

static void begin_orphans(struct cushim_stream **stream, struct cushim_event **event)
{
    struct cushim_context *context = begin_other_context();

    *stream = begin_stream(context);
    *event = begin_event(context);
    OK(cushim_event_record(*event, *stream));
    OK(cushim_stream_synchronize(*stream));
    OK(cushim_driver()->CtxDestroy_v2(raw_context(context)));
}

static void query_event(void)
{
    struct cushim_stream *stream;
    struct cushim_event *event;

    begin_orphans(&stream, &event);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_event_query(event));
}

static void query_stream(void)
{
    struct cushim_stream *stream;
    struct cushim_event *event;

    begin_orphans(&stream, &event);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_stream_query(stream));
}

/* The driver answers 709: gone, which is what was asked for. */
static void release_event(void)
{
    struct cushim_stream *stream;
    struct cushim_event *event;

    begin_orphans(&stream, &event);
    OK(cushim_event_release(event));
}

static void release_stream(void)
{
    struct cushim_stream *stream;
    struct cushim_event *event;

    begin_orphans(&stream, &event);
    OK(cushim_stream_release(stream));
}

const struct gpu_case orphan_deeds[] = {
    {"orphan_query_event", query_event},
    {"orphan_query_stream", query_stream},
    {"orphan_release_event", release_event},
    {"orphan_release_stream", release_stream},
    {NULL, NULL},
};

static void children_of_a_destroyed_context(void)
{
    unsigned answered = 0, crashed = 0;

    for (const struct gpu_case *deed = orphan_deeds; deed->name; deed++) {
        char output[2048];
        const struct process_end end = process_run(deed->name, output, sizeof output);

        if (end.exited ? end.status != CASE_PASSED : !end.crashed)
            fail("%s: %s %s", deed->name, end.exited ? "" : end.death, output);
        answered += end.exited;
        crashed += end.crashed;
    }
    detail("of %u deeds %u answered as promised; the driver crashed in %u", answered + crashed,
           answered, crashed);
}

const struct gpu_case orphan_cases[] = {
    {"context_17_children_of_a_destroyed_one", children_of_a_destroyed_context},
    {NULL, NULL},
};
