/* SPDX-License-Identifier: Apache-2.0 */
/* Makes cuGetProcAddress return the layer's functions, except those that a rule makes missing. */
#include <limits.h>

#include "src/driver_api/function_name.h"
#include "src/layer/fault.h"

enum { PER_THREAD_STREAM = 2, NOT_FOUND = 1 };

/* What the program asks for. */
struct lookup {
    const struct cushim__call *call;
    const char *base;
    void **function;
    int version;
    cuuint64_t flags;
    cushim_CUdriverProcAddressQueryResult *status; /* NULL if the program does not ask */
};

static struct lookup lookup_of(const struct cushim__call *call)
{
    const bool has_status = call->slot == CUSHIM__SLOT(GetProcAddress_v2);

    return (struct lookup){
        .call = call,
        .base = (const char *)(uintptr_t)call->values[0],
        .function = (void **)(uintptr_t)call->values[1],
        .version = (int)(int64_t)call->values[2],
        .flags = call->values[3],
        .status =
            has_status ? (cushim_CUdriverProcAddressQueryResult *)(uintptr_t)call->values[4] : NULL,
    };
}

/*
 * Find the slot of a function in a table. If several slots have it, prefer the one of this base
 * name.
 */
static bool find_function(const struct cushim_table *table, const char *base, const void *function,
                          unsigned *slot)
{
    const size_t length = strlen(base);
    bool is_found = false;

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const char *name = cushim__slot_name(i);

        if (memcmp(cushim__table_slot(table, i), &function, sizeof function) != 0)
            continue;
        if (cushim__symbols[i].base_length == length && memcmp(name, base, length) == 0) {
            *slot = i;
            return true;
        }
        if (!is_found)
            *slot = i;
        is_found = true;
    }
    return is_found;
}

/* Find the newest slot for a version, as a driver that lacks no symbol would. */
static bool find_newest(const struct lookup *lookup, int version, unsigned *slot)
{
    return cushim__newest_symbol(lookup->base, version, lookup->flags & PER_THREAD_STREAM, slot);
}

/*
 * Whether the driver, asked for a version, has returned a symbol that a rule makes missing. A
 * function that is not in the table is taken to be the newest that the version has.
 */
static bool find_hidden(const struct lookup *lookup, CUresult answer, int version, unsigned *slot)
{
    return answer == CUDA_SUCCESS && *lookup->function &&
           (find_function(cushim_layer_current()->wrapped, lookup->base, *lookup->function, slot) ||
            find_newest(lookup, version, slot)) &&
           cushim__fault_hides(*slot);
}

static CUresult ask(const struct lookup *lookup, int version)
{
    return lookup->call->slot == CUSHIM__SLOT(GetProcAddress)
               ? cushim__layer_next.GetProcAddress(lookup->base, lookup->function, version,
                                                   lookup->flags)
               : cushim__layer_next.GetProcAddress_v2(lookup->base, lookup->function, version,
                                                      lookup->flags, lookup->status);
}

/* Count a match for the rule that hides what a lookup would otherwise find. */
static void count(unsigned slot)
{
    struct cushim_layer *layer = cushim_layer_current();
    uint64_t set;

    cushim__lock_take(&layer->lock);
    set = cushim__faults.hidden[slot];
    if (set) {
        __atomic_add_fetch(&cushim__faults.states[cushim__fault_first(set)].matched, 1,
                           __ATOMIC_RELAXED);
        cushim__fault_fired(cushim__fault_first(set));
    }
    cushim__lock_release(&layer->lock);
}

/*
 * Replace a symbol that a rule makes missing by that of the version before it, if there is one, as
 * a driver without the symbol does.
 */
static CUresult hide(const struct cushim__call *call, CUresult answer)
{
    const struct lookup lookup = lookup_of(call);
    int version = lookup.version, last = INT_MAX; /* `last` falls each time, so the loop ends */
    unsigned slot;
    bool is_hidden;

    if (!lookup.base || !lookup.function)
        return answer;
    if (find_newest(&lookup, version, &slot) && cushim__fault_hides(slot))
        count(slot);
    while ((is_hidden = find_hidden(&lookup, answer, version, &slot)) &&
           cushim__symbols[slot].since < last) {
        last = cushim__symbols[slot].since;
        version = last - 1;
        answer = ask(&lookup, version);
    }
    if (last == INT_MAX || (!is_hidden && answer == CUDA_SUCCESS && *lookup.function))
        return answer;
    *lookup.function = NULL;
    if (lookup.status)
        *lookup.status = (cushim_CUdriverProcAddressQueryResult)NOT_FOUND;
    return call->slot == CUSHIM__SLOT(GetProcAddress) ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

uint64_t cushim__unknown_functions;

/*
 * Replace the driver's function by the layer's of the same slot. A function that no slot has is of
 * a newer ABI. Its arguments are not known, and the program gets it unchanged.
 */
static void lead_to_layer(const struct lookup *lookup)
{
    unsigned slot = CUSHIM__SLOT(Init);

    if (!lookup->base || !lookup->function || !*lookup->function)
        return;
    /* A table's cuInit may be the loader's own, which is not what the driver returns. */
    if (strcmp(lookup->base, "cuInit") == 0 ||
        find_function(cushim__layer->wrapped, lookup->base, *lookup->function, &slot)) {
        memcpy(lookup->function, cushim__table_slot(&cushim__layer_table, slot),
               sizeof *lookup->function);
    } else {
        __atomic_add_fetch(&cushim__unknown_functions, 1, __ATOMIC_RELAXED);
        cushim__subscribers_found_unknown(lookup->base, *lookup->function);
    }
}

static CUresult after(struct cushim__call *call, CUresult answer)
{
    const struct lookup lookup = lookup_of(call);

    if (!call->is_injected)
        answer = hide(call, answer);
    if (answer == CUDA_SUCCESS)
        lead_to_layer(&lookup);
    return answer;
}

const struct cushim__subscriber cushim__lookup = {.after = after};
