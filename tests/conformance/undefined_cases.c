/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behaviour that the reference leaves undefined. Statements 17, 78, 79. A driver may crash here, so
 * each call is made in another process, which prints the code if it survives.
 */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
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

static void query_destroyed_event(void)
{
    CUevent event;

    begin_context();
    event = begin_done();
    MUST(cu->EventDestroy_v2(event));
    print_answer(cu->EventQuery(event));
}

static void query_destroyed_stream(void)
{
    CUstream stream = begin_context_stream();

    MUST(cu->StreamDestroy_v2(stream));
    print_answer(cu->StreamQuery(stream));
}

static void query_garbage(void)
{
    begin_context();
    print_answer(cu->EventQuery((CUevent)(uintptr_t)0x1234));
}

static void query_zeroes(void)
{
    static uint64_t zeroes[512];

    begin_context();
    print_answer(cu->EventQuery((CUevent)zeroes));
}

static void destroy_twice(void)
{
    CUevent event;

    begin_context();
    event = begin_done();
    MUST(cu->EventDestroy_v2(event));
    print_answer(cu->EventDestroy_v2(event));
}

static void use_stream_after_reset(void)
{
    CUstream stream = begin_context_stream();

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

static void query_orphaned_event(void)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->EventQuery(event));
}

static void query_orphaned_stream(void)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->StreamQuery(stream));
}

static void destroy_orphaned_event(void)
{
    CUstream stream;
    CUevent event;

    begin_orphans(&stream, &event);
    print_answer(cu->EventDestroy_v2(event));
}

static void destroy_orphaned_stream(void)
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
static void children_of_a_destroyed_context(void)
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

static void use_after_destroy_of_an_event(void)
{
    check_outcome("peer_query_destroyed_event", (const int[]){709, -1});
}

static void use_after_destroy_of_a_stream(void)
{
    check_outcome("peer_query_destroyed_stream", (const int[]){709, 400, 201, -1});
}

static void garbage_handle(void)
{
    check_outcome("peer_query_garbage", (const int[]){400, -1});
}

static void zeroed_buffer_as_handle(void)
{
    const struct outcome outcome = outcome_of("peer_query_zeroes");

    CHECK(!outcome.died);
    CODE(CUDA_ERROR_INVALID_CONTEXT, (CUresult)outcome.code);
}

static void double_destroy(void)
{
    check_outcome("peer_destroy_twice", (const int[]){709, 400, 201, -1});
}

static void stream_use_after_reset(void)
{
    check_outcome("peer_use_stream_after_reset", (const int[]){709, 400, 201, -1});
}

static void mock_answers_400_and_notes_it(void)
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

static void mock_survives_a_reset(void)
{
    const struct outcome outcome = outcome_of("peer_use_stream_after_reset");

    CHECK(!outcome.died);
    ONE_OF((CUresult)outcome.code, 709, 400); /* 709: statement 17 */
}

const struct peer_row undefined_peers[] = {
    {"peer_query_destroyed_event", query_destroyed_event},
    {"peer_query_destroyed_stream", query_destroyed_stream},
    {"peer_query_garbage", query_garbage},
    {"peer_query_zeroes", query_zeroes},
    {"peer_destroy_twice", destroy_twice},
    {"peer_use_stream_after_reset", use_stream_after_reset},
    {"peer_query_orphaned_event", query_orphaned_event},
    {"peer_query_orphaned_stream", query_orphaned_stream},
    {"peer_destroy_orphaned_event", destroy_orphaned_event},
    {"peer_destroy_orphaned_stream", destroy_orphaned_stream},
    {NULL, NULL},
};

const struct conformance_case undefined_cases[] = {
    MEASURED_CASE("017_children_of_a_destroyed_context", children_of_a_destroyed_context),
    GPU_CASE("078_use_after_destroy_of_an_event", use_after_destroy_of_an_event),
    GPU_CASE("078_use_after_destroy_of_a_stream", use_after_destroy_of_a_stream),
    GPU_CASE("078_garbage_handle", garbage_handle),
    GPU_CASE("078_zeroed_buffer_as_handle", zeroed_buffer_as_handle),
    GPU_CASE("078_double_destroy", double_destroy),
    {
        .name = "078_mock_answers_400_and_notes_it",
        .run = mock_answers_400_and_notes_it,
        .class = MOCK_ONLY,
    },
    GPU_CASE("079_stream_use_after_reset", stream_use_after_reset),
    {.name = "079_mock_survives_a_reset", .run = mock_survives_a_reset, .class = MOCK_ONLY},
    {.name = NULL},
};
