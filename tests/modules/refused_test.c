/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals. When a handle is released, driver codes that mean "already destroyed" (the process is
 * ending, the context is destroyed, this is a forked child) count as success; other codes are
 * returned and logged. If the host has no memory for an object, the function returns
 * CUDA_ERROR_OUT_OF_MEMORY before any driver call, writes nothing, and succeeds when there is
 * memory. The linker replaces malloc() and calloc().
 */
#include "testkit.h"

#include <stdio.h>
#include <string.h>

static CUresult release_event(void)
{
    return cushim_event_release(testkit_event(NULL));
}

static CUresult close_event(void)
{
    struct cushim_event *event = testkit_event(NULL);
    const CUresult code = cushim_event_close(event);

    OK(cushim_event_release(event));
    return code;
}

static CUresult release_pool(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_event_pool *pool = NULL;

    OK(cushim_event_pool_create(testkit.one, NULL, &options, &pool));
    return cushim_event_pool_release(pool);
}

static CUresult release_event_after_its_pool(void)
{
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;

    OK(cushim_event_pool_create(testkit.one, NULL, NULL, &pool));
    OK(cushim_event_pool_acquire(pool, &event));
    OK(cushim_event_pool_release(pool));
    return cushim_event_release(event);
}

static CUresult release_stream(void)
{
    return cushim_stream_release(testkit_stream(CREATED));
}

static CUresult close_stream(void)
{
    struct cushim_stream *stream = testkit_stream(CREATED);
    const CUresult code = cushim_stream_close(stream);

    OK(cushim_stream_release(stream));
    return code;
}

static CUresult release_context(void)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_create(0, NULL, &context));
    return cushim_context_release(context);
}

static CUresult release_primary_context(void)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_retain_primary(0, &context));
    return cushim_context_release(context);
}

static const struct {
    CUresult (*let_go)(void);
    const char *function; /* of the driver */
    const char *handle;   /* its parameter for the handle; NULL: none */
    unsigned calls;       /* of that function */
} ways[] = {
    {release_event, "cuEventDestroy_v2", "hEvent", 1},
    {close_event, "cuEventDestroy_v2", "hEvent", 1},
    {release_pool, "cuEventDestroy_v2", "hEvent", 2},
    {release_event_after_its_pool, "cuEventDestroy_v2", "hEvent", 1},
    {release_stream, "cuStreamDestroy_v2", "hStream", 1},
    {close_stream, "cuStreamDestroy_v2", "hStream", 1},
    {release_context, "cuCtxDestroy_v2", "ctx", 1},
    {release_primary_context, "cuDevicePrimaryCtxRelease_v2", NULL, 1},
};

/* Release an object, while the driver's function returns this code from each call. */
static CUresult let_go(size_t way, CUresult code)
{
    char rule[100];

    snprintf(rule, sizeof rule, "%s:times=%u,phase=after => return(%d)", ways[way].function,
             ways[way].calls, code);
    testkit_fault(rule);
    return ways[way].let_go();
}

static void handle_that_is_gone_is_let_go_without_an_error(void **state)
{
    static const CUresult gone[] = {CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                                    CUDA_ERROR_NOT_INITIALIZED};

    (void)state;
    for (size_t way = 0; way < COUNT(ways); way++) {
        for (size_t i = 0; i < COUNT(gone); i++)
            OK(let_go(way, gone[i]));
    }
    assert_int_equal(testkit.log_lines, 0);
}

static void any_other_code_is_returned_and_logged(void **state)
{
    static const char failed[] = " failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)";
    char message[100], end;
    void *handle;

    (void)state;
    for (size_t way = 0; way < COUNT(ways); way++) {
        testkit.log_lines = 0;
        CODE(CUDA_ERROR_ILLEGAL_ADDRESS, let_go(way, CUDA_ERROR_ILLEGAL_ADDRESS));
        assert_int_equal(testkit.log_lines, ways[way].calls);
        snprintf(message, sizeof message, "%s of %%p%%c", ways[way].function);
        assert_int_equal(sscanf(testkit.log_last, message, &handle, &end), 2);
        if (ways[way].handle)
            assert_int_equal((uintptr_t)handle,
                             testkit_argument(ways[way].function, ways[way].handle));
        assert_non_null(strstr(testkit.log_last, failed));
    }
}

/* The driver returns either code for a context that was destroyed before (statement 13). */
static void invalid_context_of_a_destroy_says_that_it_is_gone(void **state)
{
    struct cushim_context *context = NULL;

    (void)state;
    OK(cushim_context_create(0, NULL, &context));
    testkit_fault("cuCtxDestroy_v2:nth=1,phase=after => return(INVALID_CONTEXT)");
    OK(cushim_context_release(context));
    assert_int_equal(testkit.log_lines, 0);
}

