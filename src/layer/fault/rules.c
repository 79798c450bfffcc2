/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/rules.h"

#include <stdio.h>
#include <string.h>

#include "src/base/lines.h"
#include "src/base/text.h"
#include "src/layer/fault/broken.h"
#include "src/layer/fault/hang.h"
#include "src/layer/fault/parse.h"
#include "src/layer/fault/site.h"
#include "src/layer/layer.h"
#include "src/layer/pattern.h"

struct cushim__faults cushim__faults;

/* Whether a rule makes the symbol of a slot missing, if its site is that symbol. */
static bool hides(const struct cushim__fault_rule *rule, unsigned slot)
{
    return rule->effect == CUSHIM_FAULT_MISSING ||
           (rule->effect == CUSHIM_FAULT_OLDER && cushim__symbols[slot].since > rule->version);
}

static bool is_met(const struct cushim__fault_rule *rule, unsigned slot)
{
    return rule->effect != CUSHIM_FAULT_OLDER || hides(rule, slot) ||
           slot == CUSHIM__SLOT(DriverGetVersion);
}

static void add_to_calls(const struct cushim__fault_rule *rule, uint64_t bit)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__pattern_fits(rule->site, cushim__slot_name(slot)) || !is_met(rule, slot))
            continue;
        __atomic_or_fetch(&cushim__faults.calls[slot], bit, __ATOMIC_RELAXED);
        if (hides(rule, slot))
            __atomic_or_fetch(&cushim__faults.hidden[slot], bit, __ATOMIC_RELAXED);
        cushim__watch_set(slot, CUSHIM__WATCHED_BY_FAULT, true);
    }
}

/* A name is that of one ABI: calls of others are counted, for they may be what is meant. */
static void add_to_kin(const struct cushim__fault_rule *rule, uint64_t bit)
{
    const struct cushim__word site = {rule->site, strlen(rule->site)};
    unsigned named;

    if (!cushim__value_function(&site, &named))
        return;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__is_kin(named, slot))
            continue;
        __atomic_or_fetch(&cushim__faults.kin[slot], bit, __ATOMIC_RELAXED);
        cushim__watch_set(slot, CUSHIM__WATCHED_BY_FAULT, true);
    }
}

static void add(const struct cushim__fault_rule *rule)
{
    const unsigned number = cushim__faults.count;
    const uint64_t bit = UINT64_C(1) << number;

    cushim__faults.rules[number] = *rule;
    cushim__fault_state_begin(&cushim__faults.states[number], rule, cushim__faults.seed);
    cushim__fault_write(rule, cushim__faults.texts[number]);
    cushim__faults.count++;
    /* An older driver lacks symbols before a call, and tells its version after one. */
    if (rule->phase == CUSHIM_FAULT_BEFORE)
        __atomic_or_fetch(&cushim__faults.phases[CUSHIM_FAULT_BEFORE], bit, __ATOMIC_RELAXED);
    if (rule->phase == CUSHIM_FAULT_AFTER || rule->effect == CUSHIM_FAULT_OLDER)
        __atomic_or_fetch(&cushim__faults.phases[CUSHIM_FAULT_AFTER], bit, __ATOMIC_RELAXED);
    if (rule->device >= 0)
        __atomic_or_fetch(&cushim__faults.devices, bit, __ATOMIC_RELAXED);
    if (!rule->is_operation) {
        add_to_calls(rule, bit);
        add_to_kin(rule, bit);
    } else if (rule->effect == CUSHIM_FAULT_LOST) {
        cushim__broken_watch();
    }
    /* The engine reads what is behind its bit without the layer's lock. */
    if (rule->is_operation) {
        __atomic_or_fetch(&cushim__faults.operations, bit, __ATOMIC_RELEASE);
        __atomic_store_n(&cushim__fault_of_operation, cushim__faults_of_operation,
                         __ATOMIC_RELEASE);
    }
}

static bool add_one(const struct cushim__fault_rule *rule)
{
    struct cushim_layer *layer = cushim_layer_current();
    bool has_room;

    cushim__lock_take(&layer->lock);
    has_room = cushim__faults.count < CUSHIM__FAULT_RULES;
    if (has_room)
        add(rule);
    cushim__lock_release(&layer->lock);
    return has_room;
}

/* Operations are the mock's: without one, the rule would wait for nothing. */
static CUresult check_operation(const struct cushim__fault_rule *rule,
                                const struct cushim__lines *lines)
{
    return rule->is_operation && !__atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE)
               ? cushim__lines_refuse(lines, lines->value.start,
                                      "operations are a mock's, and there is none")
               : CUDA_SUCCESS;
}

