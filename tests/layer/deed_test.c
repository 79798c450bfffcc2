/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls make and end: the table against the registry, and the book over a driver of the
 * test's own that gives the same handles again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "src/layer/left/deed.h"
#include "src/layer/recording/known.h"
#include "src/layer/recording/reading.h"
#include "tests/layer/kit.h"

static bool is_output(enum cushim__act act)
{
    return act == CUSHIM__MAKES || act == CUSHIM__MAKES_HERE || act == CUSHIM__MAKES_REST ||
           act == CUSHIM__SHOWS || act == CUSHIM__RETAINS_PRIMARY;
}

static bool is_input(enum cushim__act act)
{
    return act == CUSHIM__ENDS || act == CUSHIM__RELEASES || act == CUSHIM__MOVES ||
           act == CUSHIM__SETS || act == CUSHIM__TAKES_HERE;
}

static void check_parameter(unsigned slot, const struct cushim__deed *deed)
{
    const struct cushim__parameter *parameter;
    struct cushim__reading reading;

    if (deed->parameter == CUSHIM__NO_PARAMETER)
        return;
    if (deed->parameter >= cushim__seen_count(slot))
        fail_msg("%s has no parameter %u", cushim__slot_name(slot), deed->parameter);
    parameter = cushim__seen_parameter(slot, deed->parameter);
    reading = cushim__seen_reading(slot, deed->parameter);
    if (deed->noun != CUSHIM__NOUN_GLOBAL && reading.noun != deed->noun)
        fail_msg("%s: %s is no %s", cushim__slot_name(slot), parameter->name,
                 cushim__noun_word((enum cushim__noun)deed->noun));
    if (is_output((enum cushim__act)deed->act) && reading.form != CUSHIM__WRITTEN_HANDLE &&
        reading.form != CUSHIM__WRITTEN_ADDRESS)
        fail_msg("%s: %s is not written", cushim__slot_name(slot), parameter->name);
    if (is_input((enum cushim__act)deed->act) && reading.form != CUSHIM__READ_HANDLE &&
        deed->noun != CUSHIM__NOUN_MEMORY)
        fail_msg("%s: %s is no handle", cushim__slot_name(slot), parameter->name);
    if (is_input((enum cushim__act)deed->act) && reading.form >= CUSHIM__WRITTEN_HANDLE)
        fail_msg("%s: %s is written", cushim__slot_name(slot), parameter->name);
}

static void check_number(unsigned slot, unsigned index)
{
    enum cushim__form form;

    if (index == CUSHIM__NO_PARAMETER)
        return;
    assert_in_range(index, 0, cushim__seen_count(slot) - 1);
    form = (enum cushim__form)cushim__seen_reading(slot, index).form;
    if (form != CUSHIM__READ_SIGNED && form != CUSHIM__READ_UNSIGNED &&
        form != CUSHIM__WRITTEN_WIDE)
        fail_msg("%s: %s is no number", cushim__slot_name(slot),
                 cushim__seen_parameter(slot, index)->name);
}

static void every_deed_fits_its_function(void **state)
{
    unsigned deeds = 0;

    (void)state;
    assert_true(cushim__readings_prepare());
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const struct cushim__deed *deed = cushim__deed_first(slot);

        for (; deed; deed = cushim__deed_next(deed)) {
            check_parameter(slot, deed);
            check_number(slot, deed->amount);
            check_number(slot, deed->times);
            deeds++;
        }
    }
    assert_in_range(deeds, 130, 200);
    cushim__readings_drop();
}

/* What the names say is made or destroyed has a deed, so that none is forgotten. */
static void every_function_that_makes_or_destroys_has_a_deed(void **state)
{
    static const char *const words[] = {"Create", "Destroy", "Alloc", "Unload", "Unregister"};
    static const char *const none[] = {
        /* The first ABI, whose addresses have 32 bits. */
        "cuArrayCreate", "cuArray3DCreate", "cuMemAlloc", "cuMemAllocPitch", "cuMemAllocHost",
        /* What they make is no object of the driver, or goes by itself. */
        "cuMemGetAllocationGranularity", "cuMemGetAllocationPropertiesFromHandle",
        "cuGraphMemAllocNodeGetParams", "cuGLUnregisterBufferObject"};

    (void)state;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        bool is_named = false, is_excepted = false;

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            is_named = is_named || strstr(cushim__slot_name(slot), words[i]);
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            is_excepted = is_excepted || strcmp(cushim__slot_name(slot), none[i]) == 0;
        if (is_named && !is_excepted && !cushim__deed_first(slot))
            fail_msg("%s has no deed", cushim__slot_name(slot));
    }
}

/* --- a driver that has one event, one stream and one context --- */

