/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are newer than the version of CUDA with which the program has to work
 * (`--promise`), and which it calls or looks up. Each is reported once.
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

/* `older` does the same in the promised version; NULL if there is none. */
static void report(const struct cushim__call *call, enum cushim__check_id id, unsigned slot,
                   const char *how, const char *older)
{
    const int since = cushim__symbols[slot].since, promise = cushim__check_options.promise;

    cushim__check_report(call, id, NULL, NULL, "%s of CUDA %d.%d is %s; CUDA %d.%d %s%s",
                         cushim__slot_name(slot), since / 1000, since % 1000 / 10, how,
                         promise / 1000, promise % 1000 / 10,
                         older ? "has in its place " : "does not have it", older ? older : "");
}

/* If a driver lacks a function, cushim's table calls its fallback, if it has one. */
void cushim__check_promise_started(struct cushim__call *call)
{
    const unsigned fallback = cushim__symbols[call->slot].fallback;
    const bool has_older = fallback != CUSHIM__NO_FALLBACK &&
                           cushim__symbols[fallback].since <= cushim__check_options.promise;

    if (is_news(call->slot, CALLED))
        report(call, has_older ? CUSHIM__CHECK_PROMISE_LOOKUP : CUSHIM__CHECK_PROMISE_CALL,
               call->slot, "called", has_older ? cushim__slot_name(fallback) : NULL);
}

/* The driver has returned the function that the requested version of CUDA has by this name. */
static void note_found(const struct cushim__call *call)
{
    const void *const *found = (const void *const *)(uintptr_t)call->values[1];
    unsigned newest;

    if (*found &&
        cushim__newest_symbol((const char *)(uintptr_t)call->values[0],
                              (int)(int64_t)call->values[2], false, &newest) &&
        is_news(newest, LOOKED_UP))
        report(call, CUSHIM__CHECK_PROMISE_LOOKUP, newest, "looked up", NULL);
}

void cushim__check_promise_ended(struct cushim__call *call, CUresult answer)
{
    if (answer == CUDA_SUCCESS && cushim__check_options.promise > 0 &&
        (call->slot == CUSHIM__SLOT(GetProcAddress) ||
         call->slot == CUSHIM__SLOT(GetProcAddress_v2)))
        note_found(call);
}

void cushim__check_promise_destroy(void)
{
    memset(reported, 0, sizeof reported);
}
