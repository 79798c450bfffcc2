/* SPDX-License-Identifier: Apache-2.0 */
/* Tags: which handle or address has which tag, for how long, and the program's own names. */

#include <cushim/driver.h>

#include "src/layer/handle_table.h"
#include "tests/layer/testkit.h"

static char tag[CUSHIM_RECORDING_TAG_SIZE];

static const char *tag_of(const void *handle)
{
    OK(cushim_recording_get_tag(layer, handle, tag, sizeof tag));
    return tag;
}

static const void *at(CUdeviceptr address)
{
    return (const void *)(uintptr_t)address;
}

static bool is_known(const void *handle)
{
    return cushim_recording_get_tag(layer, handle, tag, sizeof tag) == CUDA_SUCCESS;
}

/* The line of the last recorded call. */
static const char *last_line(void)
{
    static char text[1 << 14];
    size_t length = cushim_recording_write_text(layer, text, sizeof text);

    assert_in_range(length, 1, sizeof text - 1);
    text[length - 1] = '\0';
    return strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
}

static int setup_recorded(void **state)
{
    testkit_setup(state);
    cushim_recording_stop(layer);
    return cushim_recording_start(layer, 1 << 13) != CUDA_SUCCESS;
}

#define TEST(name) TEST_BETWEEN(name, setup_recorded, testkit_teardown)

TEST(numbers_count_per_type_in_the_order_of_first_sight)
{
    CUevent events[2];
    CUstream stream;

    OK(driver->EventCreate(&events[0], 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->EventCreate(&events[1], 0));
    assert_string_equal(tag_of(events[0]), "event#1");
    assert_string_equal(tag_of(events[1]), "event#2");
    assert_string_equal(tag_of(stream), "stream#1");
}

TEST(handle_that_came_past_the_layer_has_a_tag_at_first_sight)
{
    CUevent event;

    OK(cushim_layer_wrapped(layer)->EventCreate(&event, 0));
    assert_false(is_known(event));
    OK(driver->EventQuery(event));
    assert_string_equal(tag_of(event), "event#1");
}

TEST(destroyed_handle_has_no_tag_and_its_use_shows)
{
    CUcontext context;
    CUstream stream;

    OK(cushim_check_stop(layer, NULL, 0)); /* some calls are wrong on purpose */
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->CtxDestroy_v2(context));
    assert_false(is_known(stream));
    assert_false(is_known(context));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamQuery(stream));
    CONTAINS(last_line(), "cuStreamQuery(hStream=destroyed stream#1) = ");
}

TEST(addresses_are_reported_by_allocation_and_offset)
{
    CUdeviceptr first, second;

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
}

TEST(memory_from_every_function_is_tracked)
{
    CUdeviceptr pitched, managed, pooled, pinned;
    void *host[2];
    size_t pitch;
    char own[64];

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
    CONTAINS(last_line(), "(pdptr -> memory#4, p=memory#4, Flags=0)");
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

TEST(globals_of_a_module_go_with_it)
{
    CUdeviceptr address;
    CUmodule module;
    size_t bytes;

    OK(driver->ModuleLoadData(&module, global_image));
    OK(driver->ModuleGetGlobal_v2(&address, &bytes, module, "table"));
    CONTAINS(last_line(), "(dptr -> global#1, bytes -> 64, hmod=module#1, "
                          "name=\"table\")");
    assert_string_equal(tag_of(at(address + 63)), "global#1+63");
    OK(driver->ModuleGetGlobal_v2(&address, NULL, module, "table"));
    CONTAINS(last_line(), "(dptr -> global#1, bytes=NULL, ");
    OK(driver->ModuleUnload(module));
    assert_false(is_known(at(address)));
}

TEST(values_of_the_driver_have_their_names)
{
    OK(driver->StreamQuery(NULL));
    CONTAINS(last_line(), "cuStreamQuery(hStream=NULL)");
    OK(driver->StreamQuery(CU_STREAM_PER_THREAD));
    CONTAINS(last_line(), "cuStreamQuery(hStream=CU_STREAM_PER_THREAD)");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(0x1234));
    CONTAINS(last_line(), "cuMemFree_v2(dptr=address?)");
    OK(driver->GetErrorName(CUDA_ERROR_NOT_READY, &(const char *){NULL}));
    CONTAINS(last_line(), "cuGetErrorName(error=CUDA_ERROR_NOT_READY, "
                          "pStr -> \"CUDA_ERROR_NOT_READY\")");
    OK(driver->MemFree_v2(0));
    CONTAINS(last_line(), "cuMemFree_v2(dptr=NULL)");
}

