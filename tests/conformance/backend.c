/* SPDX-License-Identifier: Apache-2.0 */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/testing/mock.h>

#include "begin.h"
#include "check.h"
#include "system.h"
#include "tests/support/library.h"

const struct cushim_table *cu;
const char *backend_driver = "mock";
const char *backend_stub;

static struct cushim_table table = {.size = sizeof table};
static struct cushim_mock *mock; /* a mock in this process */
static void *library;            /* or a loaded library */
static bool is_mock;
static char reason[512];

static const char *open_mock(void)
{
    char message[300] = "";
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .settings = getenv(BACKEND_SETTINGS),
        .message = message,
        .message_size = sizeof message,
    };
    CUresult code = cushim_mock_create(&options, &mock);

    is_mock = true;
    if (code == CUDA_SUCCESS)
        return NULL;
    if (message[0])
        snprintf(reason, sizeof reason, "%s", message);
    else
        snprintf(reason, sizeof reason, "the mock cannot be created: %d", (int)code);
    return reason;
}

static const char *open_library(const char *path)
{
    library = library_open(path);
    if (!library) {
        snprintf(reason, sizeof reason, "%s", library_error());
        return reason;
    }
    is_mock = library_symbol(library, "cushim_mock_identity") != NULL;
    return NULL;
}

static cushim_function resolve(const char *name, void *data)
{
    cushim_function function = NULL;
    void *symbol;

    (void)data;
    if (mock)
        return cushim_mock_symbol(name, mock);
    symbol = library_symbol(library, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

const char *backend_open(void)
{
    const bool real = strcmp(backend_driver, "real") == 0;
    const char *refused;

    if (strcmp(backend_driver, "mock") == 0)
        refused = open_mock();
    else
        refused = open_library(real ? file_of_the_driver : backend_driver);
    if (refused)
        return refused;
    if (real && is_mock)
        return "the driver that the system finds is a mock: name it by its path";
    if (cushim_table_fill(&table, resolve, NULL, NULL) != CUDA_SUCCESS)
        return "the library is no CUDA driver";
    cu = &table;
    return NULL;
}

/* The loader searches for the driver, or opens the library that was named, as in a program. */
CUresult backend_init_cushim(void)
{
    const bool by_path = library && strcmp(backend_driver, "real") != 0;
    const struct cushim_load_options options = {
        .size = sizeof options,
        .library = by_path ? backend_driver : NULL,
        .resolver = mock ? resolve : NULL,
    };

    return cushim_driver_init(&options);
}

bool backend_is_mock(void)
{
    return is_mock;
}

uint64_t backend_now_ns(void)
{
    struct cushim_mock_state state = {.size = sizeof state};

    if (!mock)
        return now_ns();
    if (cushim_mock_get_state(mock, &state) != CUDA_SUCCESS)
        fail("the mock has no state");
    return state.now_ns;
}

const char *backend_name(void)
{
    static char path[FILE_PATH_BYTES];
    void *init = library ? library_symbol(library, "cuInit") : NULL;

    return init && file_of(init, path) ? file_name(path) : "mock";
}

cushim_function backend_symbol(const char *name)
{
    return resolve(name, NULL);
}

/* The mock inside the library under test. */
static struct cushim_mock *library_mock(void)
{
    struct cushim_mock *(*current)(void) = NULL;
    void *symbol = library_symbol(library, "cushim_mock_current");

    memcpy(&current, &symbol, sizeof current);
    return current ? current() : NULL;
}

size_t backend_misuses(void)
{
    struct cushim_mock_state state = {.size = sizeof state};
    CUresult (*get)(struct cushim_mock *, struct cushim_mock_state *) = cushim_mock_get_state;

    if (library) {
        void *symbol = library_symbol(library, "cushim_mock_get_state");

        if (!symbol)
            fail("the mock does not export cushim_mock_get_state");
        memcpy(&get, &symbol, sizeof get);
    }
    if (get(library ? library_mock() : mock, &state) != CUDA_SUCCESS)
        fail("the mock does not report its state");
    return state.misuses;
}
