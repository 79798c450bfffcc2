/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and sets of device memory that was freed, or beyond its size, and memory that is freed
 * twice. Only addresses in what an allocation call has returned are judged; those in the middle of
 * it, as an allocator of the program's gives out, too.
 */
#include "src/check/check.h"

#include <string.h>

#include "src/layer/leak_tracker.h"

/* How the functions of copies and sets say how far they go. */
enum form { NO_ACCESS, BYTES, ELEMENTS, ROWS, COPY_2D, COPY_3D, COPY_3D_PEER };

static struct access {
    uint8_t form;
    uint8_t unit;  /* bytes of an element */
    uint8_t count; /* parameter of BYTES and ELEMENTS */
} accesses[CUSHIM__SYMBOL_COUNT];

/* Captures of streams that are under way: what they allocate and free is a graph's. */
static unsigned captures;

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static unsigned parameter_named(unsigned slot, const char *name)
{
    for (unsigned i = 0; i < cushim__parameter_count(slot); i++) {
        if (strcmp(cushim__parameter_at(slot, i)->name, name) == 0)
            return i;
    }
    return CUSHIM__NO_PARAMETER;
}

/* By names, which are of one make: cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height). */
static struct access access_of(unsigned slot)
{
    static const struct {
        const char *beginning;
        struct access access;
    } sets[] = {
        {"cuMemsetD2D8", {ROWS, 1, 0}},    {"cuMemsetD2D16", {ROWS, 2, 0}},
        {"cuMemsetD2D32", {ROWS, 4, 0}},   {"cuMemsetD8", {ELEMENTS, 1, 2}},
        {"cuMemsetD16", {ELEMENTS, 2, 2}}, {"cuMemsetD32", {ELEMENTS, 4, 2}},
    };
    const char *name = cushim__slot_name(slot);
    const struct cushim__parameter *first = cushim__parameter_at(slot, 0);
    const unsigned bytes = parameter_named(slot, "ByteCount");

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (begins_with(name, sets[i].beginning) && first->kind == CUSHIM__PARAMETER_ADDRESS)
            return sets[i].access;
    }
    if (!begins_with(name, "cuMemcpy") || begins_with(name, "cuMemcpyBatch"))
        return (struct access){NO_ACCESS, 0, 0};
    if (bytes != CUSHIM__NO_PARAMETER)
        return (struct access){BYTES, 1, (uint8_t)bytes};
    if (strcmp(first->type, "const CUDA_MEMCPY2D *") == 0)
        return (struct access){COPY_2D, 1, 0};
    if (strcmp(first->type, "const CUDA_MEMCPY3D *") == 0)
        return (struct access){COPY_3D, 1, 0};
    if (strcmp(first->type, "const CUDA_MEMCPY3D_PEER *") == 0)
        return (struct access){COPY_3D_PEER, 1, 0};
    return (struct access){NO_ACCESS, 0, 0};
}

static bool begin(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        accesses[slot] =
            cushim__parameter_count(slot) > 0 ? access_of(slot) : (struct access){NO_ACCESS, 0, 0};
    return true;
}

/* --- allocations --- */

static bool is_made_by(const struct cushim__handle *object, const char *beginning)
{
    return begins_with(cushim__slot_name(object->maker.slot), beginning);
}

/* Memory of the host lives on when the driver no longer knows it, or is another's at once. */
static bool is_of_host(const struct cushim__handle *object)
{
    return is_made_by(object, "cuMemAllocHost") || is_made_by(object, "cuMemHost");
}

/* How many bytes there are is known, and the driver looks at nothing behind them. */
static bool has_bounds(const struct cushim__handle *object)
{
    return object->bytes > 0 && !is_of_host(object) && !is_made_by(object, "cuIpcOpen") &&
           !is_made_by(object, "cuMemAddressReserve");
}

static enum cushim__check_id freed_id(const struct cushim__handle *object)
{
    return object->ended_with == CUSHIM__TYPE_CONTEXT ? CUSHIM__CHECK_HANDLE_AFTER_CONTEXT
                                                      : CUSHIM__CHECK_MEMORY_FREED;
}

/* --- accesses --- */

/*
 * A call accesses `bytes` that begin `skipped` behind an address. It may be the host's if
 * `is_unified`: memory that was managed may be the host's by now.
 */
static void judge(struct cushim__call *call, uint64_t address, uint64_t skipped, uint64_t bytes,
                  bool is_unified)
{
    const struct cushim__handle *object = cushim__handle_at(address);
    uint64_t offset;

    if (!object || object->type != CUSHIM__TYPE_MEMORY || bytes == 0 ||
        object->maker.place.call == 0 || is_of_host(object))
        return;
    offset = address - object->value + skipped;
    if (object->is_destroyed || object->is_ending) {
        if (is_unified && is_made_by(object, "cuMemAllocManaged"))
            return;
        cushim__check_report(call, freed_id(object), object, "%s is given %s, which was freed",
                             cushim__slot_name(call->slot),
                             cushim__check_name(object, address).text);
    } else if (has_bounds(object) && (bytes > object->bytes || offset > object->bytes - bytes)) {
        cushim__check_report(
            call, CUSHIM__CHECK_MEMORY_BOUNDS, object,
            "%s accesses %llu byte%s from %s on, which has %llu", cushim__slot_name(call->slot),
            (unsigned long long)bytes, bytes == 1 ? "" : "s",
            cushim__check_name(object, address + skipped).text, (unsigned long long)object->bytes);
    }
}

