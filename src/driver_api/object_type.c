/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/object_type.h"

#include <string.h>

const struct cushim__object_name cushim__object_names[CUSHIM__OBJECT_TYPES] = {
    [CUSHIM__NO_TYPE] = {"thing", "thing", "things", NULL},
    [CUSHIM__TYPE_CONTEXT] = {"context", "context", "contexts", "CUcontext"},
    [CUSHIM__TYPE_GREEN_CONTEXT] = {"green_context", "green context", "green contexts",
                                    "CUgreenCtx"},
    [CUSHIM__TYPE_STREAM] = {"stream", "stream", "streams", "CUstream"},
    [CUSHIM__TYPE_EVENT] = {"event", "event", "events", "CUevent"},
    [CUSHIM__TYPE_MODULE] = {"module", "module", "modules", "CUmodule"},
    [CUSHIM__TYPE_FUNCTION] = {"function", "function", "functions", "CUfunction"},
    [CUSHIM__TYPE_LIBRARY] = {"library", "library", "libraries", "CUlibrary"},
    [CUSHIM__TYPE_KERNEL] = {"kernel", "kernel", "kernels", "CUkernel"},
    [CUSHIM__TYPE_LINK] = {"link", "link", "links", "CUlinkState"},
    [CUSHIM__TYPE_GRAPH] = {"graph", "graph", "graphs", "CUgraph"},
    [CUSHIM__TYPE_NODE] = {"node", "node", "nodes", "CUgraphNode"},
    [CUSHIM__TYPE_EXEC] = {"exec", "executable graph", "executable graphs", "CUgraphExec"},
    [CUSHIM__TYPE_CONDITIONAL] = {"conditional", "conditional", "conditionals",
                                  "CUgraphConditionalHandle"},
    [CUSHIM__TYPE_POOL] = {"pool", "memory pool", "memory pools", "CUmemoryPool"},
    [CUSHIM__TYPE_USER_OBJECT] = {"user_object", "user object", "user objects", "CUuserObject"},
    [CUSHIM__TYPE_ARRAY] = {"array", "array", "arrays", "CUarray"},
    [CUSHIM__TYPE_MIPMAPPED_ARRAY] = {"mipmapped_array", "mipmapped array", "mipmapped arrays",
                                      "CUmipmappedArray"},
    [CUSHIM__TYPE_TEXTURE] = {"texture", "texture", "textures", "CUtexObject"},
    [CUSHIM__TYPE_SURFACE] = {"surface", "surface", "surfaces", "CUsurfObject"},
    [CUSHIM__TYPE_TEXTURE_REFERENCE] = {"texture_reference", "texture reference",
                                        "texture references", "CUtexref"},
    [CUSHIM__TYPE_SURFACE_REFERENCE] = {"surface_reference", "surface reference",
                                        "surface references", "CUsurfref"},
    [CUSHIM__TYPE_PHYSICAL_MEMORY] = {"physical_memory", "piece of physical memory",
                                      "pieces of physical memory", "CUmemGenericAllocationHandle"},
    [CUSHIM__TYPE_EXTERNAL_MEMORY] = {"external_memory", "piece of external memory",
                                      "pieces of external memory", "CUexternalMemory"},
    [CUSHIM__TYPE_EXTERNAL_SEMAPHORE] = {"external_semaphore", "external semaphore",
                                         "external semaphores", "CUexternalSemaphore"},
    [CUSHIM__TYPE_GRAPHICS_RESOURCE] = {"graphics_resource", "graphics resource",
                                        "graphics resources", "CUgraphicsResource"},
    [CUSHIM__TYPE_DESCRIPTION] = {"description", "description", "descriptions",
                                  "CUdevResourceDesc"},
    [CUSHIM__TYPE_CALLBACK] = {"callback", "callback", "callbacks", "CUasyncCallbackHandle"},
    [CUSHIM__TYPE_LOG_CALLBACK] = {"log_callback", "callback of the log", "callbacks of the log",
                                   "CUlogsCallbackHandle"},
    [CUSHIM__TYPE_MEMORY] = {"memory", "allocation", "allocations", "CUdeviceptr"},
    [CUSHIM__TYPE_GLOBAL] = {"global", "global", "globals", NULL},
};

enum cushim__object_type cushim__type_of(const char *name, size_t length)
{
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        const char *own = cushim__object_names[type].type;

        if (own && strncmp(own, name, length) == 0 && own[length] == '\0')
            return (enum cushim__object_type)type;
    }
    return CUSHIM__NO_TYPE;
}
