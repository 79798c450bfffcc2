/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim check`: each process of a program writes what it has found (src/check) into a file. They
 * are read when the program has ended, and compared with what was expected.
 */
#include "src/check/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/program.h"
#include "src/tool/run_report.h"
#include "src/tool/system.h"

enum { PATH_SIZE = 4096 }; /* of a path in the options of a process */

/* Of the command line; every process reads them again. */
static struct cushim__check_options options;

/* Findings of an expected id are no failures if there are as many as expected. */
static void compare(const struct cushim__check_expected *expected, struct findings *findings)
{
    const char *id = cushim__check_rules[expected->id].id;
    struct finding *finding;
    unsigned found = 0;
    struct cushim__text text;
    char buffer[200];

    for (finding = findings->first; finding; finding = finding->next)
        found += strcmp(finding->line, id) == 0;
    for (finding = findings->first; finding && found == expected->count; finding = finding->next)
        finding->is_failure = finding->is_failure && strcmp(finding->line, id) != 0;
    if (found == expected->count)
        return;
    cushim__text_begin(&text, buffer, sizeof buffer);
    cushim__check_expected_print(&text, expected, found);
    findings_add(findings, NULL, "expectation", buffer);
    fprintf(stderr, "cushim: %s\n", buffer);
}

/* A process prints what it finds the first time, and only its report says how often. */
static void print_times(const struct finding *finding)
{
    const char *what = finding_text(finding) + strlen(finding->level) + strlen(": ");

    if (finding->count > 1)
        fprintf(stderr, "cushim: check: %lu times: %s: %.*s\n", finding->count, finding->line,
                (int)strcspn(what, ";"), what);
}

static void judge(const struct arguments *arguments, struct findings *findings)
{
    unsigned counts[] = {0, 0, 0};

    for (struct finding *finding = findings->first; finding; finding = finding->next) {
        for (unsigned level = CUSHIM__CHECK_ADVICE; level <= CUSHIM__CHECK_ERROR; level++)
            counts[level] += strcmp(finding->level, cushim__check_levels[level]) == 0;
        finding->is_failure =
            strcmp(finding->level, cushim__check_levels[CUSHIM__CHECK_ADVICE]) != 0;
        if (!arguments->quiet)
            print_times(finding);
    }
    if (findings->processes > 0 && !arguments->quiet)
        fprintf(stderr, "cushim: check: %u error%s, %u warning%s, %u advice; %u process%s\n",
                counts[CUSHIM__CHECK_ERROR], counts[CUSHIM__CHECK_ERROR] == 1 ? "" : "s",
                counts[CUSHIM__CHECK_WARNING], counts[CUSHIM__CHECK_WARNING] == 1 ? "" : "s",
                counts[CUSHIM__CHECK_ADVICE], findings->processes,
                findings->processes == 1 ? "" : "es");
    for (unsigned i = 0; i < options.expectations; i++)
        compare(&options.expected[i], findings);
}

/* The processes of the program would find out one by one. */
static bool read_options(const struct arguments *arguments, struct failure *failure)
{
    const char *settings = arguments->check_settings ? arguments->check_settings : "";
    char message[512] = "";
    const char *text;

    if (cushim__check_options_read(&options, settings, "", message, sizeof message) !=
        CUDA_SUCCESS) {
        /* Not the line and the column in front: the user has given options. */
        text = strstr(message, ": ");
        failure_set(failure, STATUS_USAGE, "Read the manual with `cushim help check`.", "%s",
                    text ? text + 2 : message);
    } else if (arguments->suppressions &&
               cushim__check_suppressions_load(&options, arguments->suppressions, message,
                                               sizeof message) != CUDA_SUCCESS) {
        failure_set(failure, STATUS_USAGE, "Read how suppressions are written in checks.md.", "%s",
                    message);
    }
    return failure->status == STATUS_DONE;
}

/* Whether a process reads it unchanged: there are no quotes, and ` #` begins a comment. */
static bool is_readable(const char *settings, const char *path)
{
    struct cushim__lines lines;

    cushim__lines_begin(&lines, settings, "", NULL, 0);
    return strlen(path) < PATH_SIZE && cushim__lines_next(&lines) == CUSHIM__LINES_ENTRY &&
           cushim__word_is(&lines.value, path) && cushim__lines_next(&lines) == CUSHIM__LINES_END;
}

/* The setting of --suppressions, empty without it; free it. NULL: it is refused. */
static char *suppressions_setting(const struct arguments *arguments, struct failure *failure)
{
    char *path, *setting;

    if (!arguments->suppressions)
        return program_join("", "", "");
    path = system_absolute_path(arguments->suppressions);
    setting = program_join("suppressions = ", "", path ? path : "");
    if (!path || !is_readable(setting, path)) {
        failure_set(failure, STATUS_USAGE,
                    "Rename it: a path can have no '#' behind a blank, no blank at its end and no "
                    "control character.",
                    "--suppressions cannot name '%.160s'", path ? path : arguments->suppressions);
        free(setting);
        setting = NULL;
    }
    free(path);
    return setting;
}

static bool set_options(const struct arguments *arguments, struct failure *failure)
{
    const char *settings = arguments->check_settings ? arguments->check_settings : "";
    char *suppressions = suppressions_setting(arguments, failure);
    char *text = suppressions ? program_join(settings, "", suppressions) : NULL;
    const bool is_set = text && system_set("CUSHIM_CHECK_OPTIONS", text, failure);

    free(text);
    free(suppressions);
    return is_set;
}

enum status command_check(const struct arguments *arguments)
{
    static const struct run_report report = {
        .command = "cushim check",
        .variable = "CUSHIM_CHECK",
        .nothing = "nothing was checked: no process has called the driver through libcuda.so.1. A "
                   "program is not reached that opens the driver by its path, was linked "
                   "statically, has an RPATH to another libcuda.so.1, or has more rights than its "
                   "user.",
        .judge = judge,
    };
    struct failure failure = {0};
    int status = STATUS_DONE;

    if (read_options(arguments, &failure) && set_options(arguments, &failure)) {
        if (arguments->mock ? program_takes_mock(arguments, &failure)
                            : program_takes_driver(arguments, &failure))
            status = run_reported(arguments, &report, &failure);
        else if (failure.status == STATUS_NO_DRIVER && !arguments->library)
            status = program_runs_alone(arguments, "checked", &failure);
    }
    cushim__check_suppressions_free(&options);
    if (failure.status == STATUS_DONE)
        return (enum status)status;
    failure_print(&failure);
    return failure.status;
}