TEST(name_replaces_the_tag)
{
    CUdeviceptr address;
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->MemAlloc_v2(&address, 64));
    OK(cushim_recording_set_tag(layer, event, "upload-done"));
    OK(cushim_recording_set_tag(layer, at(address), "frame.0"));
    assert_string_equal(tag_of(event), "upload-done");
    assert_string_equal(tag_of(at(address + 4)), "frame.0+4");
    OK(driver->EventQuery(event));
    CONTAINS(last_line(), "cuEventQuery(hEvent=upload-done)");
    OK(driver->EventDestroy_v2(event));
    CONTAINS(last_line(), "cuEventDestroy_v2(hEvent=upload-done)");
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(tag_of(event), "event#2");
    OK(cushim_recording_set_tag(layer, event, "upload-done"));
    assert_string_equal(tag_of(event), "upload-done");
}

TEST(names_that_are_none_are_refused)
{
    static const char *const wrong[] = {"", "a b", "event#1", "a+1",
                                        "abcdefghijklmnopqrstuvwxyz012345"};
    CUevent events[2];

    OK(driver->EventCreate(&events[0], 0));
    OK(driver->EventCreate(&events[1], 0));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_set_tag(layer, events[0], wrong[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_set_tag(layer, NULL, "a"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_set_tag(layer, events[0], NULL));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_recording_set_tag(layer, events, "a"));
    OK(cushim_recording_set_tag(layer, events[0], "abcdefghijklmnopqrstuvwxyz01234"));
    CODE(CUDA_ERROR_ALREADY_ACQUIRED,
         cushim_recording_set_tag(layer, events[1], "abcdefghijklmnopqrstuvwxyz01234"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_tag(layer, events[0], tag, 31));
    OK(cushim_recording_get_tag(layer, events[0], tag, 32));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_tag(layer, NULL, tag, sizeof tag));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_tag(layer, events[0], NULL, 0));
}

/* The layer remembers a limited number of destroyed objects, and finds all live ones. */
TEST(many_handles_come_and_go)
{
    CUevent kept, event;

    OK(driver->EventCreate(&kept, 0));
    for (unsigned i = 0; i < 2000; i++) {
        OK(driver->EventCreate(&event, 0));
        OK(driver->EventDestroy_v2(event));
    }
    assert_string_equal(tag_of(kept), "event#1");
    OK(driver->EventCreate(&event, 0));
    assert_string_equal(tag_of(event), "event#2002");
}

/* A graph with more nodes than the layer remembers after their destruction. */
TEST(what_a_thing_owns_goes_with_it_however_much)
{
    CUgraph graph;
    CUgraphNode node;

    OK(driver->GraphCreate(&graph, 0));
    for (unsigned i = 0; i < 1000; i++)
        OK(driver->GraphAddEmptyNode(&node, graph, NULL, 0));
    assert_string_equal(tag_of(node), "node#1000");
    OK(driver->GraphDestroy(graph));
    assert_false(is_known(node));
}

/*
 * The number of handles and allocations: the layer, which counts calls, must agree with the mock.
 */

static void CUDA_CB drop(void *data)
{
}

static CUgraph graph_with_nodes(void)
{
    CUgraphNode empty, host;
    CUDA_HOST_NODE_PARAMS work = {.fn = drop};
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEmptyNode(&empty, graph, NULL, 0));
    OK(driver->GraphAddHostNode(&host, graph, &empty, 1, &work));
    return graph;
}

static void capture(CUstream stream, CUgraph *graph)
{
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->LaunchHostFunc(stream, drop, NULL));
    OK(driver->StreamEndCapture(stream, graph));
}

struct everything {
    CUcontext context;
    CUstream streams[2];
    CUevent event;
    CUmodule module;
    CUfunction function;
    CUlibrary library;
    CUkernel kernel;
    CUlinkState link;
    CUgraph graph, clone, captured;
    CUgraphExec execs[2];
    CUmemoryPool pool;
    CUuserObject object;
    CUarray array;
    CUdeviceptr memory, pitched, managed, pooled[2];
    void *host[2];
};

