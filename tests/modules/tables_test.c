/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Through which table objects are destroyed. The driver of this process consists of the mock's
 * functions, and counts the handles that it is given to destroy: NVIDIA's driver would crash on a
 * handle of another driver.
 */

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "loader/loader.h"
#include "src/mock/mock.h"
#include "testkit.h"
#include "tests/support/counters.h"

static unsigned by_driver, by_other; /* handles that these tables were given to destroy */

#define DESTROYS(who, slot, type)                 \
    static CUresult CUDAAPI who##_##slot(type it) \
    {                                             \
        by_##who++;                               \
        return cushim__mock_table.slot(it);       \
    }
DESTROYS(driver, CtxDestroy_v2, CUcontext)
DESTROYS(driver, DevicePrimaryCtxRelease_v2, CUdevice)
DESTROYS(driver, StreamDestroy_v2, CUstream)
DESTROYS(driver, EventDestroy_v2, CUevent)
DESTROYS(other, EventDestroy_v2, CUevent)

/* The driver's pop installs this table and fails. NULL: it works normally. */
static const struct cushim_table *pop_installs;

static CUresult CUDAAPI driver_CtxPopCurrent_v2(CUcontext *context)
{
    const CUresult code = cushim__mock_table.CtxPopCurrent_v2(context);

    if (!pop_installs)
        return code;
    cushim_table_install(pop_installs, NULL);
    return CUDA_ERROR_UNKNOWN;
}

static cushim_function resolve(const char *symbol, void *data)
{
    static const struct {
        const char *symbol;
        cushim_function function;
    } own[] = {
        {"cuCtxDestroy_v2", (cushim_function)driver_CtxDestroy_v2},
        {"cuDevicePrimaryCtxRelease_v2", (cushim_function)driver_DevicePrimaryCtxRelease_v2},
        {"cuStreamDestroy_v2", (cushim_function)driver_StreamDestroy_v2},
        {"cuEventDestroy_v2", (cushim_function)driver_EventDestroy_v2},
        {"cuCtxPopCurrent_v2", (cushim_function)driver_CtxPopCurrent_v2},
    };

    for (size_t i = 0; i < COUNT(own) && !data; i++) {
        if (strcmp(symbol, own[i].symbol) == 0)
            return own[i].function;
    }
    return cushim_mock_symbol(symbol, cushim_mock_current());
}

/* A table of the program with this size, which may be a layer or another driver. */
static struct cushim_table *new_other(size_t size)
{
    struct cushim_table table = *cushim__loaded_driver()->table, *other = malloc(size);

    assert_non_null(other);
    table.size = size;
    table.EventDestroy_v2 = other_EventDestroy_v2;
    memcpy(other, &table, size);
    return other;
}

enum { HANDLES = 6, EVENTS = 3 }; /* handles to destroy; two of the events belong to the pool */

struct objects {
    struct cushim_context *context, *primary;
    struct cushim_stream *stream;
    struct cushim_event *event, *pooled;
    struct cushim_event_pool *pool;
};

static struct objects make(void)
{
    const struct cushim_event_pool_options two = {.size = sizeof two, .initial = 2};
    struct objects its = {0};

    OK(cushim_context_create(0, NULL, &its.context));
    OK(cushim_context_retain_primary(0, &its.primary));
    OK(cushim_stream_create(its.context, NULL, &its.stream));
    OK(cushim_event_create(its.context, NULL, &its.event));
    OK(cushim_event_pool_create(its.context, NULL, &two, &its.pool));
    OK(cushim_event_pool_acquire(its.pool, &its.pooled));
    return its;
}

/* The codes of all calls, combined by OR. */
static unsigned release(const struct objects *its)
{
    unsigned codes = cushim_event_close(its->event) | cushim_event_release(its->event);

    codes |= cushim_event_release(its->pooled) | cushim_event_pool_release(its->pool);
    codes |= cushim_stream_close(its->stream) | cushim_stream_release(its->stream);
    return codes | cushim_context_release(its->primary) | cushim_context_release(its->context);
}

/* Each test has a mock, whose functions are the driver's. */
static int set_up(void **state)
{
    const struct cushim_load_options options = {.size = sizeof options, .resolver = resolve};
    struct cushim_mock *mock = NULL;

    pop_installs = NULL;
    by_driver = by_other = 0;
    *state = cushim_mock_create(NULL, &mock) == CUDA_SUCCESS ? mock : NULL;
    return cushim_driver_init(&options) != CUDA_SUCCESS;
}

/* Nothing is left in the mock, and it was given only its own handles. */
static int tear_down(void **state)
{
    struct cushim_mock_state left = {.size = sizeof left};

    *state = cushim_mock_current();
    cushim_layer_destroy(cushim_layer_current());
    cushim_table_install(NULL, NULL);
    if (*state)
        cushim_mock_get_state(*state, &left);
    return (cushim_mock_destroy(*state) != CUDA_SUCCESS) | (left.handles > 0);
}

static struct cushim_layer *install_recording(const struct cushim_table *table)
{
    const struct cushim_layer_options options = {.size = sizeof options, .table = table};
    struct cushim_layer *layer = NULL;

    OK(cushim_layer_create(&options, &layer));
    OK(cushim_layer_install(layer));
    OK(cushim_recording_start(layer, 0));
    return layer;
}

#define TABLES_TEST(f) TEST_BETWEEN(f, set_up, tear_down)

