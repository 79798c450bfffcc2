/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/graph_exec/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"
#include "src/mock/sim/sim.h"
#include "src/race/race.h"

/* A device reserves memory for each graph in multiples of this. */
enum { CHUNK = 32 << 20 };

struct mock_graph_memory {
    struct mock_graph_memory *next; /* in the list of all */
    struct mock_allocation *allocation;
    CUmemPoolProps props;
    CUmemAccessDesc *access;
    size_t access_count;
    unsigned uses;         /* by nodes, by launches of them, and by what frees it in a stream */
    uint64_t graph;        /* number of the graph that allocates it */
    bool is_live;          /* launched and not freed, as calls see it */
    bool is_freed_inside;  /* the graph that allocates it frees it */
    bool is_freed_outside; /* another graph has a node that frees it, or had one */
    bool is_counted;       /* scratch value: a launch needs it */
    uint64_t last;         /* number of the last operation before cuMemFree; 0: none */
};

static struct mock_graph_memory *memories;

static void destroy(struct mock_graph_memory *memory)
{
    struct mock_graph_memory **link = &memories;

    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    cushim__mock_allocation_destroy(memory->allocation);
    free(memory->access);
    free(memory);
}

static void destroy_if_unused(struct mock_graph_memory *memory)
{
    if (memory->uses == 0 && !memory->is_live &&
        (memory->last == 0 || !cushim__mock->sim || !cushim__mock_sim_pending_until(memory->last)))
        destroy(memory);
}

/* Destroy what was kept for work that was pending. */
static void collect(void)
{
    struct mock_graph_memory *next;

    for (struct mock_graph_memory *one = memories; one; one = next) {
        next = one->next;
        destroy_if_unused(one);
    }
}

/* The operation of a node that allocates or frees, or of a free in a stream. */
struct memory_operation {
    struct mock_operation operation;
    struct mock_graph_memory *memory;
};

static struct mock_graph_memory *memory_of(const struct mock_operation *operation)
{
    return ((const struct memory_operation *)operation)->memory;
}

static CUresult map(struct mock_operation *operation)
{
    memory_of(operation)->allocation->unmapped = false;
    return CUDA_SUCCESS;
}

/* A later launch may have allocated the memory again. */
static CUresult unmap(struct mock_operation *operation)
{
    memory_of(operation)->allocation->unmapped = !memory_of(operation)->is_live;
    return CUDA_SUCCESS;
}

static bool copy_user(const struct mock_operation *from, struct mock_operation *to)
{
    (void)to;
    memory_of(from)->uses++;
    return true;
}

static void drop_user(struct mock_operation *operation)
{
    memory_of(operation)->uses--;
    destroy_if_unused(memory_of(operation));
}

/* Each launch allocates anew, so earlier accesses cannot race with it. */
static void touch_made(const struct mock_operation *operation, struct race_access *access)
{
    const struct race_memory memory =
        cushim__mock_allocation_race(memory_of(operation)->allocation);

    cushim__race_forget(memory.id);
    cushim__race_use_all(access, &memory, RACE_ALLOCATES);
}

static void touch_freed(const struct mock_operation *operation, struct race_access *access)
{
    const struct race_memory memory =
        cushim__mock_allocation_race(memory_of(operation)->allocation);

    cushim__race_use_all(access, &memory, RACE_FREES);
}

static const struct mock_operation_class allocate_class = {
    .name = "allocation",
    .size = sizeof(struct memory_operation),
    .node_type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    .execute = map,
    .copy = copy_user,
    .touch = touch_made,
    .drop = drop_user,
};

static const struct mock_operation_class free_class = {
    .name = "free",
    .size = sizeof(struct memory_operation),
    .node_type = CU_GRAPH_NODE_TYPE_MEM_FREE,
    .execute = unmap,
    .copy = copy_user,
    .touch = touch_freed,
    .drop = drop_user,
};

/* The bytes at the end that no version of CUDA uses. */
enum { RESERVED_BYTES = 54 };

