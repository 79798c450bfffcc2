/* SPDX-License-Identifier: Apache-2.0 */
/* Every answer is one that the reference lists. Statement 22. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

/* The lists of the reference. */
#define CREATE 0, 4, 3, 201, 1, 2
#define RECORD 0, 4, 3, 201, 400, 1
#define QUERY 0, 4, 3, 400, 1, 600
#define OTHER 0, 4, 3, 201, 400
#define ELAPSED 0, 4, 3, 201, 400, 600, 999

/* All functions on an event that may be none, and on streams that may be the default one. */
static void check_all(CUevent event, CUevent other, CUstream stream)
{
    float ms = 0;

    ONE_OF(cu->EventRecord(event, stream), RECORD);
    ONE_OF(cu->EventRecordWithFlags(event, stream, 0), RECORD);
    ONE_OF(cu->EventQuery(event), QUERY);
    ONE_OF(cu->EventSynchronize(event), OTHER);
    ONE_OF(cu->EventElapsedTime(&ms, event, other), ELAPSED);
    ONE_OF(cu->EventElapsedTime_v2(&ms, event, other), ELAPSED);
    ONE_OF(cu->EventElapsedTime(NULL, event, other), ELAPSED);
    ONE_OF(cu->StreamWaitEvent(stream, event, 0), OTHER);
}

static void valid_arguments_answer_what_is_listed(void)
{
    CUevent event = NULL;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    ONE_OF(cu->EventCreate(&event, 0), CREATE);
    check_all(event, begin_done(), stream);
    check_all(event, begin_event(), NULL);
    check_all(event, event, CU_STREAM_PER_THREAD);
    ONE_OF(cu->EventDestroy_v2(event), OTHER);
}

static void wrong_arguments_answer_what_is_listed(void)
{
    CUevent event = NULL;

    begin_context();
    ONE_OF(cu->EventCreate(NULL, 0), CREATE);
    ONE_OF(cu->EventCreate(&event, 0xffff), CREATE);
    check_all(NULL, begin_event(), begin_stream());
    check_all(begin_event(), NULL, begin_stream());
    check_all(NULL, NULL, NULL);
    ONE_OF(cu->EventRecordWithFlags(begin_event(), begin_stream(), 0x80), RECORD);
    ONE_OF(cu->EventDestroy_v2(NULL), OTHER);
}

static void answers_without_context_are_listed(void)
{
    CUcontext context = begin_context();
    CUevent event = begin_event(), made = NULL;

    CHECK(context != NULL);
    make_current(NULL);
    ONE_OF(cu->EventCreate(&made, 0), CREATE);
    check_all(event, event, NULL);
    check_all(NULL, event, NULL);
    ONE_OF(cu->EventDestroy_v2(event), OTHER);
}

const struct conformance_case event_list_cases[] = {
    DOCUMENTED_CASE("022_valid_arguments_answer_what_is_listed",
                    valid_arguments_answer_what_is_listed),
    DOCUMENTED_CASE("022_wrong_arguments_answer_what_is_listed",
                    wrong_arguments_answer_what_is_listed),
    DOCUMENTED_CASE("022_answers_without_context_are_listed", answers_without_context_are_listed),
    {.name = NULL},
};
