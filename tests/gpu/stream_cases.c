/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how they are made, what they are, how they are waited for. Statements 49-53, 60. */
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static struct cushim_stream *begin_stream_with(struct cushim_context *context, bool blocking,
                                               int priority)
{
    const struct cushim_stream_options options = {
        .size = sizeof options,
        .blocking = blocking,
        .priority = priority,
    };
    struct cushim_stream *stream = NULL;

    OK(cushim_stream_create(&stream, context, &options));
    return stream;
}

static void streams_are_non_blocking_unless_asked(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_stream *blocking = begin_stream_with(context, true, 0), *none = NULL;
    unsigned flags = 99, blocking_flags = 99;
    CUstream raw = NULL;
    int priority = 99;

    OK(cushim_stream_flags(stream, &flags));
    OK(cushim_stream_flags(blocking, &blocking_flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING && blocking_flags == CU_STREAM_DEFAULT);
    OK(cushim_stream_priority(stream, &priority));
    CHECK(priority == 0);
    CHECK(cushim_stream_context(stream) == context);
    CHECK(current_context() == NULL);

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_create(NULL, context, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_create(&none, NULL, NULL));
    make_current(context);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->StreamCreate(NULL, 0));
    for (unsigned bad = 2; bad <= 4; bad++)
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->StreamCreate(&raw, bad));
    CHECK(none == NULL && raw == NULL);
}

static void priorities_are_clamped(void)
{
    static const int wishes[] = {-1000, -6, -5, -1, 0, 1, 1000};
    struct cushim_context *context = begin_context();
    int least = 99, greatest = 99;

    OK(cushim_context_stream_priority_range(context, &least, &greatest));
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct cushim_stream *stream = begin_stream_with(context, false, wishes[i]);
        int priority = 99, want = wishes[i];

        want = want > least ? least : want;
        want = want < greatest ? greatest : want;
        OK(cushim_stream_priority(stream, &priority));
        CHECK(priority == want);
        OK(cushim_stream_release(stream));
    }
    detail("%d to %d; -1000 becomes %d, 1000 becomes %d", least, greatest, greatest, least);
}

static void default_streams_are_constants(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};
    struct cushim_stream *null = NULL;
    CUstream handle = NULL;

    make_current(context);
    for (size_t i = 0; i < 2; i++) {
        unsigned flags = 99;
        int priority = 99;

        CHECK(cushim_stream_retain(streams[i]) == streams[i]);
        OK(cushim_stream_release(streams[i]));
        OK(cushim_stream_release(streams[i]));
        OK(cushim_stream_close(streams[i]));
        OK(cushim_stream_flags(streams[i], &flags));
        OK(cushim_stream_priority(streams[i], &priority));
        CHECK(flags == 0 && priority == 0);
        OK(cushim_stream_query(streams[i]));
        OK(cushim_stream_synchronize(streams[i]));
        OK(cushim_stream_handle(streams[i], &handle));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->StreamDestroy_v2(handle));
    }
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->StreamDestroy_v2(NULL));
    OK(cushim_stream_wrap(&null, NULL, context));
    OK(cushim_stream_query(null));
    OK(cushim_stream_release(null));
}

static void numbers_are_a_streams_own(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *one = begin_stream(context), *other = begin_stream(context);
    struct cushim_stream *null = NULL;
    unsigned long long ids[5] = {0};

    make_current(context);
    OK(cushim_stream_wrap(&null, NULL, NULL));
    OK(cushim_stream_id(one, &ids[0]));
    OK(cushim_stream_id(other, &ids[1]));
    OK(cushim_stream_id(null, &ids[2]));
    OK(cushim_stream_id(cushim_stream_legacy(), &ids[3]));
    OK(cushim_stream_id(cushim_stream_per_thread(), &ids[4]));
    CHECK(ids[2] == ids[3]);
    CHECK(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2] && ids[4] != ids[2]);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->StreamGetId(NULL, NULL));
}

