/* SPDX-License-Identifier: Apache-2.0 */
/* What each function does to the order of work: by its name, and by the types of its parameters. */
#include <stdio.h>
#include <string.h>

#include "src/check/order.h"
#include "src/driver_api/function_name.h"
#include "src/driver_api/parameters.h"

enum { NONE = CUSHIM__NO_PARAMETER };

static struct order_rule rules[CUSHIM__SYMBOL_COUNT];

/* The first that fits counts. What has a stream and fits none may do anything. */
static const struct {
    const char *pattern;
    uint8_t action, unit;
} families[] = {
    {"cuMemcpy*to*_v2*", ORDER_COPY, 0},
    {"cuMemcpyPeer*", ORDER_COPY, 0},
    {"cuMemcpy", ORDER_COPY, 0},
    {"cuMemcpy_ptds", ORDER_COPY, 0},
    {"cuMemcpyAsync*", ORDER_COPY, 0},
    {"cuMemcpy2D*_v2*", ORDER_COPY_2D, 0},
    {"cuMemcpy3DPeer*", ORDER_COPY_3D, 0},
    {"cuMemcpy3D*Batch*", ORDER_WORK, 0},
    {"cuMemcpy3D*_v2*", ORDER_COPY_3D, 0},
    {"cuMemcpyBatch*", ORDER_WORK, 0},
    {"cuMemcpy*With*", ORDER_WORK, 0},
    {"cuMemcpy*", ORDER_EVERYTHING, 0},
    {"cuMemsetD2D8*_v2*", ORDER_SET_2D, 1},
    {"cuMemsetD2D8Async*", ORDER_SET_2D, 1},
    {"cuMemsetD2D16*_v2*", ORDER_SET_2D, 2},
    {"cuMemsetD2D16Async*", ORDER_SET_2D, 2},
    {"cuMemsetD2D32*_v2*", ORDER_SET_2D, 4},
    {"cuMemsetD2D32Async*", ORDER_SET_2D, 4},
    {"cuMemsetD8*_v2*", ORDER_SET, 1},
    {"cuMemsetD8Async*", ORDER_SET, 1},
    {"cuMemsetD16*_v2*", ORDER_SET, 2},
    {"cuMemsetD16Async*", ORDER_SET, 2},
    {"cuMemsetD32*_v2*", ORDER_SET, 4},
    {"cuMemsetD32Async*", ORDER_SET, 4},
    {"cuMemset*", ORDER_EVERYTHING, 0},

    {"cuLaunchHostFunc*", ORDER_UNKNOWN, 0},
    {"cuLaunchCooperativeKernelMultiDevice*", ORDER_EVERYTHING, 0},
    {"cuLaunch*", ORDER_KERNEL, 0},
    {"cuGraphLaunch*", ORDER_GRAPH, 0},
    {"cuGraphUpload*", ORDER_WORK, 0},
    {"cuMemPrefetchAsync*", ORDER_WORK, 0},
    {"cuStreamAttachMemAsync*", ORDER_WORK, 0},
    {"cuMemAllocAsync*", ORDER_ALLOCATE, 0},
    {"cuMemAllocFromPoolAsync*", ORDER_ALLOCATE, 0},
    {"cuMemFreeAsync*", ORDER_FREE_ASYNC, 0},
    {"cuStreamWaitValue*", ORDER_WAIT_OUTSIDE, 0},
    {"cuWaitExternalSemaphoresAsync*", ORDER_WAIT_OUTSIDE, 0},
    {"cuStreamWriteValue*", ORDER_SIGNAL, 0},
    {"cuSignalExternalSemaphoresAsync*", ORDER_SIGNAL, 0},

    {"cuEventRecord*", ORDER_RECORD, 0},
    {"cu*CtxRecordEvent", ORDER_CONTEXT_RECORD, 0},
    {"cuStreamWaitEvent*", ORDER_WAIT_EVENT, 0},
    {"cu*CtxWaitEvent", ORDER_CONTEXT_WAIT_EVENT, 0},
    {"cuEventQuery", ORDER_SEE_EVENT, 0},
    {"cuEventSynchronize", ORDER_SEE_EVENT, 0},
    {"cuEventElapsedTime*", ORDER_ELAPSED, 0},
    {"cuStreamQuery*", ORDER_SEE_STREAM, 0},
    {"cuStreamSynchronize*", ORDER_SEE_STREAM, 0},
    {"cuCtxSynchronize*", ORDER_SEE_CONTEXT, 0},

    {"cuStreamCreate*", ORDER_CREATE_STREAM, 0},
    {"cuStreamDestroy*", ORDER_DESTROY_STREAM, 0},
    {"cuEventCreate", ORDER_CREATE_EVENT, 0},
    {"cuEventDestroy*", ORDER_DESTROY_EVENT, 0},
    {"cuGraphExecDestroy", ORDER_DESTROY_EXEC, 0},
    {"cuCtxDestroy*", ORDER_DESTROY_CONTEXT, 0},
    {"cuCtxDetach", ORDER_EVERYTHING, 0},
    {"cuDevicePrimaryCtxRelease*", ORDER_EVERYTHING, 0},
    {"cuDevicePrimaryCtxReset*", ORDER_EVERYTHING, 0},
    {"cuGreenCtxDestroy", ORDER_EVERYTHING, 0},
    {"cuMemFree*", ORDER_FREE, 0},
    {"cuMemHostUnregister", ORDER_FREE, 0},
    {"cuMemAddressFree", ORDER_FREE, 0},
    {"cuIpcCloseMemHandle", ORDER_FREE, 0},
    {"cuMemUnmap", ORDER_EVERYTHING, 0},
    {"cu*ArrayDestroy", ORDER_EVERYTHING, 0},
    {"cuModuleLoad*", ORDER_EVERYTHING, 0},
    {"cuModuleUnload", ORDER_EVERYTHING, 0},
    {"cuLibraryLoad*", ORDER_EVERYTHING, 0},
    {"cuLibraryUnload", ORDER_EVERYTHING, 0},
    {"cuMemPool*Destroy", ORDER_EVERYTHING, 0},
    {"cuMemPoolTrimTo", ORDER_EVERYTHING, 0},
    {"cuDestroyExternal*", ORDER_EVERYTHING, 0},
    {"cuGraphicsUnregisterResource", ORDER_EVERYTHING, 0},
    {"cuGetExportTable", ORDER_EVERYTHING, 0},

    {"cuStreamBegin*", ORDER_BEGIN_CAPTURE, 0},
    {"cuStreamEnd*", ORDER_END_CAPTURE, 0},
    {"cuStreamUpdate*", ORDER_UPDATE_CAPTURE, 0},
    {"cuGraphAddMemcpyNode*", ORDER_MAKE_COPY, 0},
    {"cuGraph*MemcpyNodeSetParams*", ORDER_MAKE_COPY, 0},
    {"cuGraphAddHostNode", ORDER_MAKE_NODE, 0},
    {"cuGraphAddEvent*", ORDER_MAKE_NODE, 0},
    {"cuGraphAddExternal*", ORDER_MAKE_NODE, 0},
    {"cuGraphAddBatch*", ORDER_MAKE_NODE, 0},
    {"cuGraphAddNode*", ORDER_MAKE_NODE, 0},
    {"cuGraph*NodeSetEvent", ORDER_MAKE_NODE, 0},
    {"cuGraphNodeSetParams*", ORDER_MAKE_NODE, 0},
    {"cuGraphExecNodeSetParams*", ORDER_MAKE_NODE, 0},
    {"cuStreamGet*", ORDER_NOTHING, 0},
    {"cuStreamSet*", ORDER_NOTHING, 0},
    {"cuStreamCopy*", ORDER_NOTHING, 0},
    {"cuStreamIs*", ORDER_NOTHING, 0},
    {"cuPointer*", ORDER_SET_POINTER, 0},
};

