/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/layer/api_effect.h"

#include <stddef.h>

#define NONE CUSHIM__NO_PARAMETER
#define NOUN(word) CUSHIM__NOUN_##word

/* The parameter that is the handle, or that it is written to. */
#define MAKES(name, word, parameter)                                                  \
    {                                                                                 \
        CUSHIM__SLOT(name), CUSHIM__MAKES, NOUN(word), parameter, NONE, NONE, 0, NONE \
    }
#define MAKES_HERE(name, word, parameter)                                                  \
    {                                                                                      \
        CUSHIM__SLOT(name), CUSHIM__MAKES_HERE, NOUN(word), parameter, NONE, NONE, 0, NONE \
    }
#define MAKES_REST(name, word, parameter)                                                  \
    {                                                                                      \
        CUSHIM__SLOT(name), CUSHIM__MAKES_REST, NOUN(word), parameter, NONE, NONE, 0, NONE \
    }
#define ENDS(name, word, parameter)                                                  \
    {                                                                                \
        CUSHIM__SLOT(name), CUSHIM__ENDS, NOUN(word), parameter, NONE, NONE, 0, NONE \
    }

/* Memory, and how many bytes of it. */
#define ALLOCATES(name, bytes)                                                        \
    {                                                                                 \
        CUSHIM__SLOT(name), CUSHIM__MAKES_HERE, NOUN(MEMORY), 0, bytes, NONE, 0, NONE \
    }
#define ALLOCATES_POOLED(name, bytes)                                            \
    {                                                                            \
        CUSHIM__SLOT(name), CUSHIM__MAKES, NOUN(MEMORY), 0, bytes, NONE, 0, NONE \
    }
#define FREES(name) ENDS(name, MEMORY, 0)

/* A part of something else. */
#define SHOWS(name, word, parameter, owner, of)                                               \
    {                                                                                         \
        CUSHIM__SLOT(name), CUSHIM__SHOWS, NOUN(word), parameter, NONE, NONE, NOUN(owner), of \
    }
#define SHOWS_BYTES(name, owner)                                                    \
    {                                                                               \
        CUSHIM__SLOT(name), CUSHIM__SHOWS, NOUN(GLOBAL), 0, 1, NONE, NOUN(owner), 2 \
    }
#define ADDS_NODE(name) SHOWS(name, NODE, 0, GRAPH, 1)

#define CURRENT(name, act, parameter)                                          \
    {                                                                          \
        CUSHIM__SLOT(name), act, NOUN(CONTEXT), parameter, NONE, NONE, 0, NONE \
    }
#define CREATES_CONTEXT(name) MAKES(name, CONTEXT, 0), CURRENT(name, CUSHIM__PUSHES, 0)
#define COUNTS(name, act, object, amount, flags)                                   \
    {                                                                              \
        CUSHIM__SLOT(name), act, NOUN(USER_OBJECT), object, amount, NONE, 0, flags \
    }
#define PRIMARY(name, act, parameter, device)                                    \
    {                                                                            \
        CUSHIM__SLOT(name), act, NOUN(CONTEXT), parameter, device, NONE, 0, NONE \
    }

