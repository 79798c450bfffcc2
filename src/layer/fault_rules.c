/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the layer: adding, dropping and listing them, and matching them with operations. */
#include <string.h>

#include "src/layer/fault.h"

struct cushim__faults cushim__faults;

/* Whether a rule whose site is the symbol of a slot makes that symbol missing. */
static bool hides(const struct cushim__fault_rule *rule, unsigned slot)
{
    return rule->effect == CUSHIM__FAULT_MISSING ||
           (rule->effect == CUSHIM__FAULT_OLDER && cushim__symbols[slot].since > rule->version);
}

static bool applies_to(const struct cushim__fault_rule *rule, unsigned slot)
{
    return rule->effect != CUSHIM__FAULT_OLDER || hides(rule, slot) ||
           slot == CUSHIM__SLOT(DriverGetVersion);
}

static void add_to_calls(const struct cushim__fault_rule *rule, uint64_t bit)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__name_means(rule->site, slot) || !applies_to(rule, slot))
            continue;
        __atomic_or_fetch(&cushim__faults.calls[slot], bit, __ATOMIC_RELAXED);
        if (hides(rule, slot))
            __atomic_or_fetch(&cushim__faults.hidden[slot], bit, __ATOMIC_RELAXED);
        cushim__subscribe(CUSHIM__FAULT, slot, true);
    }
}

/* A site with a suffix means one ABI. Calls of others are counted: the test may mean those. */
static void add_to_variants(const struct cushim__fault_rule *rule, uint64_t bit)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!cushim__is_abi_variant(rule->site, slot))
            continue;
        __atomic_or_fetch(&cushim__faults.variants[slot], bit, __ATOMIC_RELAXED);
        cushim__subscribe(CUSHIM__FAULT, slot, true);
    }
}

static bool is_of_operation(const struct cushim__fault_rule *rule, const char *kind, int device)
{
    const char *own = rule->site + strlen(CUSHIM__FAULT_OPERATION);

    return (rule->device < 0 || rule->device == device) && cushim__pattern_fits(own, kind);
}

/* What the rules do to an operation of the mock that begins. Under the mock's lock alone. */
static void match_operation(struct cushim__operation_fault *fault, const char *kind, int device)
{
    uint64_t set = __atomic_load_n(&cushim__faults.operations, __ATOMIC_ACQUIRE);

    *fault = (struct cushim__operation_fault){0};
    for (; set; set &= set - 1) {
        const unsigned number = cushim__fault_first(set);
        const struct cushim__fault_rule *rule = &cushim__faults.rules[number];

        if (!is_of_operation(rule, kind, device) ||
            !cushim__fault_match(&cushim__faults.states[number], rule))
            continue;
        if (rule->effect == CUSHIM__FAULT_DELAY) {
            fault->delay_ns += rule->delay_ns;
        } else if (!fault->hangs && fault->code == CUDA_SUCCESS) {
            fault->hangs = rule->effect == CUSHIM__FAULT_HANG;
            fault->code = rule->code;
            __atomic_store_n(&cushim__fault_is_sticky, true, __ATOMIC_RELEASE);
            fault->is_lost = rule->effect == CUSHIM__FAULT_LOST;
            fault->device = rule->device;
        } else {
            continue;
        }
        cushim__fault_fired(number);
    }
}

/* Put the next rule into effect, which has been parsed into its place. */
static void add_next(void)
{
    const unsigned number = cushim__faults.count;
    const struct cushim__fault_rule *rule = &cushim__faults.rules[number];
    const uint64_t bit = UINT64_C(1) << number;

    cushim__faults.states[number] = (struct cushim__fault_state){.random = rule->seed};
    cushim__faults.count++;
    /* `older` makes symbols missing before a call, and changes the version after one. */
    if (rule->phase == CUSHIM__FAULT_BEFORE)
        __atomic_or_fetch(&cushim__faults.phases[CUSHIM__FAULT_BEFORE], bit, __ATOMIC_RELAXED);
    if (rule->phase == CUSHIM__FAULT_AFTER || rule->effect == CUSHIM__FAULT_OLDER)
        __atomic_or_fetch(&cushim__faults.phases[CUSHIM__FAULT_AFTER], bit, __ATOMIC_RELAXED);
    if (rule->device >= 0)
        __atomic_or_fetch(&cushim__faults.devices, bit, __ATOMIC_RELAXED);
    if (!rule->is_operation) {
        add_to_calls(rule, bit);
        add_to_variants(rule, bit);
    } else if (rule->effect == CUSHIM__FAULT_LOST) {
        cushim__fault_subscribe_devices();
    }
    /* Last, because the mock reads a rule whose bit is set without the layer's lock. */
    if (rule->is_operation) {
        __atomic_or_fetch(&cushim__faults.operations, bit, __ATOMIC_RELEASE);
        __atomic_store_n(&cushim__fault_of_operation, match_operation, __ATOMIC_RELEASE);
    }
}

/* Only a mock has operations: without one, the rule could not match anything. */
static CUresult check_operation(const struct cushim__fault_rule *rule,
                                const struct cushim__lines *lines)
{
    return rule->is_operation && !__atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE)
               ? cushim__lines_refuse(lines, lines->value.start,
                                      "operations are a mock's, and there is none")
               : CUDA_SUCCESS;
}

