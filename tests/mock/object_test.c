/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: which object each refers to, and that an invalid handle is reported without touching
 * memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/object.h"
#include "src/mock/core/state.h"
#include "tests/support/cmocka.h"

enum { GENERATIONS = 1 << 19 };

static unsigned misuses;
static char misuse[200];
static enum cushim__check_id misuse_id;
static void *dropped[8];
static unsigned drops;

/* These replace what src/mock/core/state.c defines. */
_Thread_local struct mock_call cushim__mock_call;

void cushim__mock_misuse(enum cushim__check_id id, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(misuse, sizeof misuse, format, arguments);
    va_end(arguments);
    misuse_id = id;
    misuses++;
}

const char *cushim__mock_call_doubt(void)
{
    return "";
}

static void note_drop(void *object)
{
    dropped[drops++] = object;
    free(object);
}

static struct mock_object *add(enum mock_kind kind, struct mock_context *context)
{
    struct mock_object *object = calloc(1, sizeof *object);

    assert_non_null(object);
    object->drop = note_drop;
    assert_int_equal(cushim__mock_object_add(object, kind, context), CUDA_SUCCESS);
    return object;
}

static void take_away(struct mock_object *object)
{
    cushim__mock_object_remove(object);
    free(object);
}

/* What the mock says about a handle that is not of this kind. */
static const char *refused(const void *handle, enum mock_kind kind)
{
    void *untouched = &untouched, *found = untouched;

    misuses = 0;
    assert_int_equal(cushim__mock_object_find(handle, kind, &found), CUDA_ERROR_INVALID_HANDLE);
    assert_ptr_equal(found, untouched);
    assert_null(cushim__mock_object_lookup(handle, kind));
    assert_int_equal(misuses, 1);
    return misuse;
}

static int setup(void **state)
{
    (void)state;
    misuses = drops = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cushim__mock_object_clear();
    return 0;
}

static void handle_leads_to_its_object_and_is_no_address(void **state)
{
    struct mock_object *event = add(MOCK_EVENT, NULL), *found = NULL;

    (void)state;
    assert_int_equal(cushim__mock_object_find(event->handle, MOCK_EVENT, &found), CUDA_SUCCESS);
    assert_ptr_equal(found, event);
    assert_ptr_equal(cushim__mock_object_lookup(event->handle, MOCK_EVENT), event);
    /*
     * User space ends below 2^47 or 2^56, so an address with a higher bit cannot be dereferenced.
     */
    assert_true((uintptr_t)event->handle >> 56 != 0);
    assert_int_equal(misuses, 0);
}

static void null_is_an_invalid_handle_without_a_misuse(void **state)
{
    void *found = NULL;

    (void)state;
    assert_int_equal(cushim__mock_object_find(NULL, MOCK_EVENT, &found), CUDA_ERROR_INVALID_HANDLE);
    assert_null(cushim__mock_object_lookup(NULL, MOCK_EVENT));
    assert_int_equal(misuses, 0);
}

static void garbage_never_was_a_handle(void **state)
{
    struct mock_object *event = add(MOCK_EVENT, NULL);
    const uintptr_t handle = (uintptr_t)event->handle;
    const uintptr_t garbage[] = {
        1,
        2,
        0x1234,
        UINTPTR_MAX,
        (uintptr_t)&handle,
        handle & 0xffffff,               /* without the tag */
        handle + 1,                      /* an index that was never used */
        handle & ~(uintptr_t)0xffffff,   /* the empty index */
        handle + ((uintptr_t)1 << 24),   /* a future generation */
        handle | ((uintptr_t)0x1f << 43) /* an unknown kind */
    };

    (void)state;
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        assert_non_null(strstr(refused((void *)garbage[i], MOCK_EVENT), "never was a handle"));
}

static void handle_of_another_kind_is_named(void **state)
{
    struct mock_object *stream = add(MOCK_STREAM, NULL);

    (void)state;
    assert_non_null(strstr(refused(stream->handle, MOCK_EVENT),
                           "is that of a stream, stream#1, not of an event"));
    assert_int_equal(misuse_id, CUSHIM__CHECK_HANDLE_KIND);
}