enum { FAMILIES = sizeof families / sizeof *families };

/* The sides of a copy in one row come as its first parameters, but for contexts and offsets. */
static void note_side(struct order_rule *rule, unsigned slot, unsigned index, unsigned *sides)
{
    const struct cushim__parameter *parameter = cushim__parameter_at(slot, index);
    const bool is_array = strcmp(parameter->type, "CUarray") == 0;

    if (!is_array && parameter->kind != CUSHIM__PARAMETER_ADDRESS &&
        parameter->kind != CUSHIM__PARAMETER_POINTER)
        return;
    *(*sides == 0 ? &rule->to : &rule->from) = (uint8_t)(is_array ? NONE : index);
    ++*sides;
}

static void note_parameters(struct order_rule *rule, unsigned slot)
{
    unsigned sides = 0;

    for (unsigned i = 0; i < cushim__parameter_count(slot); i++) {
        const struct cushim__parameter *parameter = cushim__parameter_at(slot, i);

        if (strcmp(parameter->type, "CUstream") == 0 &&
            parameter->kind == CUSHIM__PARAMETER_HANDLE && rule->stream == NONE)
            rule->stream = (uint8_t)i;
        else if (strcmp(parameter->type, "CUevent") == 0 &&
                 parameter->kind == CUSHIM__PARAMETER_HANDLE && rule->event == NONE)
            rule->event = (uint8_t)i;
        else if (strcmp(parameter->type, "CUfunction") == 0)
            rule->function = (uint8_t)i;
        else if (strcmp(parameter->name, "ByteCount") == 0)
            rule->bytes = (uint8_t)i;
        else if (rule->action == ORDER_COPY)
            note_side(rule, slot, i, &sides);
    }
}

