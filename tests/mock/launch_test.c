/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: which are refused, and on which stream the others execute. */
#include <string.h>

#include "tests/mock/fixture.h"

enum { MS = 1000000 };

/* Attributes of launches; both events at once. */
enum { BOTH_EVENTS = 0, PROGRAMMATIC_EVENT = 7, COMPLETION_EVENT = 12 };

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry cushim_nothing() { ret; }\n"
                            ".visible .entry cushim_spin(.param .u64 ns) { ret; }\n";

static int begin(void **state)
{
    (void)state;
    return kernel_begin("mode = manual", image);
}

static int begin_auto(void **state)
{
    (void)state;
    return kernel_begin("mode = auto", image);
}

static void largest_block_may_have_all_shared_memory(void **state)
{
    (void)state;
    OK(driver->LaunchKernel(kernel_find("cushim_nothing"), 1, 1, 1, 1024, 1, 1, 49152,
                            kernel_stream, NULL, NULL));
}

static void cooperative_launch_must_fit_the_device(void **state)
{
    CUfunction nothing = kernel_find("cushim_nothing");

    (void)state;
    OK(driver->LaunchCooperativeKernel(nothing, 132 * 32, 1, 1, 1, 1, 1, 0, kernel_stream, NULL));
    CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         driver->LaunchCooperativeKernel(nothing, 132 * 32 + 1, 1, 1, 1, 1, 1, 0, kernel_stream,
                                         NULL));
}

static void launch_belongs_to_the_context_of_its_stream(void **state)
{
    CUfunction nothing = kernel_find("cushim_nothing");
    CUcontext other;
    CUstream there;

    (void)state;
    OK(driver->CtxCreate_v2(&other, 0, 0));
    there = fixture_stream();
    CODE(CUDA_ERROR_INVALID_HANDLE,
         driver->LaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE,
         driver->LaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, there, NULL, NULL));
    OK(kernel_launch(nothing, NULL, NULL));
    OK(driver->StreamDestroy_v2(there));
    OK(driver->CtxDestroy_v2(other));
}

static void default_stream_is_nowhere_if_nothing_is_current(void **state)
{
    CUfunction nothing = kernel_find("cushim_nothing");
    CUcontext context;

    (void)state;
    OK(driver->CtxPopCurrent_v2(&context));
    OK(kernel_launch(nothing, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         driver->LaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         driver->LaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(driver->CtxPushCurrent_v2(context));
    CODE(CUDA_ERROR_INVALID_HANDLE, kernel_launch(NULL, NULL, NULL));
}

static void kernel_of_a_library_is_launched_as_it_is(void **state)
{
    CUlibrary library;
    CUkernel kernel;

    (void)state;
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(driver->LibraryGetKernel(&kernel, library, "cushim_nothing"));
    OK(kernel_launch((CUfunction)kernel, NULL, NULL));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->LibraryUnload(library));
}

static void loading_and_unloading_wait_for_all_work(void **state)
{
    uint64_t ns = 5 * MS;
    void *parameters[] = {&ns};
    CUmodule other;

    (void)state;
    OK(kernel_launch(kernel_find("cushim_spin"), parameters, NULL));
    assert_int_equal(fixture_state().pending, 1);
    OK(driver->ModuleLoadData(&other, image));
    assert_int_equal(fixture_state().pending, 0);
    OK(kernel_launch(kernel_find("cushim_spin"), parameters, NULL));
    assert_int_equal(fixture_state().pending, 1);
    OK(driver->ModuleUnload(other));
    assert_int_equal(fixture_state().pending, 0);
}

/* Each attribute with a value of zeros, as it was measured. */
static void attributes_of_a_launch_are_known(void **state)
{
    static const CUresult codes[] = {
        [3] = CUDA_ERROR_INVALID_VALUE,   [7] = CUDA_ERROR_INVALID_HANDLE,
        [12] = CUDA_ERROR_INVALID_HANDLE, [13] = CUDA_ERROR_NOT_SUPPORTED,
        [15] = CUDA_ERROR_INVALID_VALUE,  [17] = CUDA_ERROR_INVALID_VALUE,
    };
    CUlaunchAttribute attribute;
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = kernel_stream,
                             .numAttrs = 1};
    CUfunction nothing = kernel_find("cushim_nothing");
    CUevent event;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LaunchKernelEx(NULL, nothing, NULL, NULL));
    config.attrs = &attribute;
    for (unsigned i = 0; i < COUNT(codes); i++) {
        attribute = (CUlaunchAttribute){.id = (CUlaunchAttributeID)i};
        CODE(codes[i], driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    }
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                                    .value.programmaticEvent.event = event};
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    attribute.value.programmaticEvent.flags = CU_EVENT_RECORD_EXTERNAL;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    OK(driver->EventDestroy_v2(event));
    attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    config.gridDimX = 132 * 32 + 1;
    CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         driver->LaunchKernelEx(&config, nothing, NULL, NULL));
}

