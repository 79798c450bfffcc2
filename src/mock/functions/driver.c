/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver as a whole: initialisation, symbols and entry points, the names of errors, the
 * profiler.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/system.h"
#include "src/driver_api/result.h"
#include "src/layer/mock_interface.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/functions/symbol.h"

CUresult cushim__mock_Init(unsigned int Flags)
{
    struct cushim_mock *mock = cushim__mock;
    CUresult code;
    char *visible;

    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (mock->initialised)
        return CUDA_SUCCESS;
    if (mock->settings.driver_state == MOCK_DRIVER_NO_DEVICE)
        return CUDA_ERROR_NO_DEVICE;
    if (mock->settings.driver_state == MOCK_DRIVER_VERSION_MISMATCH)
        return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    if (!cushim__system_variable_copy("CUDA_VISIBLE_DEVICES", &visible))
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__mock_devices_show(mock, visible);
    free(visible);
    mock->initialised = code == CUDA_SUCCESS;
    return code;
}

CUresult cushim__mock_DriverGetVersion(int *driverVersion)
{
    *driverVersion = cushim__mock->settings.driver_version;
    return CUDA_SUCCESS;
}

bool cushim__mock_symbol_exists(unsigned slot, int version)
{
    return cushim__symbols[slot].since <= version && !cushim__fault_hides(slot) &&
           (cushim__system_is_windows || !(cushim__symbols[slot].flags & CUSHIM__WINDOWS));
}

/*
 * How a program finds functions through the driver itself (driver-semantics.md #5 and #6). A name
 * is passed without the suffixes for version and stream that its symbols have.
 *
 * What the statements leave open was measured on the drivers 470 (11.4), 525 (12.0), 555 (12.5) and
 * 580 (13.0): a negative version counts as newer than all and is still not refused; flags above 3
 * are refused before any lookup, 3 means 2, and a NULL name or function pointer crashes.
 */

enum { PER_THREAD_STREAM = 2, HIGHEST_FLAGS = 3 };
enum { FOUND, UNKNOWN_NAME, TOO_OLD };

/*
 * From this driver on, a version above the driver's own is refused: 555 returns the newest that it
 * has, 580 refuses. No driver in between was measured.
 */
enum { REFUSES_NEWER = 13000 };

/*
 * Find the newest symbol of a base name that `version` knows. Returns FOUND, UNKNOWN_NAME or
 * TOO_OLD. A name without a symbol for the per-thread default stream is found without it.
 */
static int find(const char *base, unsigned version, bool per_thread, unsigned *slot)
{
    const size_t length = strlen(base);
    struct {
        int status;
        unsigned since, slot;
    } newest[2] = {{.status = UNKNOWN_NAME}, {.status = UNKNOWN_NAME}}, *of; /* by per_thread */

    for (unsigned i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        const struct cushim__symbol *symbol = &cushim__symbols[i];

        if (symbol->base_length != length ||
            memcmp(cushim__symbol_names + symbol->name, base, length) != 0 ||
            !cushim__mock_symbol_exists(i, cushim__mock->settings.driver_version))
            continue;
        of = &newest[(symbol->flags & CUSHIM__PER_THREAD) != 0];
        if (of->status == UNKNOWN_NAME)
            of->status = TOO_OLD;
        if (symbol->since <= version && symbol->since > of->since) {
            of->since = symbol->since;
            of->slot = i;
            of->status = FOUND;
        }
    }
    of = &newest[per_thread && newest[true].status != UNKNOWN_NAME];
    *slot = of->slot;
    return of->status;
}

static void *pointer_to(unsigned slot)
{
    const cushim_function function = cushim__mock->symbol_source(slot);
    void *pointer;

    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

/* Also cuGetProcAddress. The first ABI has no status to set, and fails instead. */
CUresult cushim__mock_GetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                        cuuint64_t flags,
                                        cushim_CUdriverProcAddressQueryResult *symbolStatus,
                                        unsigned slot)
{
    const int driver = cushim__mock->settings.driver_version;
    unsigned found;
    int status;

    if (!symbol || !pfn) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the %s is NULL",
                            symbol ? "place for the function" : "name");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags > HIGHEST_FLAGS || (cudaVersion > driver && driver >= REFUSES_NEWER))
        return CUDA_ERROR_INVALID_VALUE;
    status = find(symbol, (unsigned)cudaVersion, flags & PER_THREAD_STREAM, &found);
    if (status != FOUND && slot == CUSHIM__SLOT(GetProcAddress))
        return CUDA_ERROR_NOT_FOUND;
    *pfn = status == FOUND ? pointer_to(found) : NULL;
    if (symbolStatus)
        *symbolStatus = (cushim_CUdriverProcAddressQueryResult)status;
    return CUDA_SUCCESS;
}

/* The mock knows no identifier; drivers 470 to 580 return the same for one they do not know. */
CUresult cushim__mock_GetExportTable(const void **ppExportTable)
{
    struct cushim_mock *mock = cushim__mock_call.mock;

    if (!mock->knows_runtime)
        cushim__mock_log("the program uses NVIDIA's CUDA runtime (libcudart, linked in or loaded), "
                         "which needs private tables of the driver and cannot work on the mock: "
                         "test here what calls the driver API alone, and the rest on a GPU");
    mock->knows_runtime = true;
    *ppExportTable = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

/* Result codes, named and explained (driver-semantics.md #7). */

/*
 * Whether a driver of the mock's version knows a code, if the code exists. The mock knows all codes
 * of CUDA 13.0 and before, whatever its own version is.
 */
static bool is_known(CUresult code)
{
    return cushim__result_since(code) <= cushim__mock->settings.driver_version;
}

/* Return a text, which is NULL if the code has none. */
static CUresult return_text(const char *text, const char **pStr)
{
    if (!pStr) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the driver crashes on a NULL pointer");
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pStr = text;
    return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_GetErrorName(CUresult error, const char **pStr)
{
    return return_text(is_known(error) ? cushim__result_name(error) : NULL, pStr);
}

CUresult cushim__mock_GetErrorString(CUresult error, const char **pStr)
{
    return return_text(is_known(error) ? cushim__result_meaning(error) : NULL, pStr);
}

/* The profiler's switch: nothing profiles the mock. */

/* The driver itself has long ceased to support this. */
CUresult cushim__mock_ProfilerInitialize(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Also cuProfilerStop. */
CUresult cushim__mock_ProfilerStart(void)
{
    return CUDA_SUCCESS;
}
