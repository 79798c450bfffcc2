/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: primary and created, current and not, and what is left of a destroyed one. 10-18. */
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static void primary_is_counted_and_not_pushed(void)
{
    CUdevice device = begin_device();
    struct cushim_context *one = NULL, *other = NULL;
    bool active = true;

    OK(cushim_primary_context_state(device, NULL, &active));
    CHECK(!active);
    OK(cushim_context_retain_primary(&one, device));
    OK(cushim_context_retain_primary(&other, device));
    CHECK(raw_context(one) == raw_context(other));
    CHECK(current_context() == NULL);
    make_current(one);
    CHECK(cushim_context_retain(one) == one);
    OK(cushim_context_release(one));
    OK(cushim_context_release(one));
    OK(cushim_primary_context_state(device, NULL, &active));
    CHECK(active);
    OK(cushim_context_release(other));
    OK(cushim_primary_context_state(device, NULL, &active));
    CHECK(!active);
    CHECK(current_context() != NULL); /* released, and still on the stack */
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_driver()->DevicePrimaryCtxRelease_v2(device));
}

static void primary_flags_are_set_and_read(void)
{
    CUdevice device = begin_device();
    struct cushim_context *context;
    unsigned flags = 99, in_force = 0;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_primary_context_set_flags(device, 3));
    OK(cushim_primary_context_set_flags(device, CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cushim_primary_context_state(device, &flags, NULL));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    context = begin_context();
    OK(cushim_context_flags(context, &in_force));
    CHECK((in_force & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cushim_primary_context_set_flags(device, CU_CTX_SCHED_YIELD)); /* also while active */
    OK(cushim_primary_context_state(device, &flags, NULL));
    CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
    detail("in force %#x, then set to %#x", in_force, flags);
}

static void reset_primary_is_destroyed(void)
{
    CUdevice device = begin_device();
    struct cushim_context *context = begin_context(), *anew;
    bool active = true;
    CUresult code;

    OK(cushim_primary_context_reset(device));
    OK(cushim_primary_context_state(device, NULL, &active));
    code = cushim_context_synchronize(context);
    detail("synchronize answers %d, active is %s", (int)code, active ? "yes" : "no");
    CHECK(code == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    code = cushim_context_release(context);
    detail("release answers %d", (int)code);
    anew = begin_context();
    OK(cushim_context_synchronize(anew));
}

static void created_context_is_not_left_current(void)
{
    const struct cushim_context_options bad = {.size = sizeof bad, .flags = 3};
    struct cushim_context *primary = begin_context(), *context = NULL;
    CUdevice device = begin_device();

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_create(&context, device, &bad));
    CHECK(context == NULL);
    OK(cushim_context_create(&context, device, NULL));
    CHECK(current_context() == NULL);
    CHECK(raw_context(context) != raw_context(primary));
    OK(cushim_context_release(context));
    make_current(primary);
    OK(cushim_context_create(&context, device, NULL));
    CHECK(current_context() == raw_context(primary));
    OK(cushim_context_release(context));
    CHECK(current_context() == raw_context(primary));
}

/* To destroy a context twice is undefined: 709 and 201 have been seen, in one program. */
static void destroyed_elsewhere_is_success(void)
{
    struct cushim_context *context = begin_other_context();
    CUresult code;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->CtxDestroy_v2(NULL));
    OK(cushim_driver()->CtxDestroy_v2(raw_context(context)));
    code = cushim_driver()->CtxDestroy_v2(raw_context(context));
    detail("the driver answers %d to a second time", (int)code);
    CHECK(code == CUDA_ERROR_CONTEXT_IS_DESTROYED || code == CUDA_ERROR_INVALID_CONTEXT);
    OK(cushim_context_release(context));
}

static void primary_context_cannot_be_destroyed(void)
{
    struct cushim_context *context = begin_context();

    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_driver()->CtxDestroy_v2(raw_context(context)));
    OK(cushim_context_synchronize(context));
}

static void destroying_the_current_context_pops_it(void)
{
    struct cushim_context *primary = begin_context(), *context = begin_other_context();
    struct cushim_context_scope scope;

    make_current(primary);
    OK(cushim_context_push(context, &scope));
    CHECK(current_context() == raw_context(context));
    OK(cushim_context_release(context));
    CHECK(current_context() == raw_context(primary));
}

static void wrapped_context_is_not_destroyed(void)
{
    struct cushim_context *owner = begin_other_context(), *wrapped = NULL;
    CUdevice device = -5;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_wrap(&wrapped, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_wrap_current(&wrapped));
    CHECK(wrapped == NULL);
    OK(cushim_context_wrap(&wrapped, raw_context(owner)));
    OK(cushim_context_device(wrapped, &device));
    CHECK(device == begin_device());
    CHECK(current_context() == NULL);
    OK(cushim_context_release(wrapped));
    make_current(owner);
    OK(cushim_context_wrap_current(&wrapped));
    CHECK(raw_context(wrapped) == raw_context(owner));
    OK(cushim_context_release(wrapped));
    OK(cushim_context_synchronize(owner));
}

