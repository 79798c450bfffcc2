/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses by the unwinder of the compiler's runtime, where the toolchain has one. */
#include "src/layer/call_site.h"

#include <stdbool.h>
#include <string.h>
#include <unwind.h>

/* Deeper than that nothing is looked for. */
enum { DEEPEST = 64 };

struct walk {
    struct cushim__caller *place;
    uintptr_t function, outer;
    unsigned depth, count;
    bool is_outside; /* the function is behind */
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;

    if (!walk->is_outside)
        walk->is_outside = _Unwind_GetRegionStart(context) == walk->function;
    else if (walk->count > 0 || _Unwind_GetRegionStart(context) != walk->outer)
        walk->place->addresses[walk->count++] = _Unwind_GetIP(context);
    return ++walk->depth == DEEPEST || walk->count == CUSHIM__PLACE_DEPTH ? _URC_END_OF_STACK
                                                                          : _URC_NO_REASON;
}

void cushim__place_take(struct cushim__caller *place, uintptr_t function, uintptr_t outer)
{
    struct walk walk = {.place = place, .function = function, .outer = outer};

    memset(place, 0, sizeof *place);
    _Unwind_Backtrace(visit, &walk);
}
