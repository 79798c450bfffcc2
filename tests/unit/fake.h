/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake driver inside the test: a handful of functions, and a resolver that finds them. It is none
 * of tests/drivers/fake because a test changes how it behaves, and counts what is asked of it, while
 * it is loaded; that needs functions of the test itself.
 *
 * It has cuInit, cuDriverGetVersion, cuDeviceGetCount, cuEventQuery, cuEventElapsedTime and
 * cuEventElapsedTime_v2. FAKE_LIBRARY is a shared library, the driver `few` of tests/drivers/fake.
 */
#ifndef CUSHIM_TESTS_UNIT_FAKE_H
#define CUSHIM_TESTS_UNIT_FAKE_H

#include <stdatomic.h>

#include <cushim/cushim.h>

#include "tests/support/symbols.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FAKE_SYMBOLS = 6,
    FAKE_LIBRARY_SYMBOLS = 7,
    FAKE_VERSION = 12080, /* of both */
    /* What cuEventQuery returns: of the fake in the test, of FAKE_LIBRARY, of a mock. */
    FAKE_ANSWER = CUDA_ERROR_NOT_READY,
    FAKE_LIBRARY_ANSWER = CUDA_ERROR_INVALID_HANDLE,
    FAKE_MOCK_ANSWER = CUDA_ERROR_ILLEGAL_STATE,
    /* How often one load asks for cuInit: once to know a driver by it, once to fill its slot. */
    FAKE_LOOKUPS_OF_A_FAILURE = 1,
    FAKE_LOOKUPS_OF_A_LOAD = 2,
};

/* How the driver behaves; a test may write it before it loads. */
extern struct fake_driver {
    int version;
    CUresult version_code; /* of cuDriverGetVersion */
    CUresult init_code;    /* of cuInit */
    atomic_bool initialised;
    atomic_uint init_calls;
} fake;

/* Where its symbols come from: the resolver's data. */
struct fake_source {
    const char *lacks[4]; /* symbols that are not found */
    struct {
        const char *symbol;
        cushim_function function;
    } has[4];                              /* symbols of the test's own, which go before */
    void (*looked_up)(const char *symbol); /* called at each lookup, before the answer; or NULL */
    atomic_uint lookups;                   /* of cuInit */
};

/* Resolver; `data` is a struct fake_source. */
cushim_function fake_resolve(const char *symbol, void *data);

/* The options that load from this source. */
struct cushim_load_options fake_options(struct fake_source *source);

/* cushim_load() from this source; of the library at a path; of what is this version at least. */
CUresult fake_load(struct fake_source *source);
CUresult fake_load_library(const char *path);
CUresult fake_load_minimum(struct fake_source *source, int version);

/* cuEventQuery through the current table. */
CUresult fake_query(void);

/* The report; ends the program if there is none. */
struct cushim_report fake_report(void);

/* A table that the loader did not make: filled from the fake, cuEventQuery is FAKE_MOCK_ANSWER. */
struct cushim_table *fake_mock(void);

/* How often FAKE_LIBRARY was asked for its version; 0 if it is not open. A load asks once. */
unsigned fake_library_calls(void);

/* What the constructor of FAKE_LIBRARY calls as the library is opened. */
void fake_library_constructor(void (*function)(void));

#endif
