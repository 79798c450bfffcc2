/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which work check names as the cause of a sticky error: the work that was not waited for. The
 * driver is the test's own and reuses handle values.
 */

#include <cushim/driver.h>

#include <cushim/testing/check.h>

#include "tests/layer/fake_table.h"
#include "tests/layer/testkit.h"

enum { OBJECTS = 3, ADDRESS = 0x10000 };

static struct cushim_table fake;
static char objects[OBJECTS]; /* their addresses are the handles */
static unsigned given;        /* the object that the next call returns */
static CUcontext current;
static CUresult query_answer;

static CUresult CUDAAPI succeed(void)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI give(void **handle)
{
    *handle = &objects[given];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI query(CUstream stream)
{
    (void)stream;
    return query_answer;
}

static CUresult CUDAAPI current_context(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
}

static int setup(void **state)
{
    fake_table_fill(&fake, succeed);
    FAKE_TABLE_PUT(&fake, CtxCreate_v2, give);
    FAKE_TABLE_PUT(&fake, CtxGetCurrent, current_context);
    FAKE_TABLE_PUT(&fake, StreamCreate, give);
    FAKE_TABLE_PUT(&fake, StreamQuery, query);
    current = NULL;
    query_answer = CUDA_SUCCESS;
    testkit_begin_on(&fake);
    OK(cushim_check_start(layer, NULL));
    return 0;
}

static int teardown(void **state)
{
    OK(cushim_check_stop(layer, NULL, 0));
    testkit_end();
    OK(cushim_table_install(NULL, NULL));
    return 0;
}

static CUcontext contexts[2];

static void create_contexts(void)
{
    for (given = 0; given < 2; given++)
        OK(driver->CtxCreate_v2(&contexts[given], 0, 0));
}

static CUstream create_stream(CUcontext context)
{
    CUstream stream;

    given = 2;
    current = context;
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static void set(CUcontext context, CUstream stream)
{
    current = context;
    OK(driver->MemsetD8Async(ADDRESS, 1, 1, stream));
}

static void wait_for_stream(CUcontext context, CUstream stream)
{
    current = context;
    OK(driver->StreamSynchronize(stream));
}

/* Cause an error; the earlier memset is named as a possible cause, or known to be none. */
static void fail_after_set(bool is_named)
{
    char text[2000];

    query_answer = CUDA_ERROR_ILLEGAL_ADDRESS;
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(NULL));
    query_answer = CUDA_SUCCESS;
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, text, sizeof text));
    CONTAINS(text, "CUSHIM-error-sticky");
    if (is_named != !!strstr(text, "not waited for, the last first: cuMemsetD8Async of call"))
        fail_msg("it is %snamed: %s", is_named ? "not " : "", text);
    OK(cushim_check_start(layer, NULL));
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(work_on_a_default_stream_is_done_when_that_of_its_context_was_waited_for)
{
    static const CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

    create_contexts();
    for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++) {
        set(contexts[0], streams[i]);
        wait_for_stream(contexts[1], streams[i]);
        fail_after_set(true);
        set(contexts[0], streams[i]);
        wait_for_stream(contexts[0], streams[i]);
        fail_after_set(false);
    }
    set(contexts[0], CU_STREAM_PER_THREAD);
    wait_for_stream(contexts[0], CU_STREAM_LEGACY);
    fail_after_set(true);
}

TEST(work_on_a_stream_is_done_when_it_was_waited_for_in_any_context)
{
    CUstream stream;

    create_contexts();
    stream = create_stream(contexts[0]);
    set(contexts[0], stream);
    wait_for_stream(contexts[1], stream);
    fail_after_set(false);
}

TEST(work_on_a_destroyed_stream_is_not_done_when_its_value_was_waited_for)
{
    CUstream stream;

    create_contexts();
    stream = create_stream(contexts[0]);
    set(contexts[0], stream);
    OK(driver->StreamDestroy_v2(stream));
    wait_for_stream(contexts[0], create_stream(contexts[0]));
    fail_after_set(true);
}

TEST(work_is_done_when_the_context_of_its_stream_was_waited_for)
{
    CUstream stream;

    create_contexts();
    stream = create_stream(contexts[0]);
    set(contexts[1], stream);
    OK(driver->CtxSynchronize()); /* waits for contexts[1] */
    fail_after_set(true);
    stream = create_stream(contexts[0]);
    set(contexts[1], stream);
    current = contexts[0];
    OK(driver->CtxSynchronize());
    fail_after_set(false);
}

TEST(work_is_done_when_its_context_was_waited_for_by_name)
{
    create_contexts();
    set(contexts[0], NULL);
    OK(driver->CtxSynchronize_v2(contexts[1]));
    fail_after_set(true);
    set(contexts[0], NULL);
    current = contexts[1];
    OK(driver->CtxSynchronize_v2(contexts[0]));
    fail_after_set(false);
}
