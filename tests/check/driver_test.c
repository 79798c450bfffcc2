/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Correct programs that look like misuse, over a driver of the test that reuses handle values:
 * check must find nothing.
 */

#include <cushim/driver.h>

#include <cushim/testing/check.h>

#include "src/check/check.h"
#include "tests/layer/fake_table.h"
#include "tests/layer/testkit.h"

enum { OBJECTS = 4, ADDRESS = 0x10000, BYTES = 4096 };

static struct cushim_table fake;
static char objects[OBJECTS]; /* their addresses are the handles */
static unsigned given;        /* the object that the next call returns */
static CUresult destroy_answer;
static int primary_is_active;
static unsigned queries; /* calls of cuEventQuery that have reached the driver */

static CUresult CUDAAPI succeed(void)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI give(void **handle)
{
    *handle = &objects[given];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI query(CUevent event)
{
    (void)event;
    queries++;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy_event(CUevent event)
{
    (void)event;
    return destroy_answer;
}

static CUresult CUDAAPI primary_state(CUdevice device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = primary_is_active;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI allocate(CUdeviceptr *address, size_t bytes)
{
    (void)bytes;
    *address = ADDRESS;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI enumerate(CUfunction *functions, unsigned count, CUmodule module)
{
    (void)module;
    for (unsigned i = 0; i < count; i++)
        functions[i] = (CUfunction)(void *)&objects[i];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI current_context(CUcontext *context)
{
    *context = NULL;
    return CUDA_SUCCESS;
}

static int setup(void **state)
{
    fake_table_fill(&fake, succeed);
    FAKE_TABLE_PUT(&fake, EventCreate, give);
    FAKE_TABLE_PUT(&fake, EventDestroy_v2, destroy_event);
    FAKE_TABLE_PUT(&fake, EventQuery, query);
    FAKE_TABLE_PUT(&fake, StreamCreate, give);
    FAKE_TABLE_PUT(&fake, CtxCreate_v2, give);
    FAKE_TABLE_PUT(&fake, CtxGetCurrent, current_context);
    FAKE_TABLE_PUT(&fake, ModuleLoadData, give);
    FAKE_TABLE_PUT(&fake, ModuleGetFunction, give);
    FAKE_TABLE_PUT(&fake, ModuleEnumerateFunctions, enumerate);
    FAKE_TABLE_PUT(&fake, MemAlloc_v2, allocate);
    FAKE_TABLE_PUT(&fake, MemAllocAsync, allocate);
    FAKE_TABLE_PUT(&fake, IpcOpenMemHandle_v2, allocate);
    FAKE_TABLE_PUT(&fake, GraphCreate, give);
    FAKE_TABLE_PUT(&fake, GraphAddNode, give);
    FAKE_TABLE_PUT(&fake, MemHostGetDevicePointer_v2, allocate);
    FAKE_TABLE_PUT(&fake, DevicePrimaryCtxRetain, give);
    FAKE_TABLE_PUT(&fake, DevicePrimaryCtxGetState, primary_state);
    given = 0;
    destroy_answer = CUDA_SUCCESS;
    primary_is_active = 0;
    queries = 0;
    testkit_begin_on(&fake);
    OK(cushim_check_start(layer, NULL));
    return 0;
}

/* Assert that nothing was found. */
static int teardown(void **state)
{
    char text[4096];

    if (cushim_check_stop(layer, text, sizeof text) != CUDA_SUCCESS)
        fail_msg("%s", text);
    testkit_end();
    OK(cushim_table_install(NULL, NULL));
    return 0;
}

static CUevent create(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    return event;
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(value_that_is_given_again_is_another_object)
{
    OK(driver->EventDestroy_v2(create()));
    OK(driver->EventQuery(create()));
    OK(driver->EventDestroy_v2(create()));
}

TEST(value_that_is_given_again_is_of_another_kind)
{
    CUstream stream;

    OK(driver->EventDestroy_v2(create()));
    OK(driver->StreamCreate(&stream, 0));
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->EventQuery(create()));
}

TEST(end_that_the_driver_refuses_is_none)
{
    CUevent event = create();

    destroy_answer = CUDA_ERROR_NOT_PERMITTED;
    CODE(CUDA_ERROR_NOT_PERMITTED, driver->EventDestroy_v2(event));
    OK(driver->EventQuery(event));
    destroy_answer = CUDA_SUCCESS;
    OK(driver->EventDestroy_v2(event));
}

/*
 * Another thread gets the same value between the driver's destruction and the layer's record of it.
 */
static CUresult CUDAAPI destroy_and_create(CUevent event)
{
    (void)event;
    cushim_layer_next(layer)->EventDestroy_v2 = destroy_event;
    create();
    return CUDA_SUCCESS;
}

TEST(value_that_is_given_again_while_it_ends_is_another_object)
{
    CUevent event = create();

    cushim_layer_next(layer)->EventDestroy_v2 = destroy_and_create;
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

TEST(handle_that_was_not_seen_to_be_made_passes)
{
    CUevent event = (CUevent)(void *)&objects[0];

    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    assert_int_equal(queries, 2);
}

TEST(default_streams_pass)
{
    OK(driver->StreamSynchronize(NULL));
    OK(driver->StreamSynchronize(CU_STREAM_LEGACY));
    OK(driver->StreamSynchronize(CU_STREAM_PER_THREAD));
}

TEST(functions_that_are_enumerated_exist)
{
    CUfunction functions[2] = {NULL, NULL};
    CUmodule module;
    int value;

    given = 3;
    OK(driver->ModuleLoadData(&module, ""));
    given = 1;
    OK(driver->ModuleGetFunction(&functions[1], module, "one"));
    OK(driver->ModuleUnload(module));
    given = 3;
    OK(driver->ModuleLoadData(&module, ""));
    OK(driver->ModuleEnumerateFunctions(functions, 2, module));
    OK(driver->FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[1]));
    OK(driver->ModuleUnload(module));
}

/* A call that the layer does not see has retained the context. */
TEST(primary_context_that_is_active_lives)
{
    CUcontext context;
    CUevent event;

    given = 2;
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxSetCurrent(context));
    given = 0;
    event = create();
    primary_is_active = 1;
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

/* Each launch of the graph allocates and frees this memory. */
TEST(memory_of_a_graph_is_not_judged)
{
    CUdeviceptr memory;
    CUstream stream;
    CUgraph graph;

    OK(driver->StreamCreate(&stream, 0));
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->MemAllocAsync(&memory, BYTES, stream));
    OK(driver->MemFreeAsync(memory, stream));
    graph = (CUgraph)(void *)&objects[1];
    OK(driver->StreamEndCapture(stream, &graph));
    OK(driver->MemsetD8Async(memory, 0, BYTES, stream));
    OK(driver->MemFreeAsync(memory, stream));
}

TEST(address_that_the_driver_returns_is_not_freed)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemFree_v2(memory));
    OK(driver->MemHostGetDevicePointer_v2(&memory, objects, 0));
    OK(driver->MemsetD8_v2(memory, 0, 2 * BYTES));
}

TEST(memory_is_allocated_where_memory_was_freed)
{
    CUdeviceptr memory;

    for (int i = 0; i < 3; i++) {
        OK(driver->MemAlloc_v2(&memory, BYTES));
        OK(driver->MemsetD8_v2(memory, 0, BYTES));
        OK(driver->MemFree_v2(memory));
    }
}

/* Host memory at an address where device memory was freed. */
static CUresult CUDAAPI allocate_at_the_host(CUdeviceptr *address, size_t bytes)
{
    static char host[BYTES];

    (void)bytes;
    *address = (uintptr_t)host;
    return CUDA_SUCCESS;
}

TEST(memory_of_the_host_may_lie_where_some_was_freed)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = objects,
                          .WidthInBytes = 1,
                          .Height = 1};
    CUdeviceptr memory;

    cushim_layer_next(layer)->MemAlloc_v2 = allocate_at_the_host;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemFree_v2(memory));
    copy.srcDevice = memory;
    OK(driver->Memcpy((uintptr_t)objects, memory, 1));
    OK(driver->Memcpy2D_v2(&copy));
}

