/* SPDX-License-Identifier: Apache-2.0 */
/* What the command can do on other systems but refuses on Windows. */
#include "src/tool/program.h"
#include "src/tool/run_report.h"
#include "src/tool/symbolizer.h"
#include "src/tool/trace.h"

int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure)
{
    (void)report;
    failure_set(failure, STATUS_USAGE, "Leave it out.", "%s is not there on Windows.",
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

bool symbolizer_find(const char *folder, const char *name, uint64_t offset, char *text, size_t size)
{
    (void)folder;
    (void)name;
    (void)offset;
    (void)text;
    (void)size;
    return false;
}

const char *symbolizer_obstacle(void)
{
    return "Addresses are not looked up on Windows.";
}

void symbolizer_end(void)
{
}

char *trace_demangle_lines(const char *lines, size_t size)
{
    (void)lines;
    (void)size;
    return NULL;
}

enum status trace_run(const struct arguments *arguments, struct failure *failure)
{
    (void)arguments;
    failure_set(failure, STATUS_FAILED,
                "Let the program trace itself on the mock: cushim/testing/trace.h.",
                "cushim trace does not start programs on Windows.");
    return failure->status;
}
