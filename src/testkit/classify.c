/* SPDX-License-Identifier: Apache-2.0 */
#include "src/testkit/classify.h"
#include "src/layer/pattern.h"

#include <stddef.h>
#include <string.h>

#include "loader/symbols.h"

/* In the names of functions that give something back, and in none that does not, but for these. */
static const char *const giving_back[] = {
    "Destroy", "Free",  "Release",    "Unload",     "Unregister",        "Close",
    "Detach",  "Unmap", "Disconnect", "PopCurrent", "DisablePeerAccess", "EndCapture",
    NULL,
};
static const char *const not_giving_back[] = {"MemFreeNode", NULL};

/* In the names of functions for which something can be too much. */
static const char *const taking[] = {
    "Create", "Alloc",   "Retain",  "Load",     "Instantiate", "Register", "Import", "Open",
    "Clone",  "Reserve", "AddNode", "GraphAdd", "MemMap",      "LinkAdd",  NULL,
};
static const char *const not_taking[] = {"Get", "IsLoaded", "FindIn", NULL};

/* These read what the library has in it, and have no reason to fail. */
static const char *const reading[] = {
    "cuDriverGetVersion", "cuGetErrorName",      "cuGetErrorString",
    "cuGetProcAddress",   "cuGetProcAddress_v2", NULL,
};

static bool has_any(const char *name, const char *const *words)
{
    for (; *words; words++) {
        if (strstr(name, *words))
            return true;
    }
    return false;
}

/* It stands for several functions, and not for one that the caller has thought of. */
static bool is_wide(const char *pattern)
{
    return !pattern || strchr(pattern, '*');
}

bool cushim__sweep_is_meant(const char *function, const char *pattern)
{
    if (is_wide(pattern)) {
        for (const char *const *name = reading; *name; name++) {
            if (strcmp(function, *name) == 0)
                return false;
        }
    }
    return !pattern || cushim__pattern_fits(pattern, function);
}

bool cushim__sweep_means_any(const char *pattern, bool spares)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const char *function = cushim__slot_name(slot);

        if (cushim__sweep_is_meant(function, pattern) &&
            !(spares && cushim__sweep_is_spared(function, pattern)))
            return true;
    }
    return false;
}

bool cushim__sweep_gives_back(const char *function)
{
    return has_any(function, giving_back) && !has_any(function, not_giving_back);
}

bool cushim__sweep_is_spared(const char *function, const char *pattern)
{
    return is_wide(pattern) && cushim__sweep_gives_back(function) &&
           !strstr(function, "EndCapture"); /* which answers the graph */
}

CUresult cushim__sweep_usual_code(const char *function)
{
    if (cushim__sweep_gives_back(function) || has_any(function, not_taking) ||
        !has_any(function, taking))
        return CUDA_ERROR_UNKNOWN;
    return CUDA_ERROR_OUT_OF_MEMORY;
}