static const struct cushim__deed deeds[] = {
    PRIMARY(DevicePrimaryCtxRetain, CUSHIM__RETAINS_PRIMARY, 0, 1),
    PRIMARY(DevicePrimaryCtxRelease, CUSHIM__RELEASES_PRIMARY, NONE, 0),
    PRIMARY(DevicePrimaryCtxRelease_v2, CUSHIM__RELEASES_PRIMARY, NONE, 0),
    PRIMARY(DevicePrimaryCtxReset, CUSHIM__RESETS_PRIMARY, NONE, 0),
    PRIMARY(DevicePrimaryCtxReset_v2, CUSHIM__RESETS_PRIMARY, NONE, 0),
    CREATES_CONTEXT(CtxCreate),
    CREATES_CONTEXT(CtxCreate_v2),
    CREATES_CONTEXT(CtxCreate_v3),
    CREATES_CONTEXT(CtxCreate_v4),
    CREATES_CONTEXT(GLCtxCreate),
    CREATES_CONTEXT(GLCtxCreate_v2),
    CREATES_CONTEXT(VDPAUCtxCreate),
    CREATES_CONTEXT(VDPAUCtxCreate_v2),
    ENDS(CtxDestroy, CONTEXT, 0),
    ENDS(CtxDestroy_v2, CONTEXT, 0),
    {CUSHIM__SLOT(CtxAttach), CUSHIM__RETAINS, NOUN(CONTEXT), 0, NONE, NONE, 0, NONE},
    {CUSHIM__SLOT(CtxDetach), CUSHIM__RELEASES, NOUN(CONTEXT), 0, NONE, NONE, 0, NONE},
    CURRENT(CtxPushCurrent, CUSHIM__PUSHES, 0),
    CURRENT(CtxPushCurrent_v2, CUSHIM__PUSHES, 0),
    CURRENT(CtxPopCurrent, CUSHIM__POPS, 0),
    CURRENT(CtxPopCurrent_v2, CUSHIM__POPS, 0),
    CURRENT(CtxSetCurrent, CUSHIM__SETS, 0),
    MAKES(GreenCtxCreate, GREEN_CONTEXT, 0),
    ENDS(GreenCtxDestroy, GREEN_CONTEXT, 0),
    SHOWS(CtxFromGreenCtx, CONTEXT, 0, GREEN_CONTEXT, 1),

    MAKES_HERE(StreamCreate, STREAM, 0),
    MAKES_HERE(StreamCreateWithPriority, STREAM, 0),
    MAKES(GreenCtxStreamCreate, STREAM, 0),
    ENDS(StreamDestroy, STREAM, 0),
    ENDS(StreamDestroy_v2, STREAM, 0),
    MAKES_HERE(EventCreate, EVENT, 0),
    MAKES_HERE(EventCreateFromEGLSync, EVENT, 0),
    MAKES_HERE(IpcOpenEventHandle, EVENT, 0),
    ENDS(EventDestroy, EVENT, 0),
    ENDS(EventDestroy_v2, EVENT, 0),

    MAKES_HERE(ModuleLoad, MODULE, 0),
    MAKES_HERE(ModuleLoadData, MODULE, 0),
    MAKES_HERE(ModuleLoadDataEx, MODULE, 0),
    MAKES_HERE(ModuleLoadFatBinary, MODULE, 0),
    ENDS(ModuleUnload, MODULE, 0),
    SHOWS(ModuleGetFunction, FUNCTION, 0, MODULE, 1),
    SHOWS_BYTES(ModuleGetGlobal_v2, MODULE),
    SHOWS(ModuleGetTexRef, TEXTURE_REFERENCE, 0, MODULE, 1),
    SHOWS(ModuleGetSurfRef, SURFACE_REFERENCE, 0, MODULE, 1),
    MAKES(LibraryLoadData, LIBRARY, 0),
    MAKES(LibraryLoadFromFile, LIBRARY, 0),
    ENDS(LibraryUnload, LIBRARY, 0),
    SHOWS(LibraryGetKernel, KERNEL, 0, LIBRARY, 1),
    SHOWS(LibraryGetModule, MODULE, 0, LIBRARY, 1),
    SHOWS_BYTES(LibraryGetGlobal, LIBRARY),
    SHOWS_BYTES(LibraryGetManaged, LIBRARY),
    SHOWS(KernelGetFunction, FUNCTION, 0, KERNEL, 1),
    MAKES_HERE(LinkCreate, LINK, 3),
    MAKES_HERE(LinkCreate_v2, LINK, 3),
    ENDS(LinkDestroy, LINK, 0),

    ALLOCATES(MemAlloc_v2, 1),
    {CUSHIM__SLOT(MemAllocPitch_v2), CUSHIM__MAKES_HERE, NOUN(MEMORY), 0, 1, 3, 0, NONE},
    ALLOCATES(MemAllocManaged, 1),
    ALLOCATES(MemAllocHost_v2, 1),
    ALLOCATES(MemHostAlloc, 1),
    ALLOCATES_POOLED(MemAllocAsync, 1),
    ALLOCATES_POOLED(MemAllocAsync_ptsz, 1),
    ALLOCATES_POOLED(MemAllocFromPoolAsync, 1),
    ALLOCATES_POOLED(MemAllocFromPoolAsync_ptsz, 1),
    FREES(MemFree_v2),
    FREES(MemFreeHost),
    FREES(MemFreeAsync),
    FREES(MemFreeAsync_ptsz),
    {CUSHIM__SLOT(MemHostRegister), CUSHIM__TAKES_HERE, NOUN(MEMORY), 0, 1, NONE, 0, NONE},
    {CUSHIM__SLOT(MemHostRegister_v2), CUSHIM__TAKES_HERE, NOUN(MEMORY), 0, 1, NONE, 0, NONE},
    FREES(MemHostUnregister),
    {CUSHIM__SLOT(IpcOpenMemHandle), CUSHIM__MAKES_REST, NOUN(MEMORY), 0, NONE, NONE, 0, NONE},
    {CUSHIM__SLOT(IpcOpenMemHandle_v2), CUSHIM__MAKES_REST, NOUN(MEMORY), 0, NONE, NONE, 0, NONE},
    {CUSHIM__SLOT(IpcCloseMemHandle), CUSHIM__RELEASES, NOUN(MEMORY), 0, NONE, NONE, 0, NONE},
    ALLOCATES_POOLED(MemAddressReserve, 1),
    FREES(MemAddressFree),
    MAKES(MemCreate, PHYSICAL_MEMORY, 0),
    MAKES(MemImportFromShareableHandle, PHYSICAL_MEMORY, 0),
    MAKES_REST(MemRetainAllocationHandle, PHYSICAL_MEMORY, 0),
    MAKES(MulticastCreate, PHYSICAL_MEMORY, 0),
    {CUSHIM__SLOT(MemRelease), CUSHIM__RELEASES, NOUN(PHYSICAL_MEMORY), 0, NONE, NONE, 0, NONE},
    MAKES(MemPoolCreate, POOL, 0),
    MAKES(MemPoolImportFromShareableHandle, POOL, 0),
    ENDS(MemPoolDestroy, POOL, 0),
    MAKES_HERE(ArrayCreate_v2, ARRAY, 0),
    MAKES_HERE(Array3DCreate_v2, ARRAY, 0),
    ENDS(ArrayDestroy, ARRAY, 0),
    MAKES_HERE(MipmappedArrayCreate, MIPMAPPED_ARRAY, 0),
    ENDS(MipmappedArrayDestroy, MIPMAPPED_ARRAY, 0),
    SHOWS(MipmappedArrayGetLevel, ARRAY, 0, MIPMAPPED_ARRAY, 1),
    SHOWS(ArrayGetPlane, ARRAY, 0, ARRAY, 1),
    MAKES_HERE(TexObjectCreate, TEXTURE, 0),
    ENDS(TexObjectDestroy, TEXTURE, 0),
    MAKES_HERE(SurfObjectCreate, SURFACE, 0),
    ENDS(SurfObjectDestroy, SURFACE, 0),
    MAKES_HERE(TexRefCreate, TEXTURE_REFERENCE, 0),
    ENDS(TexRefDestroy, TEXTURE_REFERENCE, 0),
    MAKES_HERE(ImportExternalMemory, EXTERNAL_MEMORY, 0),
    ENDS(DestroyExternalMemory, EXTERNAL_MEMORY, 0),
    MAKES_HERE(ImportExternalSemaphore, EXTERNAL_SEMAPHORE, 0),
    ENDS(DestroyExternalSemaphore, EXTERNAL_SEMAPHORE, 0),

    MAKES(GraphCreate, GRAPH, 0),
    MAKES(GraphClone, GRAPH, 0),
    MAKES_REST(StreamEndCapture, GRAPH, 1),
    MAKES_REST(StreamEndCapture_ptsz, GRAPH, 1),
    ENDS(GraphDestroy, GRAPH, 0),
    SHOWS(GraphChildGraphNodeGetGraph, GRAPH, 1, NODE, 0),
    ADDS_NODE(GraphAddKernelNode),
    ADDS_NODE(GraphAddKernelNode_v2),
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
    ADDS_NODE(GraphAddNode_v2),
    ADDS_NODE(GraphAddNode_v3),
    SHOWS(GraphNodeFindInClone, NODE, 0, GRAPH, 2),
    ENDS(GraphDestroyNode, NODE, 0),
    SHOWS(GraphConditionalHandleCreate, CONDITIONAL, 0, GRAPH, 1),
    MAKES(GraphInstantiate, EXEC, 0),
    MAKES(GraphInstantiate_v2, EXEC, 0),
    MAKES(GraphInstantiateWithFlags, EXEC, 0),
    MAKES(GraphInstantiateWithParams, EXEC, 0),
    MAKES(GraphInstantiateWithParams_ptsz, EXEC, 0),
    ENDS(GraphExecDestroy, EXEC, 0),
    {CUSHIM__SLOT(UserObjectCreate), CUSHIM__MAKES, NOUN(USER_OBJECT), 0, 3, NONE, 0, NONE},
    COUNTS(UserObjectRetain, CUSHIM__RETAINS, 0, 1, NONE),
    COUNTS(UserObjectRelease, CUSHIM__RELEASES, 0, 1, NONE),
    COUNTS(GraphRetainUserObject, CUSHIM__MOVES, 1, 2, 3),

    MAKES(DeviceRegisterAsyncNotification, CALLBACK, 3),
    ENDS(DeviceUnregisterAsyncNotification, CALLBACK, 1),
    MAKES(LogsRegisterCallback, LOG_CALLBACK, 2),
    ENDS(LogsUnregisterCallback, LOG_CALLBACK, 0),
    MAKES_HERE(GraphicsGLRegisterBuffer, GRAPHICS_RESOURCE, 0),
    MAKES_HERE(GraphicsGLRegisterImage, GRAPHICS_RESOURCE, 0),
    MAKES_HERE(GraphicsEGLRegisterImage, GRAPHICS_RESOURCE, 0),
    MAKES_HERE(GraphicsVDPAURegisterVideoSurface, GRAPHICS_RESOURCE, 0),
    MAKES_HERE(GraphicsVDPAURegisterOutputSurface, GRAPHICS_RESOURCE, 0),
    ENDS(GraphicsUnregisterResource, GRAPHICS_RESOURCE, 0),
};

enum { DEEDS = sizeof deeds / sizeof *deeds };

/* Where the deeds of a slot begin, counted from 1; 0: it has none. */
static uint16_t first[CUSHIM__SYMBOL_COUNT];

static void sort(void)
{
    for (unsigned i = DEEDS; i-- > 0;)
        first[deeds[i].slot] = (uint16_t)(i + 1);
}

const struct cushim__deed *cushim__deed_first(unsigned slot)
{
    if (first[deeds[0].slot] == 0)
        sort();
    return first[slot] ? &deeds[first[slot] - 1] : NULL;
}

const struct cushim__deed *cushim__deed_next(const struct cushim__deed *deed)
{
    return deed + 1 < deeds + DEEDS && deed[1].slot == deed->slot ? deed + 1 : NULL;
}
