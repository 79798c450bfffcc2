/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls create and destroy: the table compared with the registry; and which objects are known
 * to exist, over a driver of the test.
 */

#include "src/driver_api/structs.h"
#include "src/layer/arguments.h"
#include "src/layer/handle_table.h"
#include "src/layer/layer.h"
#include "src/layer/leak_tracker.h"
#include "tests/layer/fake_table.h"
#include "tests/layer/testkit.h"

static bool is_output(enum cushim__effect_kind kind)
{
    return kind == CUSHIM__EFFECT_CREATES || kind == CUSHIM__EFFECT_CREATES_IN_CONTEXT ||
           kind == CUSHIM__EFFECT_CREATES_OR_RETAINS || kind == CUSHIM__EFFECT_RETURNS ||
           kind == CUSHIM__EFFECT_RETAINS_PRIMARY;
}

static bool is_input(enum cushim__effect_kind kind)
{
    return kind == CUSHIM__EFFECT_DESTROYS || kind == CUSHIM__EFFECT_RELEASES ||
           kind == CUSHIM__EFFECT_MOVES || kind == CUSHIM__EFFECT_SETS ||
           kind == CUSHIM__EFFECT_REGISTERS_IN_CONTEXT;
}

static void check_parameter(unsigned slot, const struct cushim__object_effect *effect)
{
    const struct cushim__parameter *parameter;
    struct cushim__decoder decoder;

    if (effect->parameter == CUSHIM__NO_PARAMETER)
        return;
    if (effect->parameter >= cushim__parameter_count(slot))
        fail_msg("%s has no parameter %u", cushim__slot_name(slot), effect->parameter);
    parameter = cushim__parameter_at(slot, effect->parameter);
    if (effect->kind == CUSHIM__EFFECT_TAKES) { /* the handle is in a struct */
        assert_int_equal(effect->parameter, cushim__effects[slot].node_params);
        return;
    }
    decoder = cushim__decoder_of(slot, effect->parameter);
    if (effect->type != CUSHIM__TYPE_GLOBAL && decoder.type != effect->type)
        fail_msg("%s: %s is no %s", cushim__slot_name(slot), parameter->name,
                 cushim__object_names[effect->type].word);
    if (is_output((enum cushim__effect_kind)effect->kind) &&
        decoder.form != CUSHIM__WRITTEN_HANDLE && decoder.form != CUSHIM__WRITTEN_ADDRESS)
        fail_msg("%s: %s is not written", cushim__slot_name(slot), parameter->name);
    if (is_input((enum cushim__effect_kind)effect->kind) && decoder.form != CUSHIM__READ_HANDLE &&
        effect->type != CUSHIM__TYPE_MEMORY)
        fail_msg("%s: %s is no handle", cushim__slot_name(slot), parameter->name);
    if (is_input((enum cushim__effect_kind)effect->kind) && decoder.form >= CUSHIM__WRITTEN_HANDLE)
        fail_msg("%s: %s is written", cushim__slot_name(slot), parameter->name);
}

static void check_number(unsigned slot, unsigned index)
{
    enum cushim__form form;

    if (index == CUSHIM__NO_PARAMETER)
        return;
    assert_in_range(index, 0, cushim__parameter_count(slot) - 1);
    form = (enum cushim__form)cushim__decoder_of(slot, index).form;
    if (form != CUSHIM__READ_SIGNED && form != CUSHIM__READ_UNSIGNED &&
        form != CUSHIM__WRITTEN_WIDE)
        fail_msg("%s: %s is no number", cushim__slot_name(slot),
                 cushim__parameter_at(slot, index)->name);
}

#define TEST(name) TEST_BETWEEN(name, setup, testkit_end_on)

TEST_ALONE(every_effect_fits_its_function)
{
    unsigned effects = 0;

    cushim__decoding_begin(CUSHIM__TRACKER);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const struct cushim__object_effect *effect = cushim__effect_first(slot);

        for (; effect; effect = cushim__effect_next(slot, effect)) {
            check_parameter(slot, effect);
            check_number(slot, effect->amount);
            check_number(slot, effect->times);
            effects++;
        }
    }
    assert_in_range(effects, 130, 200);
    cushim__decoding_end();
}

