/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/roles.h"

#include <stddef.h>

#include "loader/symbols.h"
#include "src/driver_api/function_name.h"

/*
 * The first pattern that matches counts. docs/driver-semantics.md says which functions block: those
 * that wait for events, streams and contexts, those that end a context or unload code (89), those
 * that free memory (94), and copies that are not asynchronous (113), except within the device.
 */
static const struct {
    const char *pattern;
    uint16_t roles;
} patterns[] = {
    {"cu*Synchronize*", TRACE_BLOCKS | TRACE_WAITS},
    {"cuCtxDestroy*", TRACE_BLOCKS | TRACE_UNLOADS | TRACE_DESTROYS_CONTEXT},
    {"cuDevicePrimaryCtxRetain", TRACE_RETAINS_PRIMARY},
    {"cuDevicePrimaryCtxRe*", TRACE_BLOCKS | TRACE_UNLOADS | TRACE_RELEASES_PRIMARY},
    {"cuGreenCtxDestroy", TRACE_BLOCKS},
    {"cu*Unload", TRACE_BLOCKS | TRACE_UNLOADS},
    {"cuStreamDestroy", TRACE_BLOCKS | TRACE_ENDS_CAPTURE},
    {"cuStreamDestroy*", TRACE_ENDS_CAPTURE},
    {"cuStream*CaptureToCig*", 0},
    {"cuStreamBegin*apture*", TRACE_BEGINS_CAPTURE},
    {"cuStreamEndCapture*", TRACE_ENDS_CAPTURE},
    {"cuMemAllocHost*", 0},
    {"cuMemAllocPitch*", TRACE_PITCHES},
    {"cuMemAlloc*", TRACE_ALLOCATES},
    {"cuMemFreeAsync*", TRACE_FREES},
    {"cuMemFreeHost", TRACE_BLOCKS},
    {"cuMemFree*", TRACE_BLOCKS | TRACE_FREES},
    {"cuMemHostUnregister", TRACE_BLOCKS},
    {"cuMemcpy*Async*", 0},
    {"cuMemcpyDtoD*", 0},
    {"cuMemcpyDtoA*", 0},
    {"cuMemcpyAtoD*", 0},
    {"cuMemcpyAtoA*", 0},
    {"cuMemcpy*", TRACE_BLOCKS},
};

uint16_t trace_roles_of(unsigned slot)
{
    for (size_t i = 0; slot < CUSHIM__SYMBOL_COUNT && i < sizeof patterns / sizeof *patterns; i++) {
        if (cushim__pattern_fits(patterns[i].pattern, cushim__slot_name(slot)))
            return patterns[i].roles;
    }
    return 0;
}
