/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/object_type.h"

#include <string.h>

/* `type` NULL: no parameter has it by its type. */
static const struct {
    const char *word, *single, *plural, *type;
} nouns[CUSHIM__NOUNS] = {
    [CUSHIM__NO_NOUN] = {"thing", "thing", "things", NULL},
    [CUSHIM__NOUN_CONTEXT] = {"context", "context", "contexts", "CUcontext"},
    [CUSHIM__NOUN_GREEN_CONTEXT] = {"green_context", "green context", "green contexts",
                                    "CUgreenCtx"},
    [CUSHIM__NOUN_STREAM] = {"stream", "stream", "streams", "CUstream"},
    [CUSHIM__NOUN_EVENT] = {"event", "event", "events", "CUevent"},
    [CUSHIM__NOUN_MODULE] = {"module", "module", "modules", "CUmodule"},
    [CUSHIM__NOUN_FUNCTION] = {"function", "function", "functions", "CUfunction"},
    [CUSHIM__NOUN_LIBRARY] = {"library", "library", "libraries", "CUlibrary"},
    [CUSHIM__NOUN_KERNEL] = {"kernel", "kernel", "kernels", "CUkernel"},
    [CUSHIM__NOUN_LINK] = {"link", "link", "links", "CUlinkState"},
    [CUSHIM__NOUN_GRAPH] = {"graph", "graph", "graphs", "CUgraph"},
    [CUSHIM__NOUN_NODE] = {"node", "node", "nodes", "CUgraphNode"},
    [CUSHIM__NOUN_EXEC] = {"exec", "executable graph", "executable graphs", "CUgraphExec"},
    [CUSHIM__NOUN_CONDITIONAL] = {"conditional", "conditional", "conditionals",
                                  "CUgraphConditionalHandle"},
    [CUSHIM__NOUN_POOL] = {"pool", "memory pool", "memory pools", "CUmemoryPool"},
    [CUSHIM__NOUN_USER_OBJECT] = {"user_object", "user object", "user objects", "CUuserObject"},
    [CUSHIM__NOUN_ARRAY] = {"array", "array", "arrays", "CUarray"},
    [CUSHIM__NOUN_MIPMAPPED_ARRAY] = {"mipmapped_array", "mipmapped array", "mipmapped arrays",
                                      "CUmipmappedArray"},
    [CUSHIM__NOUN_TEXTURE] = {"texture", "texture", "textures", "CUtexObject"},
    [CUSHIM__NOUN_SURFACE] = {"surface", "surface", "surfaces", "CUsurfObject"},
    [CUSHIM__NOUN_TEXTURE_REFERENCE] = {"texture_reference", "texture reference",
                                        "texture references", "CUtexref"},
    [CUSHIM__NOUN_SURFACE_REFERENCE] = {"surface_reference", "surface reference",
                                        "surface references", "CUsurfref"},
    [CUSHIM__NOUN_PHYSICAL_MEMORY] = {"physical_memory", "piece of physical memory",
                                      "pieces of physical memory", "CUmemGenericAllocationHandle"},
    [CUSHIM__NOUN_EXTERNAL_MEMORY] = {"external_memory", "piece of external memory",
                                      "pieces of external memory", "CUexternalMemory"},
    [CUSHIM__NOUN_EXTERNAL_SEMAPHORE] = {"external_semaphore", "external semaphore",
                                         "external semaphores", "CUexternalSemaphore"},
    [CUSHIM__NOUN_GRAPHICS_RESOURCE] = {"graphics_resource", "graphics resource",
                                        "graphics resources", "CUgraphicsResource"},
    [CUSHIM__NOUN_DESCRIPTION] = {"description", "description", "descriptions",
                                  "CUdevResourceDesc"},
    [CUSHIM__NOUN_CALLBACK] = {"callback", "callback", "callbacks", "CUasyncCallbackHandle"},
    [CUSHIM__NOUN_LOG_CALLBACK] = {"log_callback", "callback of the log", "callbacks of the log",
                                   "CUlogsCallbackHandle"},
    [CUSHIM__NOUN_MEMORY] = {"memory", "allocation", "allocations", "CUdeviceptr"},
    [CUSHIM__NOUN_GLOBAL] = {"global", "global", "globals", NULL},
};

const char *cushim__noun_word(enum cushim__noun noun)
{
    return nouns[noun].word;
}

const char *cushim__noun_single(enum cushim__noun noun)
{
    return nouns[noun].single;
}

const char *cushim__noun_plural(enum cushim__noun noun)
{
    return nouns[noun].plural;
}

enum cushim__noun cushim__noun_of(const char *type, size_t length)
{
    for (unsigned noun = 0; noun < CUSHIM__NOUNS; noun++) {
        const char *own = nouns[noun].type;

        if (own && strncmp(own, type, length) == 0 && own[length] == '\0')
            return (enum cushim__noun)noun;
    }
    return CUSHIM__NO_NOUN;
}
