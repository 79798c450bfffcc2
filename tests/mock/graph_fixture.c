/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/graph_fixture.h"

CUgraph graph;
unsigned graph_ran[GRAPH_RUNS], graph_ran_count;

int graph_begin(const char *settings)
{
    fixture_begin(settings);
    OK(driver->GraphCreate(&graph, 0));
    graph_ran_count = 0;
    return 0;
}

int graph_auto(void **state)
{
    return graph_begin("mode = auto");
}

int graph_end(void **state)
{
    OK(driver->GraphDestroy(graph));
    fixture_end();
    return 0;
}

void CUDA_CB graph_note(void *data)
{
    graph_ran[graph_ran_count++ % GRAPH_RUNS] = (unsigned)(uintptr_t)data;
}

CUgraphNode graph_add_host(const CUgraphNode *dependencies, size_t count, unsigned number)
{
    const CUDA_HOST_NODE_PARAMS parameters = {graph_note, (void *)(uintptr_t)number};
    CUgraphNode node;

    OK(driver->GraphAddHostNode(&node, graph, dependencies, count, &parameters));
    return node;
}

CUgraphExec graph_instantiate(void)
{
    CUgraphExec exec;

    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

void graph_run(CUgraphExec exec, CUstream stream)
{
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
}
