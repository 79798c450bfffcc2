/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's functions do to objects. A row is one effect, also of the later ABIs. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stddef.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/layer/leak_tracker.h"

#define NONE CUSHIM__NO_PARAMETER
#define ROW(name, kind, type, parameter, amount, times, owner_type, owner)                 \
    {                                                                                      \
        CUSHIM__SLOT(name), CUSHIM__##kind, CUSHIM__TYPE_##type, parameter, amount, times, \
            owner_type, owner                                                              \
    }
#define EFFECT(name, kind, type, parameter) ROW(name, kind, type, parameter, NONE, NONE, 0, NONE)

/* `parameter` is the handle, or where it is written. */
#define CREATES(name, type, parameter) EFFECT(name, CREATES, type, parameter)
#define CREATES_IN_CONTEXT(name, type, parameter) EFFECT(name, CREATES_IN_CONTEXT, type, parameter)
#define CREATES_OR_RETAINS(name, type, parameter) EFFECT(name, CREATES_OR_RETAINS, type, parameter)
#define DESTROYS(name, type, parameter) EFFECT(name, DESTROYS, type, parameter)
#define RELEASES(name, type) EFFECT(name, RELEASES, type, 0)

/* Memory, with the parameter that says how many bytes. */
#define MEMORY_ROW(name, kind, bytes) ROW(name, kind, MEMORY, 0, bytes, NONE, 0, NONE)
#define ALLOCATES(name, bytes) MEMORY_ROW(name, CREATES_IN_CONTEXT, bytes)
#define ALLOCATES_POOLED(name, bytes) MEMORY_ROW(name, CREATES, bytes)
#define REGISTERS(name, bytes) MEMORY_ROW(name, REGISTERS_IN_CONTEXT, bytes)
#define FREES(name) DESTROYS(name, MEMORY, 0)

