/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of the simulated device and driver. They are those of one H200 with driver 580 where they
 * were measured (driver-semantics.md #46, #47 and #80), and plausible elsewhere:
 * virtual time is there to have an order and a scale, not to predict a GPU.
 */
#include <string.h>

#include "loader/symbols.h"
#include "src/mock/config/settings.h"

const struct mock_costs cushim__mock_costs_default = {
    /* Of the calls that were measured, those that queue no work take 8 to 289 ns. */
    .call_ns = 200,
    /* An empty pair of events is 1248 ns apart at least. */
    .record_ns = 1248,
    /* Not measured apart from the call. */
    .launch_ns = 2000,
    /*
     * With it and the bandwidth below, 256 MiB are set in 63.5 us between two events, as measured.
     */
    .operation_ns = 1000,
    /* 16 copies of 8 MiB of page-locked memory took 2.475 ms. */
    .host_to_device_bytes_per_us = 54200,
    /* Taken to be the same. */
    .device_to_host_bytes_per_us = 54200,
    /* A byte is read and written: half of what setting one takes. */
    .device_bytes_per_us = 2190000,
    /* Not measured. */
    .peer_bytes_per_us = 300000,
    .set_bytes_per_us = 4380000,
};

#define CALL(name, ns)         \
    {                          \
        CUSHIM__SLOT(name), ns \
    }

/* Medians of driver-semantics.md #80. Where a pair was measured together, each has half of it. */
static const struct {
    size_t slot;
    uint32_t ns;
} calls[] = {
    CALL(Init, 99000000),
    CALL(DevicePrimaryCtxRetain, 110000000),
    CALL(CtxGetCurrent, 8),
    CALL(EventCreate, 140),
    CALL(EventDestroy_v2, 140),
    CALL(EventRecord, 1700),
    CALL(EventQuery, 153),
    CALL(EventElapsedTime, 289),
    CALL(EventElapsedTime_v2, 66),
    CALL(StreamCreate, 2050),
    CALL(StreamCreateWithPriority, 2050),
    CALL(StreamDestroy_v2, 2050),
    CALL(StreamQuery, 165),
    CALL(StreamWaitEvent, 129),
    CALL(StreamGetFlags, 15),
};

/* The function that does the same on the legacy default stream; its own number if there is none. */
static size_t legacy_twin(size_t slot)
{
    const char *name = cushim__slot_name(slot);
    const size_t length = strlen(name) - strlen("_ptsz");

    if (!(cushim__symbols[slot].flags & CUSHIM__PER_THREAD))
        return slot;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const char *other = cushim__slot_name(i);
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return i;
    }
    return slot;
}

void cushim__mock_costs_fill(uint32_t *call_ns)
{
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = UINT32_MAX;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        call_ns[calls[i].slot] = calls[i].ns;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++)
        call_ns[i] = call_ns[legacy_twin(i)];
}