static void prepare(unsigned slot)
{
    struct order_rule *rule = &rules[slot];
    const char *name = cushim__slot_name(slot);
    size_t i = 0;

    while (i < FAMILIES && !cushim__pattern_fits(families[i].pattern, name))
        i++;
    *rule = (struct order_rule){
        .action = i < FAMILIES ? families[i].action : ORDER_NOTHING,
        .unit = i < FAMILIES ? families[i].unit : 0,
        .stream = NONE,
        .event = NONE,
        .function = NONE,
        .to = NONE,
        .from = NONE,
        .bytes = NONE,
        .is_asynchronous = strstr(name, "Async"),
        .is_per_thread = cushim__symbols[slot].flags & CUSHIM__PER_THREAD,
        .is_peer = strstr(name, "Peer"),
        .is_unified = !strstr(name, "to"),
    };
    note_parameters(rule, slot);
    if (i == FAMILIES && rule->stream != NONE)
        rule->action = ORDER_UNKNOWN;
}

void cushim__order_rules_prepare(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        prepare(slot);
}

const struct order_rule *cushim__order_rule(unsigned slot)
{
    return &rules[slot];
}

const struct cushim__launch_config *cushim__order_launch_config(const struct cushim__call *call)
{
    const bool has_config = call->slot == CUSHIM__SLOT(LaunchKernelEx) ||
                            call->slot == CUSHIM__SLOT(LaunchKernelEx_ptsz);

    return has_config ? (const struct cushim__launch_config *)(uintptr_t)call->values[0] : NULL;
}

uint64_t cushim__order_stream_value(const struct cushim__call *call)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const struct cushim__launch_config *config = cushim__order_launch_config(call);
    const uint64_t value = rule->stream != NONE ? call->values[rule->stream]
                           : config             ? (uintptr_t)config->stream
                                                : 0;

    if (value == 0 && rule->is_per_thread)
        return (uintptr_t)CU_STREAM_PER_THREAD;
    return value == (uintptr_t)CU_STREAM_LEGACY ? 0 : value;
}

uint32_t cushim__order_stream_number(const struct cushim__call *call)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const uint64_t value = cushim__order_stream_value(call);
    const struct cushim__handle *object;

    if (value <= (uintptr_t)CU_STREAM_PER_THREAD)
        return 0;
    if (rule->stream != NONE)
        return call->arguments.list[rule->stream].tag.number;
    object = cushim__handle_find(CUSHIM__TYPE_STREAM, value, false);
    return object ? object->number : 0;
}
