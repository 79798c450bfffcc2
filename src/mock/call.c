/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every call does: it takes the lock, lets its time pass, and may fail before its function is
 * called.
 */
#include "src/mock/mock.h"

#include "loader/symbols.h"
#include "src/driver_api/effects.h"
#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/capture.h"

static uint64_t cost_of(const struct mock_settings *settings, unsigned slot)
{
    const uint32_t cost = settings->call_ns ? settings->call_ns[slot] : UINT32_MAX;

    return cost == UINT32_MAX ? settings->costs.call_ns : cost;
}

/* A call after a sticky error returns that error, unless the current context has ended since. */
static CUresult after_fault(const struct cushim_mock *mock)
{
    const struct mock_context *context = cushim__mock_context_top();

    return context && !context->alive ? CUDA_ERROR_CONTEXT_IS_DESTROYED : mock->sticky_error;
}

/*
 * Refuse a call: at once or, if wrong arguments come first, where its function has checked them.
 * `fact` says whether they do in this state.
 */
static CUresult refuse(unsigned slot, unsigned fact, CUresult code)
{
    if (fact != CUSHIM__CALL_ARGUMENTS && cushim__effects[slot].init != CUSHIM__CALL_ARGUMENTS)
        return code;
    cushim__mock_call.refusal = code;
    return CUDA_SUCCESS;
}

/* Return the code with which a call fails before its function is called, or CUDA_SUCCESS. */
static CUresult check(struct cushim_mock *mock, unsigned slot)
{
    const struct cushim__effects *effects = &cushim__effects[slot];

    if (mock->settings.driver_state == MOCK_DRIVER_STUB)
        return CUDA_ERROR_STUB_LIBRARY;
    if (cushim__symbols[slot].since > mock->settings.driver_version)
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    if (mock->forked && effects->fork != CUSHIM__CALL_YES)
        return refuse(slot, effects->fork, CUDA_ERROR_NOT_INITIALIZED);
    if (!mock->initialised && effects->init != CUSHIM__CALL_YES)
        return refuse(slot, effects->init, CUDA_ERROR_NOT_INITIALIZED);
    /* Calls in a host function take no time: the cost of its operation covers them. */
    if (cushim__mock_call.in_host_function)
        return effects->callback == CUSHIM__CALL_YES
                   ? CUDA_SUCCESS
                   : refuse(slot, effects->callback, CUDA_ERROR_NOT_PERMITTED);
    cushim__mock_sim_elapse(cost_of(&mock->settings, slot));
    if (mock->sticky_error != CUDA_SUCCESS && effects->sticky != CUSHIM__CALL_YES)
        return refuse(slot, effects->sticky, after_fault(mock));
    return CUDA_SUCCESS;
}

CUresult cushim__mock_call_enter(unsigned slot)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    /* The thread already holds the lock, and may be inside another call. */
    if (cushim__in_kernel)
        return CUDA_ERROR_NOT_PERMITTED;
    cushim__mock_call.slot = slot;
    cushim__mock_call.mock = mock;
    cushim__mock_call.refusal = CUDA_SUCCESS;
    if (!mock)
        return cushim__mock_absent;
    if (cushim__mock_call.held_for_fork != mock)
        cushim__lock_take(&mock->lock);
    cushim__mock_call.number = ++mock->calls;
    if (cushim__mock_call.serial != mock->serial)
        cushim__mock_call.thread = ++mock->callers;
    cushim__mock_call.serial = mock->serial;
    if (mock->thread_count >= mock->thread_limit)
        cushim__mock_threads_sweep();
    return check(mock, slot);
}

/* Whether a refused call has found its arguments wrong. There are no devices before cuInit. */
static bool is_of_arguments(CUresult code)
{
    return code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_INVALID_HANDLE ||
           (code == CUDA_ERROR_INVALID_DEVICE &&
            cushim__mock_call.refusal != CUDA_ERROR_NOT_INITIALIZED);
}

CUresult cushim__mock_call_leave(unsigned slot, CUresult code)
{
    struct cushim_mock *mock = cushim__mock_call.mock;

    if (!mock || cushim__in_kernel)
        return code;
    if (cushim__mock_call.refusal && !is_of_arguments(code))
        code = cushim__mock_call.refusal;
    cushim__mock_call.refusal = CUDA_SUCCESS;
    if (mock->trace)
        cushim__mock_trace("call", cushim__slot_name(slot), 0, 0, code);
    cushim__mock_call.mock = NULL;
    if (cushim__mock_call.held_for_fork != mock)
        cushim__lock_release(&mock->lock);
    return code;
}

/* Return whether this is the first message about the slot, and note that it was logged. */
static bool is_first_call(unsigned slot)
{
    const bool was_logged = cushim__mock_call.mock->logged[slot];

    cushim__mock_call.mock->logged[slot] = true;
    return !was_logged;
}

void cushim__mock_call_superseded(unsigned slot, unsigned newer)
{
    const int since = cushim__symbols[slot].since, until = cushim__symbols[newer].since;

    if (until <= cushim__mock_call.mock->settings.driver_version && is_first_call(slot))
        cushim__mock_log("%s is the ABI of CUDA %d.%d, replaced by %s in CUDA %d.%d",
                         cushim__slot_name(slot), since / 1000, since % 1000 / 10,
                         cushim__slot_name(newer), until / 1000, until % 1000 / 10);
}

CUresult cushim__mock_call_refuse(unsigned slot)
{
    CUresult code = cushim__mock_call_enter(slot);

    if (code != CUDA_SUCCESS || cushim__mock_call.refusal)
        return cushim__mock_call_leave(slot, code);
    if (cushim__effects[slot].capture == CUSHIM__CALL_UNSAFE)
        code = cushim__mock_capture_unsafe();
    if (code != CUDA_SUCCESS)
        return cushim__mock_call_leave(slot, code);
    if (is_first_call(slot))
        cushim__mock_log("%s is not implemented: CUDA_ERROR_NOT_SUPPORTED",
                         cushim__slot_name(slot));
    return cushim__mock_call_leave(slot, CUDA_ERROR_NOT_SUPPORTED);
}
