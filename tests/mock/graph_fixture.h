/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock for tests of graphs: it has one graph, and host nodes record the order in which they run.
 */
#ifndef CUSHIM_TESTS_MOCK_GRAPH_FIXTURE_H
#define CUSHIM_TESTS_MOCK_GRAPH_FIXTURE_H

#include "tests/mock/fixture.h"

enum { GRAPH_RUNS = 160 };

extern CUgraph graph;

/* The numbers of the host nodes that have run, in the order of their runs. */
extern unsigned graph_ran[GRAPH_RUNS], graph_ran_count;

/* For a setup; the setup that most tests use; and the teardown, after which nothing is left. */
int graph_begin(const char *settings);
int graph_auto(void **state);
int graph_end(void **state);

/* The function of host nodes; the pointer is the number of the node. */
void CUDA_CB graph_note(void *data);

/* Add a host node to the graph. */
CUgraphNode graph_add_host(const CUgraphNode *dependencies, size_t count, unsigned number);

CUgraphExec graph_instantiate(void);

/* Launch the executable graph on a stream, and wait. */
void graph_run(CUgraphExec exec, CUstream stream);

#endif
