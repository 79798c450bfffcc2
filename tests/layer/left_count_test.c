/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many handles and allocations there are: the layer, which counts calls, agrees with the mock.
 */
#include <cushim/driver.h>

#include "src/layer/recording/known.h"
#include "tests/layer/kit.h"

static void CUDA_CB drop(void *data)
{
    (void)data;
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
    OK(driver->ModuleLoadData(&all->module, kit_image));
    OK(driver->ModuleGetFunction(&all->function, all->module, "cushim_spin"));
    OK(driver->LibraryLoadData(&all->library, kit_image, NULL, NULL, 0, NULL, NULL, 0));
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
    const struct cushim__known_counts counts = cushim__known_count();

    OK(cushim_mock_state_get(mock, &state));
    assert_int_equal(state.handles, handles);
    assert_int_equal(state.allocations, allocations);
    assert_int_equal(counts.handles, state.handles);
    assert_int_equal(counts.allocations, state.allocations);
}

static void counts_are_the_mocks_for_one_of_everything(void **state)
{
    struct everything all;

    (void)state;
    kit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options)});
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
    if (kit_end() != CUDA_SUCCESS)
        fail_msg("%s", kit_text);
}

static void counts_are_the_mocks_when_a_context_takes_all(void **state)
{
    struct everything all;

    (void)state;
    kit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options)});
    OK(driver->Init(0));
    make_objects(&all);
    make_memory(&all);
    OK(driver->StreamSynchronize(all.streams[0]));
    OK(driver->CtxDestroy_v2(all.context));
    assert_agreed(8, 2); /* graphs, pools and libraries belong to no context */
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, kit_gone)
    const struct CMUnitTest tests[] = {
        TEST(counts_are_the_mocks_for_one_of_everything),
        TEST(counts_are_the_mocks_when_a_context_takes_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
