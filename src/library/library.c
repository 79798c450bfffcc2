/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock as a libcuda.so.1 or nvcuda.dll that unmodified programs load. It is created when the
 * library is loaded, with the settings of the environment, and cuInit prints that it is a mock.
 *
 * If the settings are refused, the program must not take it for a driver: every function returns
 * CUDA_ERROR_SYSTEM_NOT_READY, whose advice is to check the configuration of the system.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/print.h"
#include "src/base/system.h"
#include "src/check/check.h"
#include "src/layer/layer.h"
#include "src/library/library.h"
#include "src/mock/functions/symbol.h"
#include "src/mock/mock.h"
#include "src/trace/write/writer.h"

const struct cushim_table *cushim__exports = &cushim__mock_table;

static struct cushim_table exports;

/* The table whose Init announce() calls: the mock's, or that of the layer over it. */
static const struct cushim_table *announced;

static cushim_function exported(unsigned slot)
{
    return cushim__exported[slot];
}

static void log_line(void *data, const char *line)
{
    (void)data;
    cushim__print_format("cushim mock: %s\n", line);
}

/* Replaces cuInit of `announced`. The first call prints that this is a mock. */
static CUresult CUDAAPI announce(unsigned int flags)
{
    static int is_printed;

    if (!cushim__mock->settings.quiet && !__atomic_exchange_n(&is_printed, 1, __ATOMIC_RELAXED))
        cushim__print_format("%s\n", cushim_mock_identity());
    return announced->Init(flags);
}

static bool is_later(const char *name)
{
    const unsigned slot = cushim__mock_symbol_slot(name);

    return slot < CUSHIM__SYMBOL_COUNT &&
           !cushim__mock_symbol_exists(slot, cushim__mock->settings.driver_version);
}

static void refuse(const char *why)
{
    cushim__mock_absent = CUDA_ERROR_SYSTEM_NOT_READY;
    cushim__print_format("cushim mock: %s; every call returns CUDA_ERROR_SYSTEM_NOT_READY\n", why);
}

/* Returns NULL if the mock is refused, and prints the reason. */
static struct cushim_mock *create(void)
{
    char message[1024] = "";
    char *file = NULL, *settings = NULL;
    const bool is_read = cushim__system_variable_nonempty("CUSHIM_MOCK_CONFIG", &file) &&
                         cushim__system_variable_nonempty("CUSHIM_MOCK_SETTINGS", &settings);
    struct cushim_mock *mock = NULL;
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .file = file,
        .settings = settings,
        .message = message,
        .message_size = sizeof message,
    };
    const struct mock_defaults defaults = {
        .mode = MOCK_MODE_THREADED,
        /* `cushim check` reports missing waits. */
        .races = cushim__library_is_asked("CUSHIM_CHECK") ? MOCK_RACES_REPORT : MOCK_RACES_IGNORE,
        .report = cushim__check_report_of_mock,
        .where = "CUSHIM_MOCK_SETTINGS",
        .symbol_source = exported,
    };

    if (!is_read)
        refuse("there is no memory for its settings");
    else if (cushim__mock_create(&options, &defaults, &mock) != CUDA_SUCCESS)
        refuse(message[0] ? message : "the mock cannot be created");
    free(file);
    free(settings);
    return mock;
}

static bool take_kernels(struct cushim_mock *mock)
{
    char message[1024];
    const bool is_done = cushim__library_kernels(mock, message, sizeof message);

    if (!is_done)
        refuse(message);
    return is_done;
}

/*
 * Begin the trace and the check that the environment or `leaks = report` asks for. False if that
 * refuses the mock.
 */
static bool watch(struct cushim_mock *mock)
{
    const bool is_checked = cushim__library_is_asked("CUSHIM_CHECK");
    const bool is_run =
        cushim__library_is_asked("CUSHIM_MOCK_CHECK") || mock->settings.report_leaks;
    static char message[1024] = "there is no memory for a layer";
    struct cushim_layer *layer = mock->layer;

    if (!cushim__library_is_asked("CUSHIM_TRACE") && !is_checked && !is_run)
        return true;
    if ((!layer && cushim__layer_create(announced, &layer) != CUDA_SUCCESS) ||
        !cushim__library_trace(cushim_mock_identity(), mock->settings.driver_version, message,
                               sizeof message)) {
        refuse(message);
        return false;
    }
    if (is_checked)
        cushim__library_check();
    else if (is_run)
        cushim__library_check_run(mock->settings.report_leaks);
    announced = cushim_layer_table(layer);
    return true;
}

void cushim__library_begin(void)
{
    struct cushim_mock *mock;

    mock = create();
    if (!mock)
        return;
    cushim_mock_set_log(mock, log_line, NULL);
    announced = cushim_mock_table(mock);
    if (!take_kernels(mock) || !watch(mock)) {
        cushim_mock_destroy(mock);
        return;
    }
    exports = *announced;
    exports.Init = announce;
    cushim__exports = &exports;
    if (!cushim__hide_symbols(is_later)) {
        cushim__exports = &cushim__mock_table;
        cushim_mock_destroy(mock);
        refuse("the symbols of later versions cannot be hidden");
    }
}

static void print_fault(const char *line)
{
    cushim__print_format("cushim mock: fault %s\n", line);
}

static FILE *report;

/* A finding on one line: its kind, its level, how often, and its text. */
static void write_unused(const char *rule)
{
    fprintf(report, "unused fault\t\t1\t%s\n", rule);
}

/* Open check's report to add to it. NULL if the variable does not ask for one. */
static FILE *open_report(const char *variable)
{
    char path[4096], *prefix = NULL;

    if (!cushim__system_variable_nonempty(variable, &prefix) || !prefix)
        return NULL;
    snprintf(path, sizeof path, "%s.%" PRIu32, prefix, cushim__system_process_id());
    free(prefix);
    return fopen(path, "a");
}

/*
 * Add to the report of `cushim run` or `cushim check`. That of run is written even if it is empty,
 * so that the command knows that the mock was loaded. A program that never waits for its kernels
 * does not see that one has failed, and check does not either.
 */
static void write_report(const struct cushim_mock *mock)
{
    report = open_report("CUSHIM_MOCK_REPORT");
    if (report && mock->layer && !mock->forked)
        cushim__faults_print_unused(write_unused);
    if (!report && mock->fault[0] && cushim__library_is_asked("CUSHIM_CHECK"))
        report = open_report("CUSHIM_CHECK");
    if (report && mock->fault[0])
        fprintf(report, "kernel fault\terror\t1\terror: %s\n", mock->fault);
    if (report)
        fclose(report);
}

void cushim__library_end(void)
{
    struct cushim_mock *mock = cushim__mock;

    /* If a signal handler exits in the middle of a call, the lock is never free: report nothing. */
    if (!mock || !cushim__lock_comes_free(&mock->lock))
        return;
    cushim__check_finish();
    cushim__trace_end();
    write_report(mock);
    if (mock->layer && !mock->forked)
        cushim__faults_print_unused(print_fault);
    if (!mock->forked)
        cushim__library_kernels_print_unused();
}
