/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which table objects are destroyed through. The driver of this process has the functions of the
 * mock, and counts what it is given to destroy: NVIDIA's would crash on a handle of another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "loader/loader.h"
#include "src/mock/table.h"
#include "tests/support/counters.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CODE(want, call) assert_int_equal((call), (want))
#define OK(call) CODE(CUDA_SUCCESS, call)

/* --- tables --- */

static unsigned by_driver, by_other; /* handles that these were given to destroy */

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

/* It fails when another table is to come just then. */
static const struct cushim_table *comes;

static CUresult CUDAAPI pop(CUcontext *context)
{
    const CUresult code = cushim__mock_table.CtxPopCurrent_v2(context);

    if (!comes)
        return code;
    cushim_table_install(comes, NULL);
    return CUDA_ERROR_UNKNOWN;
}

static const struct {
    const char *symbol;
    cushim_function function;
} drivers[] = {
    {"cuCtxDestroy_v2", (cushim_function)driver_CtxDestroy_v2},
    {"cuDevicePrimaryCtxRelease_v2", (cushim_function)driver_DevicePrimaryCtxRelease_v2},
    {"cuStreamDestroy_v2", (cushim_function)driver_StreamDestroy_v2},
    {"cuEventDestroy_v2", (cushim_function)driver_EventDestroy_v2},
    {"cuCtxPopCurrent_v2", (cushim_function)pop},
};

static cushim_function resolve(const char *symbol, void *data)
{
    (void)data;
    for (size_t i = 0; i < COUNT(drivers); i++) {
        if (strcmp(symbol, drivers[i].symbol) == 0)
            return drivers[i].function;
    }
    return cushim_mock_symbol(symbol, cushim_mock_current());
}

/* A table of the program's, which may be a layer or another driver; the first so many bytes of it. */
static struct cushim_table *new_other(size_t size)
{
    struct cushim_table table = *cushim__loaded()->table, *other = malloc(size);

    assert_non_null(other);
    table.size = size;
    table.EventDestroy_v2 = other_EventDestroy_v2;
    memcpy(other, &table, size);
    return other;
}

/* --- objects --- */

enum { HANDLES = 6, EVENTS = 3 }; /* to destroy; of them two are a pool's */

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

    OK(cushim_context_create(&its.context, 0, NULL));
    OK(cushim_context_retain_primary(&its.primary, 0));
    OK(cushim_stream_create(&its.stream, its.context, NULL));
    OK(cushim_event_create(&its.event, its.context, NULL));
    OK(cushim_event_pool_create(&its.pool, its.context, NULL, &two));
    OK(cushim_event_pool_acquire(its.pool, &its.pooled));
    return its;
}

/* The codes of all calls, or'ed. */
static unsigned release(const struct objects *its)
{
    unsigned codes = cushim_event_close(its->event) | cushim_event_release(its->event);

    codes |= cushim_event_release(its->pooled) | cushim_event_pool_release(its->pool);
    codes |= cushim_stream_close(its->stream) | cushim_stream_release(its->stream);
    return codes | cushim_context_release(its->primary) | cushim_context_release(its->context);
}

/* --- a mock for each test, which the driver is made of --- */

static int set_up(void **state)
{
    struct cushim_mock *mock = NULL;
    const struct cushim_load_options options = {.size = sizeof options, .resolver = resolve};

    by_driver = by_other = 0;
    comes = NULL;
    if (cushim_mock_create(NULL, &mock) || cushim_init(&options))
        return -1;
    *state = mock;
    return 0;
}

/* Nothing is left in it, and it was given no handle that is not its own. */
static int tear_down(void **state)
{
    struct cushim_mock_state left = {.size = sizeof left};
    struct cushim_mock *mock = cushim_mock_current();

    (void)state;
    cushim_layer_destroy(cushim_layer_current());
    cushim_table_install(NULL, NULL);
    return (mock && cushim_mock_state_get(mock, &left)) || left.handles ||
           cushim_mock_destroy(mock);
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

static void objects_that_outlive_their_test_never_reach_the_driver(void **state)
{
    const struct cushim_test_options options = {.size = sizeof options, .context = true};
    struct cushim_test *test = NULL;
    const struct cushim_table *tables[2];
    struct objects its;
    CUevent handle;

    OK(cushim_mock_destroy(*state));
    OK(cushim_test_begin(&options, &test));
    its = make();
    OK(cushim_event_handle(its.pooled, &handle));
    tables[0] = cushim_mock_table(cushim_test_mock(test));
    tables[1] = cushim_layer_table(cushim_test_layer(test));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_test_end(test, NULL, 0));
    for (size_t i = 0; i < COUNT(tables); i++)
        CODE(CUDA_ERROR_DEINITIALIZED, tables[i]->EventDestroy_v2(handle));
    OK(release(&its));
    assert_int_equal(by_driver, 0);
}

/* The rules of a mock's settings need a layer, which is the mock's table then. */
static void objects_of_a_mock_with_rules_never_reach_the_driver(void **state)
{
    const struct cushim_mock_options options = {.size = sizeof options,
                                                .settings = "fault = cuMemAlloc* => missing"};
    struct cushim_mock *mock = NULL;
    struct objects its;

    cushim_layer_destroy(
        install_recording(NULL)); /* over the driver: the same table is a layer's */
    OK(cushim_mock_destroy(*state));
    OK(cushim_mock_create(&options, &mock));
    OK(cushim_mock_install(mock));
    OK(cushim_driver()->Init(0));
    its = make();
    OK(cushim_event_close(its.event));
    OK(cushim_mock_destroy(mock));
    OK(release(&its));
    assert_int_equal(by_driver, 0);
}

