/* SPDX-License-Identifier: Apache-2.0 */
/* Whole executable graphs that take over what another graph of the same shape does. */
#include "src/mock/call.h"
#include "src/mock/calls/graph_exec.h"
#include "src/mock/calls/node_work.h"
#include "src/mock/engine/operation.h"

/* Say which node of the program's graph stands in the way. */
static CUresult fail(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult result,
                     const struct cushim__node *node, const struct cushim__node *from)
{
    info->result = result;
    info->errorNode = node ? node->object.handle : NULL;
    info->errorFromNode = from ? from->object.handle : NULL;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

/* Number the nodes by creation. */
static void number(const struct cushim__graph *graph)
{
    size_t place = 0;

    for (struct cushim__node *node = graph->first; node; node = node->next)
        node->waiting = place++;
}

/* Both graphs are numbered. */
static CUresult check_edges(const struct cushim__node *image, const struct cushim__node *node,
                            CUgraphExecUpdateResultInfo *info)
{
    if (image->dependencies.count != node->dependencies.count)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node, NULL);
    for (size_t i = 0; i < node->dependencies.count; i++) {
        const struct cushim__node *from = node->dependencies.at[i].node;

        if (image->dependencies.at[i].node->waiting != from->waiting)
            return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node, from);
    }
    return CUDA_SUCCESS;
}

static CUresult check(const struct cushim__graph *image, const struct cushim__graph *graph,
                      CUgraphExecUpdateResultInfo *info)
{
    const struct cushim__node *one = image->first;
    CUresult code = CUDA_SUCCESS;

    if (image->node_count != graph->node_count)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
    number(image);
    number(graph);
    for (const struct cushim__node *node = graph->first; node; node = node->next, one = one->next) {
        if (one->work.type != node->work.type)
            return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node, NULL);
        code = check_edges(one, node, info);
        if (code != CUDA_SUCCESS)
            return code;
        if (cushim__exec_check(one, &node->work) != CUDA_SUCCESS)
            return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, node, NULL);
    }
    one = image->first;
    for (const struct cushim__node *node = graph->first; node; node = node->next, one = one->next) {
        if (node->work.child)
            code = check(one->work.child, node->work.child, info);
        if (code != CUDA_SUCCESS)
            return code;
    }
    return CUDA_SUCCESS;
}

/* Take over what was checked: a node's operation or event, and recursively its child graph. */
static CUresult take(struct cushim__graph *image, const struct cushim__graph *graph)
{
    struct cushim__node *one = image->first;
    CUresult code = CUDA_SUCCESS;

    for (const struct cushim__node *node = graph->first; node; node = node->next, one = one->next) {
        struct cushim__work work = node->work;

        if (work.child)
            code = take(one->work.child, work.child);
        if (work.operation)
            work.operation = cushim__operation_copy(work.operation);
        if (code != CUDA_SUCCESS || (node->work.operation && !work.operation))
            return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
        if (!work.child)
            cushim__node_set(one, &work);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__exec_update(struct cushim__graph *image, const struct cushim__graph *graph,
                             CUgraphExecUpdateResultInfo *info)
{
    CUresult code;

    *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    code = check(image, graph, info);
    return code ? code : take(image, graph);
}

CUSHIM__EXACT(GraphExecUpdate_v2)
(CUgraphExec hGraphExec, CUgraph hGraph, cushim_CUgraphExecUpdateResultInfo *resultInfo)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    struct cushim__graph *graph;
    struct cushim__exec *exec;
    CUresult code = cushim__exec_find(hGraphExec, &exec);

    if (code == CUDA_SUCCESS)
        code = cushim__graph_find(hGraph, &graph);
    if (code == CUDA_SUCCESS)
        code = cushim__exec_update(exec->image, graph, &info);
    if (resultInfo)
        *resultInfo = info;
    return code;
}

CUSHIM__EXACT(GraphExecUpdate)
(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
 CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info;
    CUresult code = cushim__mock_GraphExecUpdate_v2(hGraphExec, hGraph, &info);

    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return code;
}
