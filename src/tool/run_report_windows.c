/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/run_report.h"

int run_reported(const struct arguments *arguments, struct failure *failure)
{
    failure_set(failure, STATUS_USAGE, "Leave it out.", "%s is not there on Windows.",
                arguments->report ? "--report" : "--error-exitcode");
    return (int)failure->status;
}