/* A driver would crash on this copy. */
TEST(freed_memory_that_nobody_can_read_is_not_copied)
{
    char text[2000];
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->Memcpy((uintptr_t)objects, memory, 1));
    assert_int_equal(cushim_check_count(layer, "CUSHIM-memory-freed"), 1);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, text, sizeof text));
    CONTAINS(text, "the driver is not called");
    OK(cushim_check_start(layer, NULL));
}

/* Leaves no freed memory that check knows; later misuse must not reach a driver. */
static CUresult CUDAAPI allocate_behind(CUdeviceptr *address, size_t bytes)
{
    (void)bytes;
    *address = ADDRESS + BYTES;
    return CUDA_SUCCESS;
}

TEST(memory_of_unknown_size_may_lie_where_some_was_freed)
{
    CUdeviceptr first, second, opened;
    CUipcMemHandle handle = {{0}};

    OK(driver->MemAlloc_v2(&first, BYTES));
    cushim_layer_next(layer)->MemAlloc_v2 = allocate_behind;
    OK(driver->MemAlloc_v2(&second, BYTES));
    OK(driver->MemFree_v2(first));
    OK(driver->MemFree_v2(second));
    OK(driver->IpcOpenMemHandle_v2(&opened, handle, 0));
    OK(driver->MemsetD8_v2(opened + BYTES, 0, 1));
    OK(driver->IpcCloseMemHandle(opened));
}