static void objects_of_the_driver_are_destroyed_by_it_under_another_table(void **state)
{
    const struct objects its = make();

    OK(cushim_mock_install(*state));
    OK(release(&its));
    assert_int_equal(by_driver, HANDLES);
}

static void what_a_failed_creation_has_made_is_destroyed_by_its_maker(void **state)
{
    struct cushim_context *none = NULL, *context = NULL;
    struct cushim_stream *stream = NULL;
    struct cushim_event *event = NULL;

    (void)state;
    OK(cushim_context_retain_primary(&context, 0));
    comes = &cushim__mock_table;
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_create(&none, 0, NULL));
    cushim_table_install(NULL, NULL);
    CODE(CUDA_ERROR_UNKNOWN, cushim_stream_create(&stream, context, NULL));
    cushim_table_install(NULL, NULL);
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_create(&event, context, NULL));
    assert_int_equal(by_driver, 3);
    OK(cushim_context_release(context));
}

/* Over the driver's table, and over the lazy-load table, which leads to it. */
static void layer_sees_the_end_of_objects_that_were_made_before_it(void **state)
{
    const struct cushim_table *const tables[] = {NULL, &cushim__lazy_table};

    (void)state;
    for (size_t i = 0; i < COUNT(tables); i++) {
        const struct objects its = make();
        struct cushim_layer *layer = install_recording(tables[i]);

        OK(release(&its));
        assert_in_range(cushim_recording_count(layer), HANDLES, HANDLES + 1);
        assert_int_equal(by_driver, (i + 1) * HANDLES);
        cushim_layer_destroy(layer);
    }
}

/* The layer is over the mock when they are released, and was over the driver. */
static void objects_made_through_a_layer_do_without_it(void **state)
{
    struct cushim_layer *layer = install_recording(NULL);
    const struct objects its = make();

    (void)state;
    cushim_layer_destroy(layer);
    layer = install_recording(&cushim__mock_table);
    OK(release(&its));
    assert_int_equal(cushim_recording_count(layer), 0);
    assert_int_equal(by_driver, HANDLES);
}

/* A table of the program's, also one with a slot less, which a copy of it stands for. */
static void table_is_a_layer_if_that_is_said(void **state)
{
    const size_t sizes[] = {sizeof(struct cushim_table),
                            sizeof(struct cushim_table) - sizeof(cushim_function)};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct cushim_table *other = new_other(sizes[i]);
        struct objects before = make(), through;

        by_driver = by_other = 0;
        OK(cushim_table_install(other, NULL));
        through = make();
        OK(release(&before));
        assert_int_equal(by_driver, HANDLES);
        OK(cushim_table_install(NULL, NULL));
        OK(release(&through));
        assert_int_equal(by_other, EVENTS);

        before = make();
        OK(cushim_table_set_wrapped(other, cushim__loaded()->table));
        OK(cushim_table_install(other, NULL));
        OK(release(&before));
        assert_int_equal(by_other, 2 * EVENTS);
        through = make();
        OK(cushim_table_install(NULL, NULL));
        OK(release(&through));
        assert_int_equal(by_other, 2 * EVENTS);
        OK(cushim_table_set_wrapped(other, NULL));
        if (sizes[i] == sizeof *other)
            free(other); /* the copy of the other stays its own */
    }
}

/* The next mock's event has the place of the former one. */
static void object_of_an_ended_mock_is_none_of_the_next(void **state)
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
    assert_non_null(
        strstr(cushim_mock_violation(mock, 0), "an event of a mock that was destroyed"));
    OK(cushim_event_synchronize(its.event));
    OK(release(&its));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(mock));
    OK(release(&former));
    assert_int_equal(by_driver, 0);
}

#ifndef _WIN32
/* In the child, which may have a table of its own then. */
static void release_in_child(const struct objects *its, const struct cushim_table *table)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        const unsigned failed = table && cushim_table_install(table, NULL);
        const unsigned codes = release(its);

        counters_write();
        _exit(failed || codes || by_driver || by_other);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void in_a_forked_child_nothing_is_called(void **state)
{
    struct cushim_table *other = new_other(sizeof *other);
    struct objects its = make();

    (void)state;
    release_in_child(&its, NULL);
    release_in_child(&its, other);
    OK(release(&its));
    OK(cushim_table_install(other, NULL));
    its = make();
    by_driver = by_other = 0;
    release_in_child(&its, NULL);
    OK(release(&its));
    free(other);
}
#endif

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_that_outlive_their_test_never_reach_the_driver),
        TEST(objects_of_a_mock_with_rules_never_reach_the_driver),
        TEST(objects_of_the_driver_are_destroyed_by_it_under_another_table),
        TEST(what_a_failed_creation_has_made_is_destroyed_by_its_maker),
        TEST(layer_sees_the_end_of_objects_that_were_made_before_it),
        TEST(objects_made_through_a_layer_do_without_it),
        TEST(table_is_a_layer_if_that_is_said),
        TEST(object_of_an_ended_mock_is_none_of_the_next),
#ifndef _WIN32
        TEST(in_a_forked_child_nothing_is_called),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