static CUresult launch_with_event(CUevent event, int id)
{
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = kernel_stream,
                             .attrs = attributes,
                             .numAttrs = id > 0 ? 1 : 2};
    uint64_t ns = MS;
    void *parameters[] = {&ns};

    memset(attributes, 0, sizeof attributes);
    attributes[0].id = (CUlaunchAttributeID)(id > 0 ? id : PROGRAMMATIC_EVENT);
    attributes[1].id = (CUlaunchAttributeID)COMPLETION_EVENT;
    memcpy(&attributes[0].value, &event, sizeof event);
    memcpy(&attributes[1].value, &event, sizeof event);
    return driver->LaunchKernelEx(&config, kernel_find("cushim_spin"), parameters, NULL);
}

static void event_of_a_launch_ends_with_the_kernel(void **state)
{
    static const int ids[] = {PROGRAMMATIC_EVENT, COMPLETION_EVENT};
    CUstream other = fixture_stream();
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (size_t i = 0; i < COUNT(ids); i++) {
        OK(launch_with_event(event, ids[i]));
        OK(driver->StreamWaitEvent(other, event, 0));
        CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
        OK(cushim_mock_advance(fixture_mock, MS / 2));
        CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
        CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
        OK(cushim_mock_drain(fixture_mock));
        OK(driver->EventQuery(event));
        OK(driver->StreamQuery(other));
    }
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(other));
}

static void event_of_a_launch_is_a_plain_one_of_its_context(void **state)
{
    CUcontext context;
    CUevent event;

    (void)state;
    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    CODE(CUDA_ERROR_INVALID_VALUE, launch_with_event(event, PROGRAMMATIC_EVENT));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    CODE(CUDA_ERROR_INVALID_VALUE, launch_with_event(event, COMPLETION_EVENT));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_with_event(event, BOTH_EVENTS));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CODE(CUDA_ERROR_INVALID_HANDLE, launch_with_event(event, PROGRAMMATIC_EVENT));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxDestroy_v2(context));
}

/* The edges of a captured graph, in the order of the nodes that they come from. */
static void check_edges(const CUgraphEdgeData *wanted, size_t wanted_count)
{
    CUgraphNode from[4], to[4];
    CUgraphEdgeData data[4];
    size_t count = COUNT(data);
    CUgraph graph = capture_end(kernel_stream);

    OK(driver->GraphGetEdges_v2(graph, from, to, data, &count));
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(data[i].type, wanted[i].type);
        assert_int_equal(data[i].from_port, wanted[i].from_port);
        assert_int_equal(data[i].to_port, 0);
    }
    OK(driver->GraphDestroy(graph));
}

static void only_kernels_are_overlapped_in_a_capture(void **state)
{
    static const CUgraphEdgeData wanted[] = {{0}, {.type = 1, .from_port = 1}, {0}};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value.programmaticStreamSerializationAllowed = 1};
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = kernel_stream,
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUfunction nothing = kernel_find("cushim_nothing");

    (void)state;
    capture_begin(kernel_stream);
    capture_work(kernel_stream); /* a host function */
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    attribute.value.programmaticStreamSerializationAllowed = 0;
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    check_edges(wanted, COUNT(wanted));
}

static void captured_event_of_a_launch_is_a_port_of_the_kernel(void **state)
{
    static const CUgraphEdgeData wanted[] = {{.type = 1, .from_port = 2}, {0}, {0}};
    CUstream other = fixture_stream();
    uint64_t ns = MS;
    void *parameters[] = {&ns};
    CUevent event, back = fixture_event();

    (void)state;
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    capture_begin(kernel_stream);
    OK(launch_with_event(event, COMPLETION_EVENT));
    OK(driver->StreamWaitEvent(other, event, 0));
    OK(driver->LaunchKernel(kernel_find("cushim_spin"), 1, 1, 1, 1, 1, 1, 0, other, parameters,
                            NULL));
    OK(driver->EventRecord(back, other));
    OK(driver->StreamWaitEvent(kernel_stream, back, 0));
    capture_work(kernel_stream);
    check_edges(wanted, COUNT(wanted));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventDestroy_v2(back));
    OK(driver->StreamDestroy_v2(other));
}

