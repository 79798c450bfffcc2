/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons why there is no elapsed time: the explanations of cushim_event_explanation(), also for
 * events of another process and for failed work.
 */
#include <stdio.h>
#include <string.h>

#include "../support/event_info.h"
#include "cases.h"
#include "graph.h"
#include "src/objects/objects.h"

CUSHIM_CASE(event_elapsed_uses_the_newest_function)
{
    const char *function;

    load_device();
    function = cushim__event_elapsed_function();
    CHECK(strcmp(function, backend_symbol("cuEventElapsedTime_v2") ? "cuEventElapsedTime_v2"
                                                                   : "cuEventElapsedTime") == 0);
    detail("%s", function);
}

/* Ask for the elapsed time; the explanation must name the event at fault and the reason. */
static void check_explained(struct cushim_event *start, struct cushim_event *end, const char *which,
                            const char *why)
{
    float ms = -7;
    const CUresult code = cushim_event_get_elapsed(start, end, &ms);
    const char *text = cushim_event_explanation(start, end, code);

    CHECK(code != CUDA_SUCCESS && ms == -7);
    if (!CHECK(strncmp(text, which, strlen(which)) == 0 && strstr(text, why)))
        detail("code %d is explained: %s (not: %s ... %s)", (int)code, text, which, why);
}

/* The reason must be found for the start event, the end event, and both. */
static void check_each(struct cushim_event *bad, struct cushim_event *good, const char *why)
{
    check_explained(bad, good, "The start event", why);
    check_explained(good, bad, "The end event", why);
    check_explained(bad, bad, "Both events", why);
}

static struct cushim_event *wrap(struct cushim_event *event)
{
    struct cushim_event *wrapped = NULL;

    MUST(cushim_event_wrap(event_handle(event), NULL, NULL, &wrapped));
    return wrapped;
}

static struct cushim_event *create_untimed(struct cushim_context *context, bool interprocess)
{
    const struct cushim_event_options options = {
        .size = sizeof options, .disable_timing = true, .interprocess = interprocess};
    struct cushim_event *event = NULL;

    MUST(cushim_event_create(context, &options, &event));
    return event;
}

CUSHIM_CASE(event_explain_names_faults_of_the_objects)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *good = create_done(context), *closed = create_done(context);
    struct cushim_event *untimed = create_untimed(context, false);

    MUST(cushim_event_close(closed));
    MUST(cushim_event_record(untimed, stream));
    MUST(cushim_stream_synchronize(stream));
    check_each(NULL, good, "NULL");
    check_each(closed, good, "closed");
    check_each(untimed, good, "timing disabled");
    check_each(create_event(context), good, "recorded");
}

CUSHIM_CASE(event_explain_asks_the_driver)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *busy = create_stream(context);
    struct cushim_event *good = create_done(context), *pending = create_event(context);
    struct cushim_event *other = create_done(create_context());
    struct gate gate = GATE;

    gate_shut(&gate, stream_handle(busy));
    MUST(cushim_event_record(pending, busy));
    check_each(pending, good, "pending");
    check_each(wrap(create_event(context)), good, "wrapped");
    check_explained(good, other, "Both events", "different contexts");
    check_explained(wrap(good), wrap(other), "Both events", "different contexts");
    check_each(wrap(pending), good, "pending");
    gate_open(&gate);
    OK(cushim_stream_synchronize(busy));
}

CUSHIM_CASE(event_explain_does_not_invalidate_a_capture)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *good = create_done(context), *captured = create_event(context);
    float ms = -7;

    capture_begin(stream_handle(stream), GLOBAL);
    OK(cushim_event_record(captured, stream));
    check_each(captured, good, "capture that is still active");
    check_explained(wrap(captured), good, "The start event", "capture that is still active");
    capture_end(stream_handle(stream)); /* the query has not invalidated it */
    check_each(captured, good, "capture that has ended");
    OK(cushim_event_record(captured, stream));
    OK(cushim_event_synchronize(captured));
    OK(cushim_event_get_elapsed(good, captured, &ms));
    CHECK(ms > 0);
}

CUSHIM_CASE(event_explain_takes_any_code)
{
    struct cushim_context *context = retain_primary();
    struct cushim_event *one = create_done(context), *other = create_done(context);

    CHECK(strstr(cushim_event_explanation(one, other, CUDA_SUCCESS), "Nothing is wrong"));
    CHECK(strcmp(cushim_event_explanation(one, other, CUDA_ERROR_NOT_FOUND),
                 cushim_error_advice(CUDA_ERROR_NOT_FOUND)) == 0);
}

/* The last text that the log received. */
static char logged[200];

static void remember(void *data, const char *message)
{
    (void)data;
    snprintf(logged, sizeof logged, "%s", message);
}

/*
 * A kernel fails: neither event is at fault, and objects that are released afterwards report that.
 */
