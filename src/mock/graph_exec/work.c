/* SPDX-License-Identifier: Apache-2.0 */
/* The work of graph nodes, created from the parameters that programs pass. */
#include "src/mock/graph/graph.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "src/driver_api/structs.h"
#include "src/mock/context/context.h"
#include "src/mock/copy/copy.h"
#include "src/mock/event/event.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pages.h"
#include "src/mock/stream/stream.h"

/* NULL means the current context, or if there is none the context of the memory. */
static CUresult find_context(CUcontext handle, CUdeviceptr address, struct mock_context **context)
{
    CUresult code = cushim__mock_context_find_or_current(handle, context);
    const struct mock_allocation *memory = cushim__mock_allocation_at(address);

    if (handle || code != CUDA_ERROR_INVALID_CONTEXT || !memory || !memory->context)
        return code;
    *context = memory->context;
    return CUDA_SUCCESS;
}

/* The address of the device's side of a copy, if it has one. */
static CUdeviceptr address_of(const CUDA_MEMCPY3D *copy)
{
    return copy->dstMemoryType == CU_MEMORYTYPE_HOST ? copy->srcDevice : copy->dstDevice;
}

static struct mock_work refused(CUresult code)
{
    return (struct mock_work){.code = code};
}

static struct mock_work work_of(CUresult code, CUgraphNodeType type,
                                struct mock_operation *operation,
                                const struct mock_context *context)
{
    if (code != CUDA_SUCCESS)
        return refused(code);
    return (struct mock_work){
        .type = type,
        .operation = operation,
        .context = context ? context->object.handle : NULL,
    };
}

struct mock_work cushim__mock_work_kernel(const void *parameters, size_t bytes)
{
    CUDA_KERNEL_NODE_PARAMS latest = {0};
    struct mock_operation *operation = NULL;
    CUresult code;

    if (!parameters)
        return refused(CUDA_ERROR_INVALID_VALUE);
    memcpy(&latest, parameters, bytes);
    code = latest.func || latest.kern ? cushim__mock_kernel_operation(&latest, &operation)
                                      : CUDA_ERROR_INVALID_HANDLE;
    return work_of(code, CU_GRAPH_NODE_TYPE_KERNEL, operation, NULL);
}

struct mock_work cushim__mock_work_memcpy(const CUDA_MEMCPY3D *parameters, CUcontext context)
{
    struct mock_operation *operation = NULL;
    struct mock_context *where = NULL;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (parameters)
        code = find_context(context, address_of(parameters), &where);
    if (code == CUDA_SUCCESS) {
        const struct cushim__copy shape = cushim__copy_3d(parameters);

        code = cushim__mock_copy_operation(&shape, &operation);
    }
    return work_of(code, CU_GRAPH_NODE_TYPE_MEMCPY, operation, where);
}

struct mock_work cushim__mock_work_memset(const CUDA_MEMSET_NODE_PARAMS *parameters,
                                          CUcontext context)
{
    struct mock_operation *operation = NULL;
    struct mock_context *where = NULL;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (parameters)
        code = find_context(context, parameters->dst, &where);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_set_operation(parameters, false, &operation);
    return work_of(code, CU_GRAPH_NODE_TYPE_MEMSET, operation, where);
}

struct mock_work cushim__mock_work_host(const CUDA_HOST_NODE_PARAMS *parameters)
{
    struct mock_operation *operation = NULL;
    CUresult code = cushim__mock_host_operation(parameters, &operation);

    return work_of(code, CU_GRAPH_NODE_TYPE_HOST, operation, NULL);
}

struct mock_work cushim__mock_work_child(CUgraph child)
{
    struct mock_graph *graph, *clone;
    CUresult code = cushim__mock_object_find(child, MOCK_GRAPH, &graph);

    if (code == CUDA_SUCCESS && (cushim__mock_graph_in_body(graph) ||
                                 cushim__mock_graph_has(graph, MOCK_CONDITIONAL | MOCK_MEMORY)))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_clone(graph, true, &clone);
    if (code != CUDA_SUCCESS)
        return refused(code);
    clone->object.internal = true;
    return (struct mock_work){.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = clone};
}

struct mock_work cushim__mock_work_event(CUgraphNodeType type, CUevent event)
{
    struct mock_event *found;
    CUresult code =
        event ? cushim__mock_object_find(event, MOCK_EVENT, &found) : CUDA_ERROR_INVALID_VALUE;

