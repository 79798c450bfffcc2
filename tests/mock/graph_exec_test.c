/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of graphs: the order in which they execute, on the virtual clock and under each schedule.
 */

#include "tests/mock/graph_fixture.h"

enum { MS = 1000000, MANY = 40 };

static int begin_manual(void **state)
{
    return graph_begin("mode = manual");
}

/* Add a node that takes this long, by capturing a stream into the graph. */
static void add_spin(CUstream stream, uint64_t ns)
{
    CUgraph same;

    OK(driver->StreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    fixture_spin(stream, ns);
    OK(driver->StreamEndCapture(stream, &same));
}

static uint32_t random_state = 1;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

#define TEST(name) TEST_BETWEEN(name, graph_auto, graph_end)

/* Random graphs: under every schedule, each node runs once and after its dependencies. */
TEST_ALONE(nodes_run_after_what_they_depend_on)
{
    static const char *const settings[] = {"schedule = fifo", "schedule = eager", "schedule = lazy",
                                           "schedule = random\nseed = 5"};

    for (unsigned round = 0; round < 40; round++) {
        char text[100];
        bool edge[MANY][MANY] = {{false}};
        CUgraphNode nodes[MANY];
        unsigned place[MANY];
        CUgraphExec exec;
        CUstream stream;

        snprintf(text, sizeof text, "mode = auto\n%s", settings[round % 4]);
        graph_begin(text);
        stream = fixture_stream();
        for (unsigned i = 0; i < MANY; i++) {
            CUgraphNode before[3];
            size_t count = 0;

            for (unsigned k = 0; k < 3 && i > 0; k++) {
                const unsigned from = random_below(i);

                if (random_below(3) == 0 || edge[from][i])
                    continue;
                edge[from][i] = true;
                before[count++] = nodes[from];
            }
            nodes[i] = graph_add_host(before, count, i);
        }
        exec = graph_instantiate();
        OK(driver->GraphLaunch(exec, stream));
        OK(driver->GraphLaunch(exec, stream));
        OK(driver->StreamSynchronize(stream));
        assert_int_equal(graph_ran_count, 2 * MANY);
        for (unsigned launch = 0; launch < 2; launch++) {
            for (unsigned i = 0; i < MANY; i++)
                place[i] = MANY;
            for (unsigned i = 0; i < MANY; i++)
                place[graph_ran[launch * MANY + i]] = i;
            for (unsigned from = 0; from < MANY; from++) {
                assert_true(place[from] < MANY);
                for (unsigned to = 0; to < MANY; to++)
                    assert_true(!edge[from][to] || place[from] < place[to]);
            }
        }
        OK(driver->GraphExecDestroy(exec));
        OK(driver->StreamDestroy_v2(stream));
        graph_end(NULL);
    }
}

TEST_BETWEEN(whole_launch_waits_for_the_stream_and_holds_it_up, begin_manual, graph_end)
{
    CUstream stream = fixture_stream();
    CUgraphExec exec;
    float ms = -1;
    CUevent before = fixture_event(), after = fixture_event();

    add_spin(stream, 10 * MS);
    add_spin(stream, 20 * MS);
    exec = graph_instantiate();
    fixture_spin(stream, 5 * MS);
    OK(driver->EventRecord(before, stream));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(after, stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->EventElapsedTime_v2(&ms, before, after));
    assert_true(ms > 19.9f && ms < 20.1f);
    OK(driver->GraphExecDestroy(exec));
}

TEST_BETWEEN(launches_of_one_executable_graph_take_turns, begin_manual, graph_end)
{
    CUstream one = fixture_stream(), other = fixture_stream();
    CUgraphExec exec, second;

    add_spin(one, 10 * MS);
    exec = graph_instantiate();
    second = graph_instantiate();
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(exec, other));
    OK(cushim_mock_advance(fixture_mock, 15 * MS));
    OK(driver->StreamQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(second, other));
    OK(cushim_mock_advance(fixture_mock, 15 * MS));
    OK(driver->StreamQuery(other));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphExecDestroy(second));
}

TEST_BETWEEN(event_nodes_are_of_the_events_at_the_launch, begin_manual, graph_end)
{
    CUstream stream = fixture_stream(), outside = fixture_stream();
    CUevent before = fixture_event(), after = fixture_event();
    CUgraphNode wait, record;
    CUgraphExec exec;

    OK(driver->GraphAddEventWaitNode(&wait, graph, NULL, 0, before));
    OK(driver->GraphAddEventRecordNode(&record, graph, &wait, 1, after));
    exec = graph_instantiate();
    OK(driver->EventQuery(after));
    fixture_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside));
    OK(driver->GraphLaunch(exec, stream));
    fixture_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside)); /* too late for the launch */
    OK(cushim_mock_advance(fixture_mock, 9 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(after));
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    OK(driver->EventQuery(after));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(before));
    OK(driver->GraphExecDestroy(exec));
}

TEST(child_graphs_are_launched_in_their_place)
{
    const CUDA_HOST_NODE_PARAMS inside = {graph_note, (void *)2};
    CUstream stream = fixture_stream();
    CUgraphNode first, child_node, node;
    CUgraphExec exec;
    CUgraph child;

    OK(driver->GraphCreate(&child, 0));
    OK(driver->GraphAddHostNode(&node, child, NULL, 0, &inside));
    OK(driver->GraphAddHostNode(&node, child, &node, 1, &inside));
    first = graph_add_host(NULL, 0, 1);
    OK(driver->GraphAddChildGraphNode(&child_node, graph, &first, 1, child));
    graph_add_host(&child_node, 1, 3);
    exec = graph_instantiate();
    OK(driver->GraphDestroy(child));
    graph_run(exec, stream);
    assert_int_equal(graph_ran_count, 4);
    assert_true(graph_ran[0] == 1 && graph_ran[1] == 2 && graph_ran[2] == 2 && graph_ran[3] == 3);
    OK(driver->GraphExecDestroy(exec));
}