static void destroyed_handle_stays_destroyed_when_its_place_is_used_again(void **state)
{
    struct mock_object *event = add(MOCK_EVENT, NULL), *next;
    const void *old = event->handle;

    (void)state;
    take_away(event);
    assert_non_null(strstr(refused(old, MOCK_EVENT), "an event that was destroyed: event#1"));
    assert_int_equal(misuse_id, CUSHIM__CHECK_EVENT_DESTROYED);
    next = add(MOCK_EVENT, NULL);
    assert_int_equal((uintptr_t)next->handle & 0xffffff, (uintptr_t)old & 0xffffff);
    assert_ptr_not_equal(next->handle, old);
    assert_non_null(strstr(refused(old, MOCK_EVENT), "an event that was destroyed"));
    assert_ptr_equal(cushim__mock_object_lookup(next->handle, MOCK_EVENT), next);
}

static void place_whose_generations_are_used_up_is_not_used_again(void **state)
{
    struct mock_object *event = add(MOCK_EVENT, NULL);
    const uintptr_t place = (uintptr_t)event->handle & 0xffffff;
    const void *first = event->handle;

    (void)state;
    for (uintptr_t i = (uintptr_t)first >> 24 & (GENERATIONS - 1); i < GENERATIONS - 1; i++) {
        cushim__mock_object_remove(event);
        assert_int_equal(cushim__mock_object_add(event, MOCK_EVENT, NULL), CUDA_SUCCESS);
        assert_int_equal((uintptr_t)event->handle & 0xffffff, place);
    }
    cushim__mock_object_remove(event);
    assert_int_equal(cushim__mock_object_add(event, MOCK_EVENT, NULL), CUDA_SUCCESS);
    assert_int_not_equal((uintptr_t)event->handle & 0xffffff, place);
    assert_non_null(strstr(refused(first, MOCK_EVENT), "was destroyed"));
}

static void objects_of_a_kind_come_in_order_of_creation(void **state)
{
    struct mock_object *first = add(MOCK_EVENT, NULL), *second = add(MOCK_EVENT, NULL),
                       *other = add(MOCK_STREAM, NULL), *third = add(MOCK_EVENT, NULL), *fourth;

    (void)state;
    take_away(second);
    fourth = add(MOCK_EVENT, NULL); /* reuses the index of the second */
    assert_ptr_equal(cushim__mock_object_next(MOCK_EVENT, NULL), first);
    assert_ptr_equal(cushim__mock_object_next(MOCK_EVENT, first), third);
    assert_ptr_equal(cushim__mock_object_next(MOCK_EVENT, third), fourth);
    assert_null(cushim__mock_object_next(MOCK_EVENT, fourth));
    assert_ptr_equal(cushim__mock_object_next(MOCK_STREAM, NULL), other);
    assert_null(cushim__mock_object_next(MOCK_MODULE, NULL));
    take_away(first);
    assert_ptr_equal(cushim__mock_object_next(MOCK_EVENT, NULL), third);
}

static void children_of_a_destroyed_context_are_gone_but_found(void **state)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL), *found = NULL;
    struct mock_object *mine = add(MOCK_EVENT, (struct mock_context *)context);
    struct mock_object *other = add(MOCK_EVENT, NULL);

    (void)state;
    context->context = (struct mock_context *)context;
    cushim__mock_object_orphan((struct mock_context *)context);
    assert_int_equal(cushim__mock_object_find(mine->handle, MOCK_EVENT, &found),
                     CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_ptr_equal(found, mine);
    assert_int_equal(cushim__mock_object_find(other->handle, MOCK_EVENT, &found), CUDA_SUCCESS);
    assert_int_equal(cushim__mock_object_find(context->handle, MOCK_CONTEXT, &found), CUDA_SUCCESS);
    assert_int_equal(misuses, 0);
}

