/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of `cushim run` and `cushim check` that Windows lacks: they only refuse. */
#include "src/tool/run/program.h"
#include "src/tool/run/run_report.h"

int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure)
{
    (void)report;
    failure_set(failure, STATUS_USAGE, "Leave it out.", "%s is not supported on Windows.",
                arguments->report ? "--report" : "--error-exitcode");
    return (int)failure->status;
}

enum status command_check(const struct arguments *arguments)
{
    struct failure failure = {0};

    (void)arguments;
    failure_set(&failure, STATUS_FAILED, "Let tests check themselves: cushim/testing/check.h.",
                "cushim check does not start programs on Windows.");
    failure_print(&failure);
    return failure.status;
}
