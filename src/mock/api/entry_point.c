/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a program finds functions through the driver itself: statements 5 and 6. A name is asked for
 * without the version and the stream that its symbols have as suffixes.
 *
 * What the statements leave open was asked of the drivers 470 (11.4), 525 (12.0), 555 (12.5) and
 * 580 (13.0): a negative version is newer than all, and still not refused; flags above 3 are
 * refused before anything is looked up, 3 is 2, and a NULL name or function pointer crashes.
 */
#include <string.h>

#include "loader/symbols.h"
#include "src/mock/api/api.h"
#include "src/mock/api/symbol.h"
#include "src/mock/core/state.h"

enum { PER_THREAD_STREAM = 2, HIGHEST_FLAGS = 3 };
enum { FOUND, UNKNOWN_NAME, TOO_OLD };

/*
 * From here on a version above the driver's own is refused; 555 answers with the newest that it
 * has, 580 refuses. No driver in between was asked.
 */
enum { REFUSES_NEWER = 13000 };

static bool has_base(const struct cushim__symbol *symbol, const char *base, size_t length)
{
    return symbol->base_length == length &&
           memcmp(cushim__symbol_names + symbol->name, base, length) == 0;
}

/* Whether a base name has symbols for the per-thread default stream. */
static bool has_per_thread(const char *base, int driver)
{
    const size_t length = strlen(base);

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        if (cushim__symbols[i].flags & CUSHIM__PER_THREAD &&
            cushim__mock_symbol_exists(i, driver) && has_base(&cushim__symbols[i], base, length))
            return true;
    }
    return false;
}

/* Find the newest symbol of a base name that `version` knows. Returns how it stands with it. */
static int find(const char *base, unsigned version, bool per_thread, unsigned *slot)
{
    const int driver = cushim__mock->settings.driver_version;
    const size_t length = strlen(base);
    int status = UNKNOWN_NAME;
    unsigned newest = 0;

    per_thread = per_thread && has_per_thread(base, driver);
    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const struct cushim__symbol *symbol = &cushim__symbols[i];
        if (!has_base(symbol, base, length) || !cushim__mock_symbol_exists(i, driver) ||
            (symbol->flags & CUSHIM__PER_THREAD) != (per_thread ? CUSHIM__PER_THREAD : 0))
            continue;
        if (status == UNKNOWN_NAME)
            status = TOO_OLD;
        if (symbol->since <= version && symbol->since > newest) {
            newest = symbol->since;
            *slot = i;
            status = FOUND;
        }
    }
    return status;
}

/* What both versions of the call check first. */
static CUresult check(const char *symbol, void *const *function, int version, cuuint64_t flags)
{
    const int driver = cushim__mock->settings.driver_version;

    if (!symbol || !function) {
        cushim__mock_misuse("the %s is NULL", symbol ? "place for the function" : "name");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags > HIGHEST_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    if (version > driver && driver >= REFUSES_NEWER)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static void *pointer_to(unsigned slot)
{
    const cushim_function function = cushim__mock_symbol_source(slot);
    void *pointer;

    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

MOCK_EXACT(GetProcAddress)
(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    unsigned slot = 0;
    CUresult code = check(symbol, pfn, cudaVersion, flags);

    if (code != CUDA_SUCCESS)
        return code;
    if (find(symbol, (unsigned)cudaVersion, flags & PER_THREAD_STREAM, &slot) != FOUND)
        return CUDA_ERROR_NOT_FOUND;
    *pfn = pointer_to(slot);
    return CUDA_SUCCESS;
}

MOCK_EXACT(GetProcAddress_v2)
(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
 cushim_CUdriverProcAddressQueryResult *symbolStatus)
{
    unsigned slot = 0;
    int status;
    CUresult code = check(symbol, pfn, cudaVersion, flags);

    if (code != CUDA_SUCCESS)
        return code;
    status = find(symbol, (unsigned)cudaVersion, flags & PER_THREAD_STREAM, &slot);
    *pfn = status == FOUND ? pointer_to(slot) : NULL;
    if (symbolStatus)
        *symbolStatus = (cushim_CUdriverProcAddressQueryResult)status;
    return CUDA_SUCCESS;
}

/* No identifier is known here; drivers 470 to 580 answer one that they do not know like this. */
MOCK_APPROXIMATE(GetExportTable, "knows no table: those of the driver are private")
(const void **ppExportTable, const CUuuid *pExportTableId)
{
    if (!ppExportTable || !pExportTableId)
        return CUDA_ERROR_INVALID_VALUE;
    *ppExportTable = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
