/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The diagnostics on a machine that a test has laid out below a folder. The environment is
 * that of the process, and the command of CUSHIM_COMMAND tries libraries.
 *
 *     diagnose ROOT STATE CODE ORIGIN OUTCOME LIBRARY
 *
 * STATE, ORIGIN and OUTCOME have the names of the report and its one candidate, CODE is what the
 * driver answered and LIBRARY the path that was loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/report.h"

#include "src/tool/diagnostics.h"

enum { MOST_NAMES = 32 };

/* The number behind a name of the report. */
static int number_of(const char *name, const char *(*naming)(int number))
{
    for (int i = 0; i < MOST_NAMES; i++) {
        if (strcmp(naming(i), name) == 0)
            return i;
    }
    fprintf(stderr, "there is no %s\n", name);
    exit(EXIT_FAILURE);
}

static const char *state_name(int number)
{
    return cushim_state_name((enum cushim_state)number);
}

static const char *origin_name(int number)
{
    return cushim__origin_name((enum cushim_origin)number);
}

static const char *outcome_name(int number)
{
    return cushim__outcome_name((enum cushim_outcome)number);
}

int main(int count, char **words)
{
    static struct cushim_report report = {.candidate_count = 1};
    const struct system_info info = {.report = &report,
                                     .root = count > 1 ? words[1] : "",
                                     .command = getenv("CUSHIM_COMMAND"),
                                     .seconds = 60};
    struct json json = {0};

    if (count != 7) {
        fputs("usage: diagnose ROOT STATE CODE ORIGIN OUTCOME LIBRARY\n", stderr);
        return EXIT_FAILURE;
    }
    report.state = (enum cushim_state)number_of(words[2], state_name);
    report.code = (CUresult)atoi(words[3]);
    report.candidates[0].origin = (enum cushim_origin)number_of(words[4], origin_name);
    report.candidates[0].outcome = (enum cushim_outcome)number_of(words[5], outcome_name);
    snprintf(report.candidates[0].path, sizeof report.candidates[0].path, "libcuda.so.1");
    snprintf(report.candidates[0].message, sizeof report.candidates[0].message, "what was found");
    snprintf(report.library, sizeof report.library, "%s", words[6]);

    json_open(&json, NULL, '{');
    diagnostics_json(&info, &json);
    json_close(&json, '}');
    return EXIT_SUCCESS;
}