static CUfunction get_function(CUmodule module)
{
    CUfunction function;

    given = 1;
    OK(driver->ModuleGetFunction(&function, module, "f"));
    return function;
}

static CUmodule loaded_meanwhile;

/*
 * Another thread loads a module, whose function gets the value of a function that is being
 * unloaded.
 */
static CUresult CUDAAPI unload_and_load(CUmodule module)
{
    (void)module;
    given = 2;
    OK(driver->ModuleLoadData(&loaded_meanwhile, ""));
    get_function(loaded_meanwhile);
    return CUDA_SUCCESS;
}

TEST(function_that_is_given_again_while_its_module_ends_exists)
{
    CUmodule module;
    int value;

    OK(driver->ModuleLoadData(&module, ""));
    get_function(module);
    cushim_layer_next(layer)->ModuleUnload = unload_and_load;
    OK(driver->ModuleUnload(module));
    OK(driver->FuncGetAttribute(&value, 0, (CUfunction)(void *)&objects[1]));
    cushim_layer_next(layer)->ModuleUnload = fake.ModuleUnload;
    OK(driver->ModuleUnload(loaded_meanwhile));
}

/* The beginning of a conditional node's parameters; older headers lack the type. */
struct conditional {
    int type, reserved[3];
    uint64_t handle;
    int kind;
    unsigned count;
    CUgraph *graphs;
    char rest[256];
};

TEST(graph_of_a_branch_is_not_destroyed)
{
    CUgraph graph = (CUgraph)(void *)&objects[3], body, branches[2];
    CUgraphNode node = NULL;
    size_t count;
    struct conditional parameters = {.type = 13, .count = 2, .graphs = branches};

    branches[0] = graph;
    for (unsigned abi = 1; abi <= 3; abi++) {
        OK(driver->GraphCreate(&body, 0));
        OK(driver->GraphDestroy(body));
        branches[1] = body;
        if (abi == 1)
            OK(driver->GraphAddNode(&node, graph, NULL, 0, (void *)&parameters));
        else if (abi == 2)
            OK(driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, (void *)&parameters));
        else
            OK(driver->GraphAddNode_v3(&node, graph, NULL, NULL, 0, (void *)&parameters));
        OK(driver->GraphGetNodes(body, NULL, &count));
    }
}

/* The pushed context was another one, which left the stack when it was destroyed. */
TEST(context_that_is_given_again_was_not_pushed)
{
    CUcontext context;

    OK(cushim_check_stop(layer, NULL, 0));
    OK(cushim_check_start(
        layer, &(struct cushim_check_options){.size = sizeof(struct cushim_check_options),
                                              .settings = "level = advice"}));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPushCurrent_v2(context));
    OK(driver->CtxDestroy_v2(context));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    cushim__check_finish();
    assert_int_equal(cushim_check_count(layer, NULL), 0);
}

TEST(driver_does_not_see_a_destroyed_event)
{
    char text[2000];
    CUevent event = create();

    OK(driver->EventDestroy_v2(event));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
    assert_int_equal(queries, 0);
    assert_int_equal(cushim_check_count(layer, "CUSHIM-event-destroyed"), 1);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, text, sizeof text));
    OK(cushim_check_start(
        layer, &(struct cushim_check_options){.size = sizeof(struct cushim_check_options),
                                              .settings = "let_through = on"}));
    event = create();
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventQuery(event));
    assert_int_equal(queries, 1);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_check_stop(layer, text, sizeof text));
}
