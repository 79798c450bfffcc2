/* SPDX-License-Identifier: Apache-2.0 */
#include "src/testkit/primary_pin.h"

#include <string.h>

#include "src/layer/handle_table.h"
#include "src/layer/layer.h"
#include "src/layer/tracker.h"

/* Under the layer's lock. */
static struct {
    bool is_on; /* read without it */
    bool is_held[CUSHIM__HOLD_DEVICES];
    uint64_t before[CUSHIM__HOLD_DEVICES]; /* references of the program */
} hold;

static uint64_t references(int device)
{
    const struct cushim__known *known = cushim__known_primary(device);

    return known && known->is_live ? known->uses : 0;
}

void cushim__hold_begin(void)
{
    cushim__lock_take(&cushim__layer->lock);
    memset(&hold, 0, sizeof hold);
    for (int device = 0; device < CUSHIM__HOLD_DEVICES; device++)
        hold.before[device] = references(device);
    __atomic_store_n(&hold.is_on, true, __ATOMIC_RELAXED);
    cushim__lock_release(&cushim__layer->lock);
}

static bool take(int device)
{
    bool is_taken;

    cushim__lock_take(&cushim__layer->lock);
    is_taken = hold.is_on && !hold.is_held[device];
    hold.is_held[device] = true;
    cushim__lock_release(&cushim__layer->lock);
    return is_taken;
}

/* Through the layer, which keeps book of it. */
void cushim__hold_see(const struct cushim__call *call, CUresult answer)
{
    CUcontext context;
    CUdevice device;

    if (!__atomic_load_n(&hold.is_on, __ATOMIC_RELAXED) || answer != CUDA_SUCCESS ||
        call->slot != CUSHIM__SLOT(DevicePrimaryCtxRetain))
        return;
    device = (CUdevice)call->values[1];
    if (device >= 0 && device < CUSHIM__HOLD_DEVICES && take(device))
        cushim__layer_table.DevicePrimaryCtxRetain(&context, device);
}

void cushim__hold_settle(void)
{
    cushim__lock_take(&cushim__layer->lock);
    __atomic_store_n(&hold.is_on, false, __ATOMIC_RELAXED);
    for (int device = 0; device < CUSHIM__HOLD_DEVICES; device++) {
        if (hold.is_held[device])
            cushim__book_excuse_primary(device);
    }
    cushim__lock_release(&cushim__layer->lock);
}

uint64_t cushim__hold_surplus(int device)
{
    const uint64_t before = hold.before[device];
    uint64_t after;

    cushim__lock_take(&cushim__layer->lock);
    after = references(device);
    cushim__lock_release(&cushim__layer->lock);
    return before > 0 && after > before ? after - before : 0;
}

void cushim__hold_end(void)
{
    __atomic_store_n(&hold.is_on, false, __ATOMIC_RELAXED);
    for (int device = 0; device < CUSHIM__HOLD_DEVICES; device++) {
        if (hold.is_held[device])
            cushim__layer->wrapped->DevicePrimaryCtxRelease_v2(device);
        hold.is_held[device] = false;
    }
}
