/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rules to calls: delays them, lets them hang, replaces results, loses devices. */
#include "src/layer/fault.h"
#include "src/base/system.h"
#include "src/driver_api/effects.h"

/* Calls that hang. Under the layer's lock. */
static struct cushim__condition changed;
static uint64_t releases;
static unsigned hanging;
static bool is_ending;

/* Not under the lock. If the layer ends meanwhile, subscribers do not see the end of the call. */
static void wait_for_release(struct cushim__call *call, uint64_t began)
{
    struct cushim_layer *layer = cushim_layer_current();

    cushim__lock_take(&layer->lock);
    while (releases == began)
        cushim__condition_wait(&changed, &layer->lock);
    hanging--;
    if (is_ending)
        call->is_watched = false;
    if (is_ending && hanging == 0)
        cushim__condition_broadcast(&changed);
    cushim__lock_release(&layer->lock);
}

void cushim__fault_release_calls(void)
{
    struct cushim_layer *layer = cushim_layer_current();

    cushim__lock_take(&layer->lock);
    releases++;
    cushim__condition_broadcast(&changed);
    cushim__lock_release(&layer->lock);
}

/* Let all calls that hang continue, and wait until they have left the layer. */
static void end_hanging(void)
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

/* No call hangs in the child of a fork. */
static void begin_child(void)
{
    hanging = 0;
}

/* Let time pass on the clock of the mock if there is one, else on that of the system. */
static void pass_time(uint64_t duration_ns)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);

    if (mock)
        mock->delay(duration_ns);
    else
        cushim__system_sleep_ns(duration_ns);
}

/*
 * Errors that last; `lost_device` is -1 if all devices are lost. They are atomic, because an
 * operation of the mock loses a device under the mock's lock, under which the layer's must not be
 * taken.
 */
static CUresult sticky, lost;
static int lost_device;
bool cushim__fault_is_sticky;

static bool is_device(const struct cushim__parameter *parameter)
{
    return parameter->kind == CUSHIM__PARAMETER_SIGNED && strcmp(parameter->type, "CUdevice") == 0;
}

/* Whether a function takes a device and, if `values` are given, whether they name this device. */
static bool takes_device(unsigned slot, const uint64_t *values, int device)
{
    for (unsigned i = 0; i < cushim__parameter_count(slot); i++) {
        if (is_device(cushim__parameter_at(slot, i)) &&
            (!values || (int)(int64_t)values[i] == device))
            return true;
    }
    return false;
}

static bool works_after_fault(unsigned slot)
{
    return cushim__effects[slot].sticky == CUSHIM__CALL_YES;
}

/* Begin a sticky error, in the mock if there is one, else in the layer. */
static void begin_sticky(CUresult code)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);
    CUresult none = CUDA_SUCCESS;

    __atomic_store_n(&cushim__fault_is_sticky, true, __ATOMIC_RELEASE);
    if (mock) {
        mock->fault(code);
        return;
    }
    __atomic_compare_exchange_n(&sticky, &none, code, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!works_after_fault(slot))
            cushim__subscribe(CUSHIM__FAULT, slot, true);
    }
}

void cushim__fault_subscribe_devices(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (takes_device(slot, NULL, 0))
            cushim__subscribe(CUSHIM__FAULT, slot, true);
    }
}

void cushim__device_lose(CUresult code, int device)
{
    if (!cushim_layer_current() || __atomic_load_n(&lost, __ATOMIC_ACQUIRE) != CUDA_SUCCESS)
        return;
    __atomic_store_n(&lost_device, device, __ATOMIC_RELAXED);
    __atomic_store_n(&lost, code, __ATOMIC_RELEASE);
}

/* What a call returns because of an error that lasts; CUDA_SUCCESS if the call is made. */
static CUresult lasting_error(const struct cushim__call *call)
{
    const CUresult lost_code = __atomic_load_n(&lost, __ATOMIC_ACQUIRE);
    const int device = __atomic_load_n(&lost_device, __ATOMIC_RELAXED);

    if (lost_code != CUDA_SUCCESS &&
        takes_device(call->slot, device < 0 ? NULL : call->values, device))
        return lost_code;
    return works_after_fault(call->slot) ? CUDA_SUCCESS
                                         : __atomic_load_n(&sticky, __ATOMIC_ACQUIRE);
}

void cushim__fault_repair(void)
{
    __atomic_store_n(&sticky, CUDA_SUCCESS, __ATOMIC_RELEASE);
    __atomic_store_n(&lost, CUDA_SUCCESS, __ATOMIC_RELEASE);
}

/* A call in one phase, and what the rules that it matches do to it. */
struct match {
    const struct cushim__call *call;
    enum cushim__fault_phase phase;
    int device; /* of the current context, if a rule asks for it; otherwise -1 */
    uint64_t delay_ns;
    struct cushim__fault_rule rule; /* which chooses the result */
    bool is_answered;
    uint64_t hang; /* the call hangs as long as `releases` has this value */
};

/* The rules that a call may match in a phase. */
static uint64_t rules_of(const struct cushim__call *call, enum cushim__fault_phase phase)
{
    return __atomic_load_n(&cushim__faults.calls[call->slot], __ATOMIC_RELAXED) &
           __atomic_load_n(&cushim__faults.phases[phase], __ATOMIC_RELAXED);
}

/* Asking the mock directly takes no virtual time, as a call would. */
static int current_device(void)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);
    CUdevice device = -1;
    int number;

    if (mock)
        return mock->current(&number) ? number : -1;
    return cushim__layer_next.CtxGetDevice(&device) == CUDA_SUCCESS ? (int)device : -1;
}