static void check_fault(const char *kernel)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *start = create_done(context), *end = create_event(context), *made = NULL;
    struct gate gate = GATE;
    CUfunction function;
    float ms = -7;
    CUresult code;

    cushim_log_set(remember, NULL);
    make_current(context_handle(context));
    function = begin_kernel(kernel);
    gate_shut(&gate, stream_handle(stream));
    queue_kernel(function, stream_handle(stream));
    make_current(NULL);
    OK(cushim_event_record(end, stream));
    gate_open(&gate);
    code = cushim_event_synchronize(end);
    EQUAL(CUSHIM_STICKY_CONTEXT, cushim_error_sticky(code));
    CODE(code, cushim_event_synchronize_for(end, 1000000));
    CODE(code, cushim_event_get_elapsed(start, end, &ms));
    CHECK(ms == -7);
    CHECK(strncmp(cushim_event_explanation(start, end, code), "Neither event is to blame", 25) ==
          0);
    CODE(code, cushim_context_synchronize(context));
    CODE(code, cushim_event_create(context, NULL, &made));
    CHECK(made == NULL);
    CHECK(current_context() == NULL);
    CODE(code, cushim_event_release(start));
    CHECK(strstr(logged, "cuEventDestroy") != NULL);
    CODE(code, cushim_event_release(end));
    CODE(code, cushim_stream_release(stream));
    OK(cushim_context_release(context));
    detail("%d %s", (int)code, cushim_error_name(code));
}

CUSHIM_CASE(event_explain_blames_failed_work)
{
    check_fault("cushim_fault");
}

CUSHIM_CASE(event_explain_blames_a_trap)
{
    check_fault("cushim_trap");
}

/* The other process of both cases below, and its steps. */
static struct cushim_event *import(struct cushim_context *context)
{
    struct cushim_event *event = NULL;
    CUipcEventHandle handle;
    unsigned flags = 99;

    peer_receive(&peer_parent, &handle, sizeof handle);
    MUST(cushim_event_import(context, &handle, &event));
    CHECK(event_is_imported(event));
    OK(event_flags(event, &flags));
    EQUAL(CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS, flags);
    return event;
}

PEER(cushim_use_imported_event)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context), *waiter = create_stream(context);
    struct cushim_event *shared = import(context);
    struct gate gate = GATE;

    peer_answer((int)cushim_event_query(shared));
    OK(cushim_stream_wait_event(waiter, shared));
    peer_answer((int)cushim_stream_query(waiter));
    peer_answer((int)cushim_event_synchronize(shared));
    peer_answer((int)cushim_stream_synchronize(waiter)); /* it records only after this answer */

    gate_shut(&gate, stream_handle(stream));
    peer_answer((int)cushim_event_record(shared, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(shared));
    peer_answer(CUDA_SUCCESS); /* asked when the parent has seen it pending */
    gate_open(&gate);
    OK(cushim_event_synchronize(shared));
    peer_answer((int)cushim_event_release(shared));
}

PEER(cushim_explain_imported_event)
{
    struct cushim_context *context = retain_primary();
    struct cushim_event *own = create_done(context), *shared = import(context);
    struct cushim_stream *stream = create_stream(context);
    CUipcEventHandle handle;

    OK(cushim_event_record(shared, stream));
    OK(cushim_event_synchronize(shared));
    check_each(shared, own, "imported");
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_export(shared, &handle));
    OK(cushim_event_release(shared));
}

/* Start a peer and let it import the event. */
static struct peer start_importer(const char *name, struct cushim_event *shared)
{
    CUipcEventHandle handle;
    struct peer peer;

    OK(cushim_event_export(shared, &handle)); /* no context is current */
    peer_start(&peer, name);
    peer_send(&peer, &handle, sizeof handle);
    return peer;
}

CUSHIM_CASE(event_import_shares_with_another_process)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *shared = create_untimed(context, true), *imported = NULL;
    CUipcEventHandle handle = {.reserved = {0}};
    struct gate gate = GATE;
    struct peer peer;

    CODE(CUDA_ERROR_MAP_FAILED, cushim_event_import(context, &handle, &imported));
    CHECK(imported == NULL);
    gate_shut(&gate, stream_handle(stream));
    OK(cushim_event_record(shared, stream));
    peer = start_importer("peer_cushim_use_imported_event", shared);

    /* An event that is pending here is pending in the peer, also for a stream that waits for it. */
    EQUAL(CUDA_ERROR_NOT_READY, peer_ask(&peer));
    EQUAL(CUDA_ERROR_NOT_READY, peer_ask(&peer));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(shared));
    gate_open(&gate);
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* the peer has synchronized with the event */
    OK(cushim_event_synchronize(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* and so has its stream; the peer may record now */

    /* The other direction: the peer has recorded behind a gate, which it opens when it is asked. */
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_synchronize_for(shared, 0));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer));
    OK(cushim_event_synchronize(shared));
    OK(cushim_event_query(shared));
    EQUAL(CUDA_SUCCESS, peer_ask(&peer)); /* the peer has released the event */
    peer_end(&peer);
    OK(cushim_event_release(shared));
    CHECK(current_context() == NULL);
}

CUSHIM_CASE(event_import_has_no_time)
{
    struct cushim_event *shared = create_untimed(retain_primary(), true);
    struct peer peer = start_importer("peer_cushim_explain_imported_event", shared);

    peer_end(&peer);
    OK(cushim_event_release(shared));
}