/*
 * Every function whose name says that it creates or destroys has an effect, so that none is
 * forgotten.
 */
TEST_ALONE(every_function_that_creates_or_destroys_has_an_effect)
{
    static const char *const words[] = {"Create", "Destroy", "Alloc", "Unload", "Unregister"};
    static const char *const none[] = {
        /* The first ABIs, whose addresses have 32 bits. */
        "cuArrayCreate", "cuArray3DCreate", "cuMemAlloc", "cuMemAllocPitch",
        /* They create no driver object, or one that is destroyed implicitly. */
        "cuMemGetAllocationGranularity", "cuMemGetAllocationPropertiesFromHandle",
        "cuGraphMemAllocNodeGetParams", "cuGLUnregisterBufferObject",
        /* Logical endpoints are reserved numbers of the program, not handles. */
        "cuLogicalEndpointCreate", "cuLogicalEndpointDestroy"};

    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        bool is_named = false, is_excepted = false;

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            is_named = is_named || strstr(cushim__slot_name(slot), words[i]);
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            is_excepted = is_excepted || strcmp(cushim__slot_name(slot), none[i]) == 0;
        if (is_named && !is_excepted && !cushim__effect_first(slot))
            fail_msg("%s has no effect", cushim__slot_name(slot));
    }
}

/* --- a driver of the test's own --- */

enum { OBJECTS = 4, ADDRESS = 0x10000 };

static struct cushim_table fake;
static char objects[OBJECTS]; /* their addresses are the handles */
static void *given;           /* what the next call that creates an object writes */
static CUcontext current;
static CUresult destroy_answer;

static CUresult CUDAAPI refuse(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult CUDAAPI destroy_event(CUevent event)
{
    return destroy_answer;
}

static CUresult CUDAAPI create_context(CUcontext *context, unsigned flags, CUdevice device)
{
    *context = current = (CUcontext)(void *)&objects[2];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy_context(CUcontext context)
{
    current = NULL;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI current_context(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
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
    if (address)
        *address = ADDRESS;
    if (bytes)
        *bytes = 64;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI open_memory(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    *address = ADDRESS;
    return CUDA_SUCCESS;
}

static int setup(void **state)
{
    fake_table_fill(&fake, refuse);
    FAKE_TABLE_PUT(&fake, EventCreate, give);
    FAKE_TABLE_PUT(&fake, EventDestroy_v2, destroy_event);
    FAKE_TABLE_PUT(&fake, CtxCreate_v2, create_context);
    FAKE_TABLE_PUT(&fake, CtxDestroy_v2, destroy_context);
    FAKE_TABLE_PUT(&fake, CtxGetCurrent, current_context);
    FAKE_TABLE_PUT(&fake, ModuleLoadData, give);
    FAKE_TABLE_PUT(&fake, ModuleGetFunction, give);
    FAKE_TABLE_PUT(&fake, ModuleGetGlobal_v2, give_global);
    FAKE_TABLE_PUT(&fake, ModuleUnload, succeed);
    FAKE_TABLE_PUT(&fake, IpcOpenMemHandle_v2, open_memory);
    FAKE_TABLE_PUT(&fake, IpcCloseMemHandle, succeed);
    FAKE_TABLE_PUT(&fake, DevicePrimaryCtxRetain, give);
    FAKE_TABLE_PUT(&fake, GraphCreate, give);
    FAKE_TABLE_PUT(&fake, GraphAddNode_v2, give);
    FAKE_TABLE_PUT(&fake, GraphDestroy, succeed);
    FAKE_TABLE_PUT(&fake, DevicePrimaryCtxRelease_v2, succeed);
    FAKE_TABLE_PUT(&fake, DevicePrimaryCtxReset_v2, succeed);
    given = &objects[0];
    current = NULL;
    destroy_answer = CUDA_SUCCESS;
    testkit_begin_on(&fake);
    return 0;
}

TEST_BETWEEN(value_that_comes_again_without_an_end_is_another_object, setup, testkit_end_on)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(testkit_tag(event), "event#2");
    assert_int_equal(testkit_count().handles, 1);
    OK(driver->EventDestroy_v2(event));
}

TEST_BETWEEN(destroying_that_reports_an_earlier_error_counts_as_release, setup, testkit_end_on)
{
    CUevent event;

    OK(cushim_check_stop(layer, NULL, 0)); /* it reports the sticky error */
    OK(driver->EventCreate(&event, 0));
    destroy_answer = CUDA_ERROR_ILLEGAL_ADDRESS;
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->EventDestroy_v2(event));
    assert_int_equal(testkit_count().handles, 0);
}

TEST_BETWEEN(destroying_that_is_refused_does_not, setup, testkit_end_on)
{
    static const CUresult refusals[] = {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
                                        CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_NOT_PERMITTED,
                                        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
    CUevent event;

    OK(cushim_check_stop(layer, NULL, 0)); /* it reports what the driver refuses */
    OK(driver->EventCreate(&event, 0));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        destroy_answer = refusals[i];
        CODE(refusals[i], driver->EventDestroy_v2(event));
        assert_int_equal(testkit_count().handles, 1);
        assert_string_equal(testkit_tag(event), "event#1");
    }
    destroy_answer = CUDA_SUCCESS;
    OK(driver->EventDestroy_v2(event));
}

TEST_BETWEEN(context_takes_what_was_made_while_it_was_current, setup, testkit_end_on)
{
    CUcontext context;
    CUevent event;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, 0));
    assert_int_equal(testkit_count().handles, 2);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(testkit_count().handles, 0);
    OK(driver->EventCreate(&event, 0));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(testkit_count().handles, 1);
    OK(driver->EventDestroy_v2(event));
}

