/* SPDX-License-Identifier: Apache-2.0 */
/* A query of an event through a layer that is installed: by how much it watches. */
#include <stddef.h>

#include <cushim/layer.h>

#include "cost.h"
#include "src/layer/watch.h"

#define SLOT(name) \
    ((unsigned)((offsetof(struct cushim_table, name) - sizeof(size_t)) / sizeof(cushim_function)))

static struct cushim_layer *layer;

static void begin_idle(void)
{
    cost_note(cushim_layer_create(NULL, &layer));
    cost_note(cushim_layer_install(layer));
}

static void begin_recording(void)
{
    begin_idle();
    cushim__watch_set(SLOT(EventQuery), CUSHIM__WATCHED_BY_RECORDING, true);
}

static void begin_fault(void)
{
    begin_idle();
    cushim__watch_set(SLOT(EventQuery), CUSHIM__WATCHED_BY_FAULT, true);
}

static void end(void)
{
    cushim_layer_destroy(layer);
}

COST_TIMED(query, cushim_driver()->EventQuery(cost_end_handle))

const struct cost_row cost_layer[] = {
    {.name = "layer",
     .ways = {{"none", query, NULL, NULL},
              {"idle", query, begin_idle, end},
              {"recording", query, begin_recording, end},
              {"fault", query, begin_fault, end}}},
    {.name = NULL},
};