/* A part of another object, which parameter `of` names. */
#define RETURNS_PART(name, type, parameter, owner, of) \
    ROW(name, RETURNS_PART, type, parameter, NONE, NONE, CUSHIM__TYPE_##owner, of)
#define RETURNS_GLOBAL(name, owner) \
    ROW(name, RETURNS_PART, GLOBAL, 0, 1, NONE, CUSHIM__TYPE_##owner, 2)
#define ADDS_NODE(name) RETURNS_PART(name, NODE, 0, GRAPH, 1)

#define CURRENT(name, kind, parameter) EFFECT(name, kind, CONTEXT, parameter)
#define COUNTS(name, kind, object, amount, flags) \
    ROW(name, kind, USER_OBJECT, object, amount, NONE, 0, flags)
#define PRIMARY(name, kind, parameter, device) \
    ROW(name, kind, CONTEXT, parameter, device, NONE, 0, NONE)

static const struct cushim__api_effect effects[] = {
    PRIMARY(DevicePrimaryCtxRetain, RETAINS_PRIMARY, 0, 1),
    PRIMARY(DevicePrimaryCtxRelease, RELEASES_PRIMARY, NONE, 0),
    PRIMARY(DevicePrimaryCtxReset, RESETS_PRIMARY, NONE, 0),
    CREATES(CtxCreate, CONTEXT, 0),
    CREATES(GLCtxCreate, CONTEXT, 0),
    CREATES(VDPAUCtxCreate, CONTEXT, 0),
    DESTROYS(CtxDestroy, CONTEXT, 0),
    EFFECT(CtxAttach, RETAINS, CONTEXT, 0),
    RELEASES(CtxDetach, CONTEXT),
    CURRENT(CtxPushCurrent, PUSHES_CURRENT, 0),
    CURRENT(CtxPopCurrent, POPS_CURRENT, 0),
    CURRENT(CtxSetCurrent, SETS_CURRENT, 0),
    CREATES(GreenCtxCreate, GREEN_CONTEXT, 0),
    DESTROYS(GreenCtxDestroy, GREEN_CONTEXT, 0),
    RETURNS_PART(CtxFromGreenCtx, CONTEXT, 0, GREEN_CONTEXT, 1),

    CREATES_IN_CONTEXT(StreamCreate, STREAM, 0),
    CREATES_IN_CONTEXT(StreamCreateWithPriority, STREAM, 0),
    CREATES(GreenCtxStreamCreate, STREAM, 0),
    DESTROYS(StreamDestroy, STREAM, 0),
    CREATES_IN_CONTEXT(EventCreate, EVENT, 0),
    CREATES_IN_CONTEXT(EventCreateFromEGLSync, EVENT, 0),
    CREATES_IN_CONTEXT(IpcOpenEventHandle, EVENT, 0),
    DESTROYS(EventDestroy, EVENT, 0),

    CREATES_IN_CONTEXT(ModuleLoad, MODULE, 0),
    CREATES_IN_CONTEXT(ModuleLoadData, MODULE, 0),
    CREATES_IN_CONTEXT(ModuleLoadDataEx, MODULE, 0),
    CREATES_IN_CONTEXT(ModuleLoadFatBinary, MODULE, 0),
    DESTROYS(ModuleUnload, MODULE, 0),
    RETURNS_PART(ModuleGetFunction, FUNCTION, 0, MODULE, 1),
    RETURNS_GLOBAL(ModuleGetGlobal_v2, MODULE),
    RETURNS_PART(ModuleGetTexRef, TEXTURE_REFERENCE, 0, MODULE, 1),
    RETURNS_PART(ModuleGetSurfRef, SURFACE_REFERENCE, 0, MODULE, 1),
    CREATES(LibraryLoadData, LIBRARY, 0),
    CREATES(LibraryLoadFromFile, LIBRARY, 0),
    DESTROYS(LibraryUnload, LIBRARY, 0),
    RETURNS_PART(LibraryGetKernel, KERNEL, 0, LIBRARY, 1),
    RETURNS_PART(LibraryGetModule, MODULE, 0, LIBRARY, 1),
    RETURNS_GLOBAL(LibraryGetGlobal, LIBRARY),
    RETURNS_GLOBAL(LibraryGetManaged, LIBRARY),
    RETURNS_PART(KernelGetFunction, FUNCTION, 0, KERNEL, 1),
    CREATES_IN_CONTEXT(LinkCreate, LINK, 3),
    DESTROYS(LinkDestroy, LINK, 0),

    ALLOCATES(MemAlloc_v2, 1),
    ROW(MemAllocPitch_v2, CREATES_IN_CONTEXT, MEMORY, 0, 1, 3, 0, NONE),
    ALLOCATES(MemAllocManaged, 1),
    ALLOCATES(MemAllocHost_v2, 1),
    ALLOCATES(MemHostAlloc, 1),
    ALLOCATES_POOLED(MemAllocAsync, 1),
    ALLOCATES_POOLED(MemAllocFromPoolAsync, 1),
    FREES(MemFree_v2),
    FREES(MemFreeHost),
    FREES(MemFreeAsync),
    REGISTERS(MemHostRegister, 1),
    FREES(MemHostUnregister),
    CREATES_OR_RETAINS(IpcOpenMemHandle, MEMORY, 0),
    RELEASES(IpcCloseMemHandle, MEMORY),
    ALLOCATES_POOLED(MemAddressReserve, 1),
    FREES(MemAddressFree),
    CREATES(MemCreate, PHYSICAL_MEMORY, 0),
    CREATES(MemImportFromShareableHandle, PHYSICAL_MEMORY, 0),
    CREATES_OR_RETAINS(MemRetainAllocationHandle, PHYSICAL_MEMORY, 0),
    CREATES(MulticastCreate, PHYSICAL_MEMORY, 0),
    RELEASES(MemRelease, PHYSICAL_MEMORY),
    CREATES(MemPoolCreate, POOL, 0),
    CREATES(MemPoolImportFromShareableHandle, POOL, 0),
    DESTROYS(MemPoolDestroy, POOL, 0),
    CREATES_IN_CONTEXT(ArrayCreate_v2, ARRAY, 0),
    CREATES_IN_CONTEXT(Array3DCreate_v2, ARRAY, 0),
    DESTROYS(ArrayDestroy, ARRAY, 0),
    CREATES_IN_CONTEXT(MipmappedArrayCreate, MIPMAPPED_ARRAY, 0),
    DESTROYS(MipmappedArrayDestroy, MIPMAPPED_ARRAY, 0),
    RETURNS_PART(MipmappedArrayGetLevel, ARRAY, 0, MIPMAPPED_ARRAY, 1),
    RETURNS_PART(ArrayGetPlane, ARRAY, 0, ARRAY, 1),
    CREATES_IN_CONTEXT(TexObjectCreate, TEXTURE, 0),
    DESTROYS(TexObjectDestroy, TEXTURE, 0),
    CREATES_IN_CONTEXT(SurfObjectCreate, SURFACE, 0),
    DESTROYS(SurfObjectDestroy, SURFACE, 0),
    CREATES_IN_CONTEXT(TexRefCreate, TEXTURE_REFERENCE, 0),
    DESTROYS(TexRefDestroy, TEXTURE_REFERENCE, 0),
    CREATES_IN_CONTEXT(ImportExternalMemory, EXTERNAL_MEMORY, 0),
    DESTROYS(DestroyExternalMemory, EXTERNAL_MEMORY, 0),
    CREATES_IN_CONTEXT(ImportExternalSemaphore, EXTERNAL_SEMAPHORE, 0),
    DESTROYS(DestroyExternalSemaphore, EXTERNAL_SEMAPHORE, 0),

    CREATES(GraphCreate, GRAPH, 0),
    CREATES(GraphClone, GRAPH, 0),
    CREATES_OR_RETAINS(StreamEndCapture, GRAPH, 1),
    DESTROYS(GraphDestroy, GRAPH, 0),
    RETURNS_PART(GraphChildGraphNodeGetGraph, GRAPH, 1, NODE, 0),
    ADDS_NODE(GraphAddKernelNode),
    ADDS_NODE(GraphAddMemcpyNode),
    ADDS_NODE(GraphAddMemsetNode),
    ADDS_NODE(GraphAddHostNode),
    ADDS_NODE(GraphAddChildGraphNode),
    ADDS_NODE(GraphAddEmptyNode),
    ADDS_NODE(GraphAddEventRecordNode),
    ADDS_NODE(GraphAddEventWaitNode),
    ADDS_NODE(GraphAddExternalSemaphoresSignalNode),
    ADDS_NODE(GraphAddExternalSemaphoresWaitNode),
    ADDS_NODE(GraphAddMemAllocNode),
    ADDS_NODE(GraphAddMemFreeNode),
    ADDS_NODE(GraphAddBatchMemOpNode),
    ADDS_NODE(GraphAddNode),
    RETURNS_PART(GraphNodeFindInClone, NODE, 0, GRAPH, 2),
    DESTROYS(GraphDestroyNode, NODE, 0),
    RETURNS_PART(GraphConditionalHandleCreate, CONDITIONAL, 0, GRAPH, 1),
    CREATES(GraphInstantiate, EXEC, 0),
    CREATES(GraphInstantiateWithFlags, EXEC, 0),
    CREATES(GraphInstantiateWithParams, EXEC, 0),
    DESTROYS(GraphExecDestroy, EXEC, 0),
    ROW(UserObjectCreate, CREATES, USER_OBJECT, 0, 3, NONE, 0, NONE),
    COUNTS(UserObjectRetain, RETAINS, 0, 1, NONE),
    COUNTS(UserObjectRelease, RELEASES, 0, 1, NONE),
    COUNTS(GraphRetainUserObject, MOVES_REFERENCES, 1, 2, 3),

    CREATES(DeviceRegisterAsyncNotification, CALLBACK, 3),
    DESTROYS(DeviceUnregisterAsyncNotification, CALLBACK, 1),
    CREATES(LogsRegisterCallback, LOG_CALLBACK, 2),
    DESTROYS(LogsUnregisterCallback, LOG_CALLBACK, 0),
    CREATES_IN_CONTEXT(GraphicsGLRegisterBuffer, GRAPHICS_RESOURCE, 0),
    CREATES_IN_CONTEXT(GraphicsGLRegisterImage, GRAPHICS_RESOURCE, 0),
    CREATES_IN_CONTEXT(GraphicsEGLRegisterImage, GRAPHICS_RESOURCE, 0),
    CREATES_IN_CONTEXT(GraphicsVDPAURegisterVideoSurface, GRAPHICS_RESOURCE, 0),
    CREATES_IN_CONTEXT(GraphicsVDPAURegisterOutputSurface, GRAPHICS_RESOURCE, 0),
    DESTROYS(GraphicsUnregisterResource, GRAPHICS_RESOURCE, 0),
};

enum { EFFECTS = sizeof effects / sizeof *effects };

/* Where the effects of each slot begin, counted from 1; 0 if it has none. */
static uint16_t first[CUSHIM__SYMBOL_COUNT];

/* A row is about the ABI that it names and the later ones of the same function. */
static bool is_about(const struct cushim__api_effect *effect, unsigned slot)
{
    const struct cushim__symbol *named = &cushim__symbols[effect->slot];
    const struct cushim__symbol *symbol = &cushim__symbols[slot];

    return symbol->since >= named->since && symbol->base_length == named->base_length &&
           memcmp(cushim__slot_name(slot), cushim__slot_name(effect->slot), named->base_length) ==
               0;
}

static void index_effects(void)
{
    for (unsigned i = EFFECTS; i-- > 0;) {
        for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
            if (is_about(&effects[i], slot))
                first[slot] = (uint16_t)(i + 1);
        }
    }
}

const struct cushim__api_effect *cushim__api_effect_first(unsigned slot)
{
    if (first[effects[0].slot] == 0)
        index_effects();
    return first[slot] ? &effects[first[slot] - 1] : NULL;
}

const struct cushim__api_effect *cushim__api_effect_next(const struct cushim__api_effect *effect)
{
    return effect + 1 < effects + EFFECTS && effect[1].slot == effect->slot ? effect + 1 : NULL;
}