/* Give a graph another one as a child; returns how many of both the program has to destroy. */
static size_t add_child(int ownership)
{
    struct cushim__graph_node node;
    CUgraph parent, child;
    CUgraphNode added;
    size_t count;

    memset(&node, 0, sizeof node);
    given = &objects[0];
    OK(driver->GraphCreate(&parent, 0));
    given = &objects[1];
    OK(driver->GraphCreate(&child, 0));
    given = &objects[2];
    node.type = CU_GRAPH_NODE_TYPE_GRAPH;
    node.of.child.graph = child;
    node.of.child.ownership = ownership;
    OK(driver->GraphAddNode_v2(&added, parent, NULL, NULL, 0, (void *)&node));
    count = testkit_count().handles;
    OK(driver->GraphDestroy(parent));
    assert_string_equal(testkit_tag(parent), "none");
    assert_int_equal(testkit_count().handles, count - 1);
    if (count > 1)
        OK(driver->GraphDestroy(child));
    return count;
}

TEST_BETWEEN(moved_child_graph_goes_with_its_parent, setup, testkit_end_on)
{
    assert_int_equal(add_child(CUSHIM__CHILD_IS_MOVED), 1);
    assert_int_equal(add_child(0), 2);
}

/*
 * Another thread gets the same value between the driver's destruction and the layer's record of it.
 */
static CUresult CUDAAPI destroy_and_create(CUevent event)
{
    CUevent again;

    cushim_layer_next(layer)->EventDestroy_v2 = destroy_event;
    return cushim_layer_table(layer)->EventCreate(&again, 0);
}

TEST_BETWEEN(value_given_again_while_it_ends_stays_alive, setup, testkit_end_on)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    cushim_layer_next(layer)->EventDestroy_v2 = destroy_and_create;
    OK(driver->EventDestroy_v2(event));
    assert_int_equal(testkit_count().handles, 1);
    assert_string_equal(testkit_tag(event), "event#2");
    OK(driver->EventDestroy_v2(event));
}

/*
 * The leak tracker over a driver of the test: reused values, objects that are opened twice, and
 * calls that return no object.
 */

/* Let the driver return this object as an event. */
static CUevent create(unsigned object)
{
    CUevent event;

    given = &objects[object];
    OK(driver->EventCreate(&event, 0));
    return event;
}

