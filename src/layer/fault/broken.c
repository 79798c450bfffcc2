/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state is atomic and without a lock: an operation of the mock breaks a device under the mock's
 * lock, under which the layer's must not be taken.
 */
#include "src/layer/fault/broken.h"

#include <string.h>

#include "src/base/call_rules.h"
#include "src/layer/layer.h"

static CUresult sticky, lost;
static int lost_device;

static bool is_device(const struct cushim__parameter *parameter)
{
    return parameter->kind == CUSHIM__PARAMETER_SIGNED && strcmp(parameter->type, "CUdevice") == 0;
}

bool cushim__takes_device(unsigned slot)
{
    for (unsigned i = cushim__parameter_first[slot]; i < cushim__parameter_first[slot + 1]; i++) {
        if (is_device(&cushim__parameters[i]))
            return true;
    }
    return false;
}

bool cushim__names_device(const struct cushim__call *call, int device)
{
    const unsigned first = cushim__parameter_first[call->slot];

    for (unsigned i = first; i < cushim__parameter_first[call->slot + 1]; i++) {
        if (is_device(&cushim__parameters[i]) && (int)(int64_t)call->values[i - first] == device)
            return true;
    }
    return false;
}

static bool works_after_fault(unsigned slot)
{
    return cushim__call_rules(slot) & CUSHIM__AFTER_FAULT;
}

void cushim__broken_sticky(CUresult code)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);
    CUresult none = CUDA_SUCCESS;

    if (host) {
        host->fault(code);
        return;
    }
    __atomic_compare_exchange_n(&sticky, &none, code, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (!works_after_fault(slot))
            cushim__watch_set(slot, CUSHIM__WATCHED_BY_FAULT, true);
    }
}

void cushim__broken_watch(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (cushim__takes_device(slot))
            cushim__watch_set(slot, CUSHIM__WATCHED_BY_FAULT, true);
    }
}

void cushim__device_lose(CUresult code, int device)
{
    if (!cushim_layer_current() || __atomic_load_n(&lost, __ATOMIC_ACQUIRE) != CUDA_SUCCESS)
        return;
    __atomic_store_n(&lost_device, device, __ATOMIC_RELAXED);
    __atomic_store_n(&lost, code, __ATOMIC_RELEASE);
}

CUresult cushim__broken_answer(const struct cushim__call *call)
{
    const CUresult lost_code = __atomic_load_n(&lost, __ATOMIC_ACQUIRE);
    const int device = __atomic_load_n(&lost_device, __ATOMIC_RELAXED);

    if (lost_code != CUDA_SUCCESS && cushim__takes_device(call->slot) &&
        (device < 0 || cushim__names_device(call, device)))
        return lost_code;
    return works_after_fault(call->slot) ? CUDA_SUCCESS
                                         : __atomic_load_n(&sticky, __ATOMIC_ACQUIRE);
}

void cushim__broken_end(void)
{
    __atomic_store_n(&sticky, CUDA_SUCCESS, __ATOMIC_RELEASE);
    __atomic_store_n(&lost, CUDA_SUCCESS, __ATOMIC_RELEASE);
}
