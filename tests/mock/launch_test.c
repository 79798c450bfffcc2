/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what waits for them, their events and attributes, and how they are captured. */

#include "tests/mock/fixture.h"

enum { MS = 1000000 };

/* Attributes of launches; both events at once. */
enum { BOTH_EVENTS = 0, PROGRAMMATIC_EVENT = 7, COMPLETION_EVENT = 12 };

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry cushim_nothing() { ret; }\n"
                            ".visible .entry cushim_spin(.param .u64 ns) { ret; }\n";

static int begin(void **state)
{
    return kernel_begin("mode = manual", image);
}

static int begin_auto(void **state)
{
    return kernel_begin("mode = auto", image);
}

#define LAUNCH_TEST(name) TEST_BETWEEN(name, begin, fixture_done)

TEST_BETWEEN(loading_and_unloading_wait_for_all_work, begin_auto, fixture_done)
{
    uint64_t ns = 5 * MS;
    void *parameters[] = {&ns};
    CUmodule other;

    OK(kernel_launch(kernel_find("cushim_spin"), parameters, NULL));
    assert_int_equal(fixture_state().pending, 1);
    OK(driver->ModuleLoadData(&other, image));
    assert_int_equal(fixture_state().pending, 0);
    OK(kernel_launch(kernel_find("cushim_spin"), parameters, NULL));
    assert_int_equal(fixture_state().pending, 1);
    OK(driver->ModuleUnload(other));
    assert_int_equal(fixture_state().pending, 0);
}

/* A launch of one thread with attributes. */
static CUlaunchConfig with(CUlaunchAttribute *attributes, unsigned count)
{
    return (CUlaunchConfig){ONE_THREAD, .hStream = kernel_stream, .attrs = attributes,
                            .numAttrs = count};
}

static CUresult launch_with_event(CUevent event, int id)
{
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = with(attributes, id > 0 ? 1 : 2);
    uint64_t ns = MS;
    void *parameters[] = {&ns};

    memset(attributes, 0, sizeof attributes);
    attributes[0].id = (CUlaunchAttributeID)(id > 0 ? id : PROGRAMMATIC_EVENT);
    attributes[1].id = (CUlaunchAttributeID)COMPLETION_EVENT;
    memcpy(&attributes[0].value, &event, sizeof event);
    memcpy(&attributes[1].value, &event, sizeof event);
    return driver->LaunchKernelEx(&config, kernel_find("cushim_spin"), parameters, NULL);
}

LAUNCH_TEST(event_of_a_launch_ends_with_the_kernel)
{
    static const int ids[] = {PROGRAMMATIC_EVENT, COMPLETION_EVENT};
    CUstream other = fixture_stream();
    CUevent event;

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
}

LAUNCH_TEST(event_of_a_launch_is_a_plain_one_of_its_context)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                                   .value.programmaticEvent.flags = CU_EVENT_RECORD_EXTERNAL};
    CUlaunchConfig config = with(&attribute, 1);
    CUcontext context;
    CUevent event;

    OK(driver->EventCreate(&event, CU_EVENT_DEFAULT));
    CODE(CUDA_ERROR_INVALID_VALUE, launch_with_event(event, PROGRAMMATIC_EVENT));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    CODE(CUDA_ERROR_INVALID_VALUE, launch_with_event(event, COMPLETION_EVENT));
    OK(driver->EventDestroy_v2(event));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CODE(CUDA_ERROR_NOT_SUPPORTED, launch_with_event(event, BOTH_EVENTS));
    attribute.value.programmaticEvent.event = event;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->LaunchKernelEx(&config, kernel_find("cushim_nothing"), NULL, NULL));
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CODE(CUDA_ERROR_INVALID_HANDLE, launch_with_event(event, PROGRAMMATIC_EVENT));
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

LAUNCH_TEST(only_kernels_are_overlapped_in_a_capture)
{
    static const CUgraphEdgeData wanted[] = {{0}, {.type = 1, .from_port = 1}, {0}};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value.programmaticStreamSerializationAllowed = 1};
    CUlaunchConfig config = with(&attribute, 1);
    CUfunction nothing = kernel_find("cushim_nothing");

    capture_begin(kernel_stream);
    capture_work(kernel_stream); /* a host function */
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    attribute.value.programmaticStreamSerializationAllowed = 0;
    OK(driver->LaunchKernelEx(&config, nothing, NULL, NULL));
    check_edges(wanted, COUNT(wanted));
}

LAUNCH_TEST(captured_event_of_a_launch_is_a_port_of_the_kernel)
{
    static const CUgraphEdgeData wanted[] = {{.type = 1, .from_port = 2}, {0}, {0}};
    CUstream other = fixture_stream();
    uint64_t ns = MS;
    void *parameters[] = {&ns};
    CUevent event, back = fixture_event();

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
}

/* The priority stays when the parameters of the node change. */
LAUNCH_TEST(priority_of_a_captured_kernel_stays)
{
    enum { PRIORITY = 8, COOPERATIVE = 2, UNKNOWN = 99 };
    CUDA_KERNEL_NODE_PARAMS parameters;
    CUkernelNodeAttrValue value;
    CUgraphNode nodes[2];
    CUgraph graph;
    CUstream stream;
    size_t count = 2;

    OK(driver->StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -3));
    capture_begin(stream);
    OK(driver->LaunchKernel(kernel_find("cushim_nothing"), 1, 1, 1, 1, 1, 1, 0, stream, NULL,
                            NULL));
    capture_work(stream);
    graph = capture_end(stream);
    OK(driver->GraphGetNodes(graph, nodes, &count));
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
}

LAUNCH_TEST(cooperative_launch_by_its_attribute_must_fit_the_device)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig config = with(&attribute, 1);

    config.gridDimX = 132 * 32 + 1;
    CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         driver->LaunchKernelEx(&config, kernel_find("cushim_nothing"), NULL, NULL));
}

LAUNCH_TEST(shared_memory_that_is_left_is_that_of_the_device)
{
    CUfunction nothing = kernel_find("cushim_nothing");
    size_t shared = 0;

    OK(driver->OccupancyAvailableDynamicSMemPerBlock(&shared, nothing, 4, 128));
    assert_int_equal(shared, 49152);
    OK(driver->OccupancyAvailableDynamicSMemPerBlock(&shared, nothing, 8, 128));
    assert_int_equal(shared, 29184);
}
