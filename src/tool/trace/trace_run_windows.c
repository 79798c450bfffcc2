/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of `cushim trace` that Windows lacks: they only refuse. */
#include "src/tool/trace/trace.h"

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
