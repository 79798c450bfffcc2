/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls queue work, and of what kind. The kind follows from the name of the function; the
 * stream, kernel and size are found by the types and names of the parameters in the registry.
 */
#include <stdio.h>

#include <cuda.h>

#include "src/driver_api/copy.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/structs.h"
#include "src/layer/layer.h"

enum { NONE = UINT8_MAX };

/* The struct that parameter 0 points to, if one describes the work. */
enum shape { PLAIN, COPY_2D, COPY_3D, LAUNCH_CONFIG };

static struct plan {
    uint8_t kind;                        /* enum trace_work_kind; 0 if it queues no work */
    uint8_t stream, bytes, rows, object; /* indices of parameters, or NONE */
    uint8_t unit;                        /* size of an element of `bytes`; 0 if not known */
    uint8_t shape;                       /* enum shape */
    bool is_per_thread;                  /* stream 0 is the per-thread default stream */
} plans[CUSHIM__SYMBOL_COUNT];

/* The first pattern that matches counts. */
static const struct {
    const char *pattern;
    uint8_t kind, unit, shape;
} families[] = {
    {"cuLaunchHostFunc*", TRACE_HOST_FUNCTION, 0, PLAIN},
    {"cuLaunchKernelEx*", TRACE_KERNEL, 0, LAUNCH_CONFIG},
    {"cuLaunchCooperativeKernelMultiDevice", 0, 0, PLAIN},
    {"cuLaunch*", TRACE_KERNEL, 0, PLAIN},
    {"cuGraphLaunch*", TRACE_GRAPH, 0, PLAIN},
    {"cuMemcpyHto*", TRACE_COPY_TO_DEVICE, 1, PLAIN},
    {"cuMemcpyDtoH*", TRACE_COPY_TO_HOST, 1, PLAIN},
    {"cuMemcpyAtoH*", TRACE_COPY_TO_HOST, 1, PLAIN},
    {"cuMemcpyDto*", TRACE_COPY_ON_DEVICE, 1, PLAIN},
    {"cuMemcpyAto*", TRACE_COPY_ON_DEVICE, 1, PLAIN},
    {"cuMemcpyPeer*", TRACE_COPY_BETWEEN_DEVICES, 1, PLAIN},
    {"cuMemcpy2D*_v2*", TRACE_COPY, 0, COPY_2D},
    {"cuMemcpy3DPeer*", TRACE_COPY_BETWEEN_DEVICES, 0, COPY_3D},
    {"cuMemcpy3D*Batch*", TRACE_COPY, 0, PLAIN},
    {"cuMemcpy3DWith*", TRACE_COPY, 0, PLAIN},
    {"cuMemcpy3D*_v2*", TRACE_COPY, 0, COPY_3D},
    {"cuMemcpyBatch*", TRACE_COPY, 0, PLAIN},
    {"cuMemcpy*", TRACE_COPY, 1, PLAIN},
    {"cuMemsetD*8*", TRACE_SET, 1, PLAIN},
    {"cuMemsetD*16*", TRACE_SET, 2, PLAIN},
    {"cuMemsetD*32*", TRACE_SET, 4, PLAIN},
};

static void note_parameter(struct plan *plan, unsigned slot, unsigned index)
{
    const struct cushim__parameter *parameter = cushim__parameter_at(slot, index);
    const char *name = parameter->name;

    if (strcmp(parameter->type, "CUstream") == 0)
        plan->stream = (uint8_t)index;
    else if (strcmp(parameter->type, "CUfunction") == 0 ||
             strcmp(parameter->type, "CUgraphExec") == 0)
        plan->object = (uint8_t)index;
    else if (strcmp(name, "ByteCount") == 0 || strcmp(name, "N") == 0 ||
             strcmp(name, "Width") == 0 || strcmp(name, "size") == 0)
        plan->bytes = (uint8_t)index;
    else if (strcmp(name, "Height") == 0)
        plan->rows = (uint8_t)index;
}

static void plan_slot(unsigned slot)
{
    const char *name = cushim__slot_name(slot);
    struct plan *plan = &plans[slot];
    size_t i = 0;

    while (i < sizeof families / sizeof *families &&
           !cushim__pattern_fits(families[i].pattern, name))
        i++;
    *plan = (struct plan){0, NONE, NONE, NONE, NONE, 0, PLAIN, false};
    if (i == sizeof families / sizeof *families)
        return;
    plan->kind = families[i].kind;
    plan->unit = families[i].unit;
    plan->shape = families[i].shape;
    plan->is_per_thread = cushim__symbols[slot].flags & CUSHIM__PER_THREAD;
    for (unsigned index = 0; index < cushim__parameter_count(slot); index++)
        note_parameter(plan, slot, index);
}

void cushim__trace_works_prepare(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        plan_slot(slot);
}

bool cushim__trace_is_work(unsigned slot)
{
    return plans[slot].kind != 0;
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

static void describe_shape(const struct plan *plan, const void *shape, struct trace_work *work)
{
    struct cushim__copy copy;

    if (!shape)
        return;
    if (plan->shape == LAUNCH_CONFIG) {
        describe_config(shape, work);
        return;
    }
    copy = plan->shape == COPY_2D ? cushim__copy_2d(shape) : cushim__copy_3d(shape);
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

void cushim__trace_work_describe(const struct cushim__call *call, struct trace_work *work)
{
    const struct plan *plan = &plans[call->slot];
    const uint64_t *values = call->values;

    work->kind = plan->kind;
    work->device = UINT32_MAX;
    if (plan->stream != NONE)
        work->stream = values[plan->stream];
    if (plan->object != NONE)
        work->object = values[plan->object];
    if (plan->bytes != NONE && plan->unit)
        work->bytes =
            values[plan->bytes] * plan->unit * (plan->rows == NONE ? 1 : values[plan->rows]);
    if (plan->shape != PLAIN)
        describe_shape(plan, (const void *)(uintptr_t)values[0], work);
    else if (plan->kind == TRACE_KERNEL)
        describe_launch(values, cushim__parameter_count(call->slot), work);
    if (work->stream == 0 && plan->is_per_thread)
        work->stream = (uintptr_t)CU_STREAM_PER_THREAD;
}
