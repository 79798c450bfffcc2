/* SPDX-License-Identifier: Apache-2.0 */
/* The trace and the check that the environment asks for. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/print.h"
#include "src/base/system.h"
#include "src/check/finding.h"
#include "src/library/library.h"
#include "src/trace/write/writer.h"

/* Never freed, because check keeps it. */
static char *check_report;

static bool lack_memory(const char *what, char *message, size_t size)
{
    snprintf(message, size, "there is no memory for the %s", what);
    return false;
}

static void complain(const char *what)
{
    cushim__print_format("cushim: the trace cannot be written: %s\n", what);
}

/* A mock that stands for the real driver leaves both to the library that calls it. */
bool cushim__library_is_asked(const char *variable)
{
    char *path = NULL, *driver = NULL;
    const bool is_asked = cushim__system_variable_nonempty(variable, &path) && path &&
                          cushim__system_variable_nonempty("CUSHIM_DRIVER", &driver) && !driver;

    free(path);
    free(driver);
    return is_asked;
}

bool cushim__library_trace(const char *driver, int driver_version, char *message, size_t size)
{
    struct trace_options options = {.driver = driver,
                                    .driver_version = (uint32_t)driver_version,
                                    .buffer_bytes = TRACE_BUFFER_BYTES,
                                    .times_device = true,
                                    .complain = complain};
    char *path = NULL, *settings = NULL;
    bool is_done = true;

    if (!cushim__system_variable_nonempty("CUSHIM_TRACE", &path) ||
        !cushim__system_variable_nonempty("CUSHIM_TRACE_OPTIONS", &settings)) {
        is_done = lack_memory("trace", message, size);
    } else if (path) {
        options.path = path;
        is_done = cushim__trace_options_read(&options, settings ? settings : "",
                                             "CUSHIM_TRACE_OPTIONS", message, size);
        if (is_done && cushim__trace_begin(&options) != CUDA_SUCCESS)
            is_done = lack_memory("trace", message, size);
    }
    free(path);
    free(settings);
    return is_done;
}

static bool begin_check(char *message, size_t size)
{
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING, .print = cushim__print};
    char *settings = NULL, *suppressions = NULL;
    bool is_done = true;

    if (!cushim__system_variable_nonempty("CUSHIM_CHECK", &check_report) ||
        !cushim__system_variable_nonempty("CUSHIM_CHECK_OPTIONS", &settings) ||
        !cushim__system_variable_nonempty("CUSHIM_CHECK_SUPPRESSIONS", &suppressions)) {
        is_done = lack_memory("check", message, size);
    } else if (check_report) {
        options.report = check_report;
        options.has_leaks = cushim__layer_mock != NULL;
        is_done = cushim__check_options_read(&options, settings ? settings : "",
                                             "CUSHIM_CHECK_OPTIONS", message, size) == CUDA_SUCCESS;
        if (is_done && suppressions)
            is_done = cushim__check_suppressions_load(&options, suppressions, message, size) ==
                      CUDA_SUCCESS;
        if (is_done && cushim__check_begin(&options) != CUDA_SUCCESS)
            is_done = lack_memory("check", message, size);
        cushim__check_suppressions_free(&options);
    }
    free(settings);
    free(suppressions);
    return is_done;
}

void cushim__library_check_run(bool has_leaks)
{
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING,
                                            .has_leaks = has_leaks,
                                            .is_implied = true,
                                            .print = cushim__print};

    if (cushim__system_variable_nonempty("CUSHIM_MOCK_REPORT", &check_report))
        options.report = check_report;
    if (cushim__check_begin(&options) != CUDA_SUCCESS)
        cushim__print_format("cushim: nothing is checked: there is no memory for the check\n");
}

void cushim__library_check(void)
{
    char message[1024] = "";

    if (begin_check(message, sizeof message))
        return;
    cushim__print_format("cushim: nothing is checked: %s\n", message);
    cushim__findings_write_refusal(check_report, message);
}