/* Bytes from the first of the first row to behind the last of the last. */
static uint64_t span(uint64_t width, uint64_t rows, uint64_t pitch)
{
    return width == 0 || rows == 0 ? 0 : (rows - 1) * pitch + width;
}

/* One side of a copy of a box. */
struct box {
    CUmemorytype type;
    CUdeviceptr device;
    const void *host;
    uint64_t x, y, z, pitch, height;
};

static void judge_box(struct cushim__call *call, const struct box *box, uint64_t width,
                      uint64_t height, uint64_t depth)
{
    const bool is_unified = box->type == CU_MEMORYTYPE_UNIFIED;
    const uint64_t pitch = box->pitch ? box->pitch : width;
    const uint64_t plane = pitch * (box->height ? box->height : height);

    if ((box->type != CU_MEMORYTYPE_DEVICE && !is_unified) || height == 0 || depth == 0)
        return;
    judge(call, box->device, box->z * plane + box->y * pitch + box->x,
          (depth - 1) * plane + span(width, height, pitch), is_unified);
}

static void judge_2d(struct cushim__call *call, const CUDA_MEMCPY2D *copy)
{
    const struct box from = {copy->srcMemoryType, copy->srcDevice,
                             copy->srcHost,       copy->srcXInBytes,
                             copy->srcY,          0,
                             copy->srcPitch,      0};
    const struct box to = {copy->dstMemoryType, copy->dstDevice,
                           copy->dstHost,       copy->dstXInBytes,
                           copy->dstY,          0,
                           copy->dstPitch,      0};

    judge_box(call, &from, copy->WidthInBytes, copy->Height, 1);
    judge_box(call, &to, copy->WidthInBytes, copy->Height, 1);
}

static void judge_3d(struct cushim__call *call, const CUDA_MEMCPY3D *copy)
{
    const struct box from = {copy->srcMemoryType, copy->srcDevice, copy->srcHost,
                             copy->srcXInBytes,   copy->srcY,      copy->srcZ,
                             copy->srcPitch,      copy->srcHeight};
    const struct box to = {copy->dstMemoryType, copy->dstDevice, copy->dstHost,  copy->dstXInBytes,
                           copy->dstY,          copy->dstZ,      copy->dstPitch, copy->dstHeight};

    judge_box(call, &from, copy->WidthInBytes, copy->Height, copy->Depth);
    judge_box(call, &to, copy->WidthInBytes, copy->Height, copy->Depth);
}

static void judge_3d_peer(struct cushim__call *call, const CUDA_MEMCPY3D_PEER *copy)
{
    const struct box from = {copy->srcMemoryType, copy->srcDevice, copy->srcHost,
                             copy->srcXInBytes,   copy->srcY,      copy->srcZ,
                             copy->srcPitch,      copy->srcHeight};
    const struct box to = {copy->dstMemoryType, copy->dstDevice, copy->dstHost,  copy->dstXInBytes,
                           copy->dstY,          copy->dstZ,      copy->dstPitch, copy->dstHeight};

    judge_box(call, &from, copy->WidthInBytes, copy->Height, copy->Depth);
    judge_box(call, &to, copy->WidthInBytes, copy->Height, copy->Depth);
}

/* Every address of a call with so many bytes. */
static void judge_addresses(struct cushim__call *call, uint64_t bytes)
{
    const char *name = cushim__slot_name(call->slot);
    const bool is_unified = strcmp(name, "cuMemcpy") == 0 || begins_with(name, "cuMemcpyAsync") ||
                            begins_with(name, "cuMemcpy_") || begins_with(name, "cuMemcpyPeer");

    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        if (cushim__decoder_of(call->slot, i).form == CUSHIM__READ_ADDRESS)
            judge(call, call->values[i], 0, bytes, is_unified);
    }
}

static void judge_access(struct cushim__call *call)
{
    const struct access *access = &accesses[call->slot];
    const uint64_t *values = call->values;
    const void *copy = (const void *)(uintptr_t)values[0];

    switch ((enum form)access->form) {
    case BYTES:
    case ELEMENTS:
        judge_addresses(call, values[access->count] * access->unit);
        break;
    case ROWS:
        judge_addresses(call, span(values[3] * access->unit, values[4], values[1]));
        break;
    case COPY_2D:
        if (copy)
            judge_2d(call, copy);
        break;
    case COPY_3D:
        if (copy)
            judge_3d(call, copy);
        break;
    case COPY_3D_PEER:
        if (copy)
            judge_3d_peer(call, copy);
        break;
    case NO_ACCESS:
        break;
    }
}

