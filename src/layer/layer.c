/* SPDX-License-Identifier: Apache-2.0 */
/* The lifetime of the layer: its creation, its locking, its verdict and its end. */
#include "src/layer/layer.h"

#include <stdlib.h>

#include <cushim/testing/recording.h>

#include "src/base/system.h"
#include "src/layer/expectation.h"
#include "src/layer/leak_tracker.h"

struct cushim_layer *cushim__layer;
struct cushim_table cushim__layer_next;
const char cushim__layer_ended[] = "there is no such layer: it has ended, or none was given";

/* Whether the one layer exists or is being created. */
static bool is_taken;
static uint64_t serial;

/* The layer whose lock this thread has taken for a fork, or NULL. */
static _Thread_local struct cushim_layer *locked;

static void lock_for_fork(void)
{
    if (locked) /* by an earlier call for the same fork */
        return;
    locked = cushim_layer_current();
    if (locked)
        cushim__lock_take(&locked->lock);
}

static void unlock_after_fork(void)
{
    if (locked)
        cushim__lock_release(&locked->lock);
    locked = NULL;
}

static void begin_child(void)
{
    if (locked)
        cushim__subscribers_begin_child();
    unlock_after_fork();
}

static bool is_whole(const struct cushim_table *table)
{
    static const cushim_function none;

    if (table->size < sizeof *table)
        return false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (memcmp(cushim__table_slot(table, slot), &none, sizeof none) == 0)
            return false;
    }
    return true;
}

CUresult cushim__layer_create(const struct cushim_table *table, struct cushim_layer **layer)
{
    struct cushim_layer *created;

    if (!layer || !table || !is_whole(table))
        return CUDA_ERROR_INVALID_VALUE;
    if (__atomic_exchange_n(&is_taken, true, __ATOMIC_ACQUIRE))
        return CUDA_ERROR_ALREADY_ACQUIRED;
    /* A call through a layer over itself would never end. */
    created = table == &cushim__layer_table ? NULL : calloc(1, sizeof *created);
    if (!created) {
        __atomic_store_n(&is_taken, false, __ATOMIC_RELEASE);
        return table == &cushim__layer_table ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__system_handle_forks(CUSHIM__FORK_LAYER, lock_for_fork, unlock_after_fork, begin_child);
    created->wrapped = table;
    created->serial = ++serial;
    memcpy(&cushim__layer_next, table, sizeof cushim__layer_next);
    cushim__layer_next.size = sizeof cushim__layer_next;
    cushim__subscriptions_begin();
    __atomic_store_n(&cushim__layer, created, __ATOMIC_RELEASE);
    *layer = created;
    return CUDA_SUCCESS;
}

void cushim_layer_destroy(struct cushim_layer *layer)
{
    if (!cushim__layer_exists(layer))
        return;
    if (layer->put_back)
        layer->put_back(layer->former);
    cushim__subscriptions_end();
    __atomic_store_n(&cushim__layer, NULL, __ATOMIC_RELEASE);
    free(layer);
    __atomic_store_n(&is_taken, false, __ATOMIC_RELEASE);
}

struct cushim_layer *cushim_layer_current(void)
{
    return __atomic_load_n(&cushim__layer, __ATOMIC_ACQUIRE);
}

bool cushim__layer_exists(const struct cushim_layer *layer)
{
    return layer && layer == cushim_layer_current();
}

bool cushim__layer_lock(struct cushim_layer *layer)
{
    const bool exists = cushim__layer_exists(layer);

    if (exists)
        cushim__lock_take(&layer->lock);
    return exists;
}

const struct cushim_table *cushim_layer_table(const struct cushim_layer *layer)
{
    return cushim__layer_exists(layer) ? &cushim__layer_table : NULL;
}

const struct cushim_table *cushim_layer_wrapped(const struct cushim_layer *layer)
{
    return cushim__layer_exists(layer) ? layer->wrapped : NULL;
}

struct cushim_table *cushim_layer_next(struct cushim_layer *layer)
{
    return cushim__layer_exists(layer) ? &cushim__layer_next : NULL;
}

CUresult cushim_layer_verify(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_lock(layer)) {
        cushim__text_format(&text, "%s\n", cushim__layer_ended);
        return CUDA_ERROR_INVALID_VALUE;
    }
    cushim__expectations_print(&text);
    cushim__recording_print_lost(&text);
    cushim__lock_release(&layer->lock);
    cushim__text_mark_cut(&text);
    return text.length > 0 ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}
