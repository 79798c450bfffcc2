/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are newer than the version of CUDA which the program promises to work with: those
 * that it calls, and those that it looks up. Each is reported once.
 */
#include <string.h>

#include "src/check/check.h"
#include "src/driver_api/function_name.h"

enum { CALLED = 1, LOOKED_UP = 2 };
static uint8_t reported[CUSHIM__SYMBOL_COUNT];

static bool is_news(unsigned slot, uint8_t how)
{
    const bool is_newer = cushim__symbols[slot].since > cushim__check_options.promise;
    const bool is_first = !(reported[slot] & how);

    if (cushim__check_options.promise == 0 || !is_newer)
        return false;
    reported[slot] |= how;
    return is_first;
}

static void report(const struct cushim__call *call, enum cushim__check_id id, unsigned slot,
                   const char *how)
{
    const int since = cushim__symbols[slot].since, promise = cushim__check_options.promise;

    cushim__check_report(call, id, NULL, NULL, "%s is %s, which is of CUDA %d.%d and not of %d.%d",
                         cushim__slot_name(slot), how, since / 1000, since % 1000 / 10,
                         promise / 1000, promise % 1000 / 10);
}

/* Where a driver lacks a function that has a fallback, cushim's table calls that. */
static void started(struct cushim__call *call)
{
    const bool has_fallback = cushim__symbols[call->slot].fallback != CUSHIM__NO_FALLBACK;

    if (is_news(call->slot, CALLED))
        report(call, has_fallback ? CUSHIM__CHECK_PROMISE_LOOKUP : CUSHIM__CHECK_PROMISE_CALL,
               call->slot, has_fallback ? "called without need" : "called");
}

/* A driver has given the function that a version of CUDA has by this name. */
static void note_found(const struct cushim__call *call)
{
    const void *const *found = (const void *const *)(uintptr_t)call->values[1];
    unsigned newest;

    if (*found &&
        cushim__newest_symbol((const char *)(uintptr_t)call->values[0],
                              (int)(int64_t)call->values[2], false, &newest) &&
        is_news(newest, LOOKED_UP))
        report(call, CUSHIM__CHECK_PROMISE_LOOKUP, newest, "looked up");
}

static void ended(struct cushim__call *call, CUresult answer)
{
    if (answer == CUDA_SUCCESS && cushim__check_options.promise > 0 &&
        (call->slot == CUSHIM__SLOT(GetProcAddress) ||
         call->slot == CUSHIM__SLOT(GetProcAddress_v2)))
        note_found(call);
}

static void destroy(void)
{
    memset(reported, 0, sizeof reported);
}

const struct cushim__check_module cushim__check_promise = {
    .started = started,
    .ended = ended,
    .begin_child = destroy,
    .destroy = destroy,
};
