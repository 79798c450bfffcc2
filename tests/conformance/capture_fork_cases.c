/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of several streams. Statement 68. */
#include "backend.h"
#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"

/* Two streams and the events that tie them. */
struct pair {
    CUstream origin, fork;
    CUevent forked, joined;
};

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static struct pair begin_pair(void)
{
    struct pair pair;

    begin_context();
    pair.origin = begin_stream();
    pair.fork = begin_stream();
    pair.forked = begin_event();
    pair.joined = begin_event();
    return pair;
}

/* Begin a capture of `origin` that `fork` joins, and put work there. */
static void begin_fork(const struct pair *pair)
{
    capture_begin(pair->origin, GLOBAL);
    OK(cu->EventRecord(pair->forked, pair->origin));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair->fork));
    OK(cu->StreamWaitEvent(pair->fork, pair->forked, 0));
    capture_active(pair->fork);
    OK(cu->LaunchHostFunc(pair->fork, do_nothing, NULL));
}

static cuuint64_t capture_id(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;

    MUST(cu->StreamGetCaptureInfo_v2(stream, &status, &id, NULL, NULL, NULL));
    return id;
}

static void joined_fork_is_captured(void)
{
    struct pair pair = begin_pair();

    begin_fork(&pair);
    CHECK(capture_id(pair.origin) == capture_id(pair.fork));
    OK(cu->EventRecord(pair.joined, pair.fork));
    OK(cu->StreamWaitEvent(pair.origin, pair.joined, 0));
    capture_end(pair.origin);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.fork));
    OK(cu->StreamQuery(pair.fork));
}

static void unjoined_fork_is_904(void)
{
    struct pair pair = begin_pair();
    CUgraph graph = NULL;

    begin_fork(&pair);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cu->StreamEndCapture(pair.origin, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.origin));
}

static void end_of_a_fork_is_903(void)
{
    struct pair pair = begin_pair();
    CUgraph graph = NULL;

    begin_fork(&pair);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cu->StreamEndCapture(pair.fork, &graph));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(pair.origin, &graph));
    CHECK(graph == NULL);
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(pair.origin));
}

static void two_captures_must_not_be_joined(void)
{
    struct pair pair = begin_pair();

    capture_begin(pair.origin, GLOBAL);
    capture_begin(pair.fork, GLOBAL);
    CHECK(capture_id(pair.origin) != capture_id(pair.fork));
    OK(cu->EventRecord(pair.forked, pair.origin));
    CODE(CUDA_ERROR_STREAM_CAPTURE_MERGE, cu->StreamWaitEvent(pair.fork, pair.forked, 0));
    capture_spoilt(pair.origin);
    capture_spoilt(pair.fork);
}

const struct conformance_case capture_fork_cases[] = {
    DOCUMENTED_CASE("068_joined_fork_is_captured", joined_fork_is_captured),
    DOCUMENTED_CASE("068_unjoined_fork_is_904", unjoined_fork_is_904),
    DOCUMENTED_CASE("068_end_of_a_fork_is_903", end_of_a_fork_is_903),
    DOCUMENTED_CASE("068_two_captures_must_not_be_joined", two_captures_must_not_be_joined),
    {.name = NULL},
};