static void scopes_nest_and_restore(void)
{
    struct cushim_context *one = begin_context(), *other = begin_other_context();
    struct cushim_context_scope outer, inner, lost;

    OK(cushim_context_push(one, &outer));
    OK(cushim_context_push(other, &inner));
    CHECK(current_context() == raw_context(other));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&outer));
    CHECK(current_context() == raw_context(other));
    OK(cushim_context_pop(&inner));
    OK(cushim_context_pop(&inner));
    CHECK(current_context() == raw_context(one));
    OK(cushim_context_pop(&outer));
    CHECK(current_context() == NULL);
    OK(cushim_context_push(one, &lost));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&lost));
    CHECK(current_context() == NULL);

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->CtxPushCurrent_v2(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_driver()->CtxPopCurrent_v2(NULL));
    make_current(NULL);
}

static void without_a_context_the_default_streams_are_refused(void)
{
    struct cushim_context *context = begin_context(); /* not current */
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};
    struct cushim_event *event = begin_event(context), *made = NULL;
    const struct cushim_table *driver = cushim_driver();
    CUcontext found = (CUcontext)&found;
    CUdevice device;
    CUstream stream;
    CUevent raw;
    int range;

    for (size_t i = 0; i < 2; i++) {
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_query(streams[i]));
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_synchronize(streams[i]));
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_driver_context(streams[i], &found));
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_event_create_recorded(&made, streams[i], NULL));
    }
    CHECK(found == (CUcontext)&found && made == NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->EventCreate(&raw, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->StreamCreate(&stream, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxSynchronize());
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetDevice(&device));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->CtxGetStreamPriorityRange(&range, &range));
    OK(cushim_event_query(event));
}

static void synchronize_waits_for_every_stream(void)
{
    struct cushim_context *context = begin_other_context();
    struct cushim_stream *one = begin_stream(context), *other = begin_stream(context);
    struct cushim_event *first = begin_event(context), *second = begin_event(context);
    struct gate gate = GATE;
    struct opener opener;

    gate_shut(&gate, one);
    OK(cushim_event_record(first, one));
    OK(cushim_stream_wait_event(other, first, 0));
    OK(cushim_event_record(second, other));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(first));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(second));
    opener_start(&opener, &gate, 10);
    OK(cushim_context_synchronize(context));
    OK(cushim_event_query(first));
    OK(cushim_event_query(second));
    opener_join(&opener);
    CHECK(current_context() == NULL);
}

static void event_of_a_whole_context(void)
{
    struct cushim_context *context = begin_other_context(), *other = begin_other_context();
    struct cushim_stream *idle = begin_stream(context), *busy = begin_stream(context);
    struct cushim_stream *waiter = begin_stream(other);
    struct cushim_event *all = begin_event(context), *after = begin_event(other);
    struct gate gate = GATE;

    gate_shut(&gate, busy);
    OK(cushim_context_record_event(context, all));
    CHECK(cushim_event_is_recorded(all));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(all));
    OK(cushim_stream_query(idle));
    OK(cushim_context_wait_event(other, all));
    OK(cushim_event_record(after, waiter));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(after));
    gate_open(&gate);
    OK(cushim_event_synchronize(after));
    OK(cushim_event_query(all));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_context_record_event(other, all));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_context_wait_event(other, NULL));
    detail("pending and done with its context, and waited for by another");
}

const struct gpu_case context_cases[] = {
    {"context_10_primary_is_counted_and_not_pushed", primary_is_counted_and_not_pushed},
    {"context_11_primary_flags_are_set_and_read", primary_flags_are_set_and_read},
    {"context_12_reset_primary_is_destroyed", reset_primary_is_destroyed},
    {"context_13_created_is_not_left_current", created_context_is_not_left_current},
    {"context_13_destroyed_elsewhere_is_success", destroyed_elsewhere_is_success},
    {"context_13_primary_cannot_be_destroyed", primary_context_cannot_be_destroyed},
    {"context_13_destroying_the_current_pops_it", destroying_the_current_context_pops_it},
    {"context_wrapped_is_not_destroyed", wrapped_context_is_not_destroyed},
    {"context_14_scopes_nest_and_restore", scopes_nest_and_restore},
    {"context_15_none_is_201", without_a_context_the_default_streams_are_refused},
    {"context_synchronize_waits_for_every_stream", synchronize_waits_for_every_stream},
    {"context_18_events_of_a_whole_context", event_of_a_whole_context},
    {NULL, NULL},
};
