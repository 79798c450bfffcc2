/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/watch.h"

#include <string.h>

#include "src/layer/expectation/expectation.h"
#include "src/layer/fault/fault.h"
#include "src/layer/layer.h"
#include "src/layer/left/hold.h"
#include "src/layer/recording/recording.h"
#include "src/layer/sweep/call.h"

uint8_t cushim__watched[CUSHIM__SYMBOL_COUNT];

/* The calling thread, as the layer of this serial knows it. */
static _Thread_local struct {
    uint64_t layer;
    unsigned number;
    uint64_t under_way; /* its innermost watched call; 0: none */
} thread;

void cushim__watch_set(unsigned slot, enum cushim__watcher watcher, bool is_watched)
{
    if (is_watched)
        __atomic_or_fetch(&cushim__watched[slot], (uint8_t)watcher, __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&cushim__watched[slot], (uint8_t)~watcher, __ATOMIC_RELAXED);
}

void cushim__watch_set_all(enum cushim__watcher watcher, bool is_watched)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        cushim__watch_set(slot, watcher, is_watched);
}

void cushim__watch_begin(void)
{
    memset(cushim__watched, 0, sizeof cushim__watched);
    cushim__watch_set(CUSHIM__SLOT(GetProcAddress), CUSHIM__WATCHED_ALWAYS, true);
    cushim__watch_set(CUSHIM__SLOT(GetProcAddress_v2), CUSHIM__WATCHED_ALWAYS, true);
}

static uint64_t now(void)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);

    return host ? host->now_ns() : 0;
}

/* All but what is seen of arguments: that is filled if somebody asks, and is large. */
static void begin(struct cushim__call *call, unsigned slot, const uint64_t *values)
{
    call->slot = slot;
    call->values = values;
    call->number = 0;
    call->thread = 0;
    call->began_ns = 0;
    call->is_injected = false;
    call->nested = 0;
    call->replaced = CUDA_SUCCESS;
    call->seen.is_filled = false;
    call->seen.recorded = 0;
    call->seen.texts_used = 0;
}

bool cushim__watch_enter(struct cushim__call *call, unsigned slot, const uint64_t *values,
                         CUresult *answer)
{
    struct cushim_layer *layer = cushim_layer_current();

    begin(call, slot, values);
    /* A function that stands for a kernel has the mock's lock, which comes behind the layer's. */
    if (!layer || cushim__in_kernel)
        return true;
    cushim__lock_take(&layer->lock);
    if (thread.layer != layer->serial) {
        thread.layer = layer->serial;
        thread.number = ++layer->threads;
        thread.under_way = 0;
    }
    call->thread = thread.number;
    call->number = ++layer->calls;
    call->nested = thread.under_way;
    call->began_ns = now();
    thread.under_way = call->number;
    cushim__recording_begin(call);
    cushim__lock_release(&layer->lock);
    return cushim__sweep_before(call, answer) && cushim__fault_before(call, answer);
}

bool cushim__layer_find(const struct cushim_table *table, const char *base, const void *function,
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

/* What the driver has answered to cuGetProcAddress is the layer's function of the same slot. */
static void lead_here(const struct cushim__call *call)
{
    const char *base = (const char *)(uintptr_t)call->values[0];
    void **function = (void **)(uintptr_t)call->values[1];
    unsigned slot = 0;

    if (base && function && *function &&
        cushim__layer_find(cushim__layer->wrapped, base, *function, &slot))
        memcpy(function, cushim__table_slot(&cushim__layer_table, slot), sizeof *function);
}

CUresult cushim__watch_leave(struct cushim__call *call, CUresult answer)
{
    struct cushim_layer *layer = cushim_layer_current();

    if (!layer || call->number == 0)
        return answer;
    if (!call->is_injected)
        answer = cushim__fault_after(call, answer);
    if (call->number == 0)
        return answer;
    answer = cushim__sweep_after(call, answer);
    if (answer == CUDA_SUCCESS && (call->slot == CUSHIM__SLOT(GetProcAddress) ||
                                   call->slot == CUSHIM__SLOT(GetProcAddress_v2)))
        lead_here(call);
    cushim__lock_take(&layer->lock);
    cushim__recording_end(call, answer);
    cushim__expectation_judge(call, answer);
    cushim__lock_release(&layer->lock);
    cushim__hold_see(call, answer);
    thread.under_way = call->nested;
    return answer;
}
