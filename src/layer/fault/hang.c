/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/hang.h"

#include "src/layer/layer.h"

/* Under the layer's lock. */
static struct cushim__condition changed;
static uint64_t releases;
static unsigned hanging;
static bool is_ending;

uint64_t cushim__hang_begin(void)
{
    hanging++;
    return releases;
}

void cushim__hang_wait(struct cushim__call *call, uint64_t began)
{
    struct cushim_layer *layer = cushim_layer_current();

    cushim__lock_take(&layer->lock);
    while (releases == began)
        cushim__condition_wait(&changed, &layer->lock);
    hanging--;
    if (is_ending)
        call->number = 0;
    if (is_ending && hanging == 0)
        cushim__condition_broadcast(&changed);
    cushim__lock_release(&layer->lock);
}

void cushim__hang_release(void)
{
    struct cushim_layer *layer = cushim_layer_current();

    cushim__lock_take(&layer->lock);
    releases++;
    cushim__condition_broadcast(&changed);
    cushim__lock_release(&layer->lock);
}

void cushim__hang_end(void)
{
    struct cushim_layer *layer = cushim_layer_current();

    cushim__lock_take(&layer->lock);
    is_ending = true;
    releases++;
    cushim__condition_broadcast(&changed);
    while (hanging > 0)
        cushim__condition_wait(&changed, &layer->lock);
    is_ending = false;
    cushim__lock_release(&layer->lock);
}

void cushim__hang_in_child(void)
{
    hanging = 0;
}

void cushim__hang_delay(uint64_t duration_ns)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);

    if (host)
        host->delay(duration_ns);
    else
        cushim__sleep(duration_ns);
}