static void stream_names_its_context_and_device(void)
{
    struct cushim_context *context = begin_context(), *other = begin_other_context();
    struct cushim_stream *stream = begin_stream(context), *wrapped = NULL;
    CUcontext found = NULL;
    CUdevice device = -5;

    OK(cushim_stream_wrap(&wrapped, raw_stream(stream), NULL));
    CHECK(cushim_stream_context(wrapped) == NULL);
    make_current(other);
    OK(cushim_stream_driver_context(stream, &found));
    CHECK(found == raw_context(context));
    OK(cushim_stream_driver_context(wrapped, &found));
    CHECK(found == raw_context(context));
    OK(cushim_stream_driver_context(cushim_stream_legacy(), &found));
    CHECK(found == raw_context(other));
    OK(cushim_stream_device(stream, &device));
    CHECK(device == begin_device());
    device = -5;
    OK(cushim_stream_device(wrapped, &device));
    CHECK(device == begin_device());
    device = -5;
    OK(cushim_stream_device(cushim_stream_per_thread(), &device));
    CHECK(device == begin_device());
    CHECK(current_context() == raw_context(other));
}

static void wrapped_stream_is_not_destroyed(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *owner = begin_stream(context), *wrapped = NULL;

    OK(cushim_stream_wrap(&wrapped, raw_stream(owner), context));
    OK(cushim_stream_release(wrapped));
    OK(cushim_stream_query(owner));
    OK(cushim_stream_close(owner));
    OK(cushim_stream_close(owner));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_query(owner));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_synchronize(owner));
    OK(cushim_stream_release(owner));
}

static void synchronize_waits(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct gate gate = GATE;
    struct opener opener;

    gate_shut(&gate, stream);
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    opener_start(&opener, &gate, 10);
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_query(stream));
    opener_join(&opener);
}

static void wait_for_gives_up_and_succeeds(void)
{
    enum { PATIENCE_NS = 5000000 };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct gate gate = GATE;
    struct opener opener;
    uint64_t before, took;

    gate_shut(&gate, stream);
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_wait_for(stream, 0));
    before = now_ns();
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_wait_for(stream, PATIENCE_NS));
    took = now_ns() - before;
    CHECK(took >= PATIENCE_NS);
    opener_start(&opener, &gate, 10);
    OK(cushim_stream_wait_for(stream, UINT64_MAX));
    opener_join(&opener);
    OK(cushim_stream_wait_for(stream, 0));
    detail("gave up after %.2f ms of 5", (double)took / 1e6);
}

static void attributes_are_set_read_and_copied(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *copy = begin_stream(context);
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC}, before = {0},
                      after = {0};

    OK(cushim_stream_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &before));
    OK(cushim_stream_set_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cushim_stream_attribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &after));
    CHECK(after.syncPolicy == CU_SYNC_POLICY_BLOCKING_SYNC);
    OK(cushim_stream_copy_attributes(copy, stream));
    after.syncPolicy = CU_SYNC_POLICY_SPIN;
    OK(cushim_stream_attribute(copy, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &after));
    detail("synchronization policy %d, set to %d, copied as %d", (int)before.syncPolicy,
           (int)value.syncPolicy, (int)after.syncPolicy);
    CHECK(after.syncPolicy == CU_SYNC_POLICY_BLOCKING_SYNC);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_attribute(stream, (CUstreamAttrID)999, &after));
}

const struct gpu_case stream_cases[] = {
    {"stream_49_is_non_blocking_unless_asked", streams_are_non_blocking_unless_asked},
    {"stream_50_priorities_are_clamped", priorities_are_clamped},
    {"stream_51_53_default_streams_are_constants", default_streams_are_constants},
    {"stream_51_numbers_are_its_own", numbers_are_a_streams_own},
    {"stream_52_names_its_context_and_device", stream_names_its_context_and_device},
    {"stream_wrapped_is_not_destroyed", wrapped_stream_is_not_destroyed},
    {"stream_synchronize_waits", synchronize_waits},
    {"stream_wait_for_gives_up_and_succeeds", wait_for_gives_up_and_succeeds},
    {"stream_60_attributes_are_set_read_and_copied", attributes_are_set_read_and_copied},
    {NULL, NULL},
};