/* --- ends --- */

static void judge_end(struct cushim__call *call)
{
    const struct cushim__api_effect *effect = cushim__api_effect_first(call->slot);
    const struct cushim__handle *object;

    if (!effect || effect->kind != CUSHIM__DESTROYS || effect->type != CUSHIM__TYPE_MEMORY)
        return;
    object = cushim__handle_find(CUSHIM__TYPE_MEMORY, call->values[effect->parameter], false);
    if (!object || object->maker.place.call == 0 || !(object->is_destroyed || object->is_ending) ||
        object->ender.place.call == call->number)
        return;
    if (call->slot == CUSHIM__SLOT(MemHostUnregister))
        cushim__check_report(call, CUSHIM__CHECK_HOST_UNREGISTERED_TWICE, object,
                             "%s is unregistered a second time",
                             cushim__check_name(object, object->value).text);
    else
        cushim__check_report(
            call,
            object->ended_with == CUSHIM__TYPE_CONTEXT ? CUSHIM__CHECK_HANDLE_AFTER_CONTEXT
                                                       : CUSHIM__CHECK_MEMORY_FREED_TWICE,
            object, "%s is freed %s", cushim__check_name(object, object->value).text,
            object->ended_with ? "after its context" : "a second time");
}

static void started(struct cushim__call *call)
{
    judge_access(call);
    judge_end(call);
}

/* --- memory of graphs --- */

static void count_captures(unsigned slot, CUresult answer)
{
    const char *name = cushim__slot_name(slot);

    if (begins_with(name, "cuStreamBeginCapture"))
        captures += answer == CUDA_SUCCESS;
    else if (begins_with(name, "cuStreamEndCapture") && captures > 0)
        captures -= answer == CUDA_SUCCESS || answer == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                    answer == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
                    answer == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

/* Each launch of the graph allocates it and frees it again: nothing is known of it. */
static void forget_memory_of_graph(const struct cushim__call *call)
{
    const struct cushim__api_effect *effect = cushim__api_effect_first(call->slot);
    const struct cushim__argument *argument;
    struct cushim__handle *object;

    if (captures == 0 || !effect || effect->type != CUSHIM__TYPE_MEMORY ||
        (effect->kind != CUSHIM__CREATES && effect->kind != CUSHIM__DESTROYS))
        return;
    argument = &call->arguments.list[effect->parameter];
    object = cushim__handle_at(argument->is_written ? argument->written : argument->value);
    if (object)
        cushim__handle_forget(object);
}

static void forget_unless_live(uint64_t address)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (!object || object->is_destroyed)
        cushim__handle_forget_destroyed(address);
}

/* As these structs begin in every toolkit that has them; older headers do not. */
struct allocation_node {
    CUmemPoolProps pool;
    const void *access;
    size_t accesses, bytes;
    CUdeviceptr address;
};

struct graph_node {
    CUgraphNodeType type;
    int reserved[3];
    struct allocation_node allocation;
};

/* A node that allocates says in a struct where. */
static void forget_memory_of_node(const struct cushim__call *call)
{
    const struct allocation_node *allocation = NULL;
    const struct graph_node *node = NULL;

    if (call->slot == CUSHIM__SLOT(GraphAddMemAllocNode)) {
        allocation = (const struct allocation_node *)(uintptr_t)call->values[4];
    } else if (call->slot == CUSHIM__SLOT(GraphAddNode)) {
        node = (const struct graph_node *)(uintptr_t)call->values[4];
    } else if (call->slot == CUSHIM__SLOT(GraphAddNode_v2)) {
        node = (const struct graph_node *)(uintptr_t)call->values[5];
    }
    if (node && node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        allocation = &node->allocation;
    if (allocation)
        forget_unless_live(allocation->address);
}

/* An address that the driver returns lies in what exists, wherever that comes from. */
static void forget_what_is_not_freed(const struct cushim__call *call)
{
    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        const struct cushim__argument *argument = &call->arguments.list[i];

        if (argument->is_written &&
            cushim__decoder_of(call->slot, i).form == CUSHIM__WRITTEN_ADDRESS)
            forget_unless_live(argument->written);
    }
}

static void ended(struct cushim__call *call, CUresult answer)
{
    if (!call->is_injected)
        count_captures(call->slot, answer);
    if (answer == CUDA_SUCCESS && !call->is_injected) {
        forget_memory_of_node(call);
        forget_memory_of_graph(call);
        forget_what_is_not_freed(call);
    }
}

static void destroy(void)
{
    captures = 0;
}

const struct cushim__check_module cushim__check_memory = {
    .begin = begin,
    .started = started,
    .ended = ended,
    .destroy = destroy,
};
