/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs: whether anything orders two of their nodes is computed here, as whether one can be
 * reached from the other along edges, and compared with what the mock says.
 */
#include <string.h>

#include "tests/mock/race_world.h"

static CUgraph graph;

static int begin(void **state)
{
    (void)state;
    race_begin("mode = auto");
    OK(driver->GraphCreate(&graph, 0));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->GraphDestroy(graph));
    race_end();
    return 0;
}

enum { GRAPHS = 300, GRAPH_NODES = 12, LAUNCHES = 2 };

/* What stands for the kernel that is executed, and which operation each was. */
static unsigned executed;
static uint64_t operations[GRAPH_NODES];
static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % below;
}

static void note_kernel(const struct cushim_mock_launch *seen, void *data)
{
    (void)data;
    memcpy(&executed, seen->parameters[0], sizeof executed);
}

static void note_end(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    if (strcmp(entry->what, "end") == 0 && strcmp(entry->name, "kernel") == 0)
        operations[executed] = entry->operation;
}

/* A kernel that tells its number. */
static CUgraphNode add_kernel(CUfunction function, const CUgraphNode *dependencies, size_t count,
                              unsigned number)
{
    void *parameters[] = {&number};
    const CUDA_KERNEL_NODE_PARAMS kernel = {.func = function,
                                            .gridDimX = 1,
                                            .gridDimY = 1,
                                            .gridDimZ = 1,
                                            .blockDimX = 1,
                                            .blockDimY = 1,
                                            .blockDimZ = 1,
                                            .kernelParams = parameters};
    CUgraphNode node;

    OK(driver->GraphAddKernelNode_v2(&node, graph, dependencies, count, &kernel));
    return node;
}

/* A graph with edges at random; `reaches` is what they come to. */
static void make_graph(CUfunction function, bool reaches[GRAPH_NODES][GRAPH_NODES])
{
    const unsigned density = 1 + draw(9);
    CUgraphNode nodes[GRAPH_NODES];

    memset(reaches, 0, sizeof(bool[GRAPH_NODES][GRAPH_NODES]));
    for (unsigned i = 0; i < GRAPH_NODES; i++) {
        CUgraphNode dependencies[GRAPH_NODES];
        size_t count = 0;

        for (unsigned j = 0; j < i; j++) {
            if (draw(10) >= density)
                continue;
            dependencies[count++] = nodes[j];
            reaches[j][i] = true;
            for (unsigned k = 0; k < j; k++)
                reaches[k][i] |= reaches[k][j];
        }
        nodes[i] = add_kernel(function, dependencies, count, i);
    }
}

static void check_graph(bool reaches[GRAPH_NODES][GRAPH_NODES])
{
    for (unsigned i = 0; i < GRAPH_NODES; i++) {
        for (unsigned j = i + 1; j < GRAPH_NODES; j++) {
            enum cushim_mock_order order;

            OK(cushim_mock_ordered(world, operations[i], operations[j], &order, NULL, 0));
            assert_int_equal(order,
                             reaches[i][j] ? CUSHIM_MOCK_ORDER_BEFORE : CUSHIM_MOCK_ORDER_NONE);
        }
    }
}

static void random_graphs_are_ordered_by_their_edges(void **state)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry numbered(.param .u32 number) { ret; }\n";
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "numbered", .duration_ns = 1000, .run = note_kernel};
    bool reaches[GRAPH_NODES][GRAPH_NODES];
    CUfunction function;
    CUmodule module;

    (void)state;
    OK(cushim_mock_kernel_register(world, &kernel));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "numbered"));
    random_state = 0x9e3779b97f4a7c15u;
    cushim_mock_trace_set(world, note_end, NULL);
    for (unsigned i = 0; i < GRAPHS; i++) {
        CUgraphExec exec;

        OK(driver->GraphDestroy(graph));
        OK(driver->GraphCreate(&graph, 0));
        make_graph(function, reaches);
        OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
        for (unsigned launches = 0; launches < LAUNCHES; launches++) {
            OK(driver->GraphLaunch(exec, race_streams[draw(2)]));
            while (world_state().pending > 0)
                OK(cushim_mock_step(world));
            check_graph(reaches);
        }
        OK(driver->GraphExecDestroy(exec));
    }
    cushim_mock_trace_set(world, NULL, NULL);
    OK(driver->ModuleUnload(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_graphs_are_ordered_by_their_edges, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
