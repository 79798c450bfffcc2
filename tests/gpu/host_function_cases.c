/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the host in a stream. Statements 57, 58, 82. */
#include <stdatomic.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static atomic_uint calls;

static void CUDA_CB count(void *data)
{
    *(unsigned *)data = atomic_fetch_add(&calls, 1) + 1;
}

static void functions_run_in_order_with_the_work(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *between = begin_event(context);
    struct gate gate = GATE;
    unsigned before = 0, after = 0;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_launch_host_function(stream, NULL, NULL));
    OK(cushim_stream_launch_host_function(stream, count, &before));
    gate_queue(&gate, stream);
    OK(cushim_event_record(between, stream));
    OK(cushim_stream_launch_host_function(stream, count, &after));
    gate_await(&gate);
    CHECK(before == 1);
    CHECK(atomic_load(&calls) == 1);
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(between));
    gate_open(&gate);
    OK(cushim_stream_synchronize(stream));
    CHECK(after == 2);
    OK(cushim_event_query(between));
}

static void functions_run_in_default_streams(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *bound = NULL;
    unsigned legacy = 0, per_thread = 0, of_context = 0;

    make_current(context);
    OK(cushim_stream_launch_host_function(cushim_stream_legacy(), count, &legacy));
    OK(cushim_stream_launch_host_function(cushim_stream_per_thread(), count, &per_thread));
    OK(cushim_stream_synchronize(cushim_stream_legacy()));
    OK(cushim_stream_synchronize(cushim_stream_per_thread()));
    make_current(NULL);
    OK(cushim_stream_wrap(&bound, NULL, context));
    OK(cushim_stream_launch_host_function(bound, count, &of_context));
    OK(cushim_stream_synchronize(bound));
    CHECK(legacy > 0 && per_thread > 0 && of_context > 0);
    CHECK(current_context() == NULL);
}

/* Whether a function in `stream` is called while one in another stream does not return. */
static bool is_called_meanwhile(struct cushim_stream *stream, unsigned *place)
{
    enum { PATIENCE_NS = 50000000 };
    CUresult code;

    OK(cushim_stream_launch_host_function(stream, count, place));
    code = cushim_stream_wait_for(stream, PATIENCE_NS);
    CHECK(code == CUDA_SUCCESS || code == CUDA_ERROR_TIMEOUT);
    return code == CUDA_SUCCESS;
}

static void one_function_may_hold_up_all(void)
{
    struct cushim_context *context = begin_context(), *elsewhere = begin_other_context();
    struct cushim_stream *stream = begin_stream(context), *other = begin_stream(context);
    struct cushim_stream *far = begin_stream(elsewhere);
    unsigned places[2] = {0, 0};
    struct gate gate = GATE;
    bool same, across;

    gate_shut(&gate, stream);
    across = is_called_meanwhile(far, &places[0]);
    same = is_called_meanwhile(other, &places[1]);
    gate_open(&gate);
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_synchronize(other));
    OK(cushim_stream_synchronize(far));
    CHECK(places[0] > 0 && places[1] > 0);
    detail("while one does not return, others are called in its context: %s, in another: %s",
           same ? "yes" : "no", across ? "yes" : "no");
}

/* What calls answer inside a host function. */
struct inside {
    struct cushim_context *context;
    struct cushim_stream *stream, *other;
    struct cushim_event *start, *end, *made;
    CUresult query, record, elapsed, flags, self, create, count, current, synchronize;
};

static void CUDA_CB call_inside(void *data)
{
    struct inside *inside = data;
    CUcontext current;
    unsigned flags;
    int devices;
    float ms;

    inside->query = cushim_event_query(inside->end);
    inside->elapsed = cushim_event_elapsed(inside->start, inside->end, &ms);
    inside->flags = cushim_stream_flags(inside->stream, &flags);
    inside->self = cushim_stream_query(inside->stream);
    inside->record = cushim_event_record(inside->end, inside->other);
    inside->create = cushim_event_create(&inside->made, inside->context, NULL);
    inside->count = cushim_device_count(&devices);
    inside->current = cushim_driver()->CtxGetCurrent(&current);
}

static void few_calls_are_allowed_inside(void)
{
    struct cushim_context *context = begin_context();
    struct inside inside = {
        .context = context,
        .stream = begin_stream(context),
        .other = begin_stream(context),
        .start = begin_event(context),
        .end = begin_event(context),
    };

    OK(cushim_event_record(inside.start, inside.other));
    OK(cushim_event_record(inside.end, inside.other));
    OK(cushim_stream_synchronize(inside.other));
    OK(cushim_stream_launch_host_function(inside.stream, call_inside, &inside));
    OK(cushim_stream_synchronize(inside.stream));
    detail("event query %d, elapsed %d, record %d, stream flags %d, query of itself %d, event "
           "create %d, device count %d, current context %d",
           (int)inside.query, (int)inside.elapsed, (int)inside.record, (int)inside.flags,
           (int)inside.self, (int)inside.create, (int)inside.count, (int)inside.current);
    OK(inside.query);
    OK(inside.elapsed);
    OK(inside.flags);
    OK(inside.record);
    CODE(CUDA_ERROR_NOT_READY, inside.self);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.create);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.count);
    CODE(CUDA_ERROR_NOT_PERMITTED, inside.current);
    CHECK(inside.made == NULL);
}

struct told {
    CUstream stream;
    CUresult status;
    unsigned calls;
};

static void CUDA_CB be_told(CUstream stream, CUresult status, void *data)
{
    struct told *told = data;

    told->stream = stream;
    told->status = status;
    told->calls++;
}

static void callback_is_told_stream_and_status(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct told told = {NULL, CUDA_ERROR_UNKNOWN, 0};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_add_callback(stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cushim_driver()->StreamAddCallback(raw_stream(stream), be_told, &told, 1));
    OK(cushim_stream_add_callback(stream, be_told, &told));
    OK(cushim_stream_synchronize(stream));
    CHECK(told.calls == 1 && told.status == CUDA_SUCCESS && told.stream == raw_stream(stream));
}

const struct gpu_case host_function_cases[] = {
    {"host_57_functions_run_in_order", functions_run_in_order_with_the_work},
    {"host_functions_run_in_default_streams", functions_run_in_default_streams},
    {"host_57_one_may_hold_up_others", one_function_may_hold_up_all},
    {"host_57_82_few_calls_are_allowed_inside", few_calls_are_allowed_inside},
    {"host_58_callback_is_told_stream_and_status", callback_is_told_stream_and_status},
    {NULL, NULL},
};
