/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of events, and wrong ones. Statements 19-21. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static void create_takes_known_flags(void)
{
    static const unsigned good[] = {0, 1, 2, 3, 6, 7}, bad[] = {4, 5, 8, 9, 16, 0x80000000U};

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventCreate(NULL, 0));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CUevent event = NULL;

        OK(cu->EventCreate(&event, good[i]));
        CHECK(event != NULL);
        OK(cu->EventDestroy_v2(event));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CUevent event = NULL;

        CODE(CUDA_ERROR_INVALID_VALUE, cu->EventCreate(&event, bad[i]));
        CHECK(event == NULL);
    }
}

static void null_event_is_400(void)
{
    CUstream stream;

    begin_context();
    stream = begin_stream();
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(NULL, stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecordWithFlags(NULL, stream, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventSynchronize(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventDestroy_v2(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamWaitEvent(stream, NULL, 0));
}

static void null_event_and_stream_without_context_201(void)
{
    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->EventRecord(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventSynchronize(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventDestroy_v2(NULL));
}

static void event_belongs_to_its_context_for_life(void)
{
    CUcontext context = begin_context(), other = begin_other_context();
    CUstream own = begin_stream(), foreign = begin_stream_in(other);
    CUevent event = begin_event();

    for (int round = 0; round < 2; round++) {
        make_current(round == 0 ? context : other);
        OK(cu->EventRecord(event, own));
        OK(cu->EventSynchronize(event));
        CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, foreign));
        OK(cu->EventQuery(event));
    }
}

const struct conformance_case event_create_cases[] = {
    MEASURED_CASE("019_create_takes_known_flags", create_takes_known_flags),
    DOCUMENTED_CASE("020_null_event_is_400", null_event_is_400),
    MEASURED_CASE("020_null_event_and_stream_without_context_201",
                  null_event_and_stream_without_context_201),
    DOCUMENTED_CASE("021_event_belongs_to_its_context_for_life",
                    event_belongs_to_its_context_for_life),
    {.name = NULL},
};