/* Read all rules into the places after those in effect. Returns how many; -1 if one is refused. */
static int read_all(struct cushim__lines *lines)
{
    struct cushim__fault_rule *rules = &cushim__faults.rules[cushim__faults.count];
    enum cushim__lines_next next = cushim__lines_next_whole(lines);
    unsigned count = 0;

    for (; next == CUSHIM__LINES_ENTRY; next = cushim__lines_next_whole(lines), count++) {
        if (count + cushim__faults.count == CUSHIM__FAULT_RULES) {
            cushim__lines_refuse(lines, lines->value.start, "there are %d rules already",
                                 CUSHIM__FAULT_RULES);
            return -1;
        }
        if (cushim__fault_rule_parse(&rules[count], &lines->value, lines) != CUDA_SUCCESS ||
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

CUresult cushim_fault_add_rules(struct cushim_layer *layer, const char *text, char *message,
                                size_t message_size)
{
    struct cushim__lines lines;
    int count;

    if (!cushim__layer_exists(layer))
        return refuse(message, message_size, cushim__layer_ended);
    if (!text)
        return refuse(message, message_size, "faults: the text is NULL");
    cushim__lines_begin(&lines, text, "faults", message, message ? message_size : 0);
    cushim__lock_take(&layer->lock);
    count = read_all(&lines);
    for (int i = 0; i < count; i++)
        add_next();
    cushim__lock_release(&layer->lock);
    return count < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Under the layer's lock, and the mock's if there is a mock. */
static void drop(void)
{
    __atomic_store_n(&cushim__fault_of_operation, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&cushim__faults.operations, 0, __ATOMIC_RELEASE);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        __atomic_store_n(&cushim__faults.calls[slot], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&cushim__faults.variants[slot], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&cushim__faults.hidden[slot], 0, __ATOMIC_RELAXED);
    }
    for (unsigned phase = CUSHIM__FAULT_BEFORE; phase <= CUSHIM__FAULT_AFTER; phase++)
        __atomic_store_n(&cushim__faults.phases[phase], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cushim__faults.devices, 0, __ATOMIC_RELAXED);
    cushim__faults.count = 0;
    cushim__subscribe_all(CUSHIM__FAULT, false);
    cushim__fault_repair();
}

void cushim_fault_clear(struct cushim_layer *layer)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);

    if (!cushim__layer_lock(layer))
        return;
    if (mock)
        mock->alone(drop);
    else
        drop();
    cushim__lock_release(&layer->lock);
    cushim__fault_release_calls();
}

void cushim_fault_resume(struct cushim_layer *layer)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);

    if (!cushim__layer_exists(layer))
        return;
    cushim__fault_release_calls();
    if (mock)
        mock->release();
}

void cushim__fault_fired(unsigned rule)
{
    __atomic_add_fetch(&cushim__faults.states[rule].fired, 1, __ATOMIC_RELAXED);
}

bool cushim__fault_hides(unsigned slot)
{
    return __atomic_load_n(&cushim__faults.hidden[slot], __ATOMIC_RELAXED) != 0;
}

static uint64_t value_of(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* A counter of the rule of this number; 0 if there is no such rule. */
static uint64_t read_counter(struct cushim_layer *layer, size_t index, bool is_fired)
{
    uint64_t count = 0;

    if (!cushim__layer_lock(layer))
        return 0;
    if (index < cushim__faults.count)
        count = value_of(is_fired ? &cushim__faults.states[index].fired
                                  : &cushim__faults.states[index].matched);
    cushim__lock_release(&layer->lock);
    return count;
}

uint64_t cushim_fault_matched(struct cushim_layer *layer, size_t index)
{
    return read_counter(layer, index, false);
}

uint64_t cushim_fault_fired(struct cushim_layer *layer, size_t index)
{
    return read_counter(layer, index, true);
}

static void describe(unsigned rule, char *line, size_t size)
{
    const struct cushim__fault_state *state = &cushim__faults.states[rule];
    const uint64_t matched = value_of(&state->matched);
    struct cushim__text text;

    cushim__text_begin(&text, line, size);
    cushim__text_format(&text, "%s: ", cushim__faults.rules[rule].text);
    if (matched == 0) {
        cushim__text_add(&text, "never matched");
        cushim__variant_print(&text, "; ", &state->variants);
        return;
    }
    cushim__text_add(&text, "matched ");
    cushim__times_print(&text, matched);
    cushim__text_add(&text, ", never fired");
}

const char *cushim_fault_unused(struct cushim_layer *layer, size_t index)
{
    static _Thread_local char line[CUSHIM__FAULT_LINE];
    const char *found = NULL;

    if (!cushim__layer_lock(layer))
        return NULL;
    for (unsigned rule = 0; !found && rule < cushim__faults.count; rule++) {
        if (value_of(&cushim__faults.states[rule].fired) > 0 || index-- > 0)
            continue;
        describe(rule, line, sizeof line);
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
        const enum cushim__fault_effect effect = cushim__faults.rules[rule].effect;

        if (effect == CUSHIM__FAULT_MISSING || effect == CUSHIM__FAULT_OLDER ||
            value_of(&cushim__faults.states[rule].fired) > 0)
            continue;
        describe(rule, line, sizeof line);
        print(line);
    }
}
