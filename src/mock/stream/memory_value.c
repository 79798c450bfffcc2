/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for values in memory and writes of values, as operations. */
#include "src/mock/stream/memory_value.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/core/ability.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/sim/sim.h"
#include "src/race/race.h"

/* An operation that executes one or several waits and writes in order. */
struct batch {
    struct mock_operation operation;
    unsigned count, done;
    struct mock_memory_value *values;
};

/* Whether the found value ends the wait. Comparisons are those of the CUDA reference. */
static bool is_met(const struct mock_memory_value *value, uint64_t found)
{
    const uint64_t mask = value->bytes == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;

    switch (value->flags) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return value->bytes == sizeof(uint64_t) ? (int64_t)(found - value->value) >= 0
                                                : (int32_t)(found - value->value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return found == value->value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (found & value->value) != 0;
    default:
        return (~(found | value->value) & mask) != 0;
    }
}

/* Read a value that the host may write at the same time. Returns false if the memory was freed. */
static bool load(const struct mock_memory_value *value, uint64_t *found)
{
    const void *host = cushim__mock_memory_host(value->address, value->bytes);

    if (!host)
        return false;
    *found = value->bytes == sizeof(uint64_t)
                 ? __atomic_load_n((const uint64_t *)host, __ATOMIC_ACQUIRE)
                 : __atomic_load_n((const uint32_t *)host, __ATOMIC_ACQUIRE);
    return true;
}

/* The host may wait for the value, so from here on it may know that earlier work has ended. */
static bool store(const struct batch *batch, const struct mock_memory_value *value)
{
    void *host = cushim__mock_memory_host(value->address, value->bytes);

    if (!host || !cushim__mock_memory_allows(value->address, value->bytes, true))
        return false;
    cushim__mock_operation_seen(&batch->operation);
    cushim__mock_sim_effect_visible();
    if (value->bytes == sizeof(uint64_t))
        __atomic_store_n((uint64_t *)host, value->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)host, (uint32_t)value->value, __ATOMIC_RELEASE);
    return true;
}

static unsigned next_wait(const struct batch *batch)
{
    unsigned index = batch->done;

    while (index < batch->count && batch->values[index].kind != MOCK_MEMORY_WAIT)
        index++;
    return index;
}

/*
 * Whether all waits are met. This executes the writes before a wait, because the host may respond
 * to them; the writes after the last wait follow when the operation executes, for which freed
 * memory is a fault.
 */
static bool ready(struct mock_operation *operation, struct mock_stream *stream)
{
    struct batch *batch = (struct batch *)operation;

    (void)stream;
    for (unsigned wait = next_wait(batch); wait < batch->count; wait = next_wait(batch)) {
        uint64_t found;

        for (; batch->done < wait; batch->done++) {
            if (!store(batch, &batch->values[batch->done]))
                return true;
        }
        if (!load(&batch->values[wait], &found))
            return true;
        if (!is_met(&batch->values[wait], found))
            return false;
        batch->done++;
    }
    return true;
}

static CUresult execute(struct mock_operation *operation)
{
    struct batch *batch = (struct batch *)operation;

    for (; batch->done < batch->count; batch->done++) {
        const struct mock_memory_value *value = &batch->values[batch->done];

        /* Writing memory that may only be read has a code of its own (driver-semantics.md #218). */
        if (value->kind == MOCK_MEMORY_WAIT || !store(batch, value))
            return value->kind != MOCK_MEMORY_WAIT &&
                           cushim__mock_memory_host(value->address, value->bytes)
                       ? CUDA_ERROR_LAUNCH_FAILED
                       : CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return CUDA_SUCCESS;
}

static bool copy(const struct mock_operation *from, struct mock_operation *to)
{
    const struct batch *old = (const struct batch *)from;
    struct batch *new = (struct batch *)to;

    new->done = 0;
    new->values = malloc(old->count * sizeof *new->values);
    if (!new->values)
        return false;
    memcpy(new->values, old->values, old->count * sizeof *new->values);
    return true;
}

static bool waits(const struct mock_operation *operation)
{
    const struct batch *batch = (const struct batch *)operation;

    return next_wait(batch) < batch->count;
}

static void drop(struct mock_operation *operation)
{
    cushim__race_released(operation->number);
    free(((struct batch *)operation)->values);
}

static const struct mock_operation_class batch_class = {
    .name = "value",
    .size = sizeof(struct batch),
    .node_type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    .ready = ready,
    .execute = execute,
    .copy = copy,
    .waits = waits,
    .drop = drop,
};

/* Managed memory and memory of pools do not take these operations (driver-semantics.md #173). */
static bool is_usable(const struct mock_memory_value *value)
{
    const struct mock_allocation *memory = cushim__mock_allocation_at(value->address);

    return memory && memory->origin != MOCK_BY_POOL &&
           cushim__mock_allocation_place(memory) != MOCK_MANAGED &&
           cushim__mock_memory_host(value->address, value->bytes);
}

/*
 * Both kinds need memory that the device reaches, aligned to its size. A flush of remote writes
 * does nothing on the mock, if the device can do it.
 */
static CUresult check(struct mock_memory_value *value)
{
    const bool waits = value->kind == MOCK_MEMORY_WAIT;
    CUresult code = CUDA_SUCCESS;

    if (waits && value->flags & CU_STREAM_WAIT_VALUE_FLUSH) {
        value->flags &= ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
        if (!cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES))
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (value->bytes == sizeof(cuuint64_t))
        code = cushim__mock_needs(MOCK_NEEDS_CAN_USE_64_BIT_STREAM_MEM_OPS);
    if (code == CUDA_SUCCESS && waits && value->flags == CU_STREAM_WAIT_VALUE_NOR)
        code = cushim__mock_needs(MOCK_NEEDS_CAN_USE_STREAM_WAIT_VALUE_NOR);
    if (code)
        return code;
    if (value->address == 0 || value->address % value->bytes != 0 || !is_usable(value))
        return CUDA_ERROR_INVALID_VALUE;
    return value->flags > (waits ? CU_STREAM_WAIT_VALUE_NOR : CU_STREAM_WRITE_VALUE_DEFAULT)
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
}

CUresult cushim__mock_memory_operation(const struct mock_memory_value *values, unsigned count,
                                       struct mock_operation **operation)
{
    struct mock_memory_value *copies = malloc((count > 0 ? count : 1) * sizeof *copies);
    CUresult code = CUDA_SUCCESS;
    struct batch *batch;

    if (!copies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; code == CUDA_SUCCESS && i < count; i++) {
        copies[i] = values[i];
        code = check(&copies[i]);
    }
    batch =
        code == CUDA_SUCCESS ? cushim__mock_operation_create(&batch_class, MOCK_NO_UNIT, 0) : NULL;
    if (!batch) {
        free(copies);
        return code == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : code;
    }
    batch->count = count;
    batch->values = copies;
    *operation = &batch->operation;
    return CUDA_SUCCESS;
}

const struct mock_memory_value *cushim__mock_memory_values(const struct mock_operation *operation,
                                                           unsigned *count)
{
    const struct batch *batch = (const struct batch *)operation;

    *count = batch->count;
    return batch->values;
}
