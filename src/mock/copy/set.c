/* SPDX-License-Identifier: Apache-2.0 */
/* Sets as operations: memory gets a value of 1, 2 or 4 bytes (driver-semantics.md #116, #117). */
#include <string.h>

#include "src/mock/copy/copy.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/race/race.h"

struct set {
    struct mock_operation operation;
    CUDA_MEMSET_NODE_PARAMS shape;
    bool overflows; /* its length in bytes, or its end, needs more than 64 bits */
};

/* Compute the bytes from the first to the end of the last. Returns false on an overflow. */
static bool extent(const CUDA_MEMSET_NODE_PARAMS *shape, size_t *row, size_t *bytes)
{
    return !__builtin_mul_overflow(shape->width, shape->elementSize, row) &&
           !__builtin_mul_overflow(shape->height - 1, shape->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, *row, bytes);
}

/*
 * Whether a row only fits if its bytes, or its end in the memory, are counted in 64 bits, as the
 * driver does when it checks (driver-semantics.md #116).
 */
static bool fits_by_overflow(const CUDA_MEMSET_NODE_PARAMS *shape,
                             const struct mock_allocation *memory)
{
    const size_t bytes = shape->width * shape->elementSize;

    return shape->height == 1 && shape->dst + bytes <= memory->span.start + memory->bytes;
}

static void fill(char *row, size_t bytes, uint32_t value, size_t element)
{
    uint16_t narrow = (uint16_t)value;
    const void *pattern = element == 4 ? (const void *)&value : (const void *)&narrow;

    if (element == 1) {
        memset(row, (int)(value & 0xff), bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += element)
        memcpy(row + i, pattern, element);
}

/* Freed memory is an illegal address, which is a sticky error. */
static CUresult execute(struct mock_operation *operation)
{
    const CUDA_MEMSET_NODE_PARAMS *shape = &((const struct set *)operation)->shape;
    const size_t row = shape->width * shape->elementSize;
    char *memory = cushim__mock_memory_host(shape->dst, (shape->height - 1) * shape->pitch + row);

    if (!memory || ((const struct set *)operation)->overflows)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t y = 0; y < shape->height; y++)
        fill(memory + y * shape->pitch, row, shape->value, shape->elementSize);
    return CUDA_SUCCESS;
}

static void touch(const struct mock_operation *operation, struct race_access *access)
{
    const struct set *set = (const struct set *)operation;
    const CUDA_MEMSET_NODE_PARAMS *shape = &set->shape;
    const struct race_region region = {.start = shape->dst,
                                       .width = shape->width * shape->elementSize,
                                       .rows = shape->height,
                                       .pitch = shape->pitch,
                                       .layers = 1};

    if (!set->overflows)
        cushim__race_use(access, &region, RACE_WRITES);
}

static const struct mock_operation_class set_class = {
    .name = "set",
    .size = sizeof(struct set),
    .node_type = CU_GRAPH_NODE_TYPE_MEMSET,
    .execute = execute,
    .touch = touch,
};

/* Sets whether the operation will overflow. */
static CUresult check(const CUDA_MEMSET_NODE_PARAMS *shape, bool *overflows)
{
    const size_t element = shape->elementSize;
    const struct mock_allocation *memory;
    size_t row, bytes;

    if ((element != 1 && element != 2 && element != 4) || shape->width == 0 || shape->height == 0 ||
        shape->dst % element != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *overflows = !extent(shape, &row, &bytes);
    if (shape->height > 1 && (*overflows || shape->pitch < row || shape->pitch % element != 0))
        return CUDA_ERROR_INVALID_VALUE;
    memory = cushim__mock_allocation_known(shape->dst);
    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    if (!*overflows && bytes <= cushim__mock_allocation_reach(memory, shape->dst))
        return cushim__mock_memory_allows(shape->dst, bytes, true) ? CUDA_SUCCESS
                                                                   : CUDA_ERROR_INVALID_VALUE;
    *overflows = true;
    return fits_by_overflow(shape, memory) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_set_operation(const CUDA_MEMSET_NODE_PARAMS *shape, bool may_overflow,
                                    struct mock_operation **operation)
{
    const struct mock_costs *costs = &cushim__mock->settings.costs;
    bool overflows = false;
    CUresult code = shape ? check(shape, &overflows) : CUDA_ERROR_INVALID_VALUE;
    struct set *set;

    if (code == CUDA_SUCCESS && overflows && !may_overflow)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code)
        return code;
    set = cushim__mock_operation_create(
        &set_class, MOCK_COMPUTE,
        costs->operation_ns +
            cushim__mock_operation_duration(shape->width * shape->elementSize * shape->height,
                                            costs->set_bytes_per_us));
    if (!set)
        return CUDA_ERROR_OUT_OF_MEMORY;
    set->shape = *shape;
    /* One element is set; the driver does not find the memory of more. */
    if (overflows && shape->width * shape->elementSize == shape->elementSize)
        set->shape.width = 1;
    else
        set->overflows = overflows;
    *operation = &set->operation;
    return CUDA_SUCCESS;
}

bool cushim__mock_set_parameters(const struct mock_operation *operation,
                                 CUDA_MEMSET_NODE_PARAMS *shape)
{
    if (operation->class != &set_class)
        return false;
    *shape = ((const struct set *)operation)->shape;
    return true;
}
