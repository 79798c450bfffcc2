/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls queue work, of what kind, and how a trace describes it. */
#include <cuda.h>

#include "src/driver_api/copy.h"
#include "src/driver_api/effects.h"
#include "src/driver_api/structs.h"
#include "src/layer/layer.h"
#include "src/trace/write/writer.h"

/* What each slot is in a trace: enum trace_work_kind, 0 if it queues no work. */
static uint8_t kinds[CUSHIM__SYMBOL_COUNT];

/* Whether a side of a copy in one row is host memory that the call names by a pointer. */
static bool is_host(unsigned slot, uint8_t parameter)
{
    return parameter != CUSHIM__NO_PARAMETER &&
           cushim__parameter_at(slot, parameter)->kind == CUSHIM__PARAMETER_POINTER;
}

static enum trace_work_kind kind_of_copy(unsigned slot, const struct cushim__effects *effects)
{
    if (effects->is_peer)
        return TRACE_COPY_BETWEEN_DEVICES;
    if (effects->is_unified)
        return TRACE_COPY;
    if (is_host(slot, effects->from))
        return TRACE_COPY_TO_DEVICE;
    return is_host(slot, effects->to) ? TRACE_COPY_TO_HOST : TRACE_COPY_ON_DEVICE;
}

static uint8_t kind_of(unsigned slot)
{
    const struct cushim__effects *effects = &cushim__effects[slot];

    switch ((enum cushim__work)effects->work) {
    case CUSHIM__WORK_COPY:
        return kind_of_copy(slot, effects);
    case CUSHIM__WORK_COPY_2D:
    case CUSHIM__WORK_COPY_BATCH:
    case CUSHIM__WORK_COPY_ATTRIBUTES:
        return TRACE_COPY;
    case CUSHIM__WORK_COPY_3D:
        return effects->is_peer ? TRACE_COPY_BETWEEN_DEVICES : TRACE_COPY;
    case CUSHIM__WORK_SET:
    case CUSHIM__WORK_SET_2D:
        return TRACE_SET;
    case CUSHIM__WORK_KERNEL:
        return TRACE_KERNEL;
    case CUSHIM__WORK_GRAPH:
        return TRACE_GRAPH;
    case CUSHIM__WORK_HOST_FUNCTION:
        return TRACE_HOST_FUNCTION;
    default:
        return 0;
    }
}

void cushim__trace_works_prepare(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        kinds[slot] = kind_of(slot);
}

bool cushim__trace_is_work(unsigned slot)
{
    return kinds[slot] != 0;
}

/* The direction of a copy whose memory types are known. */
static enum trace_work_kind direction(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return TRACE_COPY;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? TRACE_COPY : TRACE_COPY_TO_DEVICE;
    return to == CU_MEMORYTYPE_HOST ? TRACE_COPY_TO_HOST : TRACE_COPY_ON_DEVICE;
}

static void describe_copy(const struct cushim__copy *copy, struct trace_work *work)
{
    if (work->kind == TRACE_COPY)
        work->kind = direction(copy->from.type, copy->to.type);
    work->bytes = (uint64_t)copy->width * copy->height * copy->depth;
}

static void describe_config(const struct cushim__launch_config *config, struct trace_work *work)
{
    memcpy(work->grid, config->grid, sizeof work->grid);
    memcpy(work->block, config->block, sizeof work->block);
    work->shared_bytes = config->shared_bytes;
    work->stream = (uintptr_t)config->stream;
}

/* The struct that parameter 0 of a copy points to. */
static void describe_struct(const struct cushim__effects *effects, const void *described,
                            struct trace_work *work)
{
    struct cushim__copy copy;

    if (!described || effects->is_narrow)
        return;
    copy = effects->work == CUSHIM__WORK_COPY_2D ? cushim__copy_2d(described)
                                                 : cushim__copy_3d(described);
    describe_copy(&copy, work);
}

/* In cuLaunchKernel and similar calls, grid, block and shared memory follow the function. */
static void describe_launch(const uint64_t *values, unsigned count, struct trace_work *work)
{
    if (count < 8)
        return;
    for (unsigned i = 0; i < 3; i++) {
        work->grid[i] = (uint32_t)values[1 + i];
        work->block[i] = (uint32_t)values[4 + i];
    }
    work->shared_bytes = (uint32_t)values[7];
}

static void describe_kernel(const struct cushim__call *call, struct trace_work *work)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];

    if (effects->config == CUSHIM__NO_PARAMETER)
        describe_launch(call->values, cushim__parameter_count(call->slot), work);
    else if (call->values[effects->config])
        describe_config((const void *)(uintptr_t)call->values[effects->config], work);
}

void cushim__trace_work_describe(const struct cushim__call *call, struct trace_work *work)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const uint64_t *values = call->values;

    work->kind = kinds[call->slot];
    work->device = UINT32_MAX;
    if (effects->stream != CUSHIM__NO_PARAMETER)
        work->stream = values[effects->stream];
    if (effects->function != CUSHIM__NO_PARAMETER)
        work->object = values[effects->function];
    else if (effects->exec != CUSHIM__NO_PARAMETER)
        work->object = values[effects->exec];
    if (effects->bytes != CUSHIM__NO_PARAMETER)
        work->bytes = values[effects->bytes] * effects->unit *
                      (effects->rows == CUSHIM__NO_PARAMETER ? 1 : values[effects->rows]);
    if (effects->work == CUSHIM__WORK_COPY_2D || effects->work == CUSHIM__WORK_COPY_3D)
        describe_struct(effects, (const void *)(uintptr_t)values[0], work);
    else if (effects->work == CUSHIM__WORK_KERNEL)
        describe_kernel(call, work);
    if (work->stream == 0 && effects->is_per_thread)
        work->stream = (uintptr_t)CU_STREAM_PER_THREAD;
}
