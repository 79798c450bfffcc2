/* SPDX-License-Identifier: Apache-2.0 */
/* Names, meanings and advice for result codes, from the registry; nothing here calls a driver. */
#include <stddef.h>

#include <cushim/error.h>

#include "loader/loader.h"
#include "loader/results.h"

/* For codes that the registry does not have. */
static const struct cushim__result unknown_result = {
    .name = "unrecognized CUresult",
    .meaning = "a result code that this version of cushim does not know",
    .advice = "Ask the driver with cuGetErrorName and cuGetErrorString, and update cushim.",
    .sticky = CUSHIM_STICKY_NO,
};

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
        return &unknown_result;
    return &cushim__results[low];
}

const char *cushim_error_name(CUresult code)
{
    return find_result(code)->name;
}

const char *cushim_error_string(CUresult code)
{
    return find_result(code)->meaning;
}

const char *cushim_error_advice(CUresult code)
{
    return find_result(code)->advice;
}

enum cushim_sticky cushim_error_sticky(CUresult code)
{
    return find_result(code)->sticky;
}

/* Like the driver, gives NULL and INVALID_VALUE for an unknown code. */
static CUresult return_text(CUresult code, const char *text, const char **result)
{
    const bool is_known = find_result(code) != &unknown_result;

    if (!result)
        return CUDA_ERROR_INVALID_VALUE;
    *result = is_known ? text : NULL;
    return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cushim__get_error_name(CUresult code, const char **name)
{
    return return_text(code, cushim_error_name(code), name);
}

CUresult CUDAAPI cushim__get_error_string(CUresult code, const char **text)
{
    return return_text(code, cushim_error_string(code), text);
}

/* Whether cushim returns a code itself, so that the driver need not know it. */
static bool is_own_code(CUresult code)
{
    switch ((int)code) {
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUSHIM__REQUIRES_NEWER_DRIVER:
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
    case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
    case CUDA_ERROR_TIMEOUT:
        return true;
    default:
        return false;
    }
}

CUresult cushim__ask_driver(cushim__error_text driver, cushim__error_text registry, CUresult code,
                            const char **text)
{
    const CUresult answer = driver(code, text);

    return answer == CUDA_ERROR_INVALID_VALUE && is_own_code(code) ? registry(code, text) : answer;
}