static struct cushim_table fake;
static CUresult destroy_answer;
static char objects[3];

#define FAKE_EVENT ((CUevent)(void *)&objects[0])
#define FAKE_CONTEXT ((CUcontext)(void *)&objects[2])

static CUresult CUDAAPI refuse(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult CUDAAPI create_event(CUevent *event, unsigned flags)
{
    (void)flags;
    *event = FAKE_EVENT;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy_event(CUevent event)
{
    (void)event;
    return destroy_answer;
}

static CUresult CUDAAPI create_context(CUcontext *context, unsigned flags, CUdevice device)
{
    (void)flags;
    (void)device;
    *context = FAKE_CONTEXT;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy_context(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI current_context(CUcontext *context)
{
    *context = NULL;
    return CUDA_SUCCESS;
}

static int setup(void **state)
{
    CUresult(CUDAAPI * function)(void) = refuse;
    char *slots = (char *)&fake + sizeof(size_t);

    (void)state;
    fake.size = sizeof fake;
    for (size_t i = 0; i < sizeof fake - sizeof(size_t); i += sizeof function)
        memcpy(slots + i, &function, sizeof function);
    fake.EventCreate = create_event;
    fake.EventDestroy_v2 = destroy_event;
    fake.CtxCreate_v2 = create_context;
    fake.CtxDestroy_v2 = destroy_context;
    fake.CtxGetCurrent = current_context;
    destroy_answer = CUDA_SUCCESS;
    kit_begin_on(&fake);
    return 0;
}

static void same_value_again_is_another_object(void **state)
{
    CUevent event;

    (void)state;
    for (unsigned i = 1; i <= 3; i++) {
        char wanted[] = "event#0";

        wanted[6] = (char)('0' + i);
        OK(driver->EventCreate(&event, 0));
        assert_string_equal(kit_tag(event), wanted);
        assert_int_equal(cushim__known_count().handles, 1);
        OK(driver->EventDestroy_v2(event));
        assert_string_equal(kit_tag(event), "none");
    }
    assert_int_equal(cushim__known_count().handles, 0);
}

static void value_that_comes_again_without_an_end_is_another_object(void **state)
{
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(kit_tag(event), "event#2");
    assert_int_equal(cushim__known_count().handles, 1);
    OK(driver->EventDestroy_v2(event));
}

static void destroying_that_reports_an_earlier_error_gives_back(void **state)
{
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, 0));
    destroy_answer = CUDA_ERROR_ILLEGAL_ADDRESS;
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->EventDestroy_v2(event));
    assert_int_equal(cushim__known_count().handles, 0);
}

static void destroying_that_is_refused_does_not(void **state)
{
    static const CUresult refusals[] = {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
                                        CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_NOT_PERMITTED,
                                        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, 0));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        destroy_answer = refusals[i];
        CODE(refusals[i], driver->EventDestroy_v2(event));
        assert_int_equal(cushim__known_count().handles, 1);
        assert_string_equal(kit_tag(event), "event#1");
    }
    destroy_answer = CUDA_SUCCESS;
    OK(driver->EventDestroy_v2(event));
}

static void context_takes_what_was_made_while_it_was_current(void **state)
{
    CUcontext context;
    CUevent event;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, 0));
    assert_int_equal(cushim__known_count().handles, 2);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(cushim__known_count().handles, 0);
    OK(driver->EventCreate(&event, 0));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(cushim__known_count().handles, 1);
    OK(driver->EventDestroy_v2(event));
}

/* Another thread is given the value between the driver's end of it and the layer's. */
static CUresult CUDAAPI destroy_and_create(CUevent event)
{
    CUevent again;

    (void)event;
    cushim_layer_next(layer)->EventDestroy_v2 = destroy_event;
    return cushim_layer_table(layer)->EventCreate(&again, 0);
}

static void value_given_again_while_it_ends_stays_alive(void **state)
{
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, 0));
    cushim_layer_next(layer)->EventDestroy_v2 = destroy_and_create;
    OK(driver->EventDestroy_v2(event));
    assert_int_equal(cushim__known_count().handles, 1);
    assert_string_equal(kit_tag(event), "event#2");
    OK(driver->EventDestroy_v2(event));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, kit_end_on)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_deed_fits_its_function),
        cmocka_unit_test(every_function_that_makes_or_destroys_has_a_deed),
        TEST(same_value_again_is_another_object),
        TEST(value_that_comes_again_without_an_end_is_another_object),
        TEST(destroying_that_reports_an_earlier_error_gives_back),
        TEST(destroying_that_is_refused_does_not),
        TEST(context_takes_what_was_made_while_it_was_current),
        TEST(value_given_again_while_it_ends_stays_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
