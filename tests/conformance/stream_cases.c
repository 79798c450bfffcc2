/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: creation, priority, identity, attributes, order. Statements 49-56, 60. */
#include "cases.h"

static const CUstream special[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

DOCUMENTED_CASE(049, create_takes_known_flags)
{
    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamCreate(NULL, 0));
    for (unsigned flags = 0; flags < 5; flags++) {
        CUstream stream = NULL;
        unsigned found = 99;

        if (flags > 1) {
            CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamCreate(&stream, flags));
            CHECK(stream == NULL);
            continue;
        }
        OK(cu->StreamCreate(&stream, flags));
        OK(cu->StreamGetFlags(stream, &found));
        EQUAL(flags, found);
        OK(cu->StreamDestroy_v2(stream));
    }
}

DOCUMENTED_CASE(049, create_answers_what_is_listed)
{
    CUstream stream = NULL;

    begin_context();
    ONE_OF(cu->StreamCreate(&stream, 0), 0, 4, 3, 201, 1, 2);
    ONE_OF(cu->StreamCreate(&stream, 0xff), 4, 3, 201, 1, 2);
    ONE_OF(cu->StreamCreateWithPriority(NULL, 0, 0), 4, 3, 201, 1, 2);
    make_current(NULL);
    ONE_OF(cu->StreamCreate(&stream, 0), 4, 3, 201, 1, 2);
}

DOCUMENTED_CASE(050, priority_range_may_be_asked_in_part)
{
    int least = 77, greatest = 77, again = 77;

    begin_context();
    OK(cu->CtxGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest <= least); /* a lower number is a higher priority */
    OK(cu->CtxGetStreamPriorityRange(&again, NULL));
    EQUAL(least, again);
    OK(cu->CtxGetStreamPriorityRange(NULL, &again));
    EQUAL(greatest, again);
    OK(cu->CtxGetStreamPriorityRange(NULL, NULL));
}

MEASURED_CASE(050, priority_range_is_0_to_minus_5)
{
    int least = 77, greatest = 77;

    begin_context();
    OK(cu->CtxGetStreamPriorityRange(&least, &greatest));
    EQUAL(0, least);
    EQUAL(-5, greatest);
}

DOCUMENTED_CASE(050, priorities_are_clamped)
{
    static const int asked[] = {-6, -1000, -5, -3, 0, 1, 1000};
    int least = 0, greatest = 0;

    begin_context();
    MUST(cu->CtxGetStreamPriorityRange(&least, &greatest));
    for (size_t i = 0; i < COUNT(asked); i++) {
        const int want = asked[i] > least ? least : asked[i] < greatest ? greatest : asked[i];
        CUstream stream = NULL;
        int found = 77;

        OK(cu->StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, asked[i]));
        OK(cu->StreamGetPriority(stream, &found));
        EQUAL(want, found);
    }
}

MEASURED_CASE(051, special_streams_have_no_flags_and_no_priority)
{
    begin_context();
    for (size_t i = 0; i < 3; i++) {
        unsigned flags = 99;
        int priority = 77;

        OK(cu->StreamGetFlags(special[i], &flags));
        EQUAL(0, flags);
        OK(cu->StreamGetPriority(special[i], &priority));
        EQUAL(0, priority);
    }
}

MEASURED_CASE(051, special_streams_have_numbers)
{
    unsigned long long null = 1, legacy = 2, per_thread = 3;

    begin_context();
    OK(cu->StreamGetId(NULL, &null));
    OK(cu->StreamGetId(CU_STREAM_LEGACY, &legacy));
    OK(cu->StreamGetId(CU_STREAM_PER_THREAD, &per_thread));
    CHECK(null == legacy);
    CHECK(per_thread != legacy);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamGetId(begin_stream(), NULL));
}

