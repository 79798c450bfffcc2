/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes, named and explained (statement 7). */
#include "src/base/result.h"
#include "src/mock/api/api.h"
#include "src/mock/core/state.h"

/*
 * Codes that came after CUDA 13.0, and the version of each. The mock knows all older ones, whatever
 * its own version is.
 */
static const struct {
    unsigned short number, since;
} newer[] = {{47, 13040}, {227, 13040}, {917, 13010}, {918, 13030}, {919, 13040}};

/* Whether the driver of this version knows a code, if there is such a code. */
static bool is_known(CUresult code)
{
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        if (newer[i].number == (unsigned)code &&
            newer[i].since > cushim__mock->settings.driver_version)
            return false;
    }
    return true;
}

/* A text of a code. */
static CUresult tell(const char *text, const char **pStr)
{
    if (!pStr) {
        cushim__mock_misuse("the driver crashes on a NULL pointer");
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pStr = text;
    return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXACT(GetErrorName)(CUresult error, const char **pStr)
{
    return tell(is_known(error) ? cushim__result_name(error) : NULL, pStr);
}

MOCK_APPROXIMATE(GetErrorString, "the texts are those of cushim_error_string")
(CUresult error, const char **pStr)
{
    return tell(is_known(error) ? cushim__result_meaning(error) : NULL, pStr);
}
