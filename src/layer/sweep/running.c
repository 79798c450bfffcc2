/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/sweep/running.h"

#include <string.h>

#include "src/base/result.h"

/* One from where a run begins, one from where a call fails: who reads one sees it whole. */
static char begun[600], failed[600];
static const char *running;

/* Settings on one line: `schedule = random, seed = 7`. */
static void add_settings(struct cushim__text *text, const char *settings)
{
    const char *between = "; mock: ";

    while (settings && *settings) {
        const size_t length = strcspn(settings, "\n");

        if (length > 0)
            cushim__text_format(text, "%s%.*s", between, length < 100 ? (int)length : 100,
                                settings);
        if (length > 0)
            between = ", ";
        settings += length;
        settings += strspn(settings, "\n");
    }
}

void cushim__sweep_name_add(struct cushim__text *text, const struct cushim__sweep_order *order,
                            const struct cushim__sweep_seen *seen)
{
    if (order->nth == 0) {
        cushim__text_add(text, "with no call failing");
        return;
    }
    cushim__text_format(text, "call %llu of the body (%s) answered ",
                        (unsigned long long)order->nth, seen->function ? seen->function : "none");
    cushim__result_add(text, seen->code);
    cushim__text_add(text,
                     order->kind == CUSHIM_SWEEP_ONCE ? ", once" : ", as did all from then on");
}

void cushim__sweep_way_add(struct cushim__text *text, const struct cushim__sweep_order *order)
{
    add_settings(text, order->settings);
    if (order->nth > 0)
        cushim__text_format(text, "; this run alone: first = last = %llu, kinds = %s",
                            (unsigned long long)order->nth,
                            order->kind == CUSHIM_SWEEP_ONCE ? "CUSHIM_SWEEP_ONCE"
                                                             : "CUSHIM_SWEEP_FROM_THEN_ON");
}

void cushim__sweep_running_begin(const struct cushim__sweep_order *order)
{
    struct cushim__text text;

    cushim__text_begin(&text, begun, sizeof begun);
    if (order->nth == 0)
        cushim__text_add(&text, "with no call failing");
    else
        cushim__text_format(&text, "before call %llu of the body", (unsigned long long)order->nth);
    cushim__sweep_way_add(&text, order);
    __atomic_store_n(&running, begun, __ATOMIC_RELEASE);
}

void cushim__sweep_running_fails(const struct cushim__sweep_order *order,
                                 const struct cushim__sweep_seen *seen)
{
    struct cushim__text text;

    cushim__text_begin(&text, failed, sizeof failed);
    cushim__sweep_name_add(&text, order, seen);
    cushim__sweep_way_add(&text, order);
    __atomic_store_n(&running, failed, __ATOMIC_RELEASE);
}

void cushim__sweep_running_end(void)
{
    __atomic_store_n(&running, NULL, __ATOMIC_RELEASE);
}

const char *cushim_sweep_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}
