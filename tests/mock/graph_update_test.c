/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of executable graphs with graphs of another topology, and child graphs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mock/fixture.h"
#include "tests/mock/graph_fixture.h"
#include "tests/support/folder.h"

enum { NODES = 4 };

/* The one expected misuse of a test. */
static const char *misuse;

static int end_misused(void **state)
{
    (void)state;
    assert_int_equal(fixture_state().misuses, 1);
    assert_non_null(strstr(cushim_mock_misuse(fixture_mock, 0), misuse));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    return 0;
}

/* A graph of host nodes: each pair is an edge from one node to the other; {0, 0} ends the list. */
struct shape {
    unsigned nodes, edges[NODES][2];
};

static const struct shape chain = {3, {{0, 1}, {1, 2}}};
static const struct shape fork = {3, {{0, 1}, {0, 2}}};
static const struct shape triangle = {3, {{0, 1}, {1, 2}, {0, 2}}};
static const struct shape pairs = {4, {{0, 1}, {2, 3}}};
static const struct shape crossed = {4, {{0, 3}, {2, 1}}};
static const struct shape both = {4, {{0, 2}, {1, 2}, {0, 3}, {1, 3}}};
static const struct shape turned = {4, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
static const struct shape one_less = {2, {{0, 1}}};

static void fill(CUgraph into, const struct shape *shape, CUgraphNode *nodes)
{
    const CUDA_HOST_NODE_PARAMS parameters = {graph_note, NULL};

    for (unsigned i = 0; i < shape->nodes; i++)
        OK(driver->GraphAddHostNode(&nodes[i], into, NULL, 0, &parameters));
    for (unsigned i = 0; i < NODES && shape->edges[i][0] != shape->edges[i][1]; i++)
        OK(driver->GraphAddDependencies(into, &nodes[shape->edges[i][0]],
                                        &nodes[shape->edges[i][1]], 1));
}

static CUgraph make(const struct shape *shape)
{
    CUgraphNode nodes[NODES];
    CUgraph made;

    OK(driver->GraphCreate(&made, 0));
    fill(made, shape, nodes);
    return made;
}

/* The result of updating the graph of one shape by that of the other, with either ABI. */
static CUgraphExecUpdateResult update(const struct shape *from, const struct shape *to,
                                      bool first_abi)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUgraph one = make(from), other = make(to);
    CUgraphNode culprit;
    CUgraphExec exec;
    CUresult code;

    OK(driver->GraphInstantiateWithFlags(&exec, one, 0));
    code = first_abi ? driver->GraphExecUpdate(exec, other, &culprit, &info.result)
                     : driver->GraphExecUpdate_v2(exec, other, &info);
    assert_int_equal(code, info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS
                               ? CUDA_SUCCESS
                               : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(other));
    OK(driver->GraphDestroy(one));
    return info.result;
}