/* Read all rules behind those that are there. Returns how many; -1: one is refused. */
static int read_all(struct cushim__lines *lines, struct cushim__fault_rule *rules)
{
    enum cushim__lines_next next = cushim__lines_next_whole(lines);
    unsigned count = 0;

    for (; next == CUSHIM__LINES_ENTRY; next = cushim__lines_next_whole(lines), count++) {
        if (count + cushim__faults.count == CUSHIM__FAULT_RULES) {
            cushim__lines_refuse(lines, lines->value.start, "there are %d rules already",
                                 CUSHIM__FAULT_RULES);
            return -1;
        }
        if (cushim__fault_read(&rules[count], &lines->value, lines) != CUDA_SUCCESS ||
            check_operation(&rules[count], lines) != CUDA_SUCCESS)
            return -1;
    }
    return next == CUSHIM__LINES_END ? (int)count : -1;
}

static CUresult refuse(char *message, size_t message_size, const char *why)
{
    struct cushim__text text;

    cushim__text_begin(&text, message, message_size);
    cushim__text_add(&text, why);
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim_fault_parse(struct cushim_layer *layer, const char *text, char *message,
                            size_t message_size)
{
    struct cushim__fault_rule rules[CUSHIM__FAULT_RULES];
    struct cushim__lines lines;
    int count;

    if (!cushim__layer_exists(layer))
        return refuse(message, message_size, cushim__layer_ended);
    if (!text)
        return refuse(message, message_size, "faults: the text is NULL");
    cushim__lines_begin(&lines, text, "faults", message, message ? message_size : 0);
    cushim__lock_take(&layer->lock);
    count = read_all(&lines, rules);
    for (int i = 0; i < count; i++)
        add(&rules[i]);
    cushim__lock_release(&layer->lock);
    return count < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cushim_fault_add(struct cushim_layer *layer, const struct cushim_fault *fault,
                          char *message, size_t message_size)
{
    const bool has_mock = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);
    struct cushim__fault_rule rule;
    const char *why = NULL;
    CUresult code;

    if (!cushim__layer_exists(layer))
        return refuse(message, message_size, cushim__layer_ended);
    if (!fault)
        return refuse(message, message_size, "fault: the rule is NULL");
    if (!message)
        message_size = 0;
    code = cushim__fault_take(&rule, fault, message, message_size);
    if (code != CUDA_SUCCESS)
        return code;
    if (rule.is_operation && !has_mock)
        why = "operations are a mock's, and there is none";
    else if (!add_one(&rule))
        why = "there are 64 rules already";
    if (message_size)
        snprintf(message, message_size, "%s%s", why ? "fault: " : "", why ? why : "");
    return why ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Under the layer's lock, and the mock's if there is a mock. */
static void drop(void)
{
    __atomic_store_n(&cushim__fault_of_operation, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&cushim__faults.operations, 0, __ATOMIC_RELEASE);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        __atomic_store_n(&cushim__faults.calls[slot], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&cushim__faults.kin[slot], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&cushim__faults.hidden[slot], 0, __ATOMIC_RELAXED);
    }
    for (unsigned phase = CUSHIM_FAULT_BEFORE; phase <= CUSHIM_FAULT_AFTER; phase++)
        __atomic_store_n(&cushim__faults.phases[phase], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cushim__faults.devices, 0, __ATOMIC_RELAXED);
    cushim__faults.count = 0;
    cushim__watch_set_all(CUSHIM__WATCHED_BY_FAULT, false);
    cushim__broken_end();
}

void cushim_fault_clear(struct cushim_layer *layer)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);

    if (!cushim__layer_exists(layer))
        return;
    cushim__lock_take(&layer->lock);
    if (host)
        host->alone(drop);
    else
        drop();
    cushim__lock_release(&layer->lock);
    cushim__hang_release();
}

void cushim_fault_release(struct cushim_layer *layer)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);

    if (!cushim__layer_exists(layer))
        return;
    cushim__hang_release();
    if (host)
        host->release();
}

void cushim_fault_seed_set(struct cushim_layer *layer, uint64_t seed)
{
    if (!cushim__layer_exists(layer))
        return;
    cushim__lock_take(&layer->lock);
    cushim__faults.seed = seed;
    cushim__lock_release(&layer->lock);
}

void cushim__fault_fired(unsigned rule)
{
    __atomic_add_fetch(&cushim__faults.states[rule].fired, 1, __ATOMIC_RELAXED);
}

bool cushim__fault_hides(unsigned slot)
{
    return __atomic_load_n(&cushim__faults.hidden[slot], __ATOMIC_RELAXED) != 0;
}
