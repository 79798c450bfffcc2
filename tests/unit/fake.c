/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fake.h"
#include "tests/support/library.h"

#include <stdlib.h>
#include <string.h>

struct fake_driver fake = {.version = FAKE_VERSION};

static CUresult CUDAAPI init(unsigned int flags)
{
    atomic_fetch_add(&fake.init_calls, 1);
    atomic_store(&fake.initialised, fake.init_code == CUDA_SUCCESS);
    return fake.init_code;
}

static CUresult CUDAAPI driver_get_version(int *version)
{
    if (fake.version_code == CUDA_SUCCESS)
        *version = fake.version;
    return fake.version_code;
}

/* Returns the same as real drivers, also after a failed cuInit. */
static CUresult CUDAAPI device_get_count(int *count)
{
    if (!atomic_load(&fake.initialised))
        return CUDA_ERROR_NOT_INITIALIZED;
    *count = 1;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI event_query(CUevent event)
{
    return (CUresult)FAKE_ANSWER;
}

static CUresult CUDAAPI event_elapsed_time(float *ms, CUevent start, CUevent end)
{
    *ms = 1;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI event_elapsed_time_v2(float *ms, CUevent start, CUevent end)
{
    *ms = 2;
    return CUDA_SUCCESS;
}

static const struct {
    const char *symbol;
    cushim_function function;
} functions[FAKE_SYMBOLS] = {
    {"cuInit", (cushim_function)init},
    {"cuDriverGetVersion", (cushim_function)driver_get_version},
    {"cuDeviceGetCount", (cushim_function)device_get_count},
    {"cuEventQuery", (cushim_function)event_query},
    {"cuEventElapsedTime", (cushim_function)event_elapsed_time},
    {"cuEventElapsedTime_v2", (cushim_function)event_elapsed_time_v2},
};

cushim_function fake_resolve(const char *symbol, void *data)
{
    struct fake_source *source = data;

    if (strcmp(symbol, "cuInit") == 0)
        atomic_fetch_add(&source->lookups, 1);
    if (source->looked_up)
        source->looked_up(symbol);
    for (size_t i = 0; i < COUNT(source->lacks) && source->lacks[i]; i++) {
        if (strcmp(symbol, source->lacks[i]) == 0)
            return NULL;
    }
    for (size_t i = 0; i < COUNT(source->has) && source->has[i].symbol; i++) {
        if (strcmp(symbol, source->has[i].symbol) == 0)
            return source->has[i].function;
    }
    for (size_t i = 0; i < COUNT(functions); i++) {
        if (strcmp(symbol, functions[i].symbol) == 0)
            return functions[i].function;
    }
    return NULL;
}

struct cushim_load_options fake_options(struct fake_source *source)
{
    return (struct cushim_load_options){.size = sizeof(struct cushim_load_options),
                                        .resolver = fake_resolve,
                                        .resolver_data = source};
}

CUresult fake_load(struct fake_source *source)
{
    return fake_load_minimum(source, 0);
}

CUresult fake_load_minimum(struct fake_source *source, int version)
{
    struct cushim_load_options options = fake_options(source);

    options.minimum_version = version;
    return cushim_driver_load(&options);
}

CUresult fake_load_any_minimum(int version)
{
    const struct cushim_load_options options = {.size = sizeof options, .minimum_version = version};

    return cushim_driver_load(&options);
}

CUresult fake_load_library(const char *path)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = path};

    return cushim_driver_load(&options);
}

CUresult fake_query(void)
{
    return cushim_driver()->EventQuery(NULL);
}

struct cushim_report fake_report(void)
{
    struct cushim_report report;

    cushim__report_get(&report);
    return report;
}

static CUresult CUDAAPI mock_event_query(CUevent event)
{
    return (CUresult)FAKE_MOCK_ANSWER;
}

struct cushim_table *fake_mock(void)
{
    static struct cushim_table mock;
    struct fake_source source = {0};

    mock.size = sizeof mock;
    if (cushim_table_fill(&mock, fake_resolve, &source, NULL) != CUDA_SUCCESS)
        abort();
    mock.EventQuery = mock_event_query;
    return &mock;
}

unsigned fake_library_calls(void)
{
    void *library = library_mapped(FAKE_LIBRARY);
    const atomic_uint *calls =
        library ? library_symbol(library, "fake_driver_version_calls") : NULL;

    return calls ? atomic_load(calls) : 0;
}

static void (*constructor)(void);

void fake_library_constructor(void (*function)(void))
{
    constructor = function;
}

/* Exported so that the constructor of FAKE_LIBRARY finds it. */
void fake_driver_opened(void);

__attribute__((visibility("default"))) void fake_driver_opened(void)
{
    if (constructor)
        constructor();
}
