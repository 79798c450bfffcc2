/* SPDX-License-Identifier: Apache-2.0 */
/* Tags: which handle and address has which, for how long, and names of the program's own. */
#include <stdio.h>
#include <string.h>

#include "tests/layer/kit.h"

static char tag[CUSHIM_TAG_SIZE];

static const char *tag_of(const void *handle)
{
    OK(cushim_tag_get(layer, handle, tag, sizeof tag));
    return tag;
}

static const void *at(CUdeviceptr address)
{
    return (const void *)(uintptr_t)address;
}

static bool is_known(const void *handle)
{
    return cushim_tag_get(layer, handle, tag, sizeof tag) == CUDA_SUCCESS;
}

/* The line of the last call. */
static const char *last_line(void)
{
    static char text[1 << 14];
    size_t length = cushim_recording_text(layer, text, sizeof text);

    assert_in_range(length, 1, sizeof text - 1);
    text[length - 1] = '\0';
    return strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
}

static void numbers_count_per_type_in_the_order_of_first_sight(void **state)
{
    CUevent events[2];
    CUstream stream;

    (void)state;
    OK(driver->EventCreate(&events[0], 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->EventCreate(&events[1], 0));
    assert_string_equal(tag_of(events[0]), "event#1");
    assert_string_equal(tag_of(events[1]), "event#2");
    assert_string_equal(tag_of(stream), "stream#1");
    OK(driver->EventDestroy_v2(events[1]));
    OK(driver->EventDestroy_v2(events[0]));
    OK(driver->StreamDestroy_v2(stream));
}

static void handle_that_came_past_the_layer_has_a_tag_at_first_sight(void **state)
{
    CUevent event;

    (void)state;
    OK(cushim_layer_wrapped(layer)->EventCreate(&event, 0));
    assert_false(is_known(event));
    OK(driver->EventQuery(event));
    assert_string_equal(tag_of(event), "event#1");
    OK(driver->EventDestroy_v2(event));
}

static void destroyed_handle_has_no_tag_and_its_use_shows(void **state)
{
    CUcontext context;
    CUstream stream;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_false(is_known(stream));
    assert_false(is_known(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamQuery(stream));
    assert_non_null(strstr(last_line(), "cuStreamQuery(hStream=destroyed stream#1) = "));
}

static void addresses_are_told_by_allocation_and_offset(void **state)
{
    CUdeviceptr first, second;

    (void)state;
    OK(driver->MemAlloc_v2(&first, 1000));
    OK(driver->MemAlloc_v2(&second, 10));
    assert_string_equal(tag_of(at(first)), "memory#1");
    assert_string_equal(tag_of(at(first + 999)), "memory#1+999");
    assert_string_equal(tag_of(at(second + 9)), "memory#2+9");
    assert_false(is_known(at(second + 10)));
    OK(driver->MemFree_v2(first));
    assert_false(is_known(at(first)));
    OK(driver->MemAlloc_v2(&first, 1000));
    assert_string_equal(tag_of(at(first)), "memory#3");
    OK(driver->MemFree_v2(first));
    OK(driver->MemFree_v2(second));
}

static void every_way_to_memory_makes_it_known(void **state)
{
    CUdeviceptr pitched, managed, pooled, pinned;
    void *host[2];
    size_t pitch;
    char own[64];

    (void)state;
    OK(driver->MemAllocPitch_v2(&pitched, &pitch, 100, 3, 4));
    OK(driver->MemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAllocAsync(&pooled, 16, NULL));
    OK(driver->MemHostAlloc(&host[0], 16, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(driver->MemAllocHost_v2(&host[1], 16));
    OK(driver->MemHostRegister_v2(own, sizeof own, 0));
    assert_int_equal(snprintf(own, sizeof own, "memory#1+%zu", 3 * pitch - 1) > 0, 1);
    assert_string_equal(tag_of(at(pitched + 3 * pitch - 1)), own);
    assert_false(is_known(at(pitched + 3 * pitch)));
    assert_string_equal(tag_of(at(managed + 15)), "memory#2+15");
    assert_string_equal(tag_of(at(pooled)), "memory#3");
    assert_string_equal(tag_of((char *)host[0] + 2), "memory#4+2");
    assert_string_equal(tag_of(host[1]), "memory#5");
    assert_string_equal(tag_of(own + 8), "memory#6+8");
    OK(driver->MemHostGetDevicePointer_v2(&pinned, host[0], 0));
    assert_non_null(strstr(last_line(), "(pdptr -> memory#4, p=memory#4, Flags=0)"));
    OK(cushim_mock_drain(mock));
    OK(driver->MemFree_v2(pitched));
    OK(driver->MemFree_v2(managed));
    OK(driver->MemFreeAsync(pooled, NULL));
    OK(cushim_mock_drain(mock));
    OK(driver->MemFreeHost(host[0]));
    OK(driver->MemFreeHost(host[1]));
    OK(driver->MemHostUnregister(own));
    assert_false(is_known(own));
}

static const char global_image[] = ".version 6.0\n"
                                   ".target sm_50\n"
                                   ".address_size 64\n"
                                   ".visible .global .align 4 .b8 table[64];\n";

static void globals_of_a_module_go_with_it(void **state)
{
    CUdeviceptr address;
    CUmodule module;
    size_t bytes;

    (void)state;
    OK(driver->ModuleLoadData(&module, global_image));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "table"));
    assert_non_null(strstr(last_line(), "(dptr -> global#1, bytes -> 64, hmod=module#1, "
                                        "name=\"table\")"));
    assert_string_equal(tag_of(at(address + 63)), "global#1+63");
    OK(driver->ModuleGetGlobal_v2(&address, NULL, module, "table"));
    assert_non_null(strstr(last_line(), "(dptr -> global#1, bytes=NULL, "));
    OK(driver->ModuleUnload(module));
    assert_false(is_known(at(address)));
}

static void values_of_the_driver_have_their_names(void **state)
{
    (void)state;
    OK(driver->StreamQuery(NULL));
    assert_non_null(strstr(last_line(), "cuStreamQuery(hStream=NULL)"));
    OK(driver->StreamQuery(CU_STREAM_PER_THREAD));
    assert_non_null(strstr(last_line(), "cuStreamQuery(hStream=CU_STREAM_PER_THREAD)"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(0x1234));
    assert_non_null(strstr(last_line(), "cuMemFree_v2(dptr=address?)"));
    OK(driver->GetErrorName(CUDA_ERROR_NOT_READY, &(const char *){NULL}));
    assert_non_null(strstr(last_line(), "cuGetErrorName(error=CUDA_ERROR_NOT_READY, "
                                        "pStr -> \"CUDA_ERROR_NOT_READY\")"));
    OK(driver->MemFree_v2(0));
    assert_non_null(strstr(last_line(), "cuMemFree_v2(dptr=NULL)"));
}

static void name_stands_in_the_place_of_the_tag(void **state)
{
    CUdeviceptr address;
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, 0));
    OK(driver->MemAlloc_v2(&address, 64));
    OK(cushim_tag_name(layer, event, "upload-done"));
    OK(cushim_tag_name(layer, at(address), "frame.0"));
    assert_string_equal(tag_of(event), "upload-done");
    assert_string_equal(tag_of(at(address + 4)), "frame.0+4");
    OK(driver->EventQuery(event));
    assert_non_null(strstr(last_line(), "cuEventQuery(hEvent=upload-done)"));
    OK(driver->EventDestroy_v2(event));
    assert_non_null(strstr(last_line(), "cuEventDestroy_v2(hEvent=upload-done)"));
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(tag_of(event), "event#2");
    OK(cushim_tag_name(layer, event, "upload-done"));
    assert_string_equal(tag_of(event), "upload-done");
    OK(driver->EventDestroy_v2(event));
    OK(driver->MemFree_v2(address));
}

static void names_that_are_none_are_refused(void **state)
{
    static const char *const wrong[] = {"", "a b", "event#1", "a+1",
                                        "abcdefghijklmnopqrstuvwxyz012345"};
    CUevent events[2];

    (void)state;
    OK(driver->EventCreate(&events[0], 0));
    OK(driver->EventCreate(&events[1], 0));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_name(layer, events[0], wrong[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_name(NULL, events[0], "a"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_name(layer, NULL, "a"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_name(layer, events[0], NULL));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_tag_name(layer, events, "a"));
    OK(cushim_tag_name(layer, events[0], "abcdefghijklmnopqrstuvwxyz01234"));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED,
         cushim_tag_name(layer, events[1], "abcdefghijklmnopqrstuvwxyz01234"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_get(layer, events[0], tag, 31));
    OK(cushim_tag_get(layer, events[0], tag, 32));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_get(NULL, events[0], tag, sizeof tag));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_get(layer, NULL, tag, sizeof tag));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_tag_get(layer, events[0], NULL, 0));
    OK(driver->EventDestroy_v2(events[0]));
    OK(driver->EventDestroy_v2(events[1]));
}

