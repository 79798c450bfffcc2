/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the names of kernels, and of functions that the registry lacks, to the trace. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "src/driver_api/effects.h"
#include "src/layer/layer.h"
#include "src/trace/write/writer.h"

enum { NAMED_FUNCTIONS = 1 << 14, NAMED_PROBES = 16 };

/* A hash table of the functions whose names are in the file, by their handles; 0 is free. */
static uint64_t named[NAMED_FUNCTIONS];

void cushim__trace_name(enum trace_named what, uint64_t of, const char *name)
{
    const uint64_t words[] = {what, of};
    const struct trace_record *record = cushim__trace_text(TRACE_NAME, words, 2, name);

    if (record)
        cushim__trace_publish(record);
}

/* Returns whether the file has the name of a function already. If not, the caller writes it. */
static bool mark_named(uint64_t function)
{
    const uint64_t first = (function >> 4) * 0x9e3779b97f4a7c15 >> 50;

    for (unsigned i = 0; i < NAMED_PROBES; i++) {
        uint64_t *entry = &named[(first + i) % NAMED_FUNCTIONS];
        const uint64_t found = __atomic_load_n(entry, __ATOMIC_RELAXED);

        if (found == function)
            return true;
        if (found == 0) {
            __atomic_store_n(entry, function, __ATOMIC_RELAXED);
            return false;
        }
    }
    return false;
}

void cushim__trace_name_kernel(uint64_t function)
{
    const char *name = NULL;

    if (function == 0 || mark_named(function))
        return;
    /* A launch takes a CUfunction or a CUkernel, and only the driver knows which one this is. */
    if (cushim__layer_next.FuncGetName(&name, (CUfunction)(uintptr_t)function) != CUDA_SUCCESS &&
        cushim__layer_next.KernelGetName(&name, (CUkernel)(uintptr_t)function) != CUDA_SUCCESS)
        name = NULL;
    if (name)
        cushim__trace_name(TRACE_NAME_FUNCTION, function, name);
}

/* Drivers before CUDA 12.3 report no names, so they are recorded when a function is looked up. */
void cushim__trace_name_found(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const uint64_t *where;
    const char *name;

    if (!effect || effect->name == CUSHIM__NO_PARAMETER ||
        (effect->type != CUSHIM__TYPE_FUNCTION && effect->type != CUSHIM__TYPE_KERNEL))
        return;
    where = (const uint64_t *)(uintptr_t)call->values[effect->parameter];
    name = (const char *)(uintptr_t)call->values[effect->name];
    if (where && name && !mark_named(*where))
        cushim__trace_name(TRACE_NAME_FUNCTION, *where, name);
}

/* Also while no calls are recorded, because the program may call the function later. */
void cushim__trace_name_unknown(const char *name, const void *function)
{
    if (cushim__trace_has_file() && !mark_named((uintptr_t)function))
        cushim__trace_name(TRACE_NAME_UNKNOWN_FUNCTION, (uintptr_t)function, name);
}

void cushim__trace_names_forget(void)
{
    for (unsigned i = 0; i < NAMED_FUNCTIONS; i++)
        __atomic_store_n(&named[i], 0, __ATOMIC_RELAXED);
}
