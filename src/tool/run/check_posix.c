/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim check`: each process of the program writes its findings (src/check) to a file. When the
 * program has ended, the command reads the files and compares the findings with the expectations.
 */
#define _GNU_SOURCE
#include "src/check/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/base/system.h"
#include "src/tool/run/program.h"
#include "src/tool/run/run_report.h"

/* The options of the command line, which every process reads again. */
static struct cushim__check_options options;

/* The id of a finding; CUSHIM__CHECK_IDS for a line that has none, such as `limit`. */
static unsigned id_of(const struct finding *finding)
{
    unsigned id = 0;

    while (id < CUSHIM__CHECK_IDS && strcmp(finding->line, cushim__check_rules[id].id) != 0)
        id++;
    return id;
}

/* Findings of an expected id are not failures if their number is the expected one. */
static void compare(struct findings *findings)
{
    unsigned found[CUSHIM__CHECK_IDS + 1] = {0};
    struct finding *finding;
    struct cushim__text text;
    char buffer[200 * CUSHIM__CHECK_IDS], *line, *rest = buffer;

    for (finding = findings->first; finding; finding = finding->next)
        found[id_of(finding)]++;
    for (finding = findings->first; finding; finding = finding->next) {
        const unsigned id = id_of(finding);

        if (id < CUSHIM__CHECK_IDS && cushim__check_is_expected(&options, id, found[id]))
            finding->is_failure = false;
    }
    cushim__text_begin(&text, buffer, sizeof buffer);
    cushim__check_print_unexpected(&options, found, &text);
    while ((line = strsep(&rest, "\n")) != NULL && line[0]) {
        findings_add(findings, NULL, "expectation", line);
        fprintf(stderr, "cushim: %s\n", line);
    }
}

/* A process prints a finding once; only its report has the count. */
static void print_times(const struct finding *finding)
{
    const char *what = finding_text(finding) + strlen(finding->level) + strlen(": ");

    if (finding->count > 1)
        fprintf(stderr, "cushim: check: %lu times, the first: %s: %.*s\n", finding->count,
                finding->line, (int)strcspn(what, ";"), what);
}

/* Why nothing is checked, as text of a finding; empty if something is. */
static char unchecked[700];

static void judge(const struct arguments *arguments, struct findings *findings)
{
    unsigned counts[] = {0, 0, 0};

    if (unchecked[0])
        strcpy(findings_add(findings, NULL, "unchecked", unchecked)->level, "warning");
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
    compare(findings);
}

/* Check the options, and pass them on to the processes of the program. */
static bool set_options(const struct arguments *arguments, struct failure *failure)
{
    const char *settings = arguments->check_settings ? arguments->check_settings : "";
    const char *suppressions = arguments->suppressions, *text;
    char *path = suppressions ? system_absolute_path(suppressions) : NULL;
    char message[512] = "";

    if (cushim__check_options_read(&options, settings, "", message, sizeof message) !=
        CUDA_SUCCESS) {
        /* Without the line and column, because the user has given options. */
        text = strstr(message, ": ");
        failure_set(failure, STATUS_USAGE, "Read the manual with `cushim help check`.", "%s",
                    text ? text + 2 : message);
    } else if (suppressions && cushim__check_suppressions_load(&options, suppressions, message,
                                                               sizeof message) != CUDA_SUCCESS) {
        failure_set(failure, STATUS_USAGE, "Read how suppressions are written in checks.md.", "%s",
                    message);
    } else if (system_set("CUSHIM_CHECK_OPTIONS", settings, failure)) {
        system_set("CUSHIM_CHECK_SUPPRESSIONS", path ? path : "", failure);
    }
    cushim__check_suppressions_free(&options);
    free(path);
    return failure->status == STATUS_DONE;
}

/* There is no driver. Reports and --error-exitcode must not look as if something was checked. */
static int run_unchecked(const struct arguments *arguments, struct run_report *report,
                         struct failure *failure)
{
    if (!arguments->report && !arguments->error_status)
        return program_runs_alone(arguments, "checked", failure);
    snprintf(unchecked, sizeof unchecked,
             "warning: nothing is checked, as there is no driver: %.600s", failure->message);
    report->nothing = unchecked + strlen("warning: ");
    *failure = (struct failure){0};
    return run_reported(arguments, report, failure);
}

enum status command_check(const struct arguments *arguments)
{
    struct run_report report = {
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

    if (set_options(arguments, &failure)) {
        if (arguments->mock ? program_takes_mock(arguments, &failure)
                            : program_takes_driver(arguments, &failure))
            status = run_reported(arguments, &report, &failure);
        else if (failure.status == STATUS_NO_DRIVER && !arguments->library)
            status = run_unchecked(arguments, &report, &failure);
    }
    if (failure.status == STATUS_DONE)
        return (enum status)status;
    failure_print(&failure);
    return failure.status;
}