DOCUMENTED_CASE(051, numbers_are_unique_for_life)
{
    enum { STREAMS = 32 };
    unsigned long long ids[STREAMS];
    unsigned equal = 0;

    for (int i = 0; i < STREAMS; i++) {
        CUstream stream = begin_stream();

        OK(cu->StreamGetId(stream, &ids[i]));
        if (i % 2 == 0) /* its number is not reused */
            OK(cu->StreamDestroy_v2(stream));
    }
    for (int i = 0; i < STREAMS; i++) {
        for (int j = 0; j < i; j++)
            equal += ids[i] == ids[j];
    }
    EQUAL(0, equal);
}

DOCUMENTED_CASE(052, context_of_a_stream_is_its_creators)
{
    CUcontext own = begin_context(), other = begin_other_context(), found = NULL;
    CUstream stream = begin_stream(), foreign = begin_stream_in(other);

    OK(cu->StreamGetCtx(stream, &found));
    CHECK(found == own);
    OK(cu->StreamGetCtx(foreign, &found));
    CHECK(found == other);
    for (size_t i = 0; i < 3; i++) {
        make_current(other);
        OK(cu->StreamGetCtx(special[i], &found));
        CHECK(found == other);
        make_current(NULL);
        CODE(CUDA_ERROR_INVALID_CONTEXT, cu->StreamGetCtx(special[i], &found));
    }
    OK(cu->StreamGetCtx(stream, &found));
    CHECK(found == own);
    ONE_OF(cu->StreamGetCtx(stream, NULL), 1, 4, 3, 201, 400, 801);
}

DOCUMENTED_CASE(052, second_function_returns_green_contexts)
{
    CUcontext own = begin_context(), found = NULL;
    cushim_CUgreenCtx green = (cushim_CUgreenCtx)&found;
    CUstream stream = begin_stream();

    OK(cu->StreamGetCtx_v2(stream, &found, &green));
    CHECK(found == own);
    CHECK(green == NULL);
}

MEASURED_CASE(208, plain_stream_has_no_green_context)
{
    CUcontext own = begin_context(), found = NULL;
    cushim_CUgreenCtx green = (cushim_CUgreenCtx)&found;
    CUstream stream = begin_stream();

    OK(cu->StreamGetGreenCtx(stream, &green));
    CHECK(green == NULL);
    green = (cushim_CUgreenCtx)&found;
    OK(cu->StreamGetCtx_v2(NULL, &found, &green));
    CHECK(found == own);
    CHECK(green == NULL);
}