    return code ? refused(code) : (struct mock_work){.type = type, .event = event};
}

/* Whether the bytes after the member in use are zero, and the reserved ones before it. */
static bool is_clean(const CUgraphNodeParams *parameters)
{
    static const size_t used[] = {
        [CU_GRAPH_NODE_TYPE_KERNEL] = sizeof parameters->kernel,
        [CU_GRAPH_NODE_TYPE_MEMCPY] = sizeof parameters->memcpy,
        [CU_GRAPH_NODE_TYPE_MEMSET] = sizeof parameters->memset,
        [CU_GRAPH_NODE_TYPE_HOST] = sizeof parameters->host,
        [CU_GRAPH_NODE_TYPE_GRAPH] = sizeof parameters->graph,
        [CU_GRAPH_NODE_TYPE_EMPTY] = 0,
        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = sizeof parameters->eventWait,
        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = sizeof parameters->eventRecord,
        [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = sizeof parameters->alloc,
        [CU_GRAPH_NODE_TYPE_MEM_FREE] = sizeof parameters->free,
        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = sizeof parameters->conditional,
    };
    const char *members = (const char *)parameters->reserved1;
    const unsigned type = (unsigned)parameters->type;

    if (!cushim__mock_bytes_are_zero(parameters->reserved0, sizeof parameters->reserved0))
        return false;
    /* These types are refused, whatever their members say. */
    if (type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL || type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT ||
        type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        return true;
    if (type < sizeof used / sizeof *used)
        members += used[type];
    return cushim__mock_bytes_are_zero(members, (size_t)((const char *)(parameters + 1) - members));
}

static struct mock_work memcpy_from(const CUgraphNodeParams *parameters)
{
    if (parameters->memcpy.flags != 0 || parameters->memcpy.reserved != 0)
        return refused(CUDA_ERROR_INVALID_VALUE);
    return cushim__mock_work_memcpy(&parameters->memcpy.copyParams, parameters->memcpy.copyCtx);
}

static struct mock_work memset_from(const CUgraphNodeParams *parameters)
{
    CUDA_MEMSET_NODE_PARAMS set;

    memcpy(&set, &parameters->memset, sizeof set);
    return cushim__mock_work_memset(&set, parameters->memset.ctx);
}

static struct mock_work host_from(const CUgraphNodeParams *parameters)
{
    CUDA_HOST_NODE_PARAMS host;

    memcpy(&host, &parameters->host, sizeof host);
    return cushim__mock_work_host(&host);
}

/* A node that is to take the graph itself, unless another node or a capture has it. */
static struct mock_work moved_child(CUgraph child)
{
    struct mock_graph *graph;
    CUresult code = cushim__mock_object_find(child, MOCK_GRAPH, &graph);

    if (code == CUDA_SUCCESS &&
        (cushim__mock_graph_in_body(graph) || cushim__mock_graph_has(graph, MOCK_CONDITIONAL)))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS && graph->parent)
        code = graph->parent->work.moved ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && graph->capture)
        code = CUDA_ERROR_ILLEGAL_STATE;
    if (code != CUDA_SUCCESS)
        return refused(code);
    return (struct mock_work){.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = graph, .moved = true};
}

/* From CUDA 12.9 on, the program may give its graph away; otherwise it is copied. */
static struct mock_work child_from(const CUgraphNodeParams *parameters)
{
    switch ((int)parameters->graph.ownership) {
    case 0:
        return cushim__mock_work_child(parameters->graph.graph);
    case CUSHIM__CHILD_IS_MOVED:
        return moved_child(parameters->graph.graph);
    default:
        return refused(CUDA_ERROR_INVALID_VALUE);
    }
}

struct mock_work cushim__mock_work_allocate(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    struct mock_operation *operation = NULL;
    CUresult code = cushim__mock_memory_create(parameters, &operation);

    return work_of(code, CU_GRAPH_NODE_TYPE_MEM_ALLOC, operation, NULL);
}

static struct mock_work allocate_from(const CUgraphNodeParams *parameters)
{
    CUDA_MEM_ALLOC_NODE_PARAMS allocation;

    memcpy(&allocation, &parameters->alloc, sizeof allocation);
    return cushim__mock_work_allocate(&allocation);
}