static bool is_on_device(const struct match *match, int device)
{
    return device < 0 || device == match->device ||
           takes_device(match->call->slot, match->call->values, device);
}

/* `older` acts before calls, but after cuDriverGetVersion, when the version has been written. */
static bool is_of_phase(const struct match *match, const struct cushim__fault_rule *rule)
{
    const bool is_version =
        rule->effect == CUSHIM__FAULT_OLDER && match->call->slot == CUSHIM__SLOT(DriverGetVersion);

    return match->phase == (is_version ? CUSHIM__FAULT_AFTER : rule->phase);
}

static void match_rule(struct match *match, unsigned number)
{
    const struct cushim__fault_rule *rule = &cushim__faults.rules[number];

    if (!is_of_phase(match, rule) || !is_on_device(match, rule->device) ||
        !cushim__fault_match(&cushim__faults.states[number], rule))
        return;
    if (rule->effect == CUSHIM__FAULT_DELAY) {
        match->delay_ns += rule->delay_ns;
    } else if (!match->is_answered) {
        match->rule = *rule;
        match->is_answered = true;
        if (rule->effect == CUSHIM__FAULT_HANG) {
            hanging++;
            match->hang = releases;
        }
    } else {
        return;
    }
    cushim__fault_fired(number);
}

/* Match a call with all its rules, and let the time of their delays pass. */
static void match_all(struct match *match)
{
    struct cushim_layer *layer = cushim_layer_current();
    uint64_t set = rules_of(match->call, match->phase);
    const uint64_t of_device = set & __atomic_load_n(&cushim__faults.devices, __ATOMIC_RELAXED);

    if (!set)
        return;
    match->device = -1;
    if (of_device && !takes_device(match->call->slot, NULL, 0))
        match->device = current_device();
    cushim__lock_take(&layer->lock);
    /* Another thread may have changed the rules meanwhile. */
    for (set = rules_of(match->call, match->phase); set; set &= set - 1)
        match_rule(match, cushim__fault_first(set));
    cushim__lock_release(&layer->lock);
    if (match->delay_ns > 0)
        pass_time(match->delay_ns);
}

/* What a call returns because of the rule that it has matched. */
static CUresult apply(const struct match *match, struct cushim__call *call)
{
    const struct cushim__fault_rule *rule = &match->rule;

    switch (rule->effect) {
    case CUSHIM__FAULT_LOST:
        cushim__fault_subscribe_devices();
        cushim__device_lose(rule->code, rule->device);
        begin_sticky(rule->code);
        return rule->code;
    case CUSHIM__FAULT_STICKY:
        begin_sticky(rule->code);
        return rule->code;
    case CUSHIM__FAULT_HANG:
        wait_for_release(call, match->hang);
        return CUDA_ERROR_TIMEOUT;
    case CUSHIM__FAULT_MISSING:
    case CUSHIM__FAULT_OLDER:
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    default:
        return rule->code;
    }
}

/* Count the call in the rules that name another ABI of its function. */
static void count_variants(const struct cushim__call *call)
{
    const uint64_t *variants = &cushim__faults.variants[call->slot];
    struct cushim_layer *layer = cushim_layer_current();

    if (!__atomic_load_n(variants, __ATOMIC_RELAXED))
        return;
    cushim__lock_take(&layer->lock);
    for (uint64_t set = __atomic_load_n(variants, __ATOMIC_RELAXED); set; set &= set - 1)
        cushim__variant_count(&cushim__faults.states[cushim__fault_first(set)].variants,
                              call->slot);
    cushim__lock_release(&layer->lock);
}

/* Write what the driver would, had the call failed in it. */
static void write_results(const struct cushim__call *call, CUresult code)
{
    const int byte = cushim__effects[call->slot].failure == CUSHIM__FAILURE_ZERO ? 0 : 0xff;

    if (!cushim__failure_is_written(call->slot, code))
        return;
    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        if (call->values[i])
            memset((void *)(uintptr_t)call->values[i], byte,
                   cushim__parameter_at(call->slot, i)->failure_bytes);
    }
}

static bool before(struct cushim__call *call, CUresult *answer)
{
    struct match match = {.call = call, .phase = CUSHIM__FAULT_BEFORE};
    CUresult lasting;

    count_variants(call);
    match_all(&match);
    lasting = match.is_answered ? CUDA_SUCCESS : lasting_error(call);
    if (!match.is_answered && lasting == CUDA_SUCCESS)
        return true;
    call->is_injected = true;
    *answer = match.is_answered ? apply(&match, call) : lasting;
    write_results(call, *answer);
    return false;
}

static void lower_version(const struct cushim__call *call, int version)
{
    int *written = (int *)(uintptr_t)call->values[0];

    if (written && *written > version)
        *written = version;
}

static CUresult after(struct cushim__call *call, CUresult answer)
{
    struct match match = {.call = call, .phase = CUSHIM__FAULT_AFTER};

    if (call->is_injected)
        return answer;
    match_all(&match);
    if (!match.is_answered)
        return answer;
    if (match.rule.effect == CUSHIM__FAULT_OLDER) {
        if (answer == CUDA_SUCCESS)
            lower_version(call, match.rule.version);
        return answer;
    }
    call->is_injected = true;
    return apply(&match, call);
}

static void destroy(void)
{
    end_hanging();
    cushim_fault_clear(cushim_layer_current());
    cushim__fault_is_sticky = false;
}

const struct cushim__subscriber cushim__fault = {
    .before = before, .after = after, .begin_child = begin_child, .destroy = destroy};
