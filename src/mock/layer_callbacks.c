/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's callbacks for the layer. */

#include "src/layer/mock_interface.h"
#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/object.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/mock.h"
#include "src/mock/sim/sim.h"

/* Take the mock's lock. Returns NULL if there is no mock. */
static struct cushim_mock *enter(void)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    if (mock)
        cushim__mock_lock(mock);
    return mock;
}

static void leave(struct cushim_mock *mock)
{
    if (mock)
        cushim__mock_unlock(mock);
}

static uint64_t now(void)
{
    struct cushim_mock *mock = enter();
    const uint64_t now_ns = mock ? cushim__mock->executing_at_ns : 0;

    leave(mock);
    return now_ns;
}

static void delay(uint64_t duration_ns)
{
    struct cushim_mock *mock = enter();

    if (mock && !cushim__in_kernel)
        cushim__mock_sim_elapse(duration_ns);
    leave(mock);
}

static void fault(CUresult code)
{
    struct cushim_mock *mock = enter();

    if (mock)
        cushim__mock_sim_set_sticky_error(code);
    leave(mock);
}

static CUcontext current(int *device)
{
    CUcontext handle = NULL;
    struct cushim_mock *mock = enter();
    const struct mock_context *context = mock ? cushim__mock_context_top() : NULL;

    if (context) {
        *device = context->device->ordinal;
        handle = context->object.handle;
    }
    leave(mock);
    return handle;
}

static void alone(void (*act)(void))
{
    struct cushim_mock *mock = enter();

    act();
    leave(mock);
}

static void release(void)
{
    struct cushim_mock *mock = enter();

    if (mock)
        cushim__mock_sim_release_hung();
    leave(mock);
}

static bool finds_races(void)
{
    struct cushim_mock *mock = __atomic_load_n(&cushim__mock, __ATOMIC_ACQUIRE);

    return mock && mock->settings.races != MOCK_RACES_IGNORE;
}

static void set_tag(uint64_t value, enum cushim__object_type type, const char *tag)
{
    struct cushim_mock *mock = enter();

    if (mock && (type == CUSHIM__TYPE_MEMORY || type == CUSHIM__TYPE_GLOBAL))
        cushim__mock_allocation_set_tag(value, tag);
    else if (mock)
        cushim__mock_object_set_tag((const void *)(uintptr_t)value, type, tag);
    leave(mock);
}

const struct cushim__mock_callbacks cushim__mock_layer_callbacks = {
    .now_ns = now,
    .delay = delay,
    .fault = fault,
    .current = current,
    .alone = alone,
    .release = release,
    .finds_races = finds_races,
    .set_tag = set_tag,
};
