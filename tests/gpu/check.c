/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stddef.h>

#include <cushim/error.h>

#include "begin.h"
#include "loader/codes.h"

/* Whether the driver could not do better: it lacks a symbol, or is one that was named to run on. */
static bool is_beyond_the_driver(CUresult code)
{
    if (code == CUDA_ERROR_NOT_SUPPORTED)
        return begin_library != NULL;
    if (code != CUSHIM__REQUIRES_NEWER_DRIVER)
        return false;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim_symbol_missed(i))
            return true;
    }
    return false;
}

void check_code(const char *file, int line, const char *text, CUresult got, CUresult want)
{
    if (got == want)
        return;
    if (is_beyond_the_driver(got))
        skip("the driver answers %d %s to %s", (int)got, cushim_error_name(got), text);
    fail("%s:%d: %s answers %d %s instead of %d %s", file, line, text, (int)got,
         cushim_error_name(got), (int)want, cushim_error_name(want));
}

void check_true(const char *file, int line, const char *text, bool holds)
{
    if (!holds)
        fail("%s:%d: not so: %s", file, line, text);
}
