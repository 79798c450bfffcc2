/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules are, and what they have come to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/lines.h"
#include "src/layer/fault/rules.h"
#include "src/layer/layer.h"

/* Whether this is the layer that exists. True: its lock is taken. */
static bool enter(struct cushim_layer *layer)
{
    if (!cushim__layer_exists(layer))
        return false;
    cushim__lock_take(&layer->lock);
    return true;
}

static uint64_t value_of(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

const char *cushim_fault_text(struct cushim_layer *layer, size_t index)
{
    const char *text = NULL;

    if (!enter(layer))
        return NULL;
    if (index < cushim__faults.count)
        text = cushim__faults.texts[index];
    cushim__lock_release(&layer->lock);
    return text;
}

uint64_t cushim_fault_matched(struct cushim_layer *layer, size_t index)
{
    uint64_t matched = 0;

    if (!enter(layer))
        return 0;
    if (index < cushim__faults.count)
        matched = value_of(&cushim__faults.states[index].matched);
    cushim__lock_release(&layer->lock);
    return matched;
}

uint64_t cushim_fault_fired(struct cushim_layer *layer, size_t index)
{
    uint64_t fired = 0;

    if (!enter(layer))
        return 0;
    if (index < cushim__faults.count)
        fired = value_of(&cushim__faults.states[index].fired);
    cushim__lock_release(&layer->lock);
    return fired;
}

static void describe_unmatched(unsigned rule, char *line, size_t size)
{
    const struct cushim__kin *kin = &cushim__faults.states[rule].kin;
    const char *site = cushim__faults.rules[rule].site;
    struct cushim__text text;
    unsigned slot;

    cushim__text_begin(&text, line, size);
    cushim__text_format(&text, "%s: never matched", cushim__faults.texts[rule]);
    if (cushim__value_function(&(struct cushim__word){site, strlen(site)}, &slot))
        cushim__kin_tell(&text, "; ", kin, slot);
}

void cushim__fault_describe(unsigned rule, char *line, size_t size)
{
    const uint64_t matched = value_of(&cushim__faults.states[rule].matched);
    const char *text = cushim__faults.texts[rule];

    if (matched == 0)
        describe_unmatched(rule, line, size);
    else if (matched == 1)
        snprintf(line, size, "%s: matched once, never fired", text);
    else
        snprintf(line, size, "%s: matched %" PRIu64 " times, never fired", text, matched);
}

const char *cushim_fault_unused(struct cushim_layer *layer, size_t index)
{
    static _Thread_local char line[CUSHIM__FAULT_LINE];
    const char *found = NULL;

    if (!enter(layer))
        return NULL;
    for (unsigned rule = 0; !found && rule < cushim__faults.count; rule++) {
        if (value_of(&cushim__faults.states[rule].fired) > 0 || index-- > 0)
            continue;
        cushim__fault_describe(rule, line, sizeof line);
        found = line;
    }
    cushim__lock_release(&layer->lock);
    return found;
}

void cushim__faults_print_unused(void (*print)(const char *line))
{
    struct cushim_layer *layer = cushim_layer_current();
    char line[CUSHIM__FAULT_LINE];

    if (!layer || !cushim__lock_comes_free(&layer->lock))
        return;
    for (unsigned rule = 0; rule < cushim__faults.count; rule++) {
        const enum cushim_fault_effect effect = cushim__faults.rules[rule].effect;

        if (effect == CUSHIM_FAULT_MISSING || effect == CUSHIM_FAULT_OLDER ||
            value_of(&cushim__faults.states[rule].fired) > 0)
            continue;
        cushim__fault_describe(rule, line, sizeof line);
        print(line);
    }
}