static void make_objects(struct everything *all)
{
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};

    OK(driver->CtxCreate_v2(&all->context, 0, 0));
    OK(driver->StreamCreate(&all->streams[0], 0));
    OK(driver->StreamCreateWithPriority(&all->streams[1], CU_STREAM_NON_BLOCKING, 0));
    OK(driver->EventCreate(&all->event, 0));
    OK(driver->ModuleLoadData(&all->module, testkit_image));
    OK(driver->ModuleGetFunction(&all->function, all->module, "cushim_spin"));
    OK(driver->LibraryLoadData(&all->library, testkit_image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&all->kernel, all->library, "cushim_spin"));
    OK(driver->LinkCreate_v2(0, NULL, NULL, &all->link));
    all->graph = graph_with_nodes();
    OK(driver->GraphClone(&all->clone, all->graph));
    capture(all->streams[1], &all->captured);
    OK(driver->GraphInstantiateWithFlags(&all->execs[0], all->graph, 0));
    OK(driver->GraphInstantiate_v2(&all->execs[1], all->captured, NULL, NULL, 0));
    OK(driver->MemPoolCreate(&all->pool, &props));
    OK(driver->UserObjectCreate(&all->object, NULL, drop, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->ArrayCreate_v2(&all->array, &shape));
}

static void make_memory(struct everything *all)
{
    size_t pitch;

    OK(driver->MemAlloc_v2(&all->memory, 1000));
    OK(driver->MemAllocPitch_v2(&all->pitched, &pitch, 10, 10, 4));
    OK(driver->MemAllocManaged(&all->managed, 10, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAllocAsync(&all->pooled[0], 100, all->streams[0]));
    OK(driver->MemAllocFromPoolAsync(&all->pooled[1], 100, all->pool, all->streams[0]));
    OK(driver->MemHostAlloc(&all->host[0], 10, 0));
    OK(driver->MemAllocHost_v2(&all->host[1], 10));
}

static void free_memory(struct everything *all)
{
    OK(driver->MemFree_v2(all->memory));
    OK(driver->MemFree_v2(all->pitched));
    OK(driver->MemFree_v2(all->managed));
    OK(driver->MemFreeAsync(all->pooled[0], all->streams[0]));
    OK(driver->MemFreeAsync(all->pooled[1], all->streams[0]));
    OK(driver->MemFreeHost(all->host[0]));
    OK(driver->MemFreeHost(all->host[1]));
}

static void destroy_objects(struct everything *all)
{
    OK(driver->GraphRetainUserObject(all->graph, all->object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->UserObjectRetain(all->object, 1));
    OK(driver->UserObjectRelease(all->object, 2));
    OK(driver->GraphExecDestroy(all->execs[0]));
    OK(driver->GraphExecDestroy(all->execs[1]));
    OK(driver->GraphDestroy(all->captured));
    OK(driver->GraphDestroy(all->clone));
    OK(driver->GraphDestroy(all->graph));
    OK(driver->ArrayDestroy(all->array));
    OK(driver->MemPoolDestroy(all->pool));
    OK(driver->LinkDestroy(all->link));
    OK(driver->LibraryUnload(all->library));
    OK(driver->ModuleUnload(all->module));
    OK(driver->EventDestroy_v2(all->event));
}

static void assert_agreed(size_t handles, size_t allocations)
{
    struct cushim_mock_state state = {.size = sizeof state};
    const struct testkit_counts counts = testkit_count();

    OK(cushim_mock_get_state(mock, &state));
    assert_int_equal(state.handles, handles);
    assert_int_equal(state.allocations, allocations);
    assert_int_equal(counts.handles, state.handles);
    assert_int_equal(counts.allocations, state.allocations);
}

TEST_BETWEEN(counts_are_the_mocks_for_one_of_everything, NULL, testkit_gone)
{
    struct everything all;

    testkit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options)});
    OK(driver->Init(0));
    make_objects(&all);
    assert_agreed(15, 0);
    make_memory(&all);
    assert_agreed(15, 7);
    free_memory(&all);
    assert_agreed(15, 0);
    OK(driver->StreamSynchronize(all.streams[0]));
    destroy_objects(&all);
    assert_agreed(3, 0);
    OK(driver->CtxDestroy_v2(all.context));
    assert_agreed(0, 0);
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
}

TEST_BETWEEN(counts_are_the_mocks_when_a_context_takes_all, NULL, testkit_gone)
{
    struct everything all;

    testkit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options)});
    OK(driver->Init(0));
    make_objects(&all);
    make_memory(&all);
    OK(driver->StreamSynchronize(all.streams[0]));
    OK(driver->CtxDestroy_v2(all.context));
    assert_agreed(8, 2); /* graphs, pools and libraries belong to no context */
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
}
