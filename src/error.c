/* SPDX-License-Identifier: Apache-2.0 */
/* Names, meanings and advice for result codes, from the registry; nothing here calls a driver. */
#include <stddef.h>

#include <cushim/error.h>

#include "loader/loader.h"
#include "loader/results.h"

/* The row of `code`, or NULL for a code that the registry does not have. */
static const struct cushim__result *find_result(CUresult code)
{
    const unsigned number = (unsigned)code;
    size_t low = 0, high = CUSHIM__RESULT_COUNT;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (cushim__results[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == CUSHIM__RESULT_COUNT || cushim__results[low].number != number)
        return NULL;
    return &cushim__results[low];
}

const char *cushim_error_name(CUresult code)
{
    const struct cushim__result *result = find_result(code);

    return result ? result->name : "unrecognized CUresult";
}

const char *cushim_error_string(CUresult code)
{
    const struct cushim__result *result = find_result(code);

    return result ? result->meaning : "a result code that this version of cushim does not know";
}

const char *cushim_error_advice(CUresult code)
{
    const struct cushim__result *result = find_result(code);

    return result ? result->advice
                  : "Ask the driver with cuGetErrorName and cuGetErrorString, and update cushim.";
}

enum cushim_sticky cushim_error_sticky(CUresult code)
{
    const struct cushim__result *result = find_result(code);

    return result ? result->sticky : CUSHIM_STICKY_NO;
}

/* As the driver does: an unknown code gives NULL and INVALID_VALUE. */
static CUresult return_text(const char *text, const char **result)
{
    if (!result)
        return CUDA_ERROR_INVALID_VALUE;
    *result = text;
    return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cushim__get_error_name(CUresult code, const char **name)
{
    const struct cushim__result *result = find_result(code);

    return return_text(result ? result->name : NULL, name);
}

CUresult CUDAAPI cushim__get_error_string(CUresult code, const char **text)
{
    const struct cushim__result *result = find_result(code);

    return return_text(result ? result->meaning : NULL, text);
}