static void update_needs_the_same_edges(void **state)
{
    static const struct {
        const struct shape *from, *to;
        CUgraphExecUpdateResult result;
    } cases[] = {
        {&chain, &chain, CU_GRAPH_EXEC_UPDATE_SUCCESS},
        {&triangle, &triangle, CU_GRAPH_EXEC_UPDATE_SUCCESS},
        {&chain, &fork, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED},
        {&chain, &triangle, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED},
        {&triangle, &chain, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED},
        {&both, &both, CU_GRAPH_EXEC_UPDATE_SUCCESS},
        {&both, &turned, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED},
        {&chain, &one_less, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(update(cases[i].from, cases[i].to, false), cases[i].result);
}

static void first_abi_pairs_nodes_by_their_creation(void **state)
{
    (void)state;
    assert_int_equal(update(&chain, &chain, true), CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_int_equal(update(&pairs, &pairs, true), CU_GRAPH_EXEC_UPDATE_SUCCESS);
    assert_int_equal(update(&chain, &fork, true), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_int_equal(update(&pairs, &crossed, true), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_int_equal(update(&chain, &one_less, true), CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
}

/* --- child graphs --- */

static CUgraph with_child(const struct shape *shape)
{
    CUgraph child = make(shape), outer;
    CUgraphNode node;

    OK(driver->GraphCreate(&outer, 0));
    OK(driver->GraphAddChildGraphNode(&node, outer, NULL, 0, child));
    OK(driver->GraphDestroy(child));
    return outer;
}

static void update_looks_into_a_graph_within_a_graph(void **state)
{
    CUgraphExecUpdateResultInfo info;
    CUgraph one = with_child(&chain), same = with_child(&chain), other = with_child(&fork);
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphInstantiateWithFlags(&exec, one, 0));
    OK(driver->GraphExecUpdate_v2(exec, same, &info));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, driver->GraphExecUpdate_v2(exec, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(other));
    OK(driver->GraphDestroy(same));
    OK(driver->GraphDestroy(one));
}

static void graph_cannot_be_put_into_itself(void **state)
{
    CUgraph outer = with_child(&chain), inner;
    CUgraphNode node, added;
    size_t count = 1;

    (void)state;
    OK(driver->GraphGetNodes(outer, &node, &count));
    OK(driver->GraphChildGraphNodeGetGraph(node, &inner));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddChildGraphNode(&added, outer, NULL, 0, outer));
    misuse = "the graph would contain itself";
    count = 0;
    OK(driver->GraphGetNodes(outer, NULL, &count));
    assert_int_equal(count, 1);
    OK(driver->GraphGetNodes(inner, NULL, &count));
    assert_int_equal(count, 3);
    OK(driver->GraphDestroy(outer));
}

static void picture_of_a_graph_has_the_graphs_within_it(void **state)
{
    CUgraph outer = with_child(&chain);
    unsigned char *bytes;
    char text[2048] = "";
    size_t size;

    folder_create(state);
    OK(driver->GraphDebugDotPrint(outer, folder_path("graph.dot"), 0));
    bytes = folder_read(folder_path("graph.dot"), &size);
    assert_non_null(bytes);
    assert_true(size < sizeof text);
    memcpy(text, bytes, size);
    free(bytes);
    assert_non_null(strstr(text, "  subgraph \"cluster"));
    assert_non_null(strstr(strstr(text, "subgraph"), "\" -> \""));
    assert_non_null(strrchr(text, '}'));
    OK(driver->GraphDestroy(outer));
    folder_remove(state);
}

/* --- user objects --- */

static void CUDA_CB count_destroyed(void *data)
{
    __atomic_add_fetch((unsigned *)data, 1, __ATOMIC_SEQ_CST);
}

static void graph_holds_several_user_objects_each_for_itself(void **state)
{
    static unsigned destroyed[3];
    CUuserObject objects[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        OK(driver->UserObjectCreate(&objects[i], &destroyed[i], count_destroyed, 1,
                                    CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        OK(driver->GraphRetainUserObject(graph, objects[i], 1, 0));
        OK(driver->GraphRetainUserObject(graph, objects[0], 1, 0));
    }
    /*
     * The graph holds the first object four times. A release of more references than that has no
     * effect.
     */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphReleaseUserObject(graph, objects[0], 0));
    OK(driver->GraphReleaseUserObject(graph, objects[0], 5));
    OK(driver->GraphReleaseUserObject(graph, objects[0], 1));
    OK(driver->GraphReleaseUserObject(graph, objects[1], 1));
    OK(driver->GraphReleaseUserObject(graph, objects[1], 1));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(__atomic_load_n(&destroyed[i], __ATOMIC_SEQ_CST), 0);
        OK(driver->UserObjectRelease(objects[i], 1));
    }
}

/* --- launches while streams capture --- */

static void graph_is_not_launched_into_the_legacy_stream_of_a_capture(void **state)
{
    CUgraphExec exec = graph_instantiate();
    CUstream stream;
    CUgraph captured = NULL;

    (void)state;
    OK(driver->StreamCreate(&stream, CU_STREAM_DEFAULT));
    capture_begin(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->GraphLaunch(exec, NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &captured));
    assert_null(captured);
    capture_begin(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->GraphUpload(exec, NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &captured));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

static void graph_is_not_uploaded_into_a_capture(void **state)
{
    CUgraphExec exec = graph_instantiate();
    CUstream stream = fixture_stream();
    CUgraph captured = NULL;

    (void)state;
    OK(driver->GraphUpload(exec, stream));
    capture_begin(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->GraphUpload(exec, stream));
    driver->StreamEndCapture(stream, &captured);
    assert_null(captured);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

/* --- edges, and graphs for launches from the device --- */

static void edge_with_unknown_bits_is_refused(void **state)
{
    const CUgraphNode nodes[2] = {graph_add_host(NULL, 0, 1), graph_add_host(NULL, 0, 2)};
    CUgraphEdgeData data = {.reserved = {1}};
    size_t edges = 7;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    data = (CUgraphEdgeData){.to_port = 1};
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    data = (CUgraphEdgeData){.from_port = 1};
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    OK(driver->GraphGetEdges(graph, NULL, NULL, &edges));
    assert_int_equal(edges, 0);
    data = (CUgraphEdgeData){0};
    OK(driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
}

static void graph_for_the_device_has_no_host_nodes_and_is_not_empty(void **state)
{
    const cuuint64_t for_device = 4; /* CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH */
    CUDA_MEMSET_NODE_PARAMS set = {.elementSize = 1, .width = 8, .height = 1};
    CUdeviceptr memory;
    CUgraphNode node;
    CUgraphExec exec;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiateWithFlags(&exec, graph, for_device));
    OK(driver->MemAlloc_v2(&memory, 8));
    set.dst = memory;
    OK(driver->GraphAddMemsetNode(&node, graph, NULL, 0, &set, NULL));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, for_device));
    OK(driver->GraphExecDestroy(exec));
    graph_add_host(NULL, 0, 1);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiateWithFlags(&exec, graph, for_device));
    OK(driver->MemFree_v2(memory));
}

/* User objects: they are destroyed when the last reference is released. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned object_destroyed;

static void CUDA_CB object_count_destroyed(void *data)
{
    (void)data;
    pthread_mutex_lock(&lock);
    object_destroyed++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for_destroyed(unsigned count)
{
    pthread_mutex_lock(&lock);
    while (object_destroyed < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void user_object_lives_as_long_as_any_graph_holds_it(void **state)
{
    CUuserObject object;
    CUgraphExec exec;
    CUgraph holder, clone;
    const size_t handles = fixture_state().handles;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->UserObjectCreate(&object, NULL, object_count_destroyed, 1, 0));
    OK(driver->UserObjectCreate(&object, NULL, object_count_destroyed, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&holder, 0));
    OK(driver->GraphRetainUserObject(holder, object, 2, 0));
    OK(driver->UserObjectRelease(object, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphReleaseUserObject(holder, object, 0));
    OK(driver->GraphReleaseUserObject(holder, object, 1));
    OK(driver->GraphClone(&clone, holder));
    OK(driver->GraphInstantiateWithFlags(&exec, clone, 0));
    OK(driver->GraphDestroy(holder));
    OK(driver->GraphDestroy(clone));
    assert_int_equal(fixture_state().handles, handles + 2);
    assert_int_equal(object_destroyed, 0);
    OK(driver->GraphExecDestroy(exec));
    wait_for_destroyed(1);
}

/* A launch holds the objects that its graph holds. */
static void user_object_outlives_launches_under_way(void **state)
{
    CUstream stream = fixture_stream(), other = fixture_stream();
    CUevent event = fixture_event();
    CUuserObject object;
    CUgraphNode node;
    CUgraphExec exec;
    CUgraph owner;

    (void)state;
    OK(driver->UserObjectCreate(&object, NULL, object_count_destroyed, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&owner, 0));
    OK(driver->GraphRetainUserObject(owner, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphAddEmptyNode(&node, owner, NULL, 0));
    OK(driver->GraphInstantiateWithFlags(&exec, owner, 0));
    fixture_spin(other, 1000000000);
    OK(driver->EventRecord(event, other));
    OK(driver->StreamWaitEvent(stream, event, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->GraphDestroy(owner));
    OK(driver->GraphExecDestroy(exec));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->UserObjectRetain(object, 1)); /* it still exists */
    OK(driver->UserObjectRelease(object, 1));
    OK(driver->StreamSynchronize(stream));
    wait_for_destroyed(1);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(other));
}

static void references_are_counted_by_whom_they_belong_to(void **state)
{
    CUuserObject object;
    CUgraph owner;
    size_t handles;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->UserObjectCreate(&object, NULL, NULL, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectCreate(&object, NULL, object_count_destroyed,
                                                            0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->UserObjectCreate(&object, NULL, object_count_destroyed, 2,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&owner, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRetain(object, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRetain(NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRelease(object, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphRetainUserObject(owner, object, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphRetainUserObject(owner, object, 1, 2));
    OK(driver->GraphReleaseUserObject(owner, object, 1)); /* the graph holds no reference */
    OK(driver->UserObjectRelease(object, 1));
    OK(driver->GraphRetainUserObject(owner, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    handles = fixture_state().handles;
    OK(driver->GraphReleaseUserObject(owner, object, 2)); /* it holds one, which stays */
    assert_int_equal(fixture_state().handles, handles);
    OK(driver->GraphReleaseUserObject(owner, object, 1));
    wait_for_destroyed(1);
    OK(driver->GraphDestroy(owner));
}

static int begin(void **state)
{
    (void)state;
    object_destroyed = 0;
    fixture_begin("mode = auto");
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(update_needs_the_same_edges),
        TEST(first_abi_pairs_nodes_by_their_creation),
        TEST(update_looks_into_a_graph_within_a_graph),
        TEST_IN(graph_cannot_be_put_into_itself, graph_auto, end_misused),
        TEST(graph_holds_several_user_objects_each_for_itself),
        TEST(picture_of_a_graph_has_the_graphs_within_it),
        TEST(graph_is_not_launched_into_the_legacy_stream_of_a_capture),
        TEST(graph_is_not_uploaded_into_a_capture),
        TEST(edge_with_unknown_bits_is_refused),
        TEST(graph_for_the_device_has_no_host_nodes_and_is_not_empty),
        TEST_IN(user_object_lives_as_long_as_any_graph_holds_it, begin, fixture_done),
        TEST_IN(user_object_outlives_launches_under_way, begin, fixture_done),
        TEST_IN(references_are_counted_by_whom_they_belong_to, begin, fixture_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