/* The priority stays when the parameters of the node change. */
static void captured_kernel_has_a_priority(void **state)
{
    enum { PRIORITY = 8, COOPERATIVE = 2, UNKNOWN = 99 };
    CUDA_KERNEL_NODE_PARAMS parameters;
    CUkernelNodeAttrValue value;
    CUgraphNode nodes[2];
    CUgraph graph;
    CUstream stream;
    size_t count = 2;

    (void)state;
    OK(driver->StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -3));
    capture_begin(stream);
    OK(driver->LaunchKernel(kernel_find("cushim_nothing"), 1, 1, 1, 1, 1, 1, 0, stream, NULL,
                            NULL));
    capture_work(stream);
    graph = capture_end(stream);
    OK(driver->GraphGetNodes(graph, nodes, &count));
    OK(driver->GraphKernelNodeGetAttribute(nodes[0], (CUkernelNodeAttrID)PRIORITY, &value));
    assert_int_equal(*(int *)&value, -3);
    OK(driver->GraphKernelNodeGetParams_v2(nodes[0], &parameters));
    OK(driver->GraphKernelNodeSetParams_v2(nodes[0], &parameters));
    OK(driver->GraphKernelNodeGetAttribute(nodes[0], (CUkernelNodeAttrID)PRIORITY, &value));
    assert_int_equal(*(int *)&value, -3);
    *(int *)&value = -100;
    OK(driver->GraphKernelNodeSetAttribute(nodes[0], (CUkernelNodeAttrID)PRIORITY, &value));
    OK(driver->GraphKernelNodeGetAttribute(nodes[0], (CUkernelNodeAttrID)PRIORITY, &value));
    assert_int_equal(*(int *)&value, -5);
    CODE(CUDA_ERROR_NOT_SUPPORTED,
         driver->GraphKernelNodeGetAttribute(nodes[0], (CUkernelNodeAttrID)COOPERATIVE, &value));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphKernelNodeGetAttribute(nodes[0], (CUkernelNodeAttrID)UNKNOWN, &value));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphKernelNodeSetAttribute(nodes[1], (CUkernelNodeAttrID)PRIORITY, &value));
    OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(stream));
}

static void occupancy_is_that_of_the_device(void **state)
{
    static const struct {
        int threads, blocks;
        size_t shared;
    } cases[] = {{1, 32, 0},     {32, 32, 0},     {64, 32, 0},    {128, 16, 0},
                 {256, 8, 0},    {512, 4, 0},     {1024, 2, 0},   {1025, 0, 0},
                 {32, 4, 49152}, {32, 20, 10000}, {32, 0, 100000}};
    CUfunction nothing = kernel_find("cushim_nothing");
    int blocks = -1, grid = -1, block = -1;
    size_t shared = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        OK(driver->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, cases[i].threads,
                                                             cases[i].shared));
        assert_int_equal(blocks, cases[i].blocks);
    }
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
    OK(driver->OccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 0));
    assert_int_equal(grid, 264);
    assert_int_equal(block, 1024);
    OK(driver->OccupancyAvailableDynamicSMemPerBlock(&shared, nothing, 4, 128));
    assert_int_equal(shared, 49152);
    OK(driver->OccupancyAvailableDynamicSMemPerBlock(&shared, nothing, 8, 128));
    assert_int_equal(shared, 29184);
}

#define LAUNCH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, kernel_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAUNCH_TEST(largest_block_may_have_all_shared_memory),
        LAUNCH_TEST(cooperative_launch_must_fit_the_device),
        LAUNCH_TEST(launch_belongs_to_the_context_of_its_stream),
        LAUNCH_TEST(default_stream_is_nowhere_if_nothing_is_current),
        LAUNCH_TEST(kernel_of_a_library_is_launched_as_it_is),
        cmocka_unit_test_setup_teardown(loading_and_unloading_wait_for_all_work, begin_auto,
                                        kernel_end),
        LAUNCH_TEST(attributes_of_a_launch_are_known),
        LAUNCH_TEST(event_of_a_launch_ends_with_the_kernel),
        LAUNCH_TEST(event_of_a_launch_is_a_plain_one_of_its_context),
        LAUNCH_TEST(only_kernels_are_overlapped_in_a_capture),
        LAUNCH_TEST(captured_event_of_a_launch_is_a_port_of_the_kernel),
        LAUNCH_TEST(captured_kernel_has_a_priority),
        LAUNCH_TEST(occupancy_is_that_of_the_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