/*
 * Rules in a mock's settings make the layer's table wrap the mock; before, it wrapped the driver.
 */
TABLES_TEST(objects_that_outlive_their_test_never_reach_the_driver)
{
    static const char *const settings[] = {NULL, "fault = cuMemAlloc* => missing"};

    OK(cushim_mock_destroy(*state));
    for (size_t i = 0; i < COUNT(settings); i++) {
        const struct cushim_test_options options = {
            .size = sizeof options, .context = true, .settings = settings[i]};
        const struct cushim_table *mocks;
        struct cushim_test *test = NULL;
        struct objects its;

        cushim_layer_destroy(install_recording(cushim__loaded_driver()->table));
        OK(cushim_test_begin(&options, &test));
        its = make();
        mocks = cushim_mock_table(cushim_test_mock(test));
        CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_test_end(test, NULL, 0));
        CODE(CUDA_ERROR_DEINITIALIZED, mocks->EventDestroy_v2(NULL));
        OK(release(&its));
        assert_int_equal(by_driver, 0);
    }
}

TABLES_TEST(object_of_an_ended_mock_is_none_of_the_next)
{
    struct objects former, its;
    struct cushim_mock *mock = NULL;

    OK(cushim_mock_install(*state));
    former = make();
    OK(cushim_mock_destroy(*state));
    OK(cushim_mock_create(NULL, &mock));
    OK(cushim_mock_install(mock));
    OK(cushim_driver()->Init(0));
    its = make();
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_close(former.event));
    CONTAINS(cushim_mock_misuse(mock, 0), "is not the handle of an event");
    OK(cushim_event_synchronize(its.event));
    OK(release(&its));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(mock));
    OK(release(&former));
    assert_int_equal(by_driver, 0);
}

TABLES_TEST(what_a_failed_creation_has_made_is_destroyed_by_its_maker)
{
    struct cushim_context *none = NULL, *context = NULL;
    struct cushim_stream *stream = NULL;
    struct cushim_event *event = NULL;

    OK(cushim_context_retain_primary(0, &context));
    pop_installs = &cushim__mock_table;
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_create(0, NULL, &none));
    OK(cushim_table_install(NULL, NULL));
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_create(context, NULL, &stream));
    OK(cushim_table_install(NULL, NULL));
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_create(context, NULL, &event));
    assert_int_equal(by_driver, 3);
    OK(cushim_context_release(context));
}

/* Over the driver's table, and over the lazy-load table, which forwards to the driver's. */
TABLES_TEST(layer_sees_the_end_of_objects_that_were_made_before_it)
{
    const struct cushim_table *const tables[] = {cushim__loaded_driver()->table,
                                                 &cushim__lazy_table};

    for (size_t i = 0; i < COUNT(tables); i++) {
        const struct objects its = make();
        struct cushim_layer *layer = install_recording(tables[i]);

        OK(release(&its));
        assert_int_equal(cushim_recording_count(layer), HANDLES);
        assert_int_equal(by_driver, (i + 1) * HANDLES);
        cushim_layer_destroy(layer);
    }
}

/*
 * The layer is over the driver when the objects are made, and over the mock when they are released.
 */
TABLES_TEST(objects_made_through_a_layer_do_without_it)
{
    struct cushim_layer *layer = install_recording(NULL);
    const struct objects its = make();

    cushim_layer_destroy(layer);
    layer = install_recording(&cushim__mock_table);
    OK(release(&its));
    assert_int_equal(cushim_recording_count(layer), 0);
    assert_int_equal(by_driver, HANDLES);
}

/*
 * Make objects through one table and release them under another; returns how many events the other
 * table has destroyed.
 */
static unsigned others_share(const struct cushim_table *maker, const struct cushim_table *current)
{
    struct objects its;

    OK(cushim_table_install(maker, NULL));
    its = make();
    by_driver = by_other = 0;
    OK(cushim_table_install(current, NULL));
    OK(release(&its));
    assert_int_equal(by_driver + by_other, HANDLES);
    return by_other;
}

/* Also with a table that has one slot less, of which a copy is current. */
TABLES_TEST(table_destroys_what_it_made_or_what_it_is_said_to_wrap_made)
{
    for (size_t missing = 0; missing <= 1; missing++) {
        struct cushim_table *other = new_other(sizeof *other - missing * sizeof(cushim_function));

        assert_int_equal(others_share(other, NULL), EVENTS);
        assert_int_equal(others_share(other, other), EVENTS);
        assert_int_equal(others_share(NULL, other), 0); /* the driver's, another current */
        OK(cushim_table_set_wrapped(other, cushim__loaded_driver()->table));
        assert_int_equal(others_share(other, NULL), 0);
        assert_int_equal(others_share(NULL, other), EVENTS);
        OK(cushim_table_set_wrapped(other, NULL));
        assert_int_equal(others_share(NULL, other), 0);
        OK(cushim_table_install(NULL, NULL));
        free(other);
    }
}

#ifndef _WIN32
TABLES_TEST(in_a_forked_child_nothing_is_called_whatever_it_installs)
{
    const struct objects its = make();

    for (int installs = 0; installs <= 1; installs++) {
        struct cushim_table *other = new_other(sizeof *other);
        const pid_t child = fork();
        int status = -1;

        if (child == 0) {
            const bool failed = (installs && cushim_table_install(other, NULL)) || release(&its);

            counters_write();
            _exit(failed || by_driver || by_other);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        free(other);
    }
    OK(release(&its));
}
#endif

#undef TEST