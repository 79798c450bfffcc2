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

/* Begin the trace and the check that the environment asks for. False if that refuses the mock. */
static bool watch(struct cushim_mock *mock)
{
    const bool is_checked = cushim__library_is_asked("CUSHIM_CHECK");
    static char message[1024] = "there is no memory for a layer";
    struct cushim_layer *layer = mock->layer;

    if (!cushim__library_is_asked("CUSHIM_TRACE") && !is_checked)
        return true;
    if ((!layer && cushim__layer_create(announced, &layer) != CUDA_SUCCESS) ||
        !cushim__library_trace(cushim_mock_identity(), mock->settings.driver_version, message,
                               sizeof message)) {
        refuse(message);
        return false;
    }
    if (is_checked)
        cushim__library_check();
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

/*
 * Write how much the program has leaked, by the mock's own counts. The leak tracker also knows
 * where each object was created, but needs a layer that decodes every call of the program, such as
 * that of `cushim check --mock`.
 */
static bool count_leaks(struct cushim_mock *mock, char *text, size_t size)
{
    struct cushim_mock_state state = {.size = sizeof state};

    cushim_mock_get_state(mock, &state);
    snprintf(text, size, "%zu handle%s, %zu allocation%s", state.handles,
             state.handles == 1 ? "" : "s", state.allocations, state.allocations == 1 ? "" : "s");
    return state.handles > 0 || state.allocations > 0;
}

static void print_fault(const char *line)
{
    cushim__print_format("cushim mock: fault %s\n", line);
}

/* --- the report for `cushim run` --- */

/* Write a finding as one line: its kind, no level (only check has one), how often, and its text. */
static void write_finding(FILE *file, const char *kind, const char *text)
{
    fprintf(file, "%s\t\t1\t", kind);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? '?' : *text, file);
    fputc('\n', file);
}

static FILE *report;

static void write_fault(const char *line)
{
    write_finding(report, "unused fault", line);
}

/* In the child of a fork, only misuses are the child's own. */
static void write_findings(struct cushim_mock *mock)
{
    char leaks[100];
    const char *text;

    for (size_t i = 0; (text = cushim_mock_misuse(mock, i)) != NULL; i++)
        write_finding(report, "misuse", text);
    if (mock->forked)
        return;
    /* With races = misuse, races are among the misuses. */
    for (size_t i = 0;
         mock->settings.races != MOCK_RACES_MISUSE && (text = cushim_mock_race(mock, i)) != NULL;
         i++)
        write_finding(report, "race", text);
    if (mock->settings.report_leaks && count_leaks(mock, leaks, sizeof leaks - sizeof " leaked"))
        write_finding(report, "leak", strcat(leaks, " leaked"));
    if (mock->layer)
        cushim__faults_print_unused(write_fault);
}

/* The report is written even if it is empty, so that the command knows that the mock was loaded. */
static void write_report(struct cushim_mock *mock)
{
    char path[4096], *prefix = NULL;

    if (!cushim__system_variable_nonempty("CUSHIM_MOCK_REPORT", &prefix) || !prefix)
        return;
    snprintf(path, sizeof path, "%s.%" PRIu32, prefix, cushim__system_process_id());
    free(prefix);
    report = fopen(path, "a");
    if (!report)
        return;
    write_findings(mock);
    fclose(report);
}

void cushim__library_end(void)
{
    struct cushim_mock *mock = cushim__mock;
    const char *first;
    char leaks[100];

    /* If a signal handler exits in the middle of a call, the lock is never free: report nothing. */
    if (!mock || !cushim__lock_comes_free(&mock->lock))
        return;
    cushim__check_finish();
    cushim__trace_end();
    write_report(mock);
    first = cushim_mock_misuse(mock, 0);
    if (mock->settings.report_leaks && !mock->forked && count_leaks(mock, leaks, sizeof leaks))
        cushim__print_format("cushim mock: leaked: %s\n", leaks);
    if (mock->layer && !mock->forked)
        cushim__faults_print_unused(print_fault);
    if (!mock->forked)
        cushim__library_kernels_print_unused();
    if (first)
        cushim__print_format("cushim mock: %zu misuse%s, the first: %s\n", mock->misuses,
                             mock->misuses == 1 ? "" : "s", first);
}
