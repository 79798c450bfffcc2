/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/fault.h"

#include "loader/codes.h"
#include "src/layer/fault/broken.h"
#include "src/layer/fault/hang.h"
#include "src/layer/fault/lookup.h"
#include "src/layer/fault/rules.h"
#include "src/layer/layer.h"

/* A call that is met in one phase, and what it has met. */
struct meeting {
    const struct cushim__call *call;
    enum cushim_fault_phase phase;
    int device; /* of the current context, if a rule asks for it; -1: none */
    uint64_t delay_ns;
    struct cushim__fault_rule rule; /* which answers the call */
    bool is_answered;
    uint64_t hang; /* what it waits by, if it hangs */
};

/* The rules that a call meets in a phase. */
static uint64_t rules_of(const struct cushim__call *call, enum cushim_fault_phase phase)
{
    return __atomic_load_n(&cushim__faults.calls[call->slot], __ATOMIC_RELAXED) &
           __atomic_load_n(&cushim__faults.phases[phase], __ATOMIC_RELAXED);
}

/* The mock tells it without a call, which would take time there. */
static int current_device(void)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);
    CUdevice device = -1;
    int number;

    if (host)
        return host->device(&number) ? number : -1;
    return cushim__layer_next.CtxGetDevice(&device) == CUDA_SUCCESS ? (int)device : -1;
}

static bool is_on_device(const struct meeting *meeting, int device)
{
    return device < 0 || device == meeting->device || cushim__names_device(meeting->call, device);
}

/* Missing symbols are met whenever they are called; the phase of `older` is that of its answer. */
static bool is_of_phase(const struct meeting *meeting, const struct cushim__fault_rule *rule)
{
    const bool tells_version =
        rule->effect == CUSHIM_FAULT_OLDER && meeting->call->slot == CUSHIM__SLOT(DriverGetVersion);

    return meeting->phase == (tells_version ? CUSHIM_FAULT_AFTER : rule->phase);
}

static void meet(struct meeting *meeting, unsigned number)
{
    const struct cushim__fault_rule *rule = &cushim__faults.rules[number];

    if (!is_of_phase(meeting, rule) || !is_on_device(meeting, rule->device) ||
        !cushim__fault_match(&cushim__faults.states[number], rule))
        return;
    if (rule->effect == CUSHIM_FAULT_DELAY) {
        meeting->delay_ns += rule->delay_ns;
    } else if (!meeting->is_answered) {
        meeting->rule = *rule;
        meeting->is_answered = true;
        if (rule->effect == CUSHIM_FAULT_HANG)
            meeting->hang = cushim__hang_begin();
    } else {
        return;
    }
    cushim__fault_fired(number);
}

/* Meet all rules of a call, and let the time pass that they take. */
static void meet_all(struct meeting *meeting)
{
    struct cushim_layer *layer = cushim_layer_current();
    uint64_t set = rules_of(meeting->call, meeting->phase);
    const uint64_t of_device = set & __atomic_load_n(&cushim__faults.devices, __ATOMIC_RELAXED);

    if (!set)
        return;
    meeting->device = -1;
    if (of_device && !cushim__takes_device(meeting->call->slot))
        meeting->device = current_device();
    cushim__lock_take(&layer->lock);
    /* As they are by now. */
    for (set = rules_of(meeting->call, meeting->phase); set; set &= set - 1)
        meet(meeting, cushim__fault_first(set));
    cushim__lock_release(&layer->lock);
    if (meeting->delay_ns > 0)
        cushim__hang_delay(meeting->delay_ns);
}

/* What a call answers that is struck by a rule. */
static CUresult strike(const struct meeting *meeting, struct cushim__call *call)
{
    const struct cushim__fault_rule *rule = &meeting->rule;

    switch (rule->effect) {
    case CUSHIM_FAULT_LOST:
        cushim__broken_watch();
        cushim__device_lose(rule->code, rule->device);
        cushim__broken_sticky(rule->code);
        return rule->code;
    case CUSHIM_FAULT_STICKY:
        cushim__broken_sticky(rule->code);
        return rule->code;
    case CUSHIM_FAULT_HANG:
        cushim__hang_wait(call, meeting->hang);
        return CUDA_ERROR_TIMEOUT;
    case CUSHIM_FAULT_MISSING:
    case CUSHIM_FAULT_OLDER:
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    default:
        return rule->code;
    }
}

/* What names another ABI of the function learns that this one came. */
static void meet_kin(const struct cushim__call *call)
{
    const uint64_t *kin = &cushim__faults.kin[call->slot];
    struct cushim_layer *layer = cushim_layer_current();

    if (!__atomic_load_n(kin, __ATOMIC_RELAXED))
        return;
    cushim__lock_take(&layer->lock);
    for (uint64_t set = __atomic_load_n(kin, __ATOMIC_RELAXED); set; set &= set - 1)
        cushim__kin_count(&cushim__faults.states[cushim__fault_first(set)].kin, call->slot);
    cushim__lock_release(&layer->lock);
}

bool cushim__fault_before(struct cushim__call *call, CUresult *answer)
{
    struct meeting meeting = {.call = call, .phase = CUSHIM_FAULT_BEFORE};
    CUresult broken;

    if (!(__atomic_load_n(&cushim__watched[call->slot], __ATOMIC_RELAXED) &
          CUSHIM__WATCHED_BY_FAULT))
        return true;
    meet_kin(call);
    meet_all(&meeting);
    broken = meeting.is_answered ? CUDA_SUCCESS : cushim__broken_answer(call);
    if (!meeting.is_answered && broken == CUDA_SUCCESS)
        return true;
    call->is_injected = true;
    *answer = meeting.is_answered ? strike(&meeting, call) : broken;
    return false;
}

static void tell_version(const struct cushim__call *call, int version)
{
    int *told = (int *)(uintptr_t)call->values[0];

    if (told && *told > version)
        *told = version;
}

CUresult cushim__fault_after(struct cushim__call *call, CUresult answer)
{
    struct meeting meeting = {.call = call, .phase = CUSHIM_FAULT_AFTER};

    if (cushim__is_lookup(call))
        answer = cushim__lookup_hide(call, answer);
    if (!(__atomic_load_n(&cushim__watched[call->slot], __ATOMIC_RELAXED) &
          CUSHIM__WATCHED_BY_FAULT))
        return answer;
    meet_all(&meeting);
    if (!meeting.is_answered)
        return answer;
    if (meeting.rule.effect == CUSHIM_FAULT_OLDER) {
        if (answer == CUDA_SUCCESS)
            tell_version(call, meeting.rule.version);
        return answer;
    }
    call->is_injected = true;
    return strike(&meeting, call);
}

void cushim__fault_end(void)
{
    cushim__hang_end();
    cushim_fault_clear(cushim_layer_current());
    cushim__faults.seed = 0;
}