/* The driver checks the location first, then handle types, bytes and access descriptors. */
static CUresult check(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters, struct mock_device **device)
{
    /* Values that old headers lack. */
    enum { MANAGED = 2, HANDLE_TYPES = 15 };
    const CUmemPoolProps *props = &parameters->poolProps;
    const int type = (int)props->allocType, where = (int)props->location.type;

    if ((type != CU_MEM_ALLOCATION_TYPE_PINNED && type != MANAGED) ||
        !cushim__mock_bytes_are_zero((const char *)(props + 1) - RESERVED_BYTES, RESERVED_BYTES))
        return CUDA_ERROR_INVALID_VALUE;
    if (where == CU_MEM_LOCATION_TYPE_HOST || where == CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (where != CU_MEM_LOCATION_TYPE_DEVICE ||
        cushim__mock_device_find(props->location.id, device) != CUDA_SUCCESS ||
        (unsigned)props->handleTypes > HANDLE_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (parameters->bytesize == 0 ||
        parameters->accessDescCount > (size_t)cushim__mock_device_count())
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->accessDescCount > 0 && !parameters->accessDescs) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the access descriptors are NULL");
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < parameters->accessDescCount; i++) {
        const CUmemAccessDesc *access = &parameters->accessDescs[i];
        struct mock_device *other;

        if (access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
            cushim__mock_device_find(access->location.id, &other) != CUDA_SUCCESS)
            return CUDA_ERROR_INVALID_DEVICE;
        if (access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    return cushim__mock_needs(MOCK_NEEDS_MEMORY_POOLS_SUPPORTED);
}

static struct mock_graph_memory *create(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    const size_t count = parameters->accessDescCount;
    struct mock_graph_memory *memory = calloc(1, sizeof *memory);

    if (!memory)
        return NULL;
    memory->props = parameters->poolProps;
    memory->access_count = count;
    memory->uses = 1;
    if (count == 0)
        return memory;
    memory->access = calloc(count, sizeof *memory->access);
    if (!memory->access) {
        free(memory);
        return NULL;
    }
    memcpy(memory->access, parameters->accessDescs, count * sizeof *memory->access);
    return memory;
}

CUresult cushim__mock_memory_create(const CUDA_MEM_ALLOC_NODE_PARAMS *parameters,
                                    struct mock_operation **operation)
{
    struct memory_operation *made;
    struct mock_device *device;
    CUresult code = check(parameters, &device);

    if (code != CUDA_SUCCESS)
        return code;
    collect();
    made = cushim__mock_operation_create(&allocate_class, MOCK_NO_UNIT, 0);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->memory = create(parameters);
    if (made->memory)
        code = cushim__mock_allocation_create(NULL, device, MOCK_BY_GRAPH, parameters->bytesize,
                                              &made->memory->allocation);
    if (!made->memory || code != CUDA_SUCCESS) {
        if (made->memory)
            free(made->memory->access);
        free(made->memory);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->memory->allocation->graph = made->memory;
    made->memory->allocation->unlaunched = made->memory->allocation->unmapped = true;
    made->memory->next = memories;
    memories = made->memory;
    *operation = &made->operation;
    return CUDA_SUCCESS;
}

CUDA_MEM_ALLOC_NODE_PARAMS cushim__mock_memory_of_device(const struct mock_device *device,
                                                         size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = device->ordinal;
    parameters.bytesize = bytes;
    return parameters;
}

CUresult cushim__mock_memory_free_operation(CUdeviceptr address, struct mock_operation **operation)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_known(address);
    struct memory_operation *made;

    if (!allocation || allocation->span.start != address || !allocation->graph)
        return CUDA_ERROR_INVALID_VALUE;
    made = cushim__mock_operation_create(&free_class, MOCK_NO_UNIT, 0);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->memory = allocation->graph;
    made->memory->uses++;
    *operation = &made->operation;
    return CUDA_SUCCESS;
}

bool cushim__mock_memory_parameters(const struct mock_operation *operation,
                                    CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    const struct mock_graph_memory *memory;

    if (!operation || operation->class != &allocate_class)
        return false;
    memory = memory_of(operation);
    *parameters = (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = memory->props,
        .accessDescs = memory->access,
        .accessDescCount = memory->access_count,
        .bytesize = memory->allocation->bytes,
        .dptr = memory->allocation->span.start,
    };
    return true;
}

CUdeviceptr cushim__mock_memory_address(const struct mock_operation *operation)
{
    return memory_of(operation)->allocation->span.start;
}

/* --- rules of graphs --- */

/* The memory that a node allocates or frees, as `class` says; NULL if it does not. */
static struct mock_graph_memory *memory_by(const struct mock_node *node,
                                           const struct mock_operation_class *class)
{
    return node->work.operation && node->work.operation->class == class ? memory_of(
                                                                              node->work.operation)
                                                                        : NULL;
}

static bool frees(const struct mock_graph *graph, const struct mock_graph_memory *memory)
{
    const struct mock_node *node = graph->first;

    while (node && memory_by(node, &free_class) != memory)
        node = node->next;
    return node;
}

CUresult cushim__mock_memory_join(const struct mock_graph *graph,
                                  const struct mock_operation *operation)
{
    struct mock_graph_memory *memory = memory_of(operation);

    if (operation->class == &allocate_class) {
        memory->graph = graph->number;
        return CUDA_SUCCESS;
    }
    if (frees(graph, memory) ||
        (memory->graph == graph->number ? memory->is_freed_outside : memory->is_freed_inside))
        return CUDA_ERROR_INVALID_VALUE;
    if (memory->graph == graph->number)
        memory->is_freed_inside = true;
    else
        memory->is_freed_outside = true;
    return CUDA_SUCCESS;
}

/* --- launches --- */

/* Call a function for each node of a graph and of its child graphs. It stops at an error. */
static CUresult for_each(const struct mock_graph *graph,
                         CUresult (*visit)(const struct mock_node *node, void *data), void *data)
{
    CUresult code = CUDA_SUCCESS;

    for (const struct mock_node *node = graph->first; node && !code; node = node->next) {
        code = visit(node, data);
        if (code == CUDA_SUCCESS && node->work.child)
            code = for_each(node->work.child, visit, data);
    }
    return code;
}

/* Count what the launch allocates. */
static CUresult count(const struct mock_node *node, void *data)
{
    struct mock_graph_memory *memory = memory_by(node, &allocate_class);

    if (memory)
        memory->is_counted = *(const bool *)data;
    return CUDA_SUCCESS;
}

static CUresult check_node(const struct mock_node *node, void *data)
{
    const struct mock_graph_memory *made = memory_by(node, &allocate_class),
                                   *freed = memory_by(node, &free_class);

    if ((made && made->is_live && !*(const bool *)data) ||
        (freed && !freed->is_live && !freed->is_counted))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_memory_check_launch(const struct mock_graph *image, bool frees_first)
{
    bool counts = true;
    CUresult code;

    if (!memories)
        return CUDA_SUCCESS;
    for_each(image, count, &counts);
    code = for_each(image, check_node, &frees_first);
    counts = false;
    for_each(image, count, &counts);
    return code;
}

static void set_live(struct mock_graph_memory *memory, bool is_live)
{
    if (memory->is_live == is_live)
        return;
    memory->is_live = is_live;
    memory->allocation->unlaunched = !is_live;
    if (is_live)
        memory->allocation->unmapped = false;
    cushim__mock->allocations += is_live ? 1 : (size_t)-1;
}

static CUresult note_made(const struct mock_node *node, void *data)
{
    struct mock_graph_memory *memory = memory_by(node, &allocate_class);

    (void)data;
    if (memory)
        set_live(memory, true);
    return CUDA_SUCCESS;
}

/* The node keeps the memory, so it is not destroyed here. */
static CUresult note_freed(const struct mock_node *node, void *data)
{
    struct mock_graph_memory *memory = memory_by(node, &free_class);

    (void)data;
    if (memory)
        set_live(memory, false);
    return CUDA_SUCCESS;
}

void cushim__mock_memory_launched(const struct mock_graph *image)
{
    if (!memories)
        return;
    cushim__mock_memory_reserve(image);
    for_each(image, note_made, NULL);
    for_each(image, note_freed, NULL);
}

void cushim__mock_memory_end(struct mock_allocation *allocation)
{
    set_live(allocation->graph, false);
    destroy_if_unused(allocation->graph);
}

/* Pending work may still use the memory. Until it has ended, later work finds the memory too. */
void cushim__mock_memory_free_now(struct mock_allocation *allocation)
{
    allocation->graph->last = cushim__mock_sim_submitted();
    allocation->unmapped = !cushim__mock_sim_pending_until(allocation->graph->last);
    cushim__mock_memory_end(allocation);
}

/* --- what devices reserve --- */

/* Whether a device reserves memory: it is live, or a launch needs it. */
static bool is_reserved(const struct mock_graph_memory *memory, const struct mock_device *device)
{
    return memory->allocation->device == device && (memory->is_live || memory->is_counted);
}

static bool is_first_of_graph(const struct mock_graph_memory *memory,
                              const struct mock_device *device)
{
    const struct mock_graph_memory *one = memories;

    while (one != memory && !(one->graph == memory->graph && is_reserved(one, device)))
        one = one->next;
    return one == memory;
}

/* The bytes that a device needs for all graphs; each graph takes whole chunks. */
static size_t needed(const struct mock_device *device)
{
    size_t all = 0;

    for (const struct mock_graph_memory *first = memories; first; first = first->next) {
        size_t bytes = 0;

        if (!is_reserved(first, device) || !is_first_of_graph(first, device))
            continue;
        for (const struct mock_graph_memory *one = first; one; one = one->next) {
            if (one->graph == first->graph && is_reserved(one, device))
                bytes += cushim__mock_arena_rounded(one->allocation->bytes, MOCK_UNIT);
        }
        all += cushim__mock_arena_rounded(bytes, CHUNK);
    }
    return all;
}

void cushim__mock_memory_reserve(const struct mock_graph *image)
{
    bool counts = true;

    if (!memories)
        return;
    for_each(image, count, &counts);
    for (unsigned i = 0; i < cushim__mock->settings.devices; i++) {
        struct mock_device *device = &cushim__mock->devices[i];
        const size_t bytes = needed(device);

        if (device->graph_bytes < bytes)
            device->graph_bytes = bytes;
        for (unsigned k = 0; k < 2; k++) {
            if (device->graph_bytes_high[k] < device->graph_bytes)
                device->graph_bytes_high[k] = device->graph_bytes;
        }
    }
    counts = false;
    for_each(image, count, &counts);
}

void cushim__mock_memory_trim(struct mock_device *device)
{
    device->graph_bytes = needed(device);
}

void cushim__mock_graph_memory_clear(void)
{
    while (memories)
        destroy(memories);
}