CASE(052, context_of_a_green_stream, .class = DOCUMENTED, .may_skip = ON_MOCK)
{
#if CUDA_VERSION >= 12050
    CUdevice device = begin_device();
    CUcontext context = NULL, found = NULL;
    CUdevResourceDesc description = NULL;
    CUgreenCtx green = NULL, found_green = NULL;
    CUstream stream = NULL;
    CUdevResource resource;

    begin_context();
    if (cu->DeviceGetDevResource(device, &resource, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
        skip("this driver has no green contexts");
    MUST(cu->DevResourceGenerateDesc(&description, &resource, 1));
    MUST(cu->GreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
    MUST(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cu->CtxFromGreenCtx(&context, green));
    OK(cu->StreamGetCtx(stream, &found));
    CHECK(found != NULL && found == context);
    OK(cu->StreamGetCtx_v2(stream, &found, &found_green));
    CHECK(found_green == green);
#else
    skip("the CUDA headers of this build have no green contexts");
#endif
}

MEASURED_CASE(053, special_streams_are_not_destroyed)
{
    begin_context();
    for (size_t i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamDestroy_v2(special[i]));
    OK(cu->StreamSynchronize(NULL));
}

DOCUMENTED_CASE(060, attributes_are_set_read_and_copied)
{
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC}, found;
    const CUstreamAttrID bad = (CUstreamAttrID)9999;
    CUstream stream = begin_stream(), other = begin_stream();

    OK(cu->StreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cu->StreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
    EQUAL(CU_SYNC_POLICY_BLOCKING_SYNC, found.syncPolicy);
    OK(cu->StreamCopyAttributes(other, stream));
    OK(cu->StreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
    EQUAL(CU_SYNC_POLICY_BLOCKING_SYNC, found.syncPolicy);
    ONE_OF(cu->StreamGetAttribute(stream, bad, &found), 1, 400);
    ONE_OF(cu->StreamSetAttribute(stream, bad, &value), 1, 400);
}

DOCUMENTED_CASE(060, device_and_number_answer_what_is_listed)
{
    unsigned long long id = 0;
    CUdevice device = -5;
    CUstream stream = begin_stream();

    OK(cu->StreamGetDevice(stream, &device));
    EQUAL(begin_device(), device);
    for (size_t i = 0; i < 3; i++)
        ONE_OF(cu->StreamGetDevice(special[i], &device), 0, 1, 400);
    ONE_OF(cu->StreamGetDevice(stream, NULL), 1, 400);
    ONE_OF(cu->StreamGetId(stream, &id), 0, 1, 400);
    ONE_OF(cu->StreamGetId(stream, NULL), 1, 400);
}

/* The order between streams. Statements 54-56. */

DOCUMENTED_CASE(054, query_is_0_or_600)
{
    struct gate gate = GATE;
    CUstream stream = begin_stream();

    OK(cu->StreamQuery(stream));
    gate_shut(&gate, stream);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    OK(cu->StreamSynchronize(stream));
    OK(cu->StreamQuery(stream));
}

DOCUMENTED_CASE(054, legacy_stream_is_held_up_by_blocking_ones)
{
    struct gate gate = GATE;
    CUstream blocking = begin_blocking_stream();

    gate_shut(&gate, blocking);
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(CU_STREAM_LEGACY));
    OK(cu->StreamQuery(CU_STREAM_PER_THREAD));
    gate_open(&gate);
    OK(cu->StreamSynchronize(NULL));
    OK(cu->StreamQuery(blocking));
}

DOCUMENTED_CASE(054, legacy_stream_takes_no_notice_of_non_blocking_ones)
{
    CUstream stream = begin_stream();
    struct latch latch = latch_shut(stream);

    OK(cu->StreamQuery(NULL));
    OK(cu->StreamSynchronize(NULL));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    latch_open(&latch);
    OK(cu->StreamSynchronize(stream));
}

DOCUMENTED_CASE(054, legacy_stream_holds_up_blocking_ones)
{
    CUstream blocking = begin_blocking_stream(), free = begin_stream();
    CUevent held = begin_event(), passed = begin_event();
    struct gate gate = GATE;

    gate_shut(&gate, NULL);
    OK(cu->EventRecord(held, blocking));
    OK(cu->EventRecord(passed, free));
    OK(cu->EventSynchronize(passed));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(held));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(blocking));
    gate_open(&gate);
    OK(cu->EventSynchronize(held));
}

DOCUMENTED_CASE(055, wait_works_across_contexts)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUstream busy = begin_stream(), waiter = begin_stream_in(other);
    CUevent event = begin_event(), after = begin_event_in(other);
    struct latch latch = latch_shut(busy);

    CHECK(own != other);
    OK(cu->EventRecord(event, busy));
    OK(cu->StreamWaitEvent(waiter, event, 0));
    OK(cu->EventRecord(after, waiter));
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(after));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(waiter));
    latch_open(&latch);
    OK(cu->EventSynchronize(after));
    OK(cu->EventQuery(event));
}

MEASURED_CASE(055, flags_of_a_wait_are_checked)
{
    CUstream stream = begin_stream();
    CUevent done = begin_done();

    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, done, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, done, 0x80));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, NULL, 2));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamWaitEvent(stream, done, 1));
    OK(cu->StreamWaitEvent(stream, done, 0));
    OK(cu->StreamSynchronize(stream));
}

MEASURED_CASE(056, flags_of_a_record_are_checked)
{
    CUstream stream = begin_stream();
    CUevent event = begin_event();

    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->EventRecordWithFlags(event, stream, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventRecordWithFlags(event, stream, 2));
    OK(cu->EventRecordWithFlags(event, stream, 0));
    OK(cu->EventSynchronize(event));
}
