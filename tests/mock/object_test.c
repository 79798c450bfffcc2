/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: which object each refers to, and that an invalid handle is reported without touching
 * memory.
 */

#include "src/mock/core/object.h"
#include "src/mock/core/state.h"
#include "tests/support/cmocka.h"

enum { GENERATIONS = 1 << 19 };

static unsigned misuses;
static char misuse[200];
static void *dropped[8];
static unsigned drops;

/* These replace what src/mock/core/state.c defines. */
_Thread_local struct mock_call cushim__mock_call;

void cushim__mock_misuse(enum cushim__mock_found found, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(misuse, sizeof misuse, format, arguments);
    va_end(arguments);
    assert_int_equal(found, CUSHIM__MOCK_FOUND_HANDLE);
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
    misuses = drops = 0;
    return 0;
}

static int teardown(void **state)
{
    cushim__mock_object_clear();
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(handle_leads_to_its_object_and_is_no_address)
{
    struct mock_object *event = add(MOCK_EVENT, NULL), *found = NULL;

    assert_int_equal(cushim__mock_object_find(event->handle, MOCK_EVENT, &found), CUDA_SUCCESS);
    assert_ptr_equal(found, event);
    assert_ptr_equal(cushim__mock_object_lookup(event->handle, MOCK_EVENT), event);
    /*
     * User space ends below 2^47 or 2^56, so an address with a higher bit cannot be dereferenced.
     */
    assert_true((uintptr_t)event->handle >> 56 != 0);
    assert_int_equal(misuses, 0);
}

TEST(null_is_an_invalid_handle_without_a_misuse)
{
    void *found = NULL;

    assert_int_equal(cushim__mock_object_find(NULL, MOCK_EVENT, &found), CUDA_ERROR_INVALID_HANDLE);
    assert_null(cushim__mock_object_lookup(NULL, MOCK_EVENT));
    assert_int_equal(misuses, 0);
}

TEST(garbage_is_no_handle)
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

    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        CONTAINS(refused((void *)garbage[i], MOCK_EVENT), "is not the handle of an event");
}

TEST(handle_of_another_kind_is_refused)
{
    struct mock_object *stream = add(MOCK_STREAM, NULL);

    CONTAINS(refused(stream->handle, MOCK_EVENT), "is not the handle of an event");
}

TEST(destroyed_handle_stays_destroyed_when_its_place_is_used_again)
{
    struct mock_object *event = add(MOCK_EVENT, NULL), *next;
    const void *old = event->handle;

    take_away(event);
    assert_non_null(refused(old, MOCK_EVENT));
    next = add(MOCK_EVENT, NULL);
    assert_int_equal((uintptr_t)next->handle & 0xffffff, (uintptr_t)old & 0xffffff);
    assert_ptr_not_equal(next->handle, old);
    assert_non_null(refused(old, MOCK_EVENT));
    assert_ptr_equal(cushim__mock_object_lookup(next->handle, MOCK_EVENT), next);
}

TEST(place_whose_generations_are_used_up_is_not_used_again)
{
    struct mock_object *event = add(MOCK_EVENT, NULL);
    const uintptr_t place = (uintptr_t)event->handle & 0xffffff;
    const void *first = event->handle;

    for (uintptr_t i = (uintptr_t)first >> 24 & (GENERATIONS - 1); i < GENERATIONS - 1; i++) {
        cushim__mock_object_remove(event);
        assert_int_equal(cushim__mock_object_add(event, MOCK_EVENT, NULL), CUDA_SUCCESS);
        assert_int_equal((uintptr_t)event->handle & 0xffffff, place);
    }
    cushim__mock_object_remove(event);
    assert_int_equal(cushim__mock_object_add(event, MOCK_EVENT, NULL), CUDA_SUCCESS);
    assert_int_not_equal((uintptr_t)event->handle & 0xffffff, place);
    assert_non_null(refused(first, MOCK_EVENT));
}

TEST(objects_of_a_kind_come_in_order_of_creation)
{
    struct mock_object *first = add(MOCK_EVENT, NULL), *second = add(MOCK_EVENT, NULL),
                       *other = add(MOCK_STREAM, NULL), *third = add(MOCK_EVENT, NULL), *fourth;

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

TEST(children_of_a_destroyed_context_are_gone_but_found)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL), *found = NULL;
    struct mock_object *mine = add(MOCK_EVENT, (struct mock_context *)context);
    struct mock_object *other = add(MOCK_EVENT, NULL);

    context->context = (struct mock_context *)context;
    cushim__mock_object_orphan((struct mock_context *)context);
    assert_int_equal(cushim__mock_object_find(mine->handle, MOCK_EVENT, &found),
                     CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_ptr_equal(found, mine);
    assert_int_equal(cushim__mock_object_find(other->handle, MOCK_EVENT, &found), CUDA_SUCCESS);
    assert_int_equal(cushim__mock_object_find(context->handle, MOCK_CONTEXT, &found), CUDA_SUCCESS);
    assert_int_equal(misuses, 0);
}

TEST(what_is_counted_is_what_the_program_has_to_destroy)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL);

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

TEST(many_handles_are_all_found_and_all_different)
{
    enum { MANY = 20000 };
    static struct mock_object objects[MANY];

    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(cushim__mock_object_add(&objects[i], MOCK_EVENT, NULL), CUDA_SUCCESS);
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(cushim__mock_object_lookup(objects[i].handle, MOCK_EVENT), &objects[i]);
    assert_int_equal(cushim__mock_object_count(), MANY);
    for (size_t i = 0; i < MANY; i++)
        cushim__mock_object_remove(&objects[i]);
    assert_int_equal(cushim__mock_object_count(), 0);
}

TEST(clear_drops_every_object_and_contexts_last)
{
    struct mock_object *context = add(MOCK_CONTEXT, NULL);
    struct mock_object *event = add(MOCK_EVENT, (struct mock_context *)context);
    struct mock_object *module = add(MOCK_MODULE, NULL);
    const void *handle = event->handle;

    cushim__mock_object_clear();
    assert_int_equal(drops, 3);
    assert_ptr_equal(dropped[2], context);
    assert_true(dropped[0] == event || dropped[1] == event);
    assert_true(dropped[0] == module || dropped[1] == module);
    assert_int_equal(cushim__mock_object_count(), 0);
    assert_non_null(refused(handle, MOCK_EVENT));
}

TEST(handle_that_was_left_is_none_of_the_next_table)
{
    for (int is_gone = 0; is_gone <= 1; is_gone++) { /* whether its context is destroyed */
        struct mock_object *event = add(MOCK_EVENT, NULL);
        const void *left = event->handle;

        event->gone = is_gone;
        cushim__mock_object_clear();
        event = add(MOCK_EVENT, NULL);
        assert_int_equal((uintptr_t)event->handle & 0xffffff, (uintptr_t)left & 0xffffff);
        assert_non_null(refused(left, MOCK_EVENT));
        assert_ptr_equal(cushim__mock_object_lookup(event->handle, MOCK_EVENT), event);
        take_away(event);
    }
}

TEST(table_where_nothing_was_left_is_followed_by_one_with_the_same_handles)
{
    struct mock_object *event;
    const void *first;

    cushim__mock_object_clear();
    event = add(MOCK_EVENT, NULL);
    first = event->handle;
    take_away(event);
    cushim__mock_object_clear();
    assert_ptr_equal(add(MOCK_EVENT, NULL)->handle, first);
}