/* Allocations fail from this one on; 0: none fails. */
static unsigned failing;

static bool fails(void)
{
    if (failing > 1)
        failing--;
    else if (failing == 1)
        return true;
    return false;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

/* The outputs of the functions. */
static struct cushim_context *context;
static struct cushim_stream *stream;
static struct cushim_event *event;
static struct cushim_event_pool *pool;
static CUevent foreign;

static CUresult retain_primary(void)
{
    return cushim_context_retain_primary(0, &context);
}

static CUresult create_context(void)
{
    return cushim_context_create(0, NULL, &context);
}

static CUresult wrap_context(void)
{
    return cushim_context_wrap(testkit.first, &context);
}

static CUresult stream_priority_range(void)
{
    int least, greatest;

    return cushim_device_get_stream_priority_range(0, &least, &greatest);
}

static CUresult create_stream(void)
{
    return cushim_stream_create(testkit.one, NULL, &stream);
}

static CUresult wrap_stream(void)
{
    return cushim_stream_wrap(NULL, testkit.one, &stream);
}

static CUresult create_event(void)
{
    return cushim_event_create(testkit.one, NULL, &event);
}

static CUresult wrap_event(void)
{
    return cushim_event_wrap(foreign, testkit.one, NULL, &event);
}

static CUresult import_event(void)
{
    static const CUipcEventHandle handle;

    if (failing == 0) /* the driver has no event to open */
        return CUDA_SUCCESS;
    return cushim_event_import(testkit.one, &handle, &event);
}

static CUresult create_pool(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};

    return cushim_event_pool_create(testkit.one, NULL, &options, &pool);
}

static void objects_without_memory_are_refused_and_leave_nothing(void **state)
{
    static const struct {
        CUresult (*make)(void);
        unsigned allocations; /* before the first driver call */
    } cases[] = {
        {retain_primary, 1}, {create_context, 1}, {wrap_context, 1}, {stream_priority_range, 1},
        {create_stream, 1},  {wrap_stream, 1},    {create_event, 1}, {wrap_event, 1},
        {import_event, 1},   {create_pool, 2},
    };

    (void)state;
    foreign = testkit_foreign_event(0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned nth = 1; nth <= cases[i].allocations; nth++) {
            CUresult code;

            failing = nth;
            code = cases[i].make();
            failing = 0;
            CODE(CUDA_ERROR_OUT_OF_MEMORY, code);
            assert_calls("");
            assert_true(!context && !stream && !event && !pool);
        }
        OK(cases[i].make());
        OK(cushim_context_release(context));
        OK(cushim_stream_release(stream));
        OK(cushim_event_release(event));
        OK(cushim_event_pool_release(pool));
        context = NULL, stream = NULL, event = NULL, pool = NULL;
        testkit_forget();
    }
}

static void pool_without_memory_for_an_event_stays_as_it_is(void **state)
{
    size_t total = 9, free = 9;
    CUresult code;

    (void)state;
    OK(cushim_event_pool_create(testkit.one, NULL, NULL, &pool));
    failing = 1;
    code = cushim_event_pool_acquire(pool, &event);
    failing = 0;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, code);
    assert_null(event);
    assert_calls("");
    OK(cushim_event_pool_acquire(pool, &event));
    OK(cushim_event_release(event));
    OK(cushim_event_pool_get_counts(pool, &total, &free));
    assert_int_equal(total, 1);
    assert_int_equal(free, 1);
    OK(cushim_event_pool_release(pool));
}

static void record_without_memory_for_the_context_creates_no_event(void **state)
{
    struct cushim_stream *bare = testkit_stream(WRAPPED_BARE);
    CUresult code;

    (void)state;
    testkit_forget();
    for (unsigned nth = 1; nth <= 2; nth++) {
        failing = nth;
        code = cushim_event_create_recorded(bare, NULL, &event);
        failing = 0;
        CODE(CUDA_ERROR_OUT_OF_MEMORY, code);
        assert_calls("cuStreamGetCtx");
    }
    OK(cushim_stream_release(bare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(handle_that_is_gone_is_let_go_without_an_error),
        TEST(any_other_code_is_returned_and_logged),
        TEST(invalid_context_of_a_destroy_says_that_it_is_gone),
        TEST(objects_without_memory_are_refused_and_leave_nothing),
        TEST(pool_without_memory_for_an_event_stays_as_it_is),
        TEST(record_without_memory_for_the_context_creates_no_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