TEST(success_without_a_handle_creates_nothing)
{
    CUevent event = (CUevent)&objects[0];

    given = NULL;
    OK(driver->EventCreate(&event, 0));
    assert_null(event);
    assert_int_equal(testkit_count().handles, 0);
}

/* Destroyed objects are in a list: each position is removed once, and the last one more often. */
TEST(values_come_again_in_any_order)
{
    static const unsigned orders[][OBJECTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
    unsigned made = 0;

    for (size_t order = 0; order < sizeof orders / sizeof *orders; order++) {
        CUevent events[OBJECTS];

        for (unsigned i = 0; i < OBJECTS; i++) {
            char wanted[CUSHIM_RECORDING_TAG_SIZE];

            events[i] = create(orders[order][i]);
            snprintf(wanted, sizeof wanted, "event#%u", ++made);
            assert_string_equal(testkit_tag(events[i]), wanted);
            assert_int_equal(testkit_count().handles, i + 1);
        }
        for (unsigned i = 0; i < OBJECTS; i++) {
            OK(driver->EventDestroy_v2(events[i]));
            assert_string_equal(testkit_tag(events[i]), "none");
        }
    }
    assert_int_equal(testkit_count().handles, 0);
}

TEST(last_that_is_gone_comes_and_goes_before_the_first)
{
    CUevent first = create(0), last = create(1);

    OK(driver->EventDestroy_v2(first));
    OK(driver->EventDestroy_v2(last));
    last = create(1);
    OK(driver->EventDestroy_v2(last));
    first = create(0);
    assert_string_equal(testkit_tag(first), "event#4");
    assert_int_equal(testkit_count().handles, 1);
    OK(driver->EventDestroy_v2(first));
}

TEST(function_shown_by_a_module_after_that_of_another_is_another)
{
    CUfunction function;
    CUmodule module;

    for (unsigned i = 1; i <= 2; i++) {
        given = &objects[0];
        OK(driver->ModuleLoadData(&module, testkit_image));
        given = &objects[1];
        OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
        assert_string_equal(testkit_tag(function), i == 1 ? "function#1" : "function#2");
        OK(driver->ModuleUnload(module));
        assert_string_equal(testkit_tag(function), "none");
    }
}

TEST(variable_that_is_asked_for_its_size_alone_is_not_tracked)
{
    CUdeviceptr address = 0;
    CUmodule module;
    size_t bytes = 0;

    given = &objects[0];
    OK(driver->ModuleLoadData(&module, testkit_image));
    OK(driver->ModuleGetGlobal_v2(NULL, &bytes, module, "variable"));
    assert_int_equal(bytes, 64);
    assert_null(cushim__handle_next(CUSHIM__TYPE_GLOBAL, NULL));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "variable"));
    assert_non_null(cushim__handle_next(CUSHIM__TYPE_GLOBAL, NULL));
    OK(driver->ModuleUnload(module));
}

TEST(memory_opened_twice_is_leaked_until_it_is_closed_twice)
{
    const CUipcMemHandle handle = {{0}};
    CUdeviceptr first, second;

    OK(driver->IpcOpenMemHandle_v2(&first, handle, 0));
    OK(driver->IpcOpenMemHandle_v2(&second, handle, 0));
    assert_int_equal(first, second);
    assert_int_equal(testkit_count().allocations, 1);
    OK(driver->IpcCloseMemHandle(first));
    assert_int_equal(testkit_count().allocations, 1);
    OK(driver->IpcCloseMemHandle(second));
    assert_int_equal(testkit_count().allocations, 0);
}

TEST(primary_context_that_nobody_retained_can_be_reset_and_released)
{
    CUcontext context;

    OK(driver->DevicePrimaryCtxReset_v2(0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    assert_int_equal(testkit_count().handles, 0);
    given = &objects[0];
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    assert_string_equal(testkit_tag(context), "context#1");
    assert_int_equal(testkit_count().handles, 1);
    OK(driver->DevicePrimaryCtxReset_v2(0));
    assert_int_equal(testkit_count().handles, 0);
}
