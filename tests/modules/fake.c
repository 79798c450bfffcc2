/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CALLS = 4096, NAMES = 64 * 1024, LACKS = 16 };

static struct cushim_table table;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* guards all below; the tests have threads */

static const char *calls[CALLS];
static unsigned call_count;
static char order[NAMES];

static struct {
    const char *function; /* NULL: any */
    unsigned countdown;   /* 0: no order */
    bool goes_on;
    CUresult code;
} failing;
static const char *failed; /* the function that the last order made fail */

static const char *lacks[LACKS];
static struct fake_object *objects;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void fake_violation(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("fake driver: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* --- calls --- */

CUresult fake_call(const char *function)
{
    CUresult code = CUDA_SUCCESS;

    lock();
    if (call_count < CALLS)
        calls[call_count] = function;
    call_count++;
    if (failing.countdown && (!failing.function || strcmp(failing.function, function) == 0)) {
        if (failing.countdown > 1) {
            failing.countdown--;
        } else {
            code = failing.code;
            if (!failed)
                failed = function;
            if (!failing.goes_on)
                failing.countdown = 0;
        }
    }
    unlock();
    return code;
}

unsigned fake_calls(const char *function)
{
    unsigned count = 0;

    if (!function)
        return call_count;
    assert_true(call_count <= CALLS);
    for (unsigned i = 0; i < call_count; i++)
        count += strcmp(calls[i], function) == 0;
    return count;
}

const char *fake_order(void)
{
    size_t used = 0;

    assert_true(call_count <= CALLS);
    order[0] = '\0';
    for (unsigned i = 0; i < call_count && used < sizeof order; i++)
        used += (size_t)snprintf(order + used, sizeof order - used, i ? " %s" : "%s", calls[i]);
    return order;
}

void fake_forget(void)
{
    call_count = 0;
}

static void fail_next(const char *function, unsigned nth, bool goes_on, CUresult code)
{
    lock();
    failing.function = function;
    failing.countdown = nth;
    failing.goes_on = goes_on;
    failing.code = code;
    failed = NULL;
    unlock();
}

void fake_fail(const char *function, unsigned nth, CUresult code)
{
    fail_next(function, nth, false, code);
}

void fake_fail_from(const char *function, unsigned nth, CUresult code)
{
    fail_next(function, nth, true, code);
}

const char *fake_failed(void)
{
    return failed;
}

void fake_fail_no_more(void)
{
    fail_next(NULL, 0, false, CUDA_SUCCESS);
}

/* --- the table --- */

static CUresult CUDAAPI init(unsigned flags)
{
    const CUresult code = fake_call("cuInit");

    if (code)
        return code;
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult CUDAAPI driver_get_version(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 13000;
    return CUDA_SUCCESS;
}

static const struct fake_function base_functions[] = {
    FAKE_FUNCTION(Init, init),
    FAKE_FUNCTION(DriverGetVersion, driver_get_version),
    FAKE_END,
};

static cushim_function resolve(const char *symbol, void *data)
{
    const struct fake_function *const lists[] = {
        base_functions,         fake_device_functions,           fake_context_functions,
        fake_primary_functions, fake_context_settings_functions, fake_stream_functions,
        fake_work_functions,    fake_capture_functions,          fake_event_functions};

    (void)data;
    for (size_t i = 0; i < LACKS && lacks[i]; i++) {
        if (strcmp(lacks[i], symbol) == 0)
            return NULL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const struct fake_function *f = lists[i]; f->symbol; f++) {
            if (strcmp(f->symbol, symbol) == 0)
                return f->function;
        }
    }
    return NULL;
}

static void fill(void)
{
    table.size = sizeof table;
    assert_int_equal(cushim_table_fill(&table, resolve, NULL, NULL), CUDA_SUCCESS);
}

void fake_lack(const char *symbol)
{
    size_t i = 0;

    assert_non_null(resolve(symbol, NULL));
    while (lacks[i])
        i++;
    assert_true(i + 1 < LACKS);
    lacks[i] = symbol;
    fill();
}

/* --- objects --- */

void *fake_new(size_t size, enum fake_kind kind, struct fake_context *context)
{
    struct fake_object *object = calloc(1, size);

    if (!object)
        fake_violation("no memory");
    object->kind = kind;
    object->context = context;
    lock();
    object->next = objects;
    objects = object;
    unlock();
    return object;
}

void *fake_find(enum fake_kind kind, const void *handle, const char *function)
{
    struct fake_object *object;

    lock();
    for (object = objects; object && object != handle; object = object->next)
        ;
    unlock();
    if (!object || object->kind != kind)
        fake_violation("%s was given %p, which never was a handle of its kind", function, handle);
    if (object->life == FAKE_DESTROYED)
        fake_violation("%s was given %p, which is destroyed", function, handle);
    return object;
}

CUresult fake_end(struct fake_object *object, const char *function)
{
    const CUresult code = fake_use(object);

    if (object->foreign)
        fake_violation("%s destroys a handle that belongs to somebody else", function);
    object->life = FAKE_DESTROYED;
    return code;
}

void fake_each(enum fake_kind kind, void (*visit)(struct fake_object *object, void *data),
               void *data)
{
    for (struct fake_object *object = objects; object; object = object->next) {
        if (object->kind == kind)
            visit(object, data);
    }
}

static void count_live(struct fake_object *object, void *data)
{
    unsigned *count = data;

    *count += object->life != FAKE_DESTROYED && !object->foreign;
}

unsigned fake_live(enum fake_kind kind)
{
    unsigned count = 0;

    if (kind == FAKE_PRIMARY) {
        for (CUdevice device = 0; device < FAKE_DEVICES; device++)
            count += fake_primary_references(device);
    } else {
        fake_each(kind, count_live, &count);
    }
    return count;
}

/* --- fixtures --- */

static void free_objects(void)
{
    while (objects) {
        struct fake_object *next = objects->next;

        free(objects);
        objects = next;
    }
}

int fake_setup(void **state)
{
    (void)state;
    free_objects(); /* of a test that failed */
    memset(lacks, 0, sizeof lacks);
    fake_fail_no_more();
    fake_device_reset();
    fake_context_reset();
    fake_primary_reset();
    fake_stream_reset();
    fake_capture_reset();
    fake_event_reset();
    fill();
    fake_forget();
    assert_int_equal(cushim_table_install(&table, NULL), CUDA_SUCCESS);
    return 0;
}

void fake_assert_clean(void)
{
    for (enum fake_kind kind = 0; kind < FAKE_KINDS; kind++)
        assert_int_equal(fake_live(kind), 0);
    assert_true(fake_stack_is_as_entered());
}

int fake_teardown(void **state)
{
    (void)state;
    fake_assert_clean();
    assert_int_equal(cushim_table_install(NULL, NULL), CUDA_SUCCESS);
    fake_context_reset();
    free_objects();
    return 0;
}
