/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The book of what lives, over a driver of the test's own: values that come again, things opened
 * twice, and answers that name nothing.
 */
#include <stdio.h>
#include <string.h>

#include "src/layer/recording/known.h"
#include "tests/layer/kit.h"

enum { OBJECTS = 4, ADDRESS = 0x10000 };

static struct cushim_table fake;
static char objects[OBJECTS]; /* their addresses are the handles */
static void *given;           /* what the next call that makes something writes */

static CUresult CUDAAPI refuse(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult CUDAAPI succeed(void)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI give(void **handle)
{
    *handle = given;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI give_global(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                    const char *name)
{
    (void)module;
    (void)name;
    if (address)
        *address = ADDRESS;
    if (bytes)
        *bytes = 64;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI open_memory(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    (void)handle;
    (void)flags;
    *address = ADDRESS;
    return CUDA_SUCCESS;
}

/* Callers clean up themselves on every system that we build for. */
#define PUT(slot, function)                                      \
    do {                                                         \
        const cushim_function put = (cushim_function)(function); \
        memcpy(&fake.slot, &put, sizeof put);                    \
    } while (0)

static int setup(void **state)
{
    const cushim_function refusal = (cushim_function)refuse;
    char *slots = (char *)&fake + sizeof(size_t);

    (void)state;
    fake.size = sizeof fake;
    for (size_t i = 0; i < sizeof fake - sizeof(size_t); i += sizeof refusal)
        memcpy(slots + i, &refusal, sizeof refusal);
    PUT(EventCreate, give);
    PUT(EventDestroy_v2, succeed);
    PUT(ModuleLoadData, give);
    PUT(ModuleGetFunction, give);
    PUT(ModuleGetGlobal_v2, give_global);
    PUT(ModuleUnload, succeed);
    PUT(IpcOpenMemHandle_v2, open_memory);
    PUT(IpcCloseMemHandle, succeed);
    PUT(DevicePrimaryCtxRetain, give);
    PUT(DevicePrimaryCtxRelease_v2, succeed);
    PUT(DevicePrimaryCtxReset_v2, succeed);
    given = NULL;
    kit_begin_on(&fake);
    return 0;
}

/* The driver gives this object for an event. */
static CUevent create(unsigned object)
{
    CUevent event;

    given = &objects[object];
    OK(driver->EventCreate(&event, 0));
    return event;
}

static void success_without_a_handle_makes_nothing(void **state)
{
    CUevent event = (CUevent)&objects[0];

    (void)state;
    OK(driver->EventCreate(&event, 0));
    assert_null(event);
    assert_int_equal(cushim__known_count().handles, 0);
}

/* Those that are gone are a list: each place in it is left once, the last one more often. */
static void values_come_again_in_any_order(void **state)
{
    static const unsigned orders[][OBJECTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
    unsigned made = 0;

    (void)state;
    for (size_t order = 0; order < sizeof orders / sizeof *orders; order++) {
        CUevent events[OBJECTS];

        for (unsigned i = 0; i < OBJECTS; i++) {
            char wanted[CUSHIM_TAG_SIZE];

            events[i] = create(orders[order][i]);
            snprintf(wanted, sizeof wanted, "event#%u", ++made);
            assert_string_equal(kit_tag(events[i]), wanted);
            assert_int_equal(cushim__known_count().handles, i + 1);
        }
        for (unsigned i = 0; i < OBJECTS; i++) {
            OK(driver->EventDestroy_v2(events[i]));
            assert_string_equal(kit_tag(events[i]), "none");
        }
    }
    assert_int_equal(cushim__known_count().handles, 0);
}

static void last_that_is_gone_comes_and_goes_before_the_first(void **state)
{
    CUevent first, last;

    (void)state;
    first = create(0);
    last = create(1);
    OK(driver->EventDestroy_v2(first));
    OK(driver->EventDestroy_v2(last));
    last = create(1);
    OK(driver->EventDestroy_v2(last));
    first = create(0);
    assert_string_equal(kit_tag(first), "event#4");
    assert_int_equal(cushim__known_count().handles, 1);
    OK(driver->EventDestroy_v2(first));
}

static void function_shown_by_a_module_after_that_of_another_is_another(void **state)
{
    CUfunction function;
    CUmodule module;

    (void)state;
    for (unsigned i = 1; i <= 2; i++) {
        given = &objects[0];
        OK(driver->ModuleLoadData(&module, kit_image));
        given = &objects[1];
        OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
        assert_string_equal(kit_tag(function), i == 1 ? "function#1" : "function#2");
        OK(driver->ModuleUnload(module));
        assert_string_equal(kit_tag(function), "none");
    }
}

static void variable_that_is_asked_for_its_size_alone_is_not_known(void **state)
{
    CUdeviceptr address = 0;
    CUmodule module;
    size_t bytes = 0;

    (void)state;
    given = &objects[0];
    OK(driver->ModuleLoadData(&module, kit_image));
    OK(driver->ModuleGetGlobal_v2(NULL, &bytes, module, "variable"));
    assert_int_equal(bytes, 64);
    assert_null(cushim__known_next(CUSHIM__NOUN_GLOBAL, NULL));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "variable"));
    assert_non_null(cushim__known_next(CUSHIM__NOUN_GLOBAL, NULL));
    OK(driver->ModuleUnload(module));
}

static void memory_opened_twice_is_left_until_it_is_closed_twice(void **state)
{
    const CUipcMemHandle handle = {{0}};
    CUdeviceptr first, second;

    (void)state;
    OK(driver->IpcOpenMemHandle_v2(&first, handle, 0));
    OK(driver->IpcOpenMemHandle_v2(&second, handle, 0));
    assert_int_equal(first, second);
    assert_int_equal(cushim__known_count().allocations, 1);
    OK(driver->IpcCloseMemHandle(first));
    assert_int_equal(cushim__known_count().allocations, 1);
    OK(driver->IpcCloseMemHandle(second));
    assert_int_equal(cushim__known_count().allocations, 0);
}

static void primary_context_that_nobody_retained_can_be_reset_and_released(void **state)
{
    CUcontext context;

    (void)state;
    OK(driver->DevicePrimaryCtxReset_v2(0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    assert_int_equal(cushim__known_count().handles, 0);
    given = &objects[0];
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    assert_string_equal(kit_tag(context), "context#1");
    assert_int_equal(cushim__known_count().handles, 1);
    OK(driver->DevicePrimaryCtxReset_v2(0));
    assert_int_equal(cushim__known_count().handles, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, kit_end_on)
    const struct CMUnitTest tests[] = {
        TEST(success_without_a_handle_makes_nothing),
        TEST(values_come_again_in_any_order),
        TEST(last_that_is_gone_comes_and_goes_before_the_first),
        TEST(function_shown_by_a_module_after_that_of_another_is_another),
        TEST(variable_that_is_asked_for_its_size_alone_is_not_known),
        TEST(memory_opened_twice_is_left_until_it_is_closed_twice),
        TEST(primary_context_that_nobody_retained_can_be_reset_and_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
