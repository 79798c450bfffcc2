/* SPDX-License-Identifier: Apache-2.0 */
/* A query of an event through a layer that is installed: by how much it watches. */
#include <stdint.h>

#include <cushim/fault.h>
#include <cushim/layer.h>
#include <cushim/recording.h>

#include "cost.h"

static struct cushim_layer *layer;

static void begin_idle(void)
{
    cost_note(cushim_layer_create(NULL, &layer));
    cost_note(cushim_layer_install(layer));
}

static void begin_recording(void)
{
    begin_idle();
    cost_note(cushim_recording_start(layer, 0));
}

/* It meets the call and is not for it: for a later one. */
static void begin_fault(void)
{
    const struct cushim_fault fault = {
        .size = sizeof fault,
        .site = "cuEventQuery",
        .nth = UINT64_MAX,
        .code = CUDA_ERROR_UNKNOWN,
    };

    begin_idle();
    cost_note(cushim_fault_add(layer, &fault, NULL, 0));
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
