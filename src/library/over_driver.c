/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1 that hands every call on to the driver of another file, through the layer: so a
 * program that knows nothing of it is traced, and faults are injected into it.
 *
 * CUSHIM_DRIVER is the path of that file. It is opened by its path, since its name is this
 * library's own. What it does not export this library does not export either, and what
 * cuGetProcAddress finds in it that the registry does not have is handed on untouched.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/driver.h>
#include <cushim/error.h>
#include <cushim/report.h>

#include "loader/symbols.h"
#include "src/base/layer_host.h"
#include "src/base/system.h"
#include "src/check/check.h"
#include "src/layer/layer.h"
#include "src/library/library.h"

/* Without a driver it is the loader's, and each function returns why. */
const struct cushim_table *cushim__exports;

static struct cushim_layer *layer;
static char message[1024];

static void complain(const char *what)
{
    fprintf(stderr, "cushim: %s\n", what);
}

/*
 * Handlers that the driver registers in its initialisation run after the trace's, which still needs
 * the driver to read device times. The check does not, and goes on: handlers and destructors of
 * what the program made before run later, and may call the driver.
 */
static CUresult CUDAAPI init(unsigned int flags)
{
    static int is_registered;
    const CUresult code = cushim_layer_wrapped(layer)->Init(flags);

    if (code == CUDA_SUCCESS && !__atomic_exchange_n(&is_registered, 1, __ATOMIC_RELAXED))
        atexit(cushim__trace_end);
    return code;
}

static bool lacks(const char *name)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const enum cushim_symbol_state state = cushim__symbol_state(slot);

        if ((state == CUSHIM_SYMBOL_MISSING || state == CUSHIM_SYMBOL_FALLEN_BACK ||
             state == CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS) &&
            strcmp(name, cushim__slot_name(slot)) == 0)
            return true;
    }
    return false;
}

/* False: there is no driver, and why is said. */
static bool load(void)
{
    struct cushim_load_options options = {.size = sizeof options};
    char *path = NULL;
    CUresult code;

    if (!cushim__variable_said("CUSHIM_DRIVER", &path) || !path) {
        complain("CUSHIM_DRIVER does not say which driver to use; every call fails");
        return false;
    }
    options.library = path;
    code = cushim_driver_load(&options);
    if (code != CUDA_SUCCESS) {
        snprintf(message, sizeof message, "the driver %s cannot be used: %s", path,
                 cushim_error_string(code));
        complain(message);
    }
    free(path);
    return code == CUDA_SUCCESS;
}

static bool add_faults(void)
{
    char *rules = NULL;
    bool is_done = cushim__variable_said("CUSHIM_FAULTS", &rules);

    if (is_done && rules)
        is_done = cushim_fault_parse(layer, rules, message, sizeof message) == CUDA_SUCCESS;
    free(rules);
    return is_done;
}

/* Begin the trace that the environment asks for. */
static bool begin_trace(void)
{
    struct cushim_report *report;
    bool is_done;

    if (cushim_report_create(&report) != CUDA_SUCCESS) {
        snprintf(message, sizeof message, "there is no memory for the trace");
        return false;
    }
    is_done = cushim__library_trace(cushim_report_library(report),
                                    cushim_report_driver_version(report), message, sizeof message);
    cushim_report_destroy(report);
    return is_done;
}

void cushim__library_begin(void)
{
    const bool is_loaded = load();

    cushim__exports = cushim_driver();
    if (!is_loaded || cushim__layer_create(cushim_driver(), &layer) != CUDA_SUCCESS)
        return;
    /* Behind the layer, so that it is called however the program has found cuInit. */
    cushim_layer_next(layer)->Init = init;
    cushim__exports = &cushim__layer_table;
    if (!add_faults() || !begin_trace())
        complain(message);
    cushim__library_check();
    if (!cushim__hide_symbols(lacks))
        complain("symbols that the driver lacks cannot be hidden; their functions return 36");
}

static void print_fault(const char *line)
{
    fprintf(stderr, "cushim: fault %s\n", line);
}

/* A program that never initialised the driver has not registered the end of the trace. */
void cushim__library_end(void)
{
    if (!layer)
        return;
    cushim__check_finish();
    cushim__trace_end();
    cushim__faults_print_unused(print_fault);
}
