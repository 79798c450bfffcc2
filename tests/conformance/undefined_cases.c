/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behaviour that the reference leaves undefined. Statements 17, 78, 79. A driver may crash here, so
 * each call is made in another process, which prints the code if it survives.
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "tests/support/process.h"

#define ANSWER "answers %d, misuses %zu"

/*
 * In the second process: print the code of the call, and the number of misuses that a mock has
 * reported.
 */
static void print_answer(CUresult code)
{
    detail(ANSWER, (int)code, backend_is_mock() ? backend_misuses() : 0);
}

PEER(query_destroyed_event)
{
    CUevent event = begin_done();

    MUST(cu->EventDestroy_v2(event));
    print_answer(cu->EventQuery(event));
}

PEER(query_destroyed_stream)
{
    CUstream stream = begin_stream();

    MUST(cu->StreamDestroy_v2(stream));
    print_answer(cu->StreamQuery(stream));
}

PEER(query_garbage)
{
    begin_context();
    print_answer(cu->EventQuery((CUevent)(uintptr_t)0x1234));
}

PEER(query_zeroes)
{
    static uint64_t zeroes[512];

    begin_context();
    print_answer(cu->EventQuery((CUevent)zeroes));
}

PEER(destroy_twice)
{
    CUevent event = begin_done();

    MUST(cu->EventDestroy_v2(event));
    print_answer(cu->EventDestroy_v2(event));
}

PEER(use_stream_after_reset)
{
    CUstream stream = begin_stream();

    MUST(cu->DevicePrimaryCtxReset_v2(begin_device()));
    print_answer(cu->StreamQuery(stream));
}

/* A stream and an event of a destroyed context. */
static void begin_orphans(CUstream *stream, CUevent *event)
{
    CUcontext context;

    begin_device();
    context = begin_other_context();
    *stream = begin_stream_in(context);
    *event = begin_event_in(context);
    MUST(cu->EventRecord(*event, *stream));
    MUST(cu->StreamSynchronize(*stream));
    MUST(cu->CtxDestroy_v2(context));
}

PEER(query_orphaned_event)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->EventQuery(event));
}

PEER(query_orphaned_stream)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->StreamQuery(stream));
}

PEER(destroy_orphaned_event)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->EventDestroy_v2(event));
}

PEER(destroy_orphaned_stream)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->StreamDestroy_v2(stream));
}

/* The result of a call in another process. */
struct outcome {
    bool died, crashed; /* by a signal; by an access to unmapped memory */
    int code;           /* the code that the call returned, or -1 */
    size_t misuses;     /* that a mock has reported */
};

static struct outcome outcome_of(const char *call)
{
    struct outcome outcome = {.code = -1};
    char output[2048];
    const struct process_end end = process_run(call, output, sizeof output);
    const char *answer = strstr(output, "answers ");

    outcome.died = !end.exited;
    outcome.crashed = end.crashed;
    if (answer && sscanf(answer, ANSWER, &outcome.code, &outcome.misuses) != 2)
        outcome.code = -1;
    if (outcome.died)
        detail("%s", end.death);
    else
        detail("%s", answer ? answer : output);
    return outcome;
}

/* The call must crash, or return a code of the list. */
static void check_outcome(const char *call, const int *list)
{
    const struct outcome outcome = outcome_of(call);

    if (outcome.died)
        CHECK(outcome.crashed);
    else
        check_one_of(__LINE__, call, (CUresult)outcome.code, list);
}

/* A driver may crash; a mock always returns a code. */
MEASURED_CASE(017, children_of_a_destroyed_context)
{
    static const char *const calls[] = {
        "peer_query_orphaned_event",
        "peer_query_orphaned_stream",
        "peer_destroy_orphaned_event",
        "peer_destroy_orphaned_stream",
    };

    for (size_t i = 0; i < COUNT(calls); i++) {
        const struct outcome outcome = outcome_of(calls[i]);

        if (outcome.died && !backend_is_mock())
            CHECK(outcome.crashed);
        else
            CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, (CUresult)outcome.code);
    }
}

GPU_CASE(078, use_after_destroy_of_an_event)
{
    check_outcome("peer_query_destroyed_event", (const int[]){709, -1});
}

GPU_CASE(078, use_after_destroy_of_a_stream)
{
    check_outcome("peer_query_destroyed_stream", (const int[]){709, 400, 201, -1});
}

GPU_CASE(078, garbage_handle)
{
    check_outcome("peer_query_garbage", (const int[]){400, -1});
}

GPU_CASE(078, zeroed_buffer_as_handle)
{
    const struct outcome outcome = outcome_of("peer_query_zeroes");

    CHECK(!outcome.died);
    CODE(CUDA_ERROR_INVALID_CONTEXT, (CUresult)outcome.code);
}

GPU_CASE(078, double_destroy)
{
    check_outcome("peer_destroy_twice", (const int[]){709, 400, 201, -1});
}

GPU_CASE(079, stream_use_after_reset)
{
    check_outcome("peer_use_stream_after_reset", (const int[]){709, 400, 201, -1});
}

CASE(078, mock_answers_400_and_notes_it, .class = MOCK_ONLY)
{
    static const char *const calls[] = {
        "peer_query_destroyed_event", "peer_query_destroyed_stream", "peer_query_garbage",
        "peer_query_zeroes",          "peer_destroy_twice",
    };

    for (size_t i = 0; i < COUNT(calls); i++) {
        const struct outcome outcome = outcome_of(calls[i]);

        CHECK(!outcome.died);
        CODE(CUDA_ERROR_INVALID_HANDLE, (CUresult)outcome.code);
        EQUAL(1, outcome.misuses);
    }
}

CASE(079, mock_survives_a_reset, .class = MOCK_ONLY)
{
    const struct outcome outcome = outcome_of("peer_use_stream_after_reset");

    CHECK(!outcome.died);
    ONE_OF((CUresult)outcome.code, 709, 400); /* 709: statement 17 */
}