struct mock_work cushim__mock_work_free(CUdeviceptr address)
{
    struct mock_operation *operation = NULL;
    CUresult code = cushim__mock_memory_free_operation(address, &operation);

    return work_of(code, CU_GRAPH_NODE_TYPE_MEM_FREE, operation, NULL);
}

/* The largest number of bodies of a node. */
static unsigned bodies_max(unsigned type)
{
    return type == MOCK_SWITCH ? UINT_MAX : type == MOCK_IF ? 2 : 1;
}

static struct mock_work conditional_from(const CUgraphNodeParams *parameters)
{
    const unsigned type = (unsigned)parameters->conditional.type;
    const unsigned size = parameters->conditional.size;
    struct mock_bodies *bodies;

    if (type > MOCK_SWITCH || size == 0 || size > bodies_max(type))
        return refused(CUDA_ERROR_INVALID_VALUE);
    bodies =
        cushim__mock_bodies_create(parameters->conditional.handle, (enum mock_branch)type, size);
    if (!bodies)
        return refused(CUDA_ERROR_OUT_OF_MEMORY);
    return (struct mock_work){.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                              .bodies = bodies,
                              .context = parameters->conditional.ctx};
}

struct mock_work cushim__mock_work_any(const CUgraphNodeParams *parameters)
{
    if (!parameters || !is_clean(parameters))
        return refused(CUDA_ERROR_INVALID_VALUE);
    switch ((int)parameters->type) { /* the enumeration of older headers is shorter */
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return cushim__mock_work_kernel(&parameters->kernel, sizeof(CUDA_KERNEL_NODE_PARAMS));
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return memcpy_from(parameters);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return memset_from(parameters);
    case CU_GRAPH_NODE_TYPE_HOST:
        return host_from(parameters);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return child_from(parameters);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return (struct mock_work){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cushim__mock_work_event(parameters->type, parameters->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cushim__mock_work_event(parameters->type, parameters->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return refused(CUDA_ERROR_NOT_SUPPORTED);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return allocate_from(parameters);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return cushim__mock_work_free(parameters->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return conditional_from(parameters);
    default:
        return refused(CUDA_ERROR_INVALID_VALUE);
    }
}

bool cushim__mock_work_is_fixed(const CUgraphNodeParams *parameters)
{
    const int type = parameters ? (int)parameters->type : -1;

    return type == CU_GRAPH_NODE_TYPE_CONDITIONAL || type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
           type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

CUresult cushim__mock_node_refuse(const struct mock_node *node, const CUgraphNodeParams *parameters)
{
    return node->work.type == parameters->type ? CUDA_ERROR_NOT_SUPPORTED
                                               : CUDA_ERROR_INVALID_VALUE;
}

static bool has_function_of_other_context(const CUgraphNodeParams *parameters)
{
    const struct mock_object *function;
    CUDA_KERNEL_NODE_PARAMS kernel;

    if (parameters->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return false;
    memcpy(&kernel, &parameters->kernel, sizeof kernel);
    function = cushim__mock_object_lookup(kernel.func, MOCK_FUNCTION);
    return function && kernel.ctx && function->context->object.handle != kernel.ctx;
}

struct mock_work cushim__mock_work_any_checked(const CUgraphNodeParams *parameters)
{
    struct mock_work work = cushim__mock_work_any(parameters);

    if (work.code != CUDA_SUCCESS || !has_function_of_other_context(parameters))
        return work;
    cushim__mock_work_end(&work);
    return refused(CUDA_ERROR_INVALID_CONTEXT);
}

_Static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS, kern) == sizeof(struct CUDA_KERNEL_NODE_PARAMS_st),
               "the former parameters are the first members of the later ones");
_Static_assert(offsetof(CUgraphNodeParams, memset.ctx) - offsetof(CUgraphNodeParams, memset) ==
                   sizeof(CUDA_MEMSET_NODE_PARAMS),
               "the former parameters are the first members of the later ones");

CUresult cushim__mock_node_set(struct mock_node *node, struct mock_work *work)
{
    CUresult code = node->work.type == work->type ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && work->child &&
        !cushim__mock_graph_takes_child(node->graph, work->child))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code != CUDA_SUCCESS) {
        cushim__mock_work_end(work);
        return code;
    }
    work->priority = node->work.priority;
    cushim__mock_work_end(&node->work);
    node->work = *work;
    if (work->child)
        work->child->parent = node;
    return CUDA_SUCCESS;
}
