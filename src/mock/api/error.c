/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes, named and explained (statement 7). */
#include "src/mock/api/error.h"

#include "loader/results.h"
#include "src/mock/call.h"
#include "src/mock/core/state.h"

/* The row of a code, or NULL for one that there is not. */
static const struct cushim__result *find(CUresult code)
{
    for (size_t i = 0; i < CUSHIM__RESULT_COUNT; i++) {
        if (cushim__results[i].number == (unsigned)code)
            return &cushim__results[i];
    }
    return NULL;
}

/*
 * Codes that came after CUDA 13.0, and the version of each. The mock knows all older ones, whatever
 * its own version is.
 */
static const struct {
    unsigned short number, since;
} newer[] = {{47, 13040}, {227, 13040}, {917, 13010}, {918, 13030}, {919, 13040}};

/* The row of a code that the driver of this version knows, or NULL. */
static const struct cushim__result *find_known(CUresult code)
{
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        if (newer[i].number == (unsigned)code &&
            newer[i].since > cushim__mock->settings.driver_version)
            return NULL;
    }
    return find(code);
}

const char *cushim__mock_error_name(CUresult code)
{
    const struct cushim__result *result = find(code);

    return result ? result->name : NULL;
}

const char *cushim__mock_error_listed(size_t index, CUresult *code)
{
    if (index >= CUSHIM__RESULT_COUNT)
        return NULL;
    *code = (CUresult)cushim__results[index].number;
    return cushim__results[index].name;
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
    const struct cushim__result *result = find_known(error);

    return tell(result ? result->name : NULL, pStr);
}

MOCK_APPROXIMATE(GetErrorString, "the texts are those of cushim_error_string")
(CUresult error, const char **pStr)
{
    const struct cushim__result *result = find_known(error);

    return tell(result ? result->meaning : NULL, pStr);
}
