/* SPDX-License-Identifier: Apache-2.0 */
/* A mock for tests of graphs: there is one graph, and host nodes record in which order they ran. */
#ifndef CUSHIM_TESTS_MOCK_GRAPH_FIXTURE_H
#define CUSHIM_TESTS_MOCK_GRAPH_FIXTURE_H

#include "tests/mock/fixture.h"

enum { GRAPH_RUNS = 160 };

extern CUgraph graph;

/* The numbers of the host nodes that have run, in their order. */
extern unsigned graph_ran[GRAPH_RUNS], graph_ran_count;

/* For a setup; the setup that most take; and the teardown, after which nothing is left. */
int graph_begin(const char *settings);
int graph_auto(void **state);
int graph_end(void **state);

/* What host nodes call, with their number in the place of a pointer. */
void CUDA_CB graph_note(void *data);

/* A host node of the graph. */
CUgraphNode graph_add_host(const CUgraphNode *dependencies, size_t count, unsigned number);

CUgraphExec graph_instantiate(void);

/* Launch it on a stream, and wait. */
void graph_run(CUgraphExec exec, CUstream stream);

#endif
