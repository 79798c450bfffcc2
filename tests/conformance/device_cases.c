/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices, limits and peers. Statements 81, 85. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "latch.h"

/* The primary contexts of two devices, a stream and an event of each. */
struct two {
    CUcontext contexts[2];
    CUstream streams[2];
    CUevent events[2];
};

static struct two begin_two(void)
{
    struct two two;
    int count = 0;

    begin_device();
    MUST(cu->DeviceGetCount(&count));
    if (count < 2)
        skip("one device");
    for (int i = 0; i < 2; i++) {
        MUST(cu->DevicePrimaryCtxRetain(&two.contexts[i], i));
        make_current(two.contexts[i]);
        two.streams[i] = begin_stream();
        two.events[i] = begin_event();
    }
    CHECK(two.contexts[0] != two.contexts[1]);
    return two;
}

static void record_across_devices_is_400(void)
{
    struct two two = begin_two();

    for (int i = 0; i < 2; i++) {
        make_current(two.contexts[i]);
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(two.events[0], two.streams[1]));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(two.events[1], two.streams[0]));
    }
}

static void wait_across_devices_waits(void)
{
    struct two two = begin_two();

    for (int i = 0; i < 2; i++) {
        struct latch latch;
        CUevent after;

        make_current(two.contexts[i]);
        latch = latch_shut(two.streams[i]);
        OK(cu->EventRecord(two.events[i], two.streams[i]));
        make_current(two.contexts[1 - i]);
        after = begin_event();
        OK(cu->StreamWaitEvent(two.streams[1 - i], two.events[i], 0));
        OK(cu->EventRecord(after, two.streams[1 - i]));
        for (int round = 0; round < 1000; round++)
            CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(after));
        latch_open(&latch);
        OK(cu->EventSynchronize(after));
        OK(cu->EventQuery(two.events[i]));
    }
}

static void elapsed_across_devices_is_400(void)
{
    struct two two = begin_two();
    float ms = -7;

    for (int i = 0; i < 2; i++) {
        OK(cu->EventRecord(two.events[i], two.streams[i]));
        OK(cu->EventSynchronize(two.events[i]));
    }
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, two.events[0], two.events[1]));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime_v2(&ms, two.events[1], two.events[0]));
    CHECK(ms == -7);
}

static void unknown_limit_is_1(void)
{
    size_t value = 77;

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxGetLimit(&value, (CUlimit)99));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->CtxSetLimit((CUlimit)99, 4096));
    EQUAL(77, value);
}

static void context_is_no_peer_of_itself(void)
{
    CUcontext context = begin_context();

    CODE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cu->CtxEnablePeerAccess(context, 0));
    CODE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cu->CtxDisablePeerAccess(context));
}

/* A row that needs two devices. */
#define TWO_DEVICES_CASE(title, function)                                      \
    {                                                                          \
        .name = title, .run = function, .class = MEASURED, .may_skip = ON_GPU, \
        .settings = "devices = 2\n", .source = "two H200, 580.159.04",         \
    }

const struct conformance_case device_cases[] = {
    TWO_DEVICES_CASE("081_record_across_devices_is_400", record_across_devices_is_400),
    TWO_DEVICES_CASE("081_wait_across_devices_waits", wait_across_devices_waits),
    TWO_DEVICES_CASE("081_elapsed_across_devices_is_400", elapsed_across_devices_is_400),
    MEASURED_CASE("085_unknown_limit_is_1", unknown_limit_is_1),
    MEASURED_CASE("085_context_is_no_peer_of_itself", context_is_no_peer_of_itself),
    {.name = NULL},
};