/* What is remembered of those that are gone is bounded, and those that live are found. */
static void many_handles_come_and_go(void **state)
{
    CUevent kept, event;

    (void)state;
    OK(driver->EventCreate(&kept, 0));
    for (unsigned i = 0; i < 2000; i++) {
        OK(driver->EventCreate(&event, 0));
        OK(driver->EventDestroy_v2(event));
    }
    assert_string_equal(tag_of(kept), "event#1");
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(tag_of(event), "event#2002");
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventDestroy_v2(kept));
}

/* A module with more functions known than are remembered when they are gone. */
static void what_a_thing_owns_goes_with_it_however_much(void **state)
{
    CUgraph graph;
    CUgraphNode node;

    (void)state;
    OK(driver->GraphCreate(&graph, 0));
    for (unsigned i = 0; i < 1000; i++)
        OK(driver->GraphAddEmptyNode(&node, graph, NULL, 0));
    assert_string_equal(tag_of(node), "node#1000");
    OK(driver->GraphDestroy(graph));
    assert_false(is_known(node));
}

static int setup_recorded(void **state)
{
    kit_setup(state);
    cushim_recording_stop(layer);
    return cushim_recording_start(layer, 1 << 13) != CUDA_SUCCESS;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_recorded, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(numbers_count_per_type_in_the_order_of_first_sight),
        TEST(handle_that_came_past_the_layer_has_a_tag_at_first_sight),
        TEST(destroyed_handle_has_no_tag_and_its_use_shows),
        TEST(addresses_are_told_by_allocation_and_offset),
        TEST(every_way_to_memory_makes_it_known),
        TEST(globals_of_a_module_go_with_it),
        TEST(values_of_the_driver_have_their_names),
        TEST(name_stands_in_the_place_of_the_tag),
        TEST(names_that_are_none_are_refused),
        TEST(many_handles_come_and_go),
        TEST(what_a_thing_owns_goes_with_it_however_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
