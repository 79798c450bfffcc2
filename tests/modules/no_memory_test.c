/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No host memory for an object: CUDA_ERROR_OUT_OF_MEMORY before any driver call, nothing written,
 * and success once there is memory. The linker puts functions in the place of malloc() and
 * calloc().
 */
#include "testkit.h"

/* From the n-th on allocations fail; 0: none does. */
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

/* What the functions write. */
static struct cushim_context *context;
static struct cushim_stream *stream;
static struct cushim_event *event;
static struct cushim_event_pool *pool;
static CUevent foreign;

static CUresult retain_primary(void)
{
    return cushim_context_retain_primary(&context, 0);
}

static CUresult create_context(void)
{
    return cushim_context_create(&context, 0, NULL);
}

static CUresult wrap_context(void)
{
    return cushim_context_wrap(&context, kit.first);
}

static CUresult stream_priority_range(void)
{
    int least, greatest;

    return cushim_device_stream_priority_range(0, &least, &greatest);
}

static CUresult create_stream(void)
{
    return cushim_stream_create(&stream, kit.one, NULL);
}

static CUresult wrap_stream(void)
{
    return cushim_stream_wrap(&stream, NULL, kit.one);
}

static CUresult create_event(void)
{
    return cushim_event_create(&event, kit.one, NULL);
}

static CUresult wrap_event(void)
{
    return cushim_event_wrap(&event, foreign, kit.one, NULL);
}

static CUresult import_event(void)
{
    static const CUipcEventHandle handle;

    if (failing == 0) /* the driver has none to open */
        return CUDA_SUCCESS;
    return cushim_event_import(&event, kit.one, &handle);
}

static CUresult create_pool(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};

    return cushim_event_pool_create(&pool, kit.one, NULL, &options);
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
    foreign = kit_foreign_event(0);
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
        kit_forget();
    }
}

static void pool_without_memory_for_a_chunk_stays_as_it_is(void **state)
{
    size_t total = 9, free = 9;
    CUresult code;

    (void)state;
    OK(cushim_event_pool_create(&pool, kit.one, NULL, NULL));
    failing = 1;
    code = cushim_event_pool_acquire(pool, &event);
    failing = 0;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, code);
    assert_null(event);
    assert_calls("");
    OK(cushim_event_pool_acquire(pool, &event));
    OK(cushim_event_release(event));
    OK(cushim_event_pool_counts(pool, &total, &free));
    assert_int_equal(total, 1);
    assert_int_equal(free, 1);
    OK(cushim_event_pool_release(pool));
}

static void record_without_memory_for_the_context_creates_no_event(void **state)
{
    struct cushim_stream *bare = kit_stream(WRAPPED_BARE);
    CUresult code;

    (void)state;
    kit_forget();
    for (unsigned nth = 1; nth <= 2; nth++) {
        failing = nth;
        code = cushim_event_create_recorded(&event, bare, NULL);
        failing = 0;
        CODE(CUDA_ERROR_OUT_OF_MEMORY, code);
        assert_calls("cuStreamGetCtx");
    }
    OK(cushim_stream_release(bare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_without_memory_are_refused_and_leave_nothing),
        TEST(pool_without_memory_for_a_chunk_stays_as_it_is),
        TEST(record_without_memory_for_the_context_creates_no_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
