/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1 that passes every call through the layer to the driver in another file, so that an
 * unmodified program can be traced and checked, and faults can be injected.
 *
 * CUSHIM_DRIVER is the path of that file; it is opened by its path, since this library has the same
 * name. This library hides the symbols that the driver does not export. Functions that the driver's
 * cuGetProcAddress finds and the registry does not have are returned unchanged.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cushim/driver.h>
#include <cushim/error.h>
#include <cushim/report.h>

#include "loader/symbols.h"
#include "src/base/print.h"
#include "src/base/system.h"
#include "src/check/check.h"
#include "src/layer/layer.h"
#include "src/library/library.h"
#include "src/trace/write/writer.h"

/* Without a driver, this is the loader's absent table, whose functions return the reason. */
const struct cushim_table *cushim__exports;

static struct cushim_layer *layer;
static char message[1024];

static void print_problem(const char *what)
{
    cushim__print_format("cushim: %s\n", what);
}

/*
 * cuInit. The end of the trace is registered after the exit handlers that the driver registers
 * here, so it runs before them, while device times can still be read. The check does not need the
 * driver, and ends later: exit handlers and destructors of the program may still call the driver.
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

/* Returns false if there is no driver, and prints the reason. */
static bool load(void)
{
    struct cushim_load_options options = {.size = sizeof options};
    char *path = NULL;
    CUresult code;

    if (!cushim__system_variable_nonempty("CUSHIM_DRIVER", &path) || !path) {
        print_problem(
            "set CUSHIM_DRIVER to the path of the driver to use; until then every call fails");
        return false;
    }
    options.library = path;
    code = cushim_driver_load(&options);
    if (code != CUDA_SUCCESS) {
        snprintf(message, sizeof message, "the driver %s cannot be used: %s", path,
                 cushim_error_string(code));
        print_problem(message);
    }
    free(path);
    return code == CUDA_SUCCESS;
}

static bool add_faults(void)
{
    char *rules = NULL;
    bool is_done = cushim__system_variable_nonempty("CUSHIM_FAULTS", &rules);

    if (is_done && rules)
        is_done = cushim_fault_add_rules(layer, rules, message, sizeof message) == CUDA_SUCCESS;
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
    /* Set beneath the layer, so that it is called however the program has found cuInit. */
    cushim_layer_next(layer)->Init = init;
    cushim__exports = &cushim__layer_table;
    if (!add_faults() || !begin_trace())
        print_problem(message);
    cushim__library_check();
    if (!cushim__hide_symbols(lacks))
        print_problem("symbols that the driver lacks cannot be hidden; their functions return 36");
}

static void print_fault(const char *line)
{
    cushim__print_format("cushim: fault %s\n", line);
}

/* The trace ends here if the program never initialised the driver, which registers its end. */
void cushim__library_end(void)
{
    if (!layer)
        return;
    cushim__check_finish();
    cushim__trace_end();
    cushim__faults_print_unused(print_fault);
}
