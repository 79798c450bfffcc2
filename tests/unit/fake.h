/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake driver inside the test: a few functions, and a resolver that finds them. It is not one of
 * tests/drivers/fake because a test changes its behaviour and counts its calls while it is loaded,
 * which needs functions of the test itself.
 *
 * It has cuInit, cuDriverGetVersion, cuDeviceGetCount, cuEventQuery, cuEventElapsedTime and
 * cuEventElapsedTime_v2. FAKE_LIBRARY is a shared library, the driver `few` of tests/drivers/fake.
 */
#ifndef CUSHIM_TESTS_UNIT_FAKE_H
#define CUSHIM_TESTS_UNIT_FAKE_H

#include <stdatomic.h>

#include <cushim/cushim.h>

#include "loader/report.h"
#include "tests/support/symbols.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FAKE_SYMBOLS = 6,
    FAKE_LIBRARY_SYMBOLS = 7,
    FAKE_VERSION = 12080, /* CUDA version of both drivers */
    /* Results of cuEventQuery: from the fake in the test, from FAKE_LIBRARY, from a mock. */
    FAKE_ANSWER = CUDA_ERROR_NOT_READY,
    FAKE_LIBRARY_ANSWER = CUDA_ERROR_INVALID_HANDLE,
    FAKE_MOCK_ANSWER = CUDA_ERROR_ILLEGAL_STATE,
    /* How often one load looks up cuInit: once to recognise a driver, once to fill its slot. */
    FAKE_LOOKUPS_OF_A_FAILURE = 1,
    FAKE_LOOKUPS_OF_A_LOAD = 2,
};

/* Behaviour of the driver; a test may change it before it loads. */
extern struct fake_driver {
    int version;
    CUresult version_code; /* result of cuDriverGetVersion */
    CUresult init_code;    /* result of cuInit */
    atomic_bool initialised;
    atomic_uint init_calls;
} fake;

/* The source of its symbols, which is the argument of the resolver. */
struct fake_source {
    const char *lacks[4]; /* symbols that it does not find */
    struct {
        const char *symbol;
        cushim_function function;
    } has[4];                              /* functions of the test, which replace the fake's */
    void (*looked_up)(const char *symbol); /* called before each lookup, or NULL */
    atomic_uint lookups;                   /* lookups of cuInit */
};

/* Resolver; `data` is a struct fake_source. */
cushim_function fake_resolve(const char *symbol, void *data);

/* Options to load from this source. */
struct cushim_load_options fake_options(struct fake_source *source);

/*
 * Call cushim_driver_load() with this source, with the library at a path, or with a minimum version
 * and this source.
 */
CUresult fake_load(struct fake_source *source);
CUresult fake_load_library(const char *path);
CUresult fake_load_minimum(struct fake_source *source, int version);

/* Call cushim_driver_load() with only a minimum version. */
CUresult fake_load_any_minimum(int version);

/* cuEventQuery through the current table. */
CUresult fake_query(void);

/* The loader's report. */
struct cushim_report fake_report(void);

/*
 * A table that the loader did not make. It is filled from the fake; its cuEventQuery returns
 * FAKE_MOCK_ANSWER.
 */
struct cushim_table *fake_mock(void);

/* How often FAKE_LIBRARY's cuDriverGetVersion was called (once per load); 0 if it is not loaded. */
unsigned fake_library_calls(void);

/* Set the function that the constructor of FAKE_LIBRARY calls. */
void fake_library_constructor(void (*function)(void));

#endif
