/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals. When a handle is released, driver codes that mean "already destroyed" (the process is
 * ending, the context is destroyed, this is a forked child) count as success; other codes are
 * returned and logged.
 */
#include "testkit.h"

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

TEST(handle_that_is_gone_is_let_go_without_an_error)
{
    static const CUresult gone[] = {CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                                    CUDA_ERROR_NOT_INITIALIZED};

    for (size_t way = 0; way < COUNT(ways); way++) {
        for (size_t i = 0; i < COUNT(gone); i++)
            OK(let_go(way, gone[i]));
    }
    assert_int_equal(testkit.log_lines, 0);
}

TEST(any_other_code_is_returned_and_logged)
{
    static const char failed[] = " failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)";
    char message[100], end;
    void *handle;

    for (size_t way = 0; way < COUNT(ways); way++) {
        testkit.log_lines = 0;
        CODE(CUDA_ERROR_ILLEGAL_ADDRESS, let_go(way, CUDA_ERROR_ILLEGAL_ADDRESS));
        assert_int_equal(testkit.log_lines, ways[way].calls);
        snprintf(message, sizeof message, "%s of %%p%%c", ways[way].function);
        assert_int_equal(sscanf(testkit.log_last, message, &handle, &end), 2);
        if (ways[way].handle)
            assert_int_equal((uintptr_t)handle,
                             testkit_argument(ways[way].function, ways[way].handle));
        CONTAINS(testkit.log_last, failed);
    }
}

/* The driver returns either code for a context that was destroyed before (statement 13). */
TEST(invalid_context_of_a_destroy_says_that_it_is_gone)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_create(0, NULL, &context));
    testkit_fault("cuCtxDestroy_v2:nth=1,phase=after => return(INVALID_CONTEXT)");
    OK(cushim_context_release(context));
    assert_int_equal(testkit.log_lines, 0);
}

/* A driver call of each function that makes an object. */
static const char *const makers[] = {
    "cuDevicePrimaryCtxRetain",   "cuCtxCreate_v2", "cuCtxGetCurrent",
    "cuStreamCreateWithPriority", "cuEventCreate",  "cuEventRecord",
    "cuIpcOpenEventHandle",       "cuEventCreate",
};

static CUresult make(size_t maker, void *made)
{
    const struct cushim_event_pool_options two = {.size = sizeof two, .initial = 2};
    const CUipcEventHandle handle = {{0}};

    switch (maker) {
    case 0:
        return cushim_context_retain_primary(0, made);
    case 1:
        return cushim_context_create(0, NULL, made);
    case 2:
        return cushim_context_wrap_current(made);
    case 3:
        return cushim_stream_create(testkit.one, NULL, made);
    case 4:
        return cushim_event_create(testkit.one, NULL, made);
    case 5:
        return cushim_event_create_recorded(cushim_stream_legacy(), NULL, made);
    case 6:
        return cushim_event_import(testkit.one, &handle, made);
    default:
        return cushim_event_pool_create(testkit.one, NULL, &two, made);
    }
}

TEST(failed_creation_leaves_its_output_untouched)
{
    char rule[100];

    for (size_t i = 0; i < COUNT(makers); i++) {
        void *made = &made;

        snprintf(rule, sizeof rule, "%s:nth=1 => return(UNKNOWN)", makers[i]);
        testkit_fault(rule);
        CODE(CUDA_ERROR_UNKNOWN, make(i, &made));
        assert_ptr_equal(made, &made);
    }
}

/* With NULL, these functions do nothing; tests/arguments has what is refused. */
TEST(releasing_null_is_no_error)
{
    OK(cushim_context_release(NULL));
    OK(cushim_stream_release(NULL));
    OK(cushim_event_release(NULL));
    OK(cushim_event_pool_release(NULL));
    assert_null(cushim_context_retain(NULL));
    assert_null(cushim_stream_retain(NULL));
    assert_null(cushim_event_retain(NULL));
    assert_null(cushim_event_pool_retain(NULL));
    assert_calls("");
}