static void what_is_counted_is_what_the_program_has_to_destroy(void **state)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL);

    (void)state;
    assert_int_equal(cushim__mock_object_count(), 1);
    add(MOCK_EVENT, (struct mock_context *)context);
    add(MOCK_MODULE, NULL);
    add(MOCK_FUNCTION, NULL); /* ends with its module */
    assert_int_equal(cushim__mock_object_count(), 3);
    context->internal = true;
    assert_int_equal(cushim__mock_object_count(), 2);
    cushim__mock_object_orphan((struct mock_context *)context);
    assert_int_equal(cushim__mock_object_count(), 1);
}

static void many_handles_are_all_found_and_all_different(void **state)
{
    enum { MANY = 20000 };
    static struct mock_object objects[MANY];

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(cushim__mock_object_add(&objects[i], MOCK_EVENT, NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(cushim__mock_object_lookup(objects[i].handle, MOCK_EVENT), &objects[i]);
    assert_int_equal(cushim__mock_object_count(), MANY);
    for (size_t i = 0; i < MANY; i++)
        cushim__mock_object_remove(&objects[i]);
    assert_int_equal(cushim__mock_object_count(), 0);
}

static void clear_drops_every_object_and_contexts_last(void **state)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL);
    struct mock_object *event = add(MOCK_EVENT, (struct mock_context *)context);
    struct mock_object *module = add(MOCK_MODULE, NULL);
    const void *handle = event->handle;

    (void)state;
    cushim__mock_object_clear();
    assert_int_equal(drops, 3);
    assert_ptr_equal(dropped[2], context);
    assert_true(dropped[0] == event || dropped[1] == event);
    assert_true(dropped[0] == module || dropped[1] == module);
    assert_int_equal(cushim__mock_object_count(), 0);
    assert_non_null(strstr(refused(handle, MOCK_EVENT), "an event of a mock that was destroyed"));
}

static void handle_that_was_left_is_none_of_the_next_table(void **state)
{
    for (int is_gone = 0; is_gone <= 1; is_gone++) { /* whether its context is destroyed */
        struct mock_object *event = add(MOCK_EVENT, NULL);
        const void *left = event->handle;

        (void)state;
        event->gone = is_gone;
        cushim__mock_object_clear();
        event = add(MOCK_EVENT, NULL);
        assert_int_equal((uintptr_t)event->handle & 0xffffff, (uintptr_t)left & 0xffffff);
        assert_non_null(strstr(refused(left, MOCK_EVENT), "an event of a mock that was destroyed"));
        assert_ptr_equal(cushim__mock_object_lookup(event->handle, MOCK_EVENT), event);
        take_away(event);
    }
}

static void table_where_nothing_was_left_is_followed_by_one_with_the_same_handles(void **state)
{
    struct mock_object *event;
    const void *first;

    (void)state;
    cushim__mock_object_clear();
    event = add(MOCK_EVENT, NULL);
    first = event->handle;
    take_away(event);
    cushim__mock_object_clear();
    assert_ptr_equal(add(MOCK_EVENT, NULL)->handle, first);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(handle_leads_to_its_object_and_is_no_address),
        TEST(null_is_an_invalid_handle_without_a_misuse),
        TEST(garbage_never_was_a_handle),
        TEST(handle_of_another_kind_is_named),
        TEST(destroyed_handle_stays_destroyed_when_its_place_is_used_again),
        TEST(place_whose_generations_are_used_up_is_not_used_again),
        TEST(objects_of_a_kind_come_in_order_of_creation),
        TEST(children_of_a_destroyed_context_are_gone_but_found),
        TEST(what_is_counted_is_what_the_program_has_to_destroy),
        TEST(many_handles_are_all_found_and_all_different),
        TEST(clear_drops_every_object_and_contexts_last),
        TEST(handle_that_was_left_is_none_of_the_next_table),
        TEST(table_where_nothing_was_left_is_followed_by_one_with_the_same_handles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
